// ScopeGeluPass: x * 0.5 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))) becomes Gelu. (The form with the error function
// is known whatever the source, GeluFusionPass.)
#include <cmath>

#include "parsers/tensorflow/graph_def.pb.h"
#include "parsers/tensorflow/scope_fusion.h"
#include "parsers/tensorflow/scope_match.h"

namespace atc::tf_parser {
namespace {

bool Near(std::optional<double> value, double wanted) {
  return value && std::fabs(*value - wanted) <= 1e-5 * std::fabs(wanted);
}

class Gelu {
 public:
  explicit Gelu(const ScopeMatch& match) : match_(match) {}

  // The x of a product of x, 0.5 and 1 + tanh, in any order; nothing when it is another product.
  std::optional<Port> Match(const SourceNode& product) const {
    std::vector<Port> factors;
    if (!Factors(product, &factors, 0) || factors.size() != 3) return std::nullopt;
    for (size_t half = 0; half < 3; ++half) {
      if (!Near(match_.Scalar(factors[half]), 0.5)) continue;
      for (const size_t gate : {(half + 1) % 3, (half + 2) % 3}) {
        const Port x = factors[3 - half - gate];
        if (OnePlusTanh(factors[gate], x)) return x;
      }
    }
    return std::nullopt;
  }

 private:
  // Factors of nested products, the halves among them.
  bool Factors(const SourceNode& product, std::vector<Port>* factors, int depth) const {
    for (size_t i = 0; i < 2; ++i) {
      const Port port = match_.In(product, i);
      const SourceNode* inner = match_.Is(port, {"Mul"}, 2);
      if (inner != nullptr && depth < 2 && HasHalf(*inner)) {
        if (!Factors(*inner, factors, depth + 1)) return false;
      } else {
        factors->push_back(port);
      }
    }
    return factors->size() <= 3;
  }
  bool HasHalf(const SourceNode& product) const {
    return match_.Operands(product, [&](Port p) { return Near(match_.Scalar(p), 0.5); }).has_value();
  }

  bool OnePlusTanh(Port port, Port x) const {
    const SourceNode* sum = match_.Is(port, {"Add", "AddV2"}, 2);
    if (sum == nullptr) return false;
    const auto parts = match_.Operands(*sum, [&](Port p) { return Near(match_.Scalar(p), 1); });
    const SourceNode* tanh = parts ? match_.Is(parts->second, {"Tanh"}) : nullptr;
    const SourceNode* scaled = tanh ? match_.Is(match_.In(*tanh, 0), {"Mul"}, 2) : nullptr;
    if (scaled == nullptr) return false;
    const auto inner = match_.Operands(*scaled, [&](Port p) { return Near(match_.Scalar(p), 0.7978845608); });
    const SourceNode* cubic = inner ? match_.Is(inner->second, {"Add", "AddV2"}, 2) : nullptr;
    if (cubic == nullptr) return false;
    const auto terms = match_.Operands(*cubic, [&](Port p) { return p == x; });
    const SourceNode* term = terms ? match_.Is(terms->second, {"Mul"}, 2) : nullptr;
    if (term == nullptr) return false;
    const auto power = match_.Operands(*term, [&](Port p) { return Near(match_.Scalar(p), 0.044715); });
    const SourceNode* cube = power ? match_.Is(power->second, {"Pow"}, 2) : nullptr;
    return cube != nullptr && match_.In(*cube, 0) == x && Near(match_.Scalar(match_.In(*cube, 1)), 3);
  }

  const ScopeMatch& match_;
};

}  // namespace

void FuseGelu(SourceGraph& graph, const ModelState& model) {
  ScopeMatch match(graph, model);
  const auto count = static_cast<uint32_t>(graph.nodes.size());
  for (uint32_t i = 0; i < count; ++i) {
    const SourceNode& node = graph.nodes[i];
    if (node.op != "Mul" || node.inputs.size() != 2) continue;
    const auto x = Gelu(match).Match(node);
    if (!x) continue;
    auto def = ScopeMatch::Def("Gelu");
    (*def->mutable_attr())["approximate"].set_b(true);
    match.Replace(i, std::move(def), {*x});
  }
}

}  // namespace atc::tf_parser

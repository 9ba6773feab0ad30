#include "compiler/passes/gate_match.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "compiler/ir/half.h"

namespace atc {
namespace {

constexpr int kMostPower = 4;
constexpr int kMostDepth = 8;
constexpr size_t kMostCandidates = 12;

using Found = std::optional<Polynomial>;

Found Product(const Found& a, const Found& b) {
  if (!a || !b) return std::nullopt;
  Polynomial product;
  for (const auto& [i, x] : *a) {
    for (const auto& [j, y] : *b) {
      if (i.first + j.first > kMostPower || i.second + j.second > 1) return std::nullopt;
      product[{i.first + j.first, i.second + j.second}] += x * y;
    }
  }
  return product;
}

Found Sum(const Found& a, const Found& b, double sign) {
  if (!a || !b) return std::nullopt;
  Polynomial sum = *a;
  for (const auto& [powers, factor] : *b) sum[powers] += sign * factor;
  return sum;
}

Found Number(double value) { return Polynomial{{{0, 0}, value}}; }

bool IsDivision(const Node& node) { return node.type() == "RealDiv" || node.type() == "onnx::Div"; }
bool IsPower(const Node& node) { return node.type() == "Pow" || node.type() == "onnx::Pow"; }

class Matcher {
 public:
  Matcher(Graph& graph, PassContext& context, const Node& gate, GateFn form)
      : graph_(graph), context_(context), gate_(gate), form_(form), match_(graph, gate) {}

  bool Run(const char* type, const char* attr) {
    const std::vector<ValueId> roots = Roots();
    for (const ValueId x : Candidates()) {
      const TensorDesc& desc = graph_.desc(x);
      if (!IsFloatOrHalf(desc.dtype) || !desc.origin_shape.HasRank()) continue;
      x_ = x;
      slack_ = Slack(desc.dtype);
      // The first product that is the activation itself, else the last that is it but for a factor.
      ValueId best = kNoId;
      double best_scale = 0;
      float parameter = 0;
      for (const ValueId root : roots) {
        const std::optional<double> scale = ScaleAt(root, &parameter);
        if (!scale) continue;
        best = root;
        best_scale = *scale;
        if (std::abs(*scale - 1) <= slack_) break;
      }
      if (best != kNoId && ScaleAt(best, &parameter)) return Replace(best, best_scale, parameter, type, attr);
    }
    return false;
  }

 private:
  // Values that the gate flows into, as long as each has one reader.
  std::vector<ValueId> Roots() {
    std::vector<ValueId> roots;
    ValueId at = gate_.outputs[0];
    for (int depth = 0; depth < kMostDepth; ++depth) {
      const Node* user = match_.TakeUser(at, {});
      if (user == nullptr) break;
      at = user->outputs[0];
      roots.push_back(at);
    }
    match_.Back(0);
    return roots;
  }

  // What may be x: values that the gate is made of, the nearest first.
  std::vector<ValueId> Candidates() const {
    std::vector<ValueId> found;
    if (gate_.inputs[0] != kNoId) found.push_back(gate_.inputs[0]);
    for (size_t i = 0; i < found.size() && found.size() < kMostCandidates; ++i) {
      const Node& node = graph_.producer(found[i]);
      if (node.Is(kSource) || !node.Is(kElementwise)) continue;
      for (const ValueId input : node.inputs) {
        if (input == kNoId || graph_.Constant(input) != nullptr) continue;
        if (std::find(found.begin(), found.end(), input) == found.end()) found.push_back(input);
      }
    }
    return found;
  }

  // The factor by which the value is the activation.
  std::optional<double> ScaleAt(ValueId root, float* parameter) {
    match_.Back(0);
    if (match_.Take(gate_.outputs[0], {}) == nullptr) return std::nullopt;
    const std::optional<GateForm> form = form_(match_, gate_, x_, Of(gate_.inputs[0], 0));
    if (!form) return std::nullopt;
    const Found found = Of(root, 0);
    const auto lead = form->activation.rbegin();
    if (!found || !found->contains(lead->first)) return std::nullopt;
    const double scale = found->at(lead->first) / lead->second;
    Polynomial wanted = form->activation;
    for (auto& [powers, factor] : wanted) factor *= scale;
    if (scale == 0 || !Agree(*found, wanted, slack_)) return std::nullopt;
    const TensorDesc &from = graph_.desc(x_), &to = graph_.desc(root);
    if (from.dtype != to.dtype || !(from.origin_shape == to.origin_shape) || !match_.IsClosed(root)) return std::nullopt;
    *parameter = form->parameter;
    return scale;
  }

  Found Of(ValueId value, int depth) {
    if (value == x_) return Polynomial{{{1, 0}, 1}};
    if (value == gate_.outputs[0]) return Polynomial{{{0, 1}, 1}};
    if (graph_.Constant(value) != nullptr) {
      // A constant of higher rank would add dims.
      const std::optional<double> number = ScalarOf(graph_, value);
      return number && graph_.desc(value).origin_shape.rank() <= graph_.desc(x_).origin_shape.rank() ? Number(*number) : Found();
    }
    if (depth >= kMostDepth) return std::nullopt;
    const Node* node = match_.Take(value, {"Add", "Adds", "Mul", "Muls", "Neg", "Pow", "RealDiv", "Square", "Sub", "onnx::Div", "onnx::Pow"});
    if (node == nullptr) return std::nullopt;
    const Found first = Of(node->inputs[0], depth + 1);
    if (node->type() == "Neg") return Product(first, Number(-1));
    if (node->type() == "Square") return Product(first, first);
    if (node->type() == "Muls") return Product(first, Number(node->Attr<float>("value")));
    if (node->type() == "Adds") return Sum(first, Number(node->Attr<float>("value")), 1);
    if (IsPower(*node)) return Power(first, node->inputs[1]);
    const Found second = Of(node->inputs[1], depth + 1);
    if (node->type() == "Mul") return Product(first, second);
    if (IsDivision(*node)) {
      const bool number = second && second->size() == 1 && second->begin()->first == std::pair(0, 0);
      return number && second->begin()->second != 0 ? Product(first, Number(1 / second->begin()->second)) : Found();
    }
    return Sum(first, second, node->type() == "Sub" ? -1 : 1);
  }

  Found Power(const Found& base, ValueId exponent) const {
    const std::optional<double> power = ScalarOf(graph_, exponent);
    if (!power || (*power != 2 && *power != 3)) return std::nullopt;
    return Product(base, *power == 2 ? base : Product(base, base));
  }

  bool Replace(ValueId root, double scale, float parameter, const char* type, const char* attr) {
    if (!match_.Allow(context_, type)) return false;
    Node& made = match_.Replace(context_, type, {x_}, root);
    if (attr != nullptr) made.attrs.Set(attr, AttrValue(parameter));
    if (std::abs(scale - 1) > slack_) Multiply(made, static_cast<float>(scale));
    return true;
  }

  // The node takes a name of its own, and what follows it the one of the result.
  void Multiply(Node& made, float scale) {
    const std::string name = made.name;
    const ValueId activation = made.outputs[0];
    const TensorDesc desc = graph_.desc(activation);
    Tensor value = Tensor::Allocate(desc.dtype, Shape(std::vector<int64_t>{}));
    if (desc.dtype == DT_FLOAT) {
      *value.MutableData<float>() = scale;
    } else {
      *value.MutableData<uint16_t>() = desc.dtype == DT_FLOAT16 ? FloatToHalf(scale) : FloatToBFloat16(scale);
    }
    graph_.Rename(made, name + "/activation");
    const ValueId factor = graph_.AddConst(name + "/scale", std::move(value), made.origin);
    const ValueId result = match_.Follow(context_, made, "Mul", {factor}, name);
    graph_.desc(result) = desc;
  }

  Graph& graph_;
  PassContext& context_;
  const Node& gate_;
  GateFn form_;
  SubgraphMatch match_;
  ValueId x_ = kNoId;
  double slack_ = 0;
};

}  // namespace

Polynomial OfX(std::initializer_list<std::pair<int, double>> factors) {
  Polynomial polynomial;
  for (const auto& [power, factor] : factors) polynomial[{power, 0}] = factor;
  return polynomial;
}

double Slack(DataType dtype) { return dtype == DT_FLOAT16 ? 1e-3 : dtype == DT_BF16 ? 8e-3 : 1e-5; }

bool Agree(const Polynomial& found, const Polynomial& wanted, double slack) {
  double largest = 0;
  for (const auto& [powers, factor] : wanted) largest = std::max(largest, std::abs(factor));
  const auto within = [&](const Polynomial& all, const Polynomial& other) {
    return std::all_of(all.begin(), all.end(), [&](const auto& term) {
      const auto same = other.find(term.first);
      const double value = same == other.end() ? 0 : same->second;
      // What cancels is measured by the largest factor, what is there by itself.
      return std::abs(term.second - value) <= slack * (value == 0 ? largest : std::abs(value));
    });
  };
  return within(found, wanted) && within(wanted, found);
}

bool FuseGates(Graph& graph, PassContext& context, std::span<const std::string_view> gate_types, GateFn form,
               const char* type, const char* attr) {
  bool changed = false;
  for (const NodeId id : graph.TopologicalOrder()) {
    const Node& node = graph.node(id);
    if (!node.alive || node.outputs.size() != 1 || node.inputs.empty()) continue;
    if (std::find(gate_types.begin(), gate_types.end(), node.type().str()) == gate_types.end()) continue;
    changed |= Matcher(graph, context, node, form).Run(type, attr);
  }
  return changed;
}

}  // namespace atc

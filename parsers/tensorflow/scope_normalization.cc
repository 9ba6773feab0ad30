// ScopeLayerNormPass and ScopeBatchNormPass: x * f + (beta - mean * f), f = rsqrt(variance + epsilon) * gamma, as
// tf.nn.batch_normalization and the layers of Keras have it. With the moments of x it is a layer normalisation, else one by
// statistics that are given.
#include <algorithm>

#include "parsers/tensorflow/graph_def.pb.h"
#include "parsers/tensorflow/scope_fusion.h"
#include "parsers/tensorflow/scope_match.h"

namespace atc::tf_parser {
namespace {

struct Normalization {
  Port x, mean, variance, gamma, beta;
  double epsilon = 0;
};

struct Shift {
  Port mean, beta;
};

// beta - mean * factor, or -mean * factor + beta.
std::optional<Shift> MatchShift(const ScopeMatch& match, const SourceNode& shift, Port factor) {
  const auto is_factor = [&](Port port) { return port == factor; };
  if (shift.op == "Sub") {
    const SourceNode* moved = match.Is(match.In(shift, 1), {"Mul"}, 2);
    const auto mean = moved ? match.Operands(*moved, is_factor) : std::nullopt;
    return mean ? std::optional(Shift{mean->second, match.In(shift, 0)}) : std::nullopt;
  }
  for (const int side : {0, 1}) {
    const SourceNode* moved = match.Is(match.In(shift, side), {"Mul"}, 2);
    const auto parts = moved ? match.Operands(*moved, is_factor) : std::nullopt;
    const SourceNode* negative = parts ? match.Is(parts->second, {"Neg"}) : nullptr;
    if (negative != nullptr) return Shift{match.In(*negative, 0), match.In(shift, 1 - side)};
  }
  return std::nullopt;
}

std::optional<Normalization> MatchNormalization(const ScopeMatch& match, const SourceNode& sum) {
  for (const int side : {0, 1}) {
    const SourceNode* scaled = match.Is(match.In(sum, side), {"Mul"}, 2);
    const SourceNode* shift = match.Is(match.In(sum, 1 - side), {"Sub", "Add", "AddV2"}, 2);
    if (scaled == nullptr || shift == nullptr) continue;
    for (const int factor_side : {0, 1}) {
      Normalization found;
      const Port factor = match.In(*scaled, factor_side);
      found.x = match.In(*scaled, 1 - factor_side);
      const auto moved = MatchShift(match, *shift, factor);
      const SourceNode* product = match.Is(factor, {"Mul"}, 2);
      if (!moved || product == nullptr) continue;
      found.mean = moved->mean;
      found.beta = moved->beta;
      const auto parts = match.Operands(*product, [&](Port port) { return match.Is(port, {"Rsqrt"}) != nullptr; });
      if (!parts) continue;
      found.gamma = parts->second;
      const SourceNode* inner = match.Is(match.In(*match.Is(parts->first, {"Rsqrt"}), 0), {"Add", "AddV2"}, 2);
      if (inner == nullptr) continue;
      const auto root = match.Operands(*inner, [&](Port port) { return match.Scalar(port).has_value(); });
      if (!root) continue;
      found.epsilon = *match.Scalar(root->first);
      found.variance = root->second;
      return found;
    }
  }
  return std::nullopt;
}

bool KeepsDims(const SourceNode& mean) {
  const auto it = mean.def->attr().find("keep_dims");
  return it != mean.def->attr().end() && it->second.b();
}

// The axes over which mean and variance are those of x; empty when they are not.
std::vector<int64_t> MomentAxes(const ScopeMatch& match, const Normalization& n) {
  const SourceNode* mean = match.Is(n.mean, {"Mean"}, 2);
  const SourceNode* variance = match.Is(n.variance, {"Mean"}, 2);
  if (mean == nullptr || variance == nullptr || match.In(*mean, 0) != n.x || !KeepsDims(*mean) || !KeepsDims(*variance)) {
    return {};
  }
  const SourceNode* square = match.Is(match.In(*variance, 0), {"SquaredDifference"}, 2);
  if (square == nullptr) return {};
  const auto parts = match.Operands(*square, [&](Port port) { return port == n.x; });
  if (!parts || parts->second != n.mean) return {};
  const auto axes = match.Ints(match.In(*mean, 1)), others = match.Ints(match.In(*variance, 1));
  return axes && others && *axes == *others ? *axes : std::vector<int64_t>{};
}

void SetFloat(proto::NodeDef& def, const char* name, double value) {
  (*def.mutable_attr())[name].set_f(static_cast<float>(value));
}

// Calls fuse(match, number of the node) for each node that adds.
template <typename F>
void ForEachSum(SourceGraph& graph, const ModelState& model, F fuse) {
  ScopeMatch match(graph, model);
  const auto count = static_cast<uint32_t>(graph.nodes.size());
  for (uint32_t i = 0; i < count; ++i) {
    const SourceNode& node = graph.nodes[i];
    if ((node.op != "Add" && node.op != "AddV2") || node.inputs.size() != 2) continue;
    if (const auto found = MatchNormalization(match, node)) fuse(match, i, *found);
  }
}

}  // namespace

void FuseLayerNorm(SourceGraph& graph, const ModelState& model) {
  ForEachSum(graph, model, [](ScopeMatch& match, uint32_t sum, const Normalization& n) {
    const std::vector<int64_t> axes = MomentAxes(match, n);
    if (axes.empty()) return;
    auto def = ScopeMatch::Def("_MomentsNormalization");
    for (const int64_t axis : axes) (*def->mutable_attr())["axes"].mutable_list()->add_i(axis);
    SetFloat(*def, "epsilon", n.epsilon);
    match.Replace(sum, std::move(def), {n.x, n.gamma, n.beta});
  });
}

void FuseBatchNorm(SourceGraph& graph, const ModelState& model) {
  ForEachSum(graph, model, [](ScopeMatch& match, uint32_t sum, const Normalization& n) {
    // Statistics of the data are no running ones.
    if (match.Is(n.mean, {"Mean"}) != nullptr || match.Is(n.variance, {"Mean"}) != nullptr) return;
    auto def = ScopeMatch::Def("_ChannelNormalization");
    SetFloat(*def, "epsilon", n.epsilon);
    match.Replace(sum, std::move(def), {n.x, n.gamma, n.beta, n.mean, n.variance});
  });
}

}  // namespace atc::tf_parser

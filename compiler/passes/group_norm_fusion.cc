#include "compiler/passes/group_norm_fusion.h"

#include "compiler/passes/channel_operand.h"

namespace atc {
namespace {

// Dims of known sizes but for one, or those that the Shape of `x` gives.
bool IsLike(const Graph& graph, const Node& reshape, ValueId x) {
  const Shape &from = graph.desc(x).origin_shape, &to = graph.desc(reshape.outputs[0]).origin_shape;
  if (!from.HasRank() || !(from == to)) return false;
  int unknown = 0;
  for (const int64_t dim : from.dims()) unknown += dim < 0;
  if (unknown <= 1) return true;
  const Node& shape = graph.producer(reshape.inputs[1]);
  return shape.type() == "Shape" && shape.inputs[0] == x;
}

// [n, groups, rest...] of [n, channels, ...], with the same n.
bool IsGrouped(const Graph& graph, const Node& reshape) {
  const Shape &from = graph.desc(reshape.inputs[0]).origin_shape, &to = graph.desc(reshape.outputs[0]).origin_shape;
  if (!from.HasRank() || from.rank() < 2 || !to.HasRank() || to.rank() < 3) return false;
  if (from[1] < 1 || to[1] < 1 || from[1] % to[1] != 0) return false;
  if (from[0] > 0 && from[0] == to[0]) return true;
  int64_t rest = from[1] / to[1];
  for (size_t d = 2; d < from.rank(); ++d) rest = from[d] < 0 ? -1 : rest * from[d];
  int64_t row = 1;
  for (size_t d = 2; d < to.rank(); ++d) row = row < 0 || to[d] < 0 ? -1 : row * to[d];
  if (rest > 0 && rest == row) return true;
  // What is asked for says so where sizes do not.
  const Tensor* target = graph.ConstantInput(reshape, 1);
  if (target == nullptr || target->NumElements() != static_cast<int64_t>(to.rank()) ||
      reshape.attrs.Get<int64_t>("allowzero", 0) != 0)
    return false;
  return ToInts(target->Materialized())[0] == 0;
}

// Of all that is behind the second axis.
bool IsPlainNorm(const Node& node) {
  if (node.outputs.size() != 1) return false;
  return node.type() == "InstanceNorm" || (node.type() == "LayerNormV3" && node.Attr<int64_t>("begin_norm_axis") == 2);
}

bool Fuse(Graph& graph, PassContext& context, const Node& norm) {
  SubgraphMatch match(graph, norm);
  if (!IsAll(graph, norm.inputs[1], 1) || !IsAll(graph, norm.inputs[2], 0)) return false;
  if (match.Take(norm.outputs[0], {}) == nullptr) return false;
  const Node* split = match.Take(norm.inputs[0], {"Reshape"});
  const Node* joined = match.TakeUser(norm.outputs[0], {"Reshape"});
  if (split == nullptr || joined == nullptr || !IsGrouped(graph, *split)) return false;
  const ValueId x = split->inputs[0];
  if (!IsLike(graph, *joined, x) || !IsFloatOrHalf(graph.desc(x).dtype)) return false;
  ValueId leaving = joined->outputs[0], scale = kNoId, shift = kNoId;
  TakeChannelAffine(match, graph, x, &leaving, &scale, &shift);
  if (!match.IsClosed(leaving) || !match.Allow(context, "GroupNormV2")) return false;
  const int64_t groups = graph.desc(split->outputs[0]).origin_shape[1];
  const float epsilon = norm.Attr<float>("epsilon");
  const ValueId gamma = ChannelOperand(match, graph, scale, x, leaving, "gamma", 1);
  const ValueId beta = ChannelOperand(match, graph, shift, x, leaving, "beta", 0);
  Node& made = match.Replace(context, "GroupNormV2", {x, gamma, beta}, leaving);
  made.attrs.Set("num_groups", groups);
  made.attrs.Set("eps", epsilon);
  made.attrs.Set("data_format", "NCHW");
  return true;
}

}  // namespace

bool GroupNormFusionPass(Graph& graph, PassContext& context) {
  bool changed = false;
  for (const NodeId id : graph.TopologicalOrder()) {
    const Node& node = graph.node(id);
    if (node.alive && IsPlainNorm(node)) changed |= Fuse(graph, context, node);
  }
  return changed;
}

}  // namespace atc

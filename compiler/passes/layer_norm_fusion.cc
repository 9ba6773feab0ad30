#include "compiler/passes/layer_norm_fusion.h"

#include "compiler/passes/channel_operand.h"
#include "compiler/passes/norm_match.h"

namespace atc {
namespace {

// Whether a scale or shift for each channel follows, as an instance norm has it.
bool IsInstance(SubgraphMatch& match, const Graph& graph, const NormMatch& norm) {
  if (norm.scale != kNoId || norm.shift != kNoId || norm.axes.front() != 2) return false;
  const size_t mark = match.mark();
  ValueId leaving = norm.leaving, scale = kNoId, shift = kNoId;
  TakeChannelAffine(match, graph, norm.x, &leaving, &scale, &shift);
  match.Back(mark);
  return scale != kNoId || shift != kNoId;
}

// Over the channels alone of channels that lie first, [n, c, ...].
bool AreChannels(const Graph& graph, ValueId x, const std::vector<int64_t>& axes) {
  const Shape& shape = graph.desc(x).origin_shape;
  return shape.rank() > 2 && shape[1] > 0 && axes == std::vector<int64_t>{1};
}

bool Fits(const Graph& graph, ValueId operand, ValueId x, const std::vector<int64_t>& axes) {
  return AreChannels(graph, x, axes) ? FitsChannels(graph, operand, x) : FitsTrailing(graph, operand, x, axes);
}

// Between Transposes, since a layer norm wants its axes last.
bool FuseChannels(SubgraphMatch& match, Graph& graph, PassContext& context, const NormMatch& norm) {
  const size_t rank = graph.desc(norm.x).origin_shape.rank();
  // Of three dims the last may be channels, whose scale then follows: ChannelsLastNormFusionPass.
  if (rank == 3 && norm.scale == kNoId && norm.shift == kNoId) return false;
  if (!match.Allow(context, "LayerNormV3 over channels")) return false;
  std::vector<int64_t> channels_last{0};
  for (size_t axis = 2; axis < rank; ++axis) channels_last.push_back(static_cast<int64_t>(axis));
  channels_last.push_back(1);
  const ValueId scale = ChannelOperand(match, graph, norm.scale, norm.x, norm.leaving, "gamma", 1);
  const ValueId shift = ChannelOperand(match, graph, norm.shift, norm.x, norm.leaving, "beta", 0);
  Node& made = match.ReplaceTurned(context, "LayerNormV3", norm.x, {scale, shift}, channels_last, norm.leaving);
  made.attrs.Set("begin_norm_axis", static_cast<int64_t>(rank) - 1);
  made.attrs.Set("begin_params_axis", static_cast<int64_t>(rank) - 1);
  made.attrs.Set("epsilon", norm.epsilon);
  return true;
}

bool Fuse(Graph& graph, PassContext& context, const Node& node) {
  SubgraphMatch match(graph, node);
  const std::optional<NormMatch> norm = MatchNorm(match, node, true, Fits);
  if (norm && AreChannels(graph, norm->x, norm->axes)) return FuseChannels(match, graph, context, *norm);
  if (!norm || !AreTrailing(graph, norm->x, norm->axes) || IsInstance(match, graph, *norm) ||
      !match.Allow(context, "LayerNormV3"))
    return false;
  const ValueId scale = TrailingOperand(match, graph, *norm, norm->scale, "gamma", 1);
  const ValueId shift = TrailingOperand(match, graph, *norm, norm->shift, "beta", 0);
  Node& made = match.Replace(context, "LayerNormV3", {norm->x, scale, shift}, norm->leaving);
  made.attrs.Set("begin_norm_axis", norm->axes.front());
  made.attrs.Set("begin_params_axis", norm->axes.front());
  made.attrs.Set("epsilon", norm->epsilon);
  return true;
}

}  // namespace

bool LayerNormFusionPass(Graph& graph, PassContext& context) {
  bool changed = false;
  for (const NodeId id : graph.TopologicalOrder()) {
    const Node& node = graph.node(id);
    if (node.alive && IsNormCandidate(node)) changed |= Fuse(graph, context, node);
  }
  return changed;
}

}  // namespace atc

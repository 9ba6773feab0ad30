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

bool Fuse(Graph& graph, PassContext& context, const Node& node) {
  SubgraphMatch match(graph, node);
  const std::optional<NormMatch> norm = MatchNorm(match, node, true, FitsTrailing);
  if (!norm || !AreTrailing(graph, norm->x, norm->axes) || IsInstance(match, graph, *norm) || !match.Allow(context, "LayerNormV3")) return false;
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

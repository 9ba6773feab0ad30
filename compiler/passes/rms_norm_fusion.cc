#include "compiler/passes/rms_norm_fusion.h"

#include "compiler/passes/norm_match.h"

namespace atc {
namespace {

bool Fuse(Graph& graph, PassContext& context, const Node& node) {
  SubgraphMatch match(graph, node);
  const std::optional<NormMatch> norm = MatchNorm(match, node, false, FitsTrailing);
  if (!norm || !AreTrailing(graph, norm->x, norm->axes) || !match.Allow(context, "RmsNorm")) return false;
  const ValueId scale = TrailingOperand(match, graph, *norm, norm->scale, "gamma", 1);
  match.Replace(context, "RmsNorm", {norm->x, scale}, norm->leaving).attrs.Set("epsilon", norm->epsilon);
  return true;
}

}  // namespace

bool RmsNormFusionPass(Graph& graph, PassContext& context) {
  bool changed = false;
  for (const NodeId id : graph.TopologicalOrder()) {
    const Node& node = graph.node(id);
    if (node.alive && IsNormCandidate(node)) changed |= Fuse(graph, context, node);
  }
  return changed;
}

}  // namespace atc

#include "compiler/passes/masked_softmax_fusion.h"

#include <algorithm>

#include "compiler/ops/attention_parts.h"
#include "compiler/passes/fused_node.h"
#include "compiler/passes/subgraph_match.h"

namespace atc {
namespace {

bool Fuse(Graph& graph, PassContext& context, const Node& softmax) {
  SubgraphMatch match(graph, softmax);
  const auto found = FindMaskedSoftmax(graph, softmax, [&](const Node& node) { return match.MayGo(node); });
  if (!found || !match.MayGo(softmax)) return false;
  const ValueId leaving = softmax.outputs[0];
  const DataType dtype = graph.desc(leaving).dtype;
  const auto same = [&](const ScoreStep& step) {
    return !step.adds() || graph.desc(step.operand.base).dtype == dtype;
  };
  if (!IsFloatOrHalf(dtype) || graph.desc(found->source).dtype != dtype) return false;
  if (!std::all_of(found->steps.begin(), found->steps.end(), same)) return false;
  for (const NodeId id : found->members) match.Include(id);
  if (!match.IsClosed(leaving, found->views) || !match.Allow(context, "masked softmax")) return false;
  Node& fused = MakeFused(graph, match.Members(), softmax.id, "FusedSoftmax", leaving);
  fused.Because("fusion", "masked softmax");
  context.journal.Made(fused);
  return true;
}

}  // namespace

bool MaskedSoftmaxFusionPass(Graph& graph, PassContext& context) {
  bool changed = false;
  for (const NodeId id : graph.TopologicalOrder()) {
    const Node& node = graph.node(id);
    if (node.alive && node.type() == "SoftmaxV2") changed |= Fuse(graph, context, node);
  }
  return changed;
}

}  // namespace atc

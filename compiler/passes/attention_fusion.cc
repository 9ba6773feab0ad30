#include "compiler/passes/attention_fusion.h"

#include <algorithm>

#include "compiler/ops/attention_parts.h"
#include "compiler/passes/fused_node.h"
#include "compiler/passes/subgraph_match.h"

namespace atc {
namespace {

// Operands of the type of the result, masks of any float type.
bool AreOfType(const Graph& graph, const Attention& found, DataType dtype) {
  if (!IsFloatOrHalf(dtype)) return false;
  const auto same = [&](ValueId value) { return graph.desc(value).dtype == dtype; };
  return same(found.q.base) && same(found.k.base) && same(found.v.base) && IsFloatOrHalf(graph.desc(found.scores).dtype) &&
         std::all_of(found.steps.begin(), found.steps.end(), [&](const ScoreStep& step) {
           return !step.adds() || IsFloatOrHalf(graph.desc(step.operand.base).dtype);
         });
}

bool Fuse(Graph& graph, PassContext& context, const Node& product) {
  SubgraphMatch match(graph, product);
  const auto found = FindAttention(graph, product, [&](const Node& node) { return match.MayGo(node); });
  if (!found || !match.MayGo(product) || !AreOfType(graph, *found, graph.desc(found->leaving).dtype)) return false;
  for (const NodeId id : found->members) match.Include(id);
  if (!match.IsClosed(found->leaving, found->views) || !match.Allow(context, "attention")) return false;
  Node& fused = MakeFused(graph, match.Members(), product.id, "FusedAttention", found->leaving);
  fused.Because("fusion", "attention");
  context.journal.Made(fused);
  return true;
}

}  // namespace

bool AttentionFusionPass(Graph& graph, PassContext& context) {
  bool changed = false;
  for (const NodeId id : graph.TopologicalOrder()) {
    const Node& node = graph.node(id);
    if (node.alive && (node.type() == "BatchMatMulV2" || node.type() == "MatMulV2")) changed |= Fuse(graph, context, node);
  }
  return changed;
}

}  // namespace atc

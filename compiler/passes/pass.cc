#include "compiler/passes/pass.h"

namespace atc {

bool RunPasses(Graph& graph, PassContext& context, std::span<const Pass> passes, int rounds) {
  const GrowthOfCopy growth(graph, context.folding);
  bool changed = false;
  for (NodeId id = 0; id < graph.node_capacity(); ++id) {
    if (!graph.node(id).alive) continue;
    for (const Subgraph& subgraph : graph.node(id).subgraphs) {
      changed |= RunPasses(*subgraph.graph, context, passes, rounds);
    }
  }
  for (int round = 0; round < rounds; ++round) {
    bool again = false;
    for (const Pass& pass : passes) {
      if (context.switches != nullptr && !context.switches->IsOn(pass.kind, pass.name)) continue;
      context.journal.EnterPass(pass.name);
      const NodeId nodes = static_cast<NodeId>(graph.node_capacity());
      const size_t entries = context.journal.entries().size();
      again |= pass.run(graph, context);
      context.journal.MadeAlong(graph, nodes, entries);
    }
    changed |= again;
    if (!again) break;
  }
  return changed;
}

}  // namespace atc

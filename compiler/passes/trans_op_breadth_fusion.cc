#include "compiler/passes/trans_op_breadth_fusion.h"

#include <algorithm>
#include <vector>

#include "compiler/passes/trans_op.h"

namespace atc {
namespace {

// Of two that read the same value.
bool GiveTheSame(const Graph& graph, const Node& a, const Node& b) {
  const TensorDesc &x = graph.desc(a.outputs[0]), &y = graph.desc(b.outputs[0]);
  return a.type() == b.type() && Equal(a.attrs, b.attrs) && x.dtype == y.dtype && x.format == y.format &&
         x.origin_format == y.origin_format && x.shape == y.shape;
}

bool MergeReaders(Graph& graph, PassContext& context, ValueId value) {
  if (graph.value(value).uses.size() < 2) return false;
  std::vector<NodeId> readers;
  for (const Use& use : graph.value(value).uses) {
    const Node& reader = graph.node(use.node);
    if (IsFreeCast(reader) || IsFreeTransData(reader)) readers.push_back(use.node);
  }
  std::sort(readers.begin(), readers.end());
  bool changed = false;
  std::vector<NodeId> kept;
  for (const NodeId id : readers) {
    Node& node = graph.node(id);
    const auto same = std::find_if(kept.begin(), kept.end(), [&](NodeId other) { return GiveTheSame(graph, graph.node(other), node); });
    if (same == kept.end()) {
      kept.push_back(id);
      continue;
    }
    Node& first = graph.node(*same);
    if (!context.journal.Allow("equal " + node.type().str(), {&first, &node})) continue;
    graph.ReplaceUses(node.outputs[0], first.outputs[0]);
    first.origin = graph.origins().Union(first.origin, node.origin);
    context.journal.Made(first);
    graph.Remove(id);
    changed = true;
  }
  return changed;
}

}  // namespace

bool TransOpBreadthFusionPass(Graph& graph, PassContext& context) {
  bool changed = false;
  for (const NodeId id : graph.TopologicalOrder()) {
    if (!graph.node(id).alive) continue;
    for (const ValueId output : std::vector<ValueId>(graph.node(id).outputs)) changed |= MergeReaders(graph, context, output);
  }
  return changed;
}

}  // namespace atc

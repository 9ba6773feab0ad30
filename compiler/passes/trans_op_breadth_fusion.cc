#include "compiler/passes/trans_op_breadth_fusion.h"

#include <algorithm>
#include <map>
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

}  // namespace

bool TransOpBreadthFusionPass(Graph& graph, PassContext& context) {
  bool changed = false;
  std::map<ValueId, std::vector<NodeId>> kept;  // by what they read
  for (const NodeId id : FreeTransOps(graph)) {
    Node& node = graph.node(id);
    std::vector<NodeId>& others = kept[node.inputs[0]];
    const auto same = std::find_if(others.begin(), others.end(),
                                   [&](NodeId other) { return GiveTheSame(graph, graph.node(other), node); });
    if (same == others.end()) {
      others.push_back(id);
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

}  // namespace atc

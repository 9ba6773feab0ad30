// Nodes that nothing needs go.
#include "compiler/passes/dead_code.h"

#include <vector>

namespace atc {

bool PrunePass(Graph& graph, PassContext& context) {
  std::vector<bool> needed(graph.node_capacity(), false);
  std::vector<NodeId> stack;
  const auto need = [&](NodeId id) {
    if (needed[id]) return;
    needed[id] = true;
    stack.push_back(id);
  };
  for (NodeId id = 0; id < graph.node_capacity(); ++id) {
    const Node& node = graph.node(id);
    // Inputs are the interface of the model; Send and the like have effects.
    const bool keep = node.type() == "NetOutput" || node.type() == "Data" || (node.Is(kStateful) && node.outputs.empty());
    if (node.alive && keep) need(id);
  }
  while (!stack.empty()) {
    const Node& node = graph.node(stack.back());
    stack.pop_back();
    for (const ValueId input : node.inputs) {
      if (input != kNoId) need(graph.value(input).producer);
    }
    for (const NodeId before : node.control_in) need(before);
  }
  bool changed = false;
  const std::vector<NodeId> order = graph.TopologicalOrder();
  for (auto it = order.rbegin(); it != order.rend(); ++it) {  // users first
    if (needed[*it]) continue;
    context.journal.Require("unused node", {&graph.node(*it)});
    graph.Remove(*it);
    changed = true;
  }
  return changed;
}

bool UnusedConstPass(Graph& graph, PassContext& context) {
  bool changed = false;
  for (NodeId id = 0; id < graph.node_capacity(); ++id) {
    const Node& node = graph.node(id);
    if (!node.alive || node.type() != "Const" || !graph.value(node.outputs[0]).uses.empty()) continue;
    if (!node.control_out.empty()) continue;
    context.journal.Require("unused constant", {&node});
    graph.Remove(id);
    changed = true;
  }
  return changed;
}

}  // namespace atc

#include "compiler/passes/unused_captures.h"

#include <vector>

namespace atc {
namespace {

constexpr const char* kParentInput = "_parent_node_index";

struct Capture {
  Graph* graph;
  NodeId data;
};

// The Data nodes that stand for each input of the node.
std::vector<std::vector<Capture>> CapturesOf(const Node& node) {
  std::vector<std::vector<Capture>> captures(node.inputs.size());
  for (const Subgraph& nested : node.subgraphs) {
    for (const NodeId id : nested.graph->Inputs()) {
      const int64_t* input = nested.graph->node(id).attrs.FindAs<int64_t>(kParentInput);
      if (input) captures[static_cast<size_t>(*input)].push_back({nested.graph.get(), id});
    }
  }
  return captures;
}

bool IsUsed(const Capture& capture) {
  return !capture.graph->value(capture.graph->node(capture.data).outputs[0]).uses.empty();
}

void Renumber(const Node& node, size_t erased) {
  for (const Subgraph& nested : node.subgraphs) {
    for (const NodeId id : nested.graph->Inputs()) {
      AttrMap& attrs = nested.graph->node(id).attrs;
      const int64_t* input = attrs.FindAs<int64_t>(kParentInput);
      if (input && *input > static_cast<int64_t>(erased)) attrs.Set(kParentInput, *input - 1);
    }
  }
}

}  // namespace

bool UnusedArgsCleanPass(Graph& graph, PassContext& context) {
  bool changed = false;
  for (const NodeId id : graph.TopologicalOrder()) {
    Node& node = graph.node(id);
    if (node.subgraphs.empty()) continue;
    for (size_t i = node.inputs.size(); i-- > 0;) {
      const std::vector<Capture> captures = CapturesOf(node)[i];
      bool unused = !captures.empty();
      for (const Capture& capture : captures) unused &= !IsUsed(capture);
      if (!unused) continue;
      context.journal.Require("captured input without use", {&node});
      for (const Capture& capture : captures) capture.graph->Remove(capture.data);
      graph.EraseInput(node, static_cast<uint32_t>(i));
      Renumber(node, i);
      changed = true;
    }
  }
  return changed;
}

}  // namespace atc

#include <map>

#include "compiler/streams/static_parts.h"
#include "compiler/streams/stream_passes.h"

namespace atc {

namespace {

// Calls visit(Node&) for every node of the graph and its nested ones, but not of parts, which have numbers of their own.
template <typename F>
void ForEachNode(Graph& graph, const F& visit) {
  for (NodeId id = 0; id < graph.node_capacity(); ++id) {
    Node& node = graph.node(id);
    if (!node.alive) continue;
    visit(node);
    if (node.type() == kPartCall) continue;
    for (const Subgraph& subgraph : node.subgraphs) ForEachNode(*subgraph.graph, visit);
  }
}

}  // namespace

void RefreshContinuousStreams(StreamContext& context) {
  std::map<int32_t, int32_t> renumbered;
  ForEachNode(context.graph, [&](const Node& node) {
    if (node.stream >= 0) renumbered[node.stream] = 0;
  });
  context.next_stream = 0;
  for (auto& [old, stream] : renumbered) stream = context.next_stream++;
  ForEachNode(context.graph, [&](Node& node) {
    if (node.stream >= 0) node.stream = renumbered[node.stream];
  });
}

}  // namespace atc

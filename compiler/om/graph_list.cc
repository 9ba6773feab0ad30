#include "compiler/om/graph_list.h"

#include "compiler/io/utf8.h"

namespace atc {

GraphList::GraphList(const Graph& root) : origins_(&root.origins()) { Add(root); }

void GraphList::Add(const Graph& graph) {
  ListedGraph& listed = graphs_.emplace_back();
  listed.graph = &graph;
  listed.name = EscapeInvalidUtf8(graph.name);
  // Owners refer to their graphs by name.
  while (taken_.contains(listed.name)) {
    listed.name = EscapeInvalidUtf8(graph.name) + "_" + std::to_string(++taken_[EscapeInvalidUtf8(graph.name)]);
  }
  taken_.emplace(listed.name, 0);
  places_.emplace(&graph, graphs_.size() - 1);
  listed.order = graph.TopologicalOrder();
  listed.place.assign(graph.node_capacity(), kNoId);
  for (uint32_t i = 0; i < listed.order.size(); ++i) listed.place[listed.order[i]] = i;
  listed.first_id = next_id_;
  next_id_ += static_cast<uint32_t>(listed.order.size());

  const std::vector<NodeId> order = listed.order;  // `listed` moves when graphs are added
  for (const NodeId id : order) {
    const Node& node = graph.node(id);
    for (const Subgraph& subgraph : node.subgraphs) Add(*subgraph.graph);
    if (node.fused) Add(*node.fused);
  }
}

}  // namespace atc

// The graphs of a model in the order in which a file lists them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "compiler/ir/graph.h"

namespace atc {

struct ListedGraph {
  const Graph* graph = nullptr;
  std::string name;             // unique in the model
  std::vector<NodeId> order;    // alive nodes in topological order
  std::vector<uint32_t> place;  // by node id: its place in `order`; kNoId for removed nodes
  uint32_t first_id = 0;        // OpDef.id of order[0]: ids run through all graphs
};

// The root first, then every nested graph (those of control flow, then the one of a fused node), each before its own.
class GraphList {
 public:
  explicit GraphList(const Graph& root);

  const std::vector<ListedGraph>& all() const { return graphs_; }
  const OriginTable& origins() const { return *origins_; }
  const std::string& NameOf(const Graph& graph) const { return graphs_[places_.at(&graph)].name; }

 private:
  void Add(const Graph& graph);

  std::vector<ListedGraph> graphs_;
  const OriginTable* origins_;
  std::unordered_map<const Graph*, size_t> places_;
  std::unordered_map<std::string, int> taken_;
  uint32_t next_id_ = 0;
};

}  // namespace atc

// Dependencies between tasks, seen through nodes that have none (Data, Const, what aliases its input).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "compiler/ir/graph.h"

namespace atc {

class TaskNeighbours {
 public:
  // `order` holds every alive node after what it depends on; `is_task` tells which nodes become tasks.
  TaskNeighbours(const Graph& graph, const std::vector<NodeId>& order,
                 const std::function<bool(const Node&)>& is_task);

  // The nearest tasks that `node` waits for, and that wait for it, each once, in launch order. `node` may itself be none.
  std::span<const NodeId> Before(NodeId node) const { return before_.Of(node); }
  std::span<const NodeId> After(NodeId node) const { return after_.Of(node); }
  // Place of a node in `order`.
  uint32_t Position(NodeId node) const { return position_[node]; }

 private:
  // Lists by node in one array.
  struct Lists {
    std::vector<size_t> begin, end;
    std::vector<NodeId> items;
    std::span<const NodeId> Of(NodeId node) const { return {items.data() + begin[node], end[node] - begin[node]}; }
  };

  std::vector<uint32_t> position_;
  Lists before_, after_;
};

}  // namespace atc

#include "compiler/streams/task_neighbours.h"

#include <algorithm>

namespace atc {

TaskNeighbours::TaskNeighbours(const Graph& graph, const std::vector<NodeId>& order,
                               const std::function<bool(const Node&)>& is_task)
    : position_(graph.node_capacity(), 0) {
  std::vector<bool> task(graph.node_capacity(), false);
  for (size_t i = 0; i < order.size(); ++i) {
    position_[order[i]] = static_cast<uint32_t>(i);
    task[order[i]] = is_task(graph.node(order[i]));
  }
  for (Lists* lists : {&before_, &after_}) {
    lists->begin.assign(graph.node_capacity(), 0);
    lists->end.assign(graph.node_capacity(), 0);
  }
  std::vector<NodeId> found;
  // A neighbour that is no task stands for its own list, which is complete by then.
  const auto take = [&](const Lists& lists, NodeId neighbour) {
    if (task[neighbour]) {
      found.push_back(neighbour);
    } else {
      const auto through = lists.Of(neighbour);
      found.insert(found.end(), through.begin(), through.end());
    }
  };
  const auto keep = [&](Lists& lists, NodeId node) {
    std::sort(found.begin(), found.end(), [&](NodeId a, NodeId b) { return position_[a] < position_[b]; });
    found.erase(std::unique(found.begin(), found.end()), found.end());
    lists.begin[node] = lists.items.size();
    lists.items.insert(lists.items.end(), found.begin(), found.end());
    lists.end[node] = lists.items.size();
    found.clear();
  };
  for (const NodeId id : order) {
    const Node& node = graph.node(id);
    for (const ValueId input : node.inputs) {
      if (input != kNoId) take(before_, graph.value(input).producer);
    }
    for (const NodeId before : node.control_in) take(before_, before);
    keep(before_, id);
  }
  for (auto it = order.rbegin(); it != order.rend(); ++it) {
    const Node& node = graph.node(*it);
    for (const ValueId output : node.outputs) {
      for (const Use& use : graph.value(output).uses) take(after_, use.node);
    }
    for (const NodeId after : node.control_out) take(after_, after);
    keep(after_, *it);
  }
}

}  // namespace atc

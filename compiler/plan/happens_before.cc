#include "compiler/plan/happens_before.h"

#include <algorithm>

namespace atc {

HappensBefore::HappensBefore(const Graph& graph, const std::vector<NodeId>& launch_order) : graph_(graph) {
  for (const NodeId id : launch_order) num_streams_ = std::max(num_streams_, graph.node(id).stream + 1);
  position_.assign(graph.node_capacity(), 0);
  clocks_.assign(graph.node_capacity() * num_streams_, 0);
  std::vector<NodeId> last(num_streams_, kNoId);
  std::vector<int32_t> count(num_streams_, 0);
  for (const NodeId id : launch_order) {
    const Node& node = graph.node(id);
    const auto wait_for = [&](NodeId before) {
      for (int32_t s = 0; s < num_streams_; ++s) Clock(id, s) = std::max(Clock(id, s), Clock(before, s));
      const int32_t stream = graph.node(before).stream;
      if (stream >= 0) Clock(id, stream) = std::max(Clock(id, stream), position_[before] + 1);
    };
    for (const ValueId input : node.inputs) {
      if (input != kNoId) wait_for(graph.value(input).producer);
    }
    for (const NodeId before : node.control_in) wait_for(before);
    if (node.stream < 0) continue;
    if (last[node.stream] != kNoId) wait_for(last[node.stream]);
    position_[id] = count[node.stream]++;
    last[node.stream] = id;
  }
}

bool HappensBefore::Before(NodeId a, NodeId b) const {
  const int32_t stream = graph_.node(a).stream;
  return a != b && stream >= 0 && Clock(b, stream) > position_[a];
}

}  // namespace atc

#include "compiler/streams/stream_activation.h"

#include <algorithm>
#include <map>
#include <string>

#include "compiler/ir/stream_label.h"

namespace atc {

void ActivateStreams(Graph& graph) {
  const std::vector<NodeId> order = graph.TopologicalOrder();
  std::vector<NodeId> active;
  std::map<std::string, int32_t> of_label;
  std::map<int32_t, NodeId> first;  // task of each stream
  std::vector<size_t> place(graph.node_capacity(), 0);
  for (size_t i = 0; i < order.size(); ++i) {
    const NodeId id = order[i];
    const Node& node = graph.node(id);
    place[id] = i;
    for (const Subgraph& subgraph : node.subgraphs) ActivateStreams(*subgraph.graph);
    if (node.stream < 0) continue;
    if (node.type() == "StreamActive") active.push_back(id);
    if (const std::string label = StreamLabelOf(node); !label.empty()) of_label.try_emplace(label, node.stream);
    first.try_emplace(node.stream, id);
  }
  if (active.empty()) return;
  std::map<int32_t, NodeId> started;
  for (const NodeId id : active) {
    Node& node = graph.node(id);
    auto wanted = node.attrs.Get<std::vector<int64_t>>(kActiveStreams, {});
    for (const std::string& label : node.attrs.Get<std::vector<std::string>>(kActiveLabels, {})) {
      if (const auto found = of_label.find(label); found != of_label.end()) wanted.push_back(found->second);
    }
    std::vector<int64_t> streams;
    for (const int64_t stream : wanted) {
      const auto task = stream < 0 || stream > INT32_MAX ? first.end() : first.find(static_cast<int32_t>(stream));
      if (task == first.end() || stream == node.stream || place[task->second] < place[id]) continue;
      if (!started.try_emplace(task->first, id).second) continue;
      streams.push_back(stream);
      graph.AddControl(id, task->second);
      graph.node(task->second).Because("event", "the first task of a stream that " + node.name + " starts");
    }
    std::sort(streams.begin(), streams.end());
    node.attrs.Set(kActiveStreams, std::move(streams));
  }
  std::vector<int64_t> heads;
  for (const auto& [stream, task] : first) {
    if (!started.contains(stream)) heads.push_back(stream);
  }
  graph.attrs.Set(kHeadStreams, std::move(heads));
}

std::vector<NodeId> ActivatorOfStreams(const Graph& graph, size_t streams) {
  std::vector<NodeId> of_stream(streams, kNoId);
  for (NodeId id = 0; id < graph.node_capacity(); ++id) {
    const Node& node = graph.node(id);
    if (!node.alive || node.type() != "StreamActive" || node.stream < 0) continue;
    for (const int64_t stream : node.attrs.Get<std::vector<int64_t>>(kActiveStreams, {})) {
      if (stream >= 0 && static_cast<size_t>(stream) < streams && of_stream[static_cast<size_t>(stream)] == kNoId) {
        of_stream[static_cast<size_t>(stream)] = id;
      }
    }
  }
  return of_stream;
}

}  // namespace atc

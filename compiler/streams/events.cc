#include "compiler/streams/events.h"

#include <algorithm>
#include <map>
#include <vector>

namespace atc {
namespace {

struct Wait {
  NodeId from;
  NodeId to;
};

// Nodes with a stream that `node` depends on, through those without one.
void Needed(const Graph& graph, const Node& node, std::vector<NodeId>* found) {
  const auto visit = [&](NodeId id) {
    if (graph.node(id).stream >= 0) {
      found->push_back(id);
    } else {
      Needed(graph, graph.node(id), found);
    }
  };
  for (const ValueId input : node.inputs) {
    if (input != kNoId) visit(graph.value(input).producer);
  }
  for (const NodeId id : node.control_in) visit(id);
}

// Clock per stream: how many of its nodes are over.
using Clock = std::vector<int32_t>;

std::vector<Wait> ReducedWaits(const Graph& graph, const std::vector<NodeId>& order, int32_t* edges) {
  int32_t streams = 0;
  for (const NodeId id : order) streams = std::max(streams, graph.node(id).stream + 1);
  std::vector<Clock> clock(graph.node_capacity(), Clock(streams, 0));
  std::vector<int32_t> position(graph.node_capacity(), 0);
  std::vector<std::vector<NodeId>> on_stream(streams);
  std::vector<Wait> waits;
  const auto covers = [](const Clock& a, int32_t stream, int32_t at) { return a[stream] > at; };
  for (const NodeId id : order) {
    const Node& node = graph.node(id);
    if (node.stream < 0) continue;
    Clock& mine = clock[id];
    auto join = [&](NodeId before) {
      for (int32_t s = 0; s < streams; ++s) mine[s] = std::max(mine[s], clock[before][s]);
      const int32_t stream = graph.node(before).stream;
      mine[stream] = std::max(mine[stream], position[before] + 1);
    };
    position[id] = static_cast<int32_t>(on_stream[node.stream].size());
    if (!on_stream[node.stream].empty()) join(on_stream[node.stream].back());
    on_stream[node.stream].push_back(id);

    std::vector<NodeId> needed;
    Needed(graph, node, &needed);
    std::map<int32_t, NodeId> latest;  // per other stream: the last node that must be over
    for (const NodeId before : needed) {
      const int32_t stream = graph.node(before).stream;
      if (stream == node.stream) continue;
      ++*edges;
      const auto [it, added] = latest.try_emplace(stream, before);
      if (!added && position[before] > position[it->second]) it->second = before;
    }
    std::vector<NodeId> kept;
    for (const auto& [stream, before] : latest) {
      if (covers(mine, stream, position[before])) continue;
      // Another of the waits may bring this one along.
      const bool implied = std::any_of(latest.begin(), latest.end(), [&](const auto& other) {
        return other.second != before && covers(clock[other.second], stream, position[before]);
      });
      if (!implied) kept.push_back(before);
    }
    for (const NodeId before : kept) {
      waits.push_back({before, id});
      join(before);
    }
  }
  return waits;
}

}  // namespace

EventCounts InsertEvents(Graph& graph) {
  EventCounts counts;
  const std::vector<NodeId> order = graph.TopologicalOrder();
  const std::vector<Wait> waits = ReducedWaits(graph, order, &counts.edges);
  std::map<NodeId, std::vector<NodeId>> after;
  std::map<NodeId, std::vector<NodeId>> before;
  for (const Wait& wait : waits) {
    const std::string number = std::to_string(counts.events);
    Node& send = graph.Add("Send", graph.name + "_Send_" + number, {}, 0);
    Node& recv = graph.Add("Recv", graph.name + "_Recv_" + number, {}, 0);
    const Node& from = graph.node(wait.from);
    const Node& to = graph.node(wait.to);
    for (Node* end : {&send, &recv}) {
      const Node& serves = end == &send ? from : to;
      end->attrs.Set("event_id", counts.events);
      end->stream = serves.stream;
      end->engine = "DNN_VM_RTS";
      end->origin = serves.origin;
      end->Because("event", to.name + " on stream " + std::to_string(to.stream) + " waits for " + from.name +
                                " on stream " + std::to_string(from.stream));
    }
    graph.AddControl(wait.from, send.id);
    graph.AddControl(recv.id, wait.to);
    after[wait.from].push_back(send.id);
    before[wait.to].push_back(recv.id);
    ++counts.events;
  }
  std::vector<NodeId> launch;
  for (const NodeId id : order) {
    if (const auto it = before.find(id); it != before.end()) launch.insert(launch.end(), it->second.begin(), it->second.end());
    launch.push_back(id);
    if (const auto it = after.find(id); it != after.end()) launch.insert(launch.end(), it->second.begin(), it->second.end());
  }
  graph.Renumber(launch);
  return counts;
}

}  // namespace atc

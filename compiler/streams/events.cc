#include "compiler/streams/events.h"

#include <algorithm>
#include <map>
#include <vector>

#include "compiler/streams/task_neighbours.h"

namespace atc {
namespace {

struct Wait {
  NodeId from;
  NodeId to;
};

using Waits = std::vector<Wait>;

// Edges whose ends are on different streams. A value that a node reads twice counts twice, as each edge has an event
// under the plain rule.
int32_t EdgesBetweenStreams(const Graph& graph, const std::vector<NodeId>& order, const TaskNeighbours& tasks) {
  int32_t edges = 0;
  for (const NodeId id : order) {
    const Node& node = graph.node(id);
    if (node.stream < 0) continue;
    const auto count = [&](NodeId before) {
      const int32_t stream = graph.node(before).stream;
      if (stream >= 0) {
        edges += stream != node.stream;
        return;
      }
      for (const NodeId through : tasks.Before(before)) edges += graph.node(through).stream != node.stream;
    };
    for (const ValueId input : node.inputs) {
      if (input != kNoId) count(graph.value(input).producer);
    }
    for (const NodeId before : node.control_in) count(before);
  }
  return edges;
}

// GE's optimisation: by Send, then by Recv.
Waits GeWaits(const Graph& graph, const std::vector<NodeId>& order, const TaskNeighbours& tasks) {
  std::vector<std::vector<NodeId>> senders(graph.node_capacity());
  std::map<int32_t, NodeId> by_stream;
  for (const NodeId id : order) {
    if (graph.node(id).stream < 0) continue;
    by_stream.clear();
    for (const NodeId after : tasks.After(id)) {  // in launch order: the earliest is kept
      if (graph.node(after).stream != graph.node(id).stream) by_stream.try_emplace(graph.node(after).stream, after);
    }
    for (const auto& [stream, after] : by_stream) senders[after].push_back(id);
  }
  Waits waits;
  for (const NodeId id : order) {
    by_stream.clear();
    for (const NodeId before : senders[id]) by_stream[graph.node(before).stream] = before;  // the latest is kept
    for (const auto& [stream, before] : by_stream) waits.push_back({before, id});
  }
  return waits;
}

// Transitive reduction over happens-before, with a clock per stream: how many of its tasks are over.
Waits ReducedWaits(const Graph& graph, const std::vector<NodeId>& order, const TaskNeighbours& tasks) {
  size_t streams = 0;
  for (const NodeId id : order) streams = std::max(streams, static_cast<size_t>(graph.node(id).stream + 1));
  // Rows of tasks only.
  std::vector<size_t> row(graph.node_capacity(), 0);
  size_t rows = 0;
  for (const NodeId id : order) {
    if (graph.node(id).stream >= 0) row[id] = rows++ * streams;
  }
  std::vector<int32_t> clocks(rows * streams, 0);
  std::vector<int32_t> position(graph.node_capacity(), 0);
  std::vector<NodeId> last(streams, kNoId);
  std::vector<int32_t> count(streams, 0);
  Waits waits;
  std::map<int32_t, NodeId> latest;  // per other stream: the last task that must be over
  for (const NodeId id : order) {
    const int32_t own = graph.node(id).stream;
    if (own < 0) continue;
    int32_t* const mine = &clocks[row[id]];
    const auto join = [&](NodeId before) {
      const int32_t* const theirs = &clocks[row[before]];
      for (size_t s = 0; s < streams; ++s) mine[s] = std::max(mine[s], theirs[s]);
      int32_t& at = mine[graph.node(before).stream];
      at = std::max(at, position[before] + 1);
    };
    position[id] = count[own]++;
    if (last[own] != kNoId) join(last[own]);
    last[own] = id;
    latest.clear();
    for (const NodeId before : tasks.Before(id)) {
      if (graph.node(before).stream != own) latest[graph.node(before).stream] = before;
    }
    const auto implied = [&](int32_t stream, NodeId before) {
      if (mine[stream] > position[before]) return true;
      // Another of the waits may bring this one along.
      return std::any_of(latest.begin(), latest.end(), [&](const auto& other) {
        return other.second != before && clocks[row[other.second] + stream] > position[before];
      });
    };
    const size_t first = waits.size();
    for (const auto& [stream, before] : latest) {
      if (!implied(stream, before)) waits.push_back({before, id});
    }
    for (size_t i = first; i < waits.size(); ++i) join(waits[i].from);
  }
  return waits;
}

}  // namespace

EventCounts InsertEvents(Graph& graph, EventRule rule) {
  EventCounts counts;
  const std::vector<NodeId> order = graph.TopologicalOrder();
  Waits waits;
  {
    const TaskNeighbours tasks(graph, order, [](const Node& node) { return node.stream >= 0; });
    counts.edges = EdgesBetweenStreams(graph, order, tasks);
    waits = GeWaits(graph, order, tasks);
    counts.ge = static_cast<int32_t>(waits.size());
    if (rule == EventRule::kReduced) waits = ReducedWaits(graph, order, tasks);
  }
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

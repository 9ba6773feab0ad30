#include "compiler/streams/events.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "compiler/ir/gears.h"
#include "compiler/plan/happens_before.h"
#include "compiler/streams/attached_streams.h"
#include "compiler/streams/stream_activation.h"
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
  Waits kept;
  std::vector<NodeId> seen;  // on each stream at most one
  const auto on_stream = [&](NodeId task) {
    return std::find_if(seen.begin(), seen.end(),
                        [&](NodeId other) { return graph.node(other).stream == graph.node(task).stream; });
  };
  for (const NodeId id : order) {
    if (graph.node(id).stream < 0) continue;
    seen.clear();
    for (const NodeId after : tasks.After(id)) {  // in launch order: the earliest is kept
      if (graph.node(after).stream == graph.node(id).stream || on_stream(after) != seen.end()) continue;
      seen.push_back(after);
      kept.push_back({id, after});
    }
  }
  std::stable_sort(kept.begin(), kept.end(),
                   [&](const Wait& a, const Wait& b) { return tasks.Position(a.to) < tasks.Position(b.to); });
  Waits waits;
  for (size_t i = 0; i < kept.size();) {
    const NodeId to = kept[i].to;
    seen.clear();
    for (; i < kept.size() && kept[i].to == to; ++i) {  // senders in launch order: the latest is kept
      const auto same = on_stream(kept[i].from);
      if (same == seen.end()) {
        seen.push_back(kept[i].from);
      } else {
        *same = kept[i].from;
      }
    }
    std::sort(seen.begin(), seen.end(),
              [&](NodeId a, NodeId b) { return graph.node(a).stream < graph.node(b).stream; });
    for (const NodeId from : seen) waits.push_back({from, to});
  }
  return waits;
}

// Which waits the start of a stream keeps already: all that comes up to a StreamActive is over before the streams begin
// that it starts, and those that are started there in turn.
class Activation {
 public:
  Activation(const Graph& graph, const TaskNeighbours& tasks) : graph_(graph), tasks_(tasks) {
    int32_t streams = 0;
    for (NodeId id = 0; id < graph.node_capacity(); ++id) streams = std::max(streams, graph.node(id).stream + 1);
    of_stream_ = ActivatorOfStreams(graph, static_cast<size_t>(streams));
  }

  NodeId Of(int32_t stream) const { return of_stream_[static_cast<size_t>(stream)]; }

  bool Keeps(const Wait& wait) const {
    const Node& from = graph_.node(wait.from);
    for (NodeId by = Of(graph_.node(wait.to).stream); by != kNoId; by = Of(graph_.node(by).stream)) {
      if (graph_.node(by).stream == from.stream) return tasks_.Position(from.id) <= tasks_.Position(by);
    }
    return false;
  }

  int32_t NumStarted() const {
    return static_cast<int32_t>(
        std::count_if(of_stream_.begin(), of_stream_.end(), [](NodeId by) { return by != kNoId; }));
  }

 private:
  const Graph& graph_;
  const TaskNeighbours& tasks_;
  std::vector<NodeId> of_stream_;
};

// Transitive reduction over happens-before.
Waits ReducedWaits(const Graph& graph, const std::vector<NodeId>& order, const TaskNeighbours& tasks,
                   const Activation& activation) {
  const HappensBefore happens(graph, order);
  const auto streams = static_cast<size_t>(happens.num_streams());
  std::vector<NodeId> last(streams, kNoId);
  std::vector<int32_t> over(streams, 0);  // tasks of each stream that are over thanks to the waits kept so far
  std::vector<NodeId> kept;
  Waits waits;
  for (const NodeId id : order) {
    const int32_t own = happens.StreamOf(id);
    if (own < 0) continue;
    const NodeId previous = std::exchange(last[static_cast<size_t>(own)], id);
    if (previous != kNoId && happens.ClockOf(previous) == happens.ClockOf(id)) continue;  // nothing new to wait for
    kept.clear();
    std::fill(over.begin(), over.end(), 0);
    const auto join = [&](NodeId task) {
      for (size_t s = 0; s < streams; ++s) over[s] = std::max(over[s], happens.Over(task, static_cast<int32_t>(s)));
    };
    if (previous != kNoId) {
      join(previous);
    } else if (const NodeId by = activation.Of(own); by != kNoId) {
      join(by);
      int32_t& known = over[static_cast<size_t>(happens.StreamOf(by))];
      known = std::max(known, happens.PositionInStream(by) + 1);
    }
    // From the latest in launch order on: what implies another wait comes before it.
    const auto before = tasks.Before(id);
    for (auto it = before.rbegin(); it != before.rend(); ++it) {
      const int32_t stream = happens.StreamOf(*it);
      int32_t& known = over[static_cast<size_t>(stream)];
      if (stream == own || known > happens.PositionInStream(*it)) continue;
      join(*it);
      known = happens.PositionInStream(*it) + 1;
      kept.push_back(*it);
    }
    std::sort(kept.begin(), kept.end(), [&](NodeId a, NodeId b) { return happens.StreamOf(a) < happens.StreamOf(b); });
    for (const NodeId from : kept) waits.push_back({from, id});
  }
  return waits;
}

void Insert(Graph& graph, EventRule rule, EventCounts& counts) {
  std::vector<NodeId> order = graph.TopologicalOrder();
  AttachedStreams attached(graph, &order);
  Waits waits;
  {
    const TaskNeighbours tasks(graph, order, [](const Node& node) { return node.stream >= 0; });
    const Activation activation(graph, tasks);
    counts.edges += EdgesBetweenStreams(graph, order, tasks) - activation.NumStarted();
    waits = GeWaits(graph, order, tasks);
    std::erase_if(waits, [&](const Wait& wait) { return activation.Keeps(wait); });
    counts.ge += static_cast<int32_t>(waits.size());
    if (rule == EventRule::kReduced) waits = ReducedWaits(graph, order, tasks, activation);
  }
  std::vector<std::vector<NodeId>> after(graph.node_capacity());
  std::vector<std::vector<NodeId>> before(graph.node_capacity());
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
    launch.insert(launch.end(), before[id].begin(), before[id].end());
    launch.push_back(id);
    launch.insert(launch.end(), after[id].begin(), after[id].end());
  }
  attached.Remove(&launch);
  graph.Renumber(launch);
  for (NodeId id = 0; id < graph.node_capacity(); ++id) {
    const bool gears = IsGearCase(graph.node(id));
    const int32_t first = counts.events;
    int32_t most = first;
    for (const Subgraph& subgraph : graph.node(id).subgraphs) {
      if (gears) counts.events = first;  // one of them runs: their numbers may be the same
      Insert(*subgraph.graph, rule, counts);
      most = std::max(most, counts.events);
    }
    counts.events = most;
  }
}

}  // namespace

EventCounts InsertEvents(Graph& graph, EventRule rule) {
  EventCounts counts;
  Insert(graph, rule, counts);
  return counts;
}

}  // namespace atc

#include "compiler/streams/predict.h"

#include <algorithm>
#include <map>

namespace atc {
namespace {

constexpr double kNever = 1e300;
constexpr size_t kNoTask = SIZE_MAX;

class Simulation {
 public:
  Simulation(const Graph& graph, const OpSummary& measured, int cube_cores, int vector_cores)
      : graph_(graph), cores_{std::max(1, vector_cores) + 0.0, std::max(1, cube_cores) + 0.0} {
    for (NodeId id = 0; id < graph.node_capacity(); ++id) {
      const Node& node = graph.node(id);
      if (!node.alive || node.stream < 0) continue;
      PredictedTask task;
      task.node = id;
      if (!IsEvent(node)) {
        task.cost = CostOf(graph, node, measured);
        run_.measured += task.cost.measured;
        ++run_.kernels;
      }
      if (static_cast<size_t>(node.stream) >= streams_.size()) streams_.resize(static_cast<size_t>(node.stream) + 1);
      streams_[static_cast<size_t>(node.stream)].queue.push_back(run_.tasks.size());
      run_.tasks.push_back(task);
    }
  }

  PredictedRun Run() {
    for (Stream& stream : streams_) Begin(stream);
    while (Step()) {
    }
    FindCriticalPath();
    return std::move(run_);
  }

 private:
  struct Stream {
    std::vector<size_t> queue;
    size_t next = 0;
    double left = 0;            // of the running task, in microseconds alone
    size_t last = kNoTask;      // task over
    int64_t waits_for = -1;     // event
    bool running = false;
  };

  static bool IsEvent(const Node& node) { return node.type() == "Send" || node.type() == "Recv"; }
  const Node& NodeOf(size_t task) const { return graph_.node(run_.tasks[task].node); }

  // Starts what the stream can start now; events take no time of their own, a wait that has to wait takes kEventUs.
  void Begin(Stream& stream) {
    while (!stream.running && stream.waits_for < 0 && stream.next < stream.queue.size()) {
      const size_t at = stream.queue[stream.next];
      PredictedTask& task = run_.tasks[at];
      const Node& node = NodeOf(at);
      task.start = now_;
      task.after = stream.last == kNoTask ? kNoId : run_.tasks[stream.last].node;
      if (node.type() == "Send") {
        const auto event = node.attrs.Get<int64_t>("event_id", -1);
        recorded_[event] = at;
        Over(stream, at);
        for (Stream& other : streams_) {
          if (other.waits_for == event) Wake(other, at);
        }
      } else if (node.type() == "Recv") {
        const auto event = node.attrs.Get<int64_t>("event_id", -1);
        const auto record = recorded_.find(event);
        if (record == recorded_.end()) {
          stream.waits_for = event;
        } else if (run_.tasks[record->second].end + kPredictedEventUs > now_) {
          Wake(stream, record->second);
        } else {
          Over(stream, at);
        }
      } else {
        stream.left = task.cost.us;
        stream.running = true;
      }
    }
  }

  // The wait ends kEventUs after the record, as a task without cores.
  void Wake(Stream& stream, size_t record) {
    PredictedTask& task = run_.tasks[stream.queue[stream.next]];
    stream.waits_for = -1;
    stream.running = true;
    stream.left = std::max(0.0, run_.tasks[record].end + kPredictedEventUs - now_);
    task.after = run_.tasks[record].node;
  }

  void Over(Stream& stream, size_t at) {
    PredictedTask& task = run_.tasks[at];
    task.end = now_;
    if (NodeOf(at).type() == "Recv") task.waited = task.end - task.start;
    run_.makespan = std::max(run_.makespan, now_);
    stream.last = at;
    stream.running = false;
    ++stream.next;
  }

  // Goes on to the next end of a task; false when nothing runs.
  bool Step() {
    double wanted[2] = {0, 0};
    for (const Stream& stream : streams_) {
      if (stream.running && !IsEvent(NodeOf(stream.queue[stream.next]))) {
        const TaskCost& cost = run_.tasks[stream.queue[stream.next]].cost;
        wanted[cost.cube] += cost.blocks;
      }
    }
    const auto rate = [&](const Stream& stream) {
      const size_t at = stream.queue[stream.next];
      if (IsEvent(NodeOf(at))) return 1.0;
      const bool cube = run_.tasks[at].cost.cube;
      return std::min(1.0, cores_[cube] / std::max(wanted[cube], 1e-9));
    };
    double first = kNever;
    std::vector<double> rates(streams_.size(), 0);
    for (size_t s = 0; s < streams_.size(); ++s) {
      if (!streams_[s].running) continue;
      rates[s] = rate(streams_[s]);
      first = std::min(first, streams_[s].left / rates[s]);
    }
    if (first == kNever) return false;
    now_ += first;
    std::vector<size_t> over;
    for (size_t s = 0; s < streams_.size(); ++s) {
      if (!streams_[s].running) continue;
      streams_[s].left -= first * rates[s];
      if (streams_[s].left <= 1e-9) over.push_back(s);
    }
    for (const size_t s : over) Over(streams_[s], streams_[s].queue[streams_[s].next]);
    for (const size_t s : over) Begin(streams_[s]);
    return true;
  }

  void FindCriticalPath() {
    std::map<NodeId, size_t> by_node;
    size_t at = kNoTask;
    for (size_t i = 0; i < run_.tasks.size(); ++i) {
      by_node[run_.tasks[i].node] = i;
      if (at == kNoTask || run_.tasks[i].end > run_.tasks[at].end) at = i;
    }
    while (at != kNoTask) {
      if (!IsEvent(NodeOf(at))) run_.critical_path.push_back(run_.tasks[at].node);
      const NodeId before = run_.tasks[at].after;
      at = before == kNoId ? kNoTask : by_node[before];
    }
    std::reverse(run_.critical_path.begin(), run_.critical_path.end());
  }

  const Graph& graph_;
  const double cores_[2];  // vector, cube
  PredictedRun run_;
  std::vector<Stream> streams_;
  std::map<int64_t, size_t> recorded_;  // by event: its Send
  double now_ = 0;
};

}  // namespace

PredictedRun PredictRun(const Graph& graph, const OpSummary& measured, int cube_cores, int vector_cores) {
  return Simulation(graph, measured, cube_cores, vector_cores).Run();
}

}  // namespace atc

// Which task is over before which other one starts, as a clock per stream.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "compiler/ir/graph.h"

namespace atc {

// Order comes from two sources: tasks of one stream run in launch order, and every data or control edge between streams
// is kept by an event (drop an event only where others imply it). Nodes without a stream (Data, Const, what aliases its
// input) pass on what they wait for.
//
// A task's clock says of each other stream how many of its tasks are over. It only changes where a task waits for
// another stream, so tasks share clocks: memory is streams times such waits, not streams times tasks.
class HappensBefore {
 public:
  // `launch_order` holds every alive node, each after what it depends on.
  HappensBefore(const Graph& graph, const std::vector<NodeId>& launch_order);
  // `tasks` tasks of one stream, numbered in launch order.
  static HappensBefore Serial(uint32_t tasks);

  // Whether `a`, a node with a stream, is over before `b`, a node with a stream, starts; false for a == b.
  bool Before(NodeId a, NodeId b) const {
    return stream_[a] == stream_[b] ? position_[a] < position_[b] : Over(b, stream_[a]) > position_[a];
  }
  // How many tasks of `stream` are over when `task` starts.
  int32_t Over(NodeId task, int32_t stream) const {
    return stream == stream_[task] ? position_[task] : clocks_[clock_[task] * streams() + static_cast<size_t>(stream)];
  }
  // Equal for tasks of one stream between which it waited for no other one.
  size_t ClockOf(NodeId task) const { return clock_[task]; }
  int32_t StreamOf(NodeId id) const { return stream_[id]; }
  // Position of a task within its stream, from 0.
  int32_t PositionInStream(NodeId id) const { return position_[id]; }
  // Tasks of a stream in launch order.
  const std::vector<NodeId>& TasksOf(int32_t stream) const { return tasks_[static_cast<size_t>(stream)]; }
  // Place of a node in the launch order.
  uint32_t Launch(NodeId id) const { return launch_[id]; }
  int32_t num_streams() const { return static_cast<int32_t>(tasks_.size()); }
  size_t num_clocks() const { return tasks_.empty() ? 0 : clocks_.size() / tasks_.size(); }

 private:
  HappensBefore() = default;
  size_t streams() const { return tasks_.size(); }
  size_t NewClock(size_t from);
  // Makes the clock `at` wait for `before`; `*own` tells whether the clock belongs to the node at hand alone.
  void Wait(int32_t stream, NodeId before, size_t* at, bool* own);
  void Advance(int32_t stream, int32_t over_stream, int32_t over, size_t* at, bool* own);

  std::vector<std::vector<NodeId>> tasks_;  // by stream
  std::vector<uint32_t> launch_;
  std::vector<int32_t> stream_;
  std::vector<int32_t> position_;
  std::vector<NodeId> stands_for_;  // a node without a stream that waits for one task alone
  std::vector<size_t> clock_;
  std::vector<int32_t> clocks_;  // [clock][stream]; the entry of a task's own stream is not kept up
};

}  // namespace atc

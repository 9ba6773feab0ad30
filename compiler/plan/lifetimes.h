// From when to when bytes are needed, by happens-before: what places buffers knows nothing more of a graph.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "compiler/plan/happens_before.h"

namespace atc {

// A task by where it runs: no later than all tasks of its stream at the same or a later position.
struct StreamPoint {
  int32_t stream;
  int32_t position;
};

// Buffers by number, in launch order of their writers.
class Lifetimes {
 public:
  explicit Lifetimes(const HappensBefore& order) : order_(order) {}

  // A buffer of `size` bytes that is written by `writer`, a task, and last needed by `users`, tasks, itself among them
  // or not.
  void Add(int64_t size, NodeId writer, std::span<const NodeId> users);

  // `count` buffers from the number `first` on, which gets number 0.
  Lifetimes Part(size_t first, size_t count) const;

  size_t count() const { return size_.size(); }
  int64_t Size(size_t buffer) const { return size_[buffer]; }
  NodeId Writer(size_t buffer) const { return writer_[buffer]; }
  // The tasks after which nobody needs the buffer, those left out that others wait for; at most one a stream, the last
  // one of the launch order first.
  std::span<const StreamPoint> Ends(size_t buffer) const {
    return {ends_.data() + first_end_[buffer], first_end_[buffer + 1] - first_end_[buffer]};
  }
  // Whether nobody needs the buffer any more when `task` starts.
  bool OverBefore(size_t buffer, NodeId task) const {
    for (const StreamPoint end : Ends(buffer)) {
      if (order_.Over(task, end.stream) <= end.position) return false;
    }
    return true;
  }
  // Place in the launch order of the last task that needs the buffer.
  uint32_t LastLaunch(size_t buffer) const {
    const StreamPoint end = Ends(buffer)[0];
    return order_.Launch(order_.TasksOf(end.stream)[static_cast<size_t>(end.position)]);
  }
  uint32_t WriteLaunch(size_t buffer) const { return order_.Launch(writer_[buffer]); }
  const HappensBefore& order() const { return order_; }

 private:
  const HappensBefore& order_;
  std::vector<int64_t> size_;
  std::vector<NodeId> writer_;
  std::vector<size_t> first_end_ = {0};
  std::vector<StreamPoint> ends_;
};

}  // namespace atc

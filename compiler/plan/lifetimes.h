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

  // A buffer of `size` bytes that tasks write, each a part or all of it, and that is last needed by `users`, tasks, the
  // writers among them or not.
  void Add(int64_t size, std::span<const NodeId> writers, std::span<const NodeId> users);
  void Add(int64_t size, NodeId writer, std::span<const NodeId> users) { Add(size, {&writer, 1}, users); }

  // `count` buffers from the number `first` on, which gets number 0.
  Lifetimes Part(size_t first, size_t count) const;

  size_t count() const { return size_.size(); }
  int64_t Size(size_t buffer) const { return size_[buffer]; }
  // The writers before which no other one is surely over, at most one a stream, in launch order: bytes are free for the
  // buffer when they are free for each of these.
  std::span<const NodeId> Writers(size_t buffer) const {
    return {writers_.data() + first_writer_[buffer], first_writer_[buffer + 1] - first_writer_[buffer]};
  }
  // The first of them.
  NodeId Writer(size_t buffer) const { return writers_[first_writer_[buffer]]; }
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
  // Whether nobody needs `earlier` any more when the first task writes to `later`.
  bool OverBeforeBuffer(size_t earlier, size_t later) const {
    for (const NodeId writer : Writers(later)) {
      if (!OverBefore(earlier, writer)) return false;
    }
    return true;
  }
  // Place in the launch order of the last task that needs the buffer.
  uint32_t LastLaunch(size_t buffer) const {
    const StreamPoint end = Ends(buffer)[0];
    return order_.Launch(order_.TasksOf(end.stream)[static_cast<size_t>(end.position)]);
  }
  uint32_t WriteLaunch(size_t buffer) const { return order_.Launch(Writer(buffer)); }
  const HappensBefore& order() const { return order_; }

 private:
  const HappensBefore& order_;
  std::vector<int64_t> size_;
  std::vector<size_t> first_writer_ = {0};
  std::vector<NodeId> writers_;
  std::vector<size_t> first_end_ = {0};
  std::vector<StreamPoint> ends_;
};

}  // namespace atc

// What the checkers know of order, found in another way than the plans: for one stream at a time, backwards from its
// tasks, where every wait between streams leads to at the earliest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "compiler/ir/graph.h"

namespace atc {

// Two nodes with a stream, the first to be over before the second starts.
using Ordered = std::pair<NodeId, NodeId>;

class OrderProof {
 public:
  // Tasks are nodes with a stream; those of one stream run in the order of `launch`, and each of `waits` is kept.
  OrderProof(const Graph& graph, const std::vector<NodeId>& launch, std::vector<Ordered> waits);

  // Whether no task waits for itself.
  bool CanRun() const { return can_run_; }
  // For each question whether stream order and waits imply it. Only where CanRun. Time is that of the questions and,
  // for each stream that is asked for, of the waits.
  std::vector<bool> Implied(std::span<const Ordered> questions) const;

 private:
  struct Departure {
    uint32_t from, to;  // places of the ends
    size_t then;        // the next departure of the stream it leads to; kNone
    size_t next;        // the next departure of its own stream
  };
  // The first departure of a stream from the place or a later one.
  size_t FirstFrom(int32_t stream, uint32_t place) const;

  std::vector<int32_t> stream_;          // by node
  std::vector<uint32_t> place_;          // by node, in launch order
  std::vector<int32_t> at_;              // stream by place
  std::vector<Departure> departures_;    // by stream, then by place
  std::vector<size_t> first_departure_;  // by stream, and the end
  std::vector<size_t> last_first_;       // departures, each after those it leads to
  bool can_run_ = true;
};

// The tasks that each node waits for over data and control edges, seen through nodes without a stream; by node.
// `launch` holds every alive node after what it depends on.
std::vector<std::vector<NodeId>> TasksBefore(const Graph& graph, const std::vector<NodeId>& launch);

}  // namespace atc

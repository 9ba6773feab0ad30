// Which task is over before which other one starts, as a clock per stream.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/ir/graph.h"

namespace atc {

// Order comes from two sources: tasks of one stream run in launch order, and every data or control edge between streams
// is kept by an event (drop an event only where others imply it). Nodes without a stream (Data, Const, what aliases its
// input) pass on what they wait for.
class HappensBefore {
 public:
  // `launch_order` holds every alive node, each after what it depends on.
  HappensBefore(const Graph& graph, const std::vector<NodeId>& launch_order);

  // Whether `a`, a node with a stream, is over before `b` starts; false for a == b.
  bool Before(NodeId a, NodeId b) const;
  // Position of a node within its stream, from 0; meaningless without a stream.
  int32_t PositionInStream(NodeId id) const { return position_[id]; }
  int32_t num_streams() const { return num_streams_; }

 private:
  int32_t& Clock(NodeId id, int32_t stream) { return clocks_[id * num_streams_ + stream]; }
  int32_t Clock(NodeId id, int32_t stream) const { return clocks_[id * num_streams_ + stream]; }

  const Graph& graph_;
  int32_t num_streams_ = 0;
  std::vector<int32_t> position_;
  std::vector<int32_t> clocks_;  // [node][stream]: tasks of the stream with a smaller position are over
};

}  // namespace atc

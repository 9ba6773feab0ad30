// Logical streams that hold more tasks than a stream of the device may are split.
#pragma once

#include <cstdint>

#include "compiler/ir/graph.h"

namespace atc {

// Tasks that are kept free on each stream: 7 for dumps and profiling, 20 for what is added later.
inline constexpr int32_t kReservedTasks = 27;

// Attribute of the graph: "stream:logical stream" for each stream that came from a split, separated by commas.
inline constexpr const char* kSplitStreams = "_split_logic_stream_2_origin_logic_stream";

struct SplitCounts {
  int32_t streams = 0;  // after the split
  int32_t events = 0;
};

// Tasks that a node stands for on the device, where that is not one (0 counts as one): communication, several kernels.
inline constexpr const char* kSqeNum = "_sqe_num";
// Nodes with the same text in this attribute, one after the other on a stream, stay together.
inline constexpr const char* kContinuousLabel = "_continuous_stream_label";

// For a graph in launch order with its events inserted. A stream goes on as a new one, numbered after `counts.streams`,
// where its tasks and kReservedTasks would exceed `max_tasks`; an event orders the two parts. A wait counts two (wait and
// reset), a StreamActive one and as many more as each stream that it starts may come to have parts, all else kSqeNum.
// Not before a stream's first task, a node with subgraphs, the first StreamActive, a node of labels of the runtime, or
// within a run of one kContinuousLabel. What starts a stream starts its later parts too. 0: streams have no end, nothing
// is split. Returns the new counts.
SplitCounts SplitStreams(Graph& graph, int32_t max_tasks, SplitCounts counts);

// Attribute of the model: streams that hold more tasks than a normal one.
inline constexpr const char* kHugeStreams = "huge_stream_list";

// Whether the tasks of stream 0 and kReservedTasks exceed `max_tasks`: a single stream is a huge one then. False for 0.
bool NeedsHugeStream(const Graph& graph, int32_t max_tasks);

}  // namespace atc

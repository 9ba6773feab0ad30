// Logical streams: the passes of GE, in GE's order.
#pragma once

#include "compiler/ir/graph.h"

namespace atc {

struct StreamOptions {
  bool single_stream = false;       // --enable_single_stream
  int32_t max_parallel_streams = 1;  // ge.streamMaxParallelNum, per engine
};

// Sets Node::stream of every node that emits a task, -1 elsewhere, with a Reason "stream" that names the rule:
// labels, independent engines, dependency, skipped engines, ineffective streams; then renumbers from 0 without holes.
// Returns the number of streams, at least 1.
// Throws Error E10055 when single_stream meets a stream label.
int32_t AssignLogicalStreams(Graph& graph, const StreamOptions& options);

}  // namespace atc

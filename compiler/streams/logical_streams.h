// Logical streams: the passes of GE, in GE's order.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "compiler/ir/graph.h"
#include "compiler/streams/engines.h"

namespace atc {

struct StreamOptions {
  bool single_stream = false;                             // --enable_single_stream
  int32_t max_parallel_streams = 1;                       // ge.streamMaxParallelNum of engines that are not listed
  std::map<std::string, int32_t> max_parallel_of_engine;  // and of those that are
  bool hcom_parallel = false;                             // ge.hcomParallel
  const EngineTable* engines = &EngineTable::Default();

  int32_t MaxParallelStreams(const std::string& engine) const {
    const auto it = max_parallel_of_engine.find(engine);
    return it != max_parallel_of_engine.end() ? it->second : max_parallel_streams;
  }
};

// Sets Node::stream of every node that emits a task, -1 elsewhere, with a Reason "stream" that names the rule; see
// stream_passes.h for the rules. Nodes have been placed on engines. Returns the number of streams, at least 1.
// Throws Error E10055 when single_stream meets a stream label.
int32_t AssignLogicalStreams(Graph& graph, const StreamOptions& options);

}  // namespace atc

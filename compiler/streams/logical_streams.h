// Logical streams: the passes of GE, in GE's order.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "compiler/ir/graph.h"
#include "compiler/ir/parallel_mode.h"
#include "compiler/streams/engines.h"

namespace atc {

struct StreamOptions {
  bool single_stream = false;                             // --enable_single_stream
  // Operators run one by one as shapes come to be known: one stream, and labels and modes have no influence, unless user
  // passes take more or ENABLE_DYNAMIC_SHAPE_MULTI_STREAM=1 asks for the rules of dynamic_streams.cc.
  bool unknown_shapes = false;
  bool dynamic_multi_stream = false;
  bool parallel_ai_cpu = false;  // ac_parallel_enable: among these rules, AI CPU engines have a stream of their own
  int32_t max_parallel_streams = 1;                       // ge.streamMaxParallelNum of engines that are not listed
  std::map<std::string, int32_t> max_parallel_of_engine;  // and of those that are
  bool hcom_parallel = false;                             // ge.hcomParallel
  bool memory_priority = false;  // ge.exec.memoryOptimizationPolicy=MemoryPriority: streams are shared where it is possible
  int32_t max_stream_tasks = 0;  // that a stream of the device holds; 0: any number
  int32_t max_huge_stream_tasks = 0;  // that a huge stream holds, the only one of a single-stream model that needs it
  int32_t max_streams = 0;       // that the device has; 0: any number
  int32_t max_events = 65500;    // from which on their numbers are used again, see event_reuse.h
  bool notify = false;           // ge.event=notify: events are of the kind that GE calls notifies
  int32_t least_static_ops = 4;  // of a part of known shapes, see static_parts.h
  ParallelMode parallel_mode;  // an attribute of the graph, ge.autoMultistreamParallelMode, beats it
  int cube_cores = 1;          // of the device, for predictions
  int vector_cores = 1;
  const EngineTable* engines = &EngineTable::Default();
  // Called before renumbering, unless single_stream, with Node::stream of the graph set and the number of ids in use; may
  // change Node::stream of nodes that emit a task, and returns the number of ids in use then. May be empty.
  std::function<int32_t(Graph& graph, int32_t streams)> user_passes;

  int32_t MaxParallelStreams(const std::string& engine) const {
    const auto it = max_parallel_of_engine.find(engine);
    return it != max_parallel_of_engine.end() ? it->second : max_parallel_streams;
  }
};

// The mode that holds for a graph. Throws Error E10001 for an attribute that is none.
ParallelMode ParallelModeOf(const Graph& graph, const StreamOptions& options);

// Sets Node::stream of every node that emits a task, -1 elsewhere, with a Reason "stream" that names the rule; see
// stream_passes.h for the rules. Nodes have been placed on engines. Returns the number of streams, at least 1.
// Nested graphs come after the graph that holds them, by the same rules; what starts there without following anybody
// takes the stream of the node that owns the graph. A label and an engine mean the same stream in all of them.
// Throws Error E10055 when single_stream meets a stream label, E10056 when it meets a parallel mode, E10001 for an attribute
// that is no parallel mode or a profile that cannot be read.
int32_t AssignLogicalStreams(Graph& graph, const StreamOptions& options);

// Throws Error E10055 where these are more than the device has.
void CheckStreamCount(int32_t streams, const StreamOptions& options);

}  // namespace atc

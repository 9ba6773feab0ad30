// An independent judge of memory plans: shares no code with what it checks.
#pragma once

#include <string>
#include <vector>

#include "compiler/ir/graph.h"

namespace atc {

// Faults of a planned graph; empty when there is none: a value without a place, outside [0, memory_size), misaligned,
// or two values whose bytes overlap while neither is over before the other is written. Values of nodes that only
// reshape must lie where their input lies, and the parts of nodes without task one after the other in the whole, which
// the shapes must allow. Bytes that a task works on are its own while it runs. Order is judged by paths over data and control edges and stream order alone.
std::vector<std::string> CheckOverlap(const Graph& graph, int64_t memory_size);

}  // namespace atc

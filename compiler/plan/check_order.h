// An independent judge of synchronisation: shares no code with what it checks.
#pragma once

#include <string>
#include <vector>

#include "compiler/ir/graph.h"

namespace atc {

// Faults of a graph with streams and Send/Recv nodes, launched in order of node ids; empty when there is none:
// a data or control dependency that neither stream order nor events keep, an event without both ends or with one on the
// wrong stream, and a wait that can never end.
// Edges between streams count for nothing here: see order_proof.h.
std::vector<std::string> CheckOrder(const Graph& graph);

}  // namespace atc

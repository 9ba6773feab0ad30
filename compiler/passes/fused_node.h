#pragma once

#include <vector>

#include "compiler/ir/graph.h"

namespace atc {

// Makes one node of type `type` that stands for `members` (in topological order), of whose values `leaving` alone is
// used afterwards; members that others still use stay beside it. It takes name, attributes and stream from `heart` (a
// member); for a heart that is not heavy, the name of the producer of `leaving` and no attributes.
Node& MakeFused(Graph& graph, const std::vector<NodeId>& members, NodeId heart, Name type, ValueId leaving);

}  // namespace atc

// The order in which the nodes of a graph are kept, numbered, dumped and become tasks.
#pragma once

#include <vector>

#include "compiler/ir/graph.h"
#include "compiler/ir/topo_sorting_mode.h"

namespace atc {

// The alive nodes in the order of `mode`. In every mode Data nodes come first, by index, and a constant right before the
// first node that reads it.
std::vector<NodeId> SortedNodes(const Graph& graph, TopoSortingMode mode);

// Renumbers the graph and all that are nested in it into that order; ids and references from before are void. What
// fused nodes stand for keeps its order.
void SortTopologically(Graph& graph, TopoSortingMode mode);

}  // namespace atc

// --topo_sorting_mode: in which order the nodes of a graph become tasks.
#pragma once

namespace atc {

// The values are those of the flag and of ge.topoSortingMode.
enum class TopoSortingMode {
  kBreadthFirst = 0,       // BFS: what became ready first comes first
  kDepthFirst = 1,         // DFS: what a node made ready comes right behind it
  kReverseDepthFirst = 2,  // RDFS: from the outputs back, what an operand needs comes right before it
  kStable = 3,             // StableRDFS: the order of the model; what the compiler adds comes right before its reader
};

}  // namespace atc

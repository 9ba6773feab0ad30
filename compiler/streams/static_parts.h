// The parts of a model of unknown shapes whose own shapes are known: what GE compiles as models within the model.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "compiler/ir/graph.h"
#include "compiler/streams/engines.h"

namespace atc {

// The type of the node that stands for a part; its nested graph is called "f".
inline constexpr const char* kPartCall = "PartitionedCall";
// On the graph: it has such parts.
inline constexpr const char* kDynamicShapePartitioned = "_dynamic_shape_partitioned";
// On a node: it counts as one of unknown shapes whatever its shapes are.
inline constexpr const char* kForceUnknownShape = "_force_unknown_shape";
// A smaller part counts as unknown (ge.exec.static_model_ops_lower_limit where it says nothing else; -1: there are none).
inline constexpr int32_t kLeastStaticOps = 4;

// Operators of known shapes that are connected without one of an unknown shape between them, in parts of `least` or
// more, by their first nodes; each part in launch order. Unknown are also nodes that own graphs, work on strings or
// sequences, run on the host or have kForceUnknownShape. A part never waits for itself over nodes outside. Constants that
// one part alone uses belong to it, and do not count. Near linear.
std::vector<std::vector<NodeId>> FindStaticParts(const Graph& graph, int32_t least);

// A copy of the graph with each part as a node kPartCall that owns it, on the engine of the part's first task. The part
// is called <graph>_sub_<number>_know; what comes in are Data nodes with "_parent_node_index", constants are repeated
// inside. Ids of nodes that stay, and names, are those of `graph`. The copy is for those who look at parts and choose
// their streams: no operator of this type runs.
std::unique_ptr<Graph> SplitStaticParts(const Graph& graph, const std::vector<std::vector<NodeId>>& parts,
                                        const EngineTable& engines = EngineTable::Default());

}  // namespace atc

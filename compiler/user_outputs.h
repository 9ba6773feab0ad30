// What the user asked of the model's outputs.
#pragma once

#include <string>
#include <vector>

#include "compiler/ir/graph.h"
#include "compiler/ir/options.h"

namespace atc {

// The dtype that --output_type asks for, by output of the model; DT_UNDEFINED where it asks for none. Names are those of
// the nodes as parsed. Throws Error E10001 when an item names no output.
std::vector<DataType> RequestedOutputTypes(const Graph& graph, const OutputTypeOption& option);

// Names of the outputs as the user knows them, "node:index" or "node:index:tensor" where the source gives a tensor name.
// To be asked before anything is rewritten.
std::vector<std::string> OutputNames(const Graph& graph);

// Whether some value that somebody uses has an unknown dim or rank, in nested graphs too, or a node says that it counts
// as such (_force_unknown_shape).
bool HasUnknownShapes(const Graph& graph);

}  // namespace atc

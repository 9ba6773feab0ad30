// In which precision the outputs of a model are computed.
#pragma once

#include <vector>

#include "compiler/ir/data_type.h"
#include "compiler/ir/graph.h"

namespace atc {

// For each output of the graph the floating-point type with the fewest bits of significand among the results of all nodes
// that it depends on, its own type included: what the rounding of its values goes by. Inputs and constants do not count,
// as their values are what they are. Bodies of control flow and of fused operators count with their node. DT_UNDEFINED
// where no node makes floating-point numbers.
std::vector<DataType> OutputPrecisions(const Graph& graph);

}  // namespace atc

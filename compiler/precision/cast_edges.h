// Casts follow from differing ends of an edge; no other pass decides them.
#pragma once

#include <vector>

#include "compiler/ir/graph.h"
#include "compiler/ir/journal.h"

namespace atc {

// Makes the float inputs of every node the type chosen for it. `chosen` is by node id, DT_UNDEFINED where the node takes
// what comes; `types` is by value id what the model itself says, which nodes with nested graphs keep; `interface` is the
// dtype that each input of NetOutput must have (DT_UNDEFINED: as it comes).
// One Cast serves all consumers of a value that want the same type.
void CastEdges(Graph& graph, const std::vector<DataType>& chosen, const std::vector<DataType>& types,
               const std::vector<DataType>& interface, Journal& journal);

// `constant` in another float type. Narrowing clips finite values to the finite range of fp16, as --is_weight_clip=1
// (atc's default) does; infinities and NaN pass.
Tensor ConvertConstant(const Tensor& constant, DataType to);

}  // namespace atc

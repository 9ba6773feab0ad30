// What the dims of tensors are: NCHW, NHWC, NCDHW, NDHWC or nothing in particular.
#pragma once

#include "compiler/ir/graph.h"

namespace atc {

// Gives tensors of four and five dims without a format (ND) the origin format that follows from their neighbours, as GE's
// format refiner does: from inputs that have one and from the data and results of convolutions, poolings and
// normalisations, forward and backward through operators that leave the dims what they are. It goes no further at
// operators that do not (Transpose, Reshape, ...) and at NetOutput; inputs of the model and constants keep what they have.
// Where two neighbours differ, the first in the order of the graph counts. Returns whether anything changed.
bool InferFormats(Graph& graph);

}  // namespace atc

#pragma once

#include "compiler/passes/pass.h"

namespace atc {

// Casts where the tensor is smaller, to the same numbers: those between floats in front of operators that pick elements
// (Gather, Slice) go behind them where fewer elements are picked, by all who read the Cast together, than it has; those
// behind operators that repeat elements (Tile, Expand) go in front of them. What the user gave a type, and what has an
// order of its own (control edges), stays as it is.
bool CastSinkPass(Graph& graph, PassContext& context);

}  // namespace atc

#pragma once

#include "compiler/passes/pass.h"

namespace atc {

// Moves a Transpose behind the operators after it (elementwise ones, concatenations, splits, slices, paddings,
// reductions, softmax and the like, whose axes are renamed) as far as that leaves fewer of them, or as many on smaller
// tensors: where it meets its inverse both go, and those of several operands become one.
bool TransposeSinkPass(Graph& graph, PassContext& context);

}  // namespace atc

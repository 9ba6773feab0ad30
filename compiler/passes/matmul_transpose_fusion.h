#pragma once

#include "compiler/passes/pass.h"

namespace atc {

// A Transpose that swaps the last two axes of an operand or of the result of a matrix product goes into its flags. Of a
// result, the operands change places: (a b)^T = b^T a^T.
bool MatMulTransposeFusionPass(Graph& graph, PassContext& context);

}  // namespace atc

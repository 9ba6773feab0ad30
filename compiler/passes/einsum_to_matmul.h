#pragma once

#include "compiler/passes/pass.h"

namespace atc {

// An Einsum of two operands that is a matrix product becomes a BatchMatMulV2, with a Reshape where several labels make one
// dim. Operands and results are only transposed where a softmax stands behind or before: a fused attention then reads and
// writes them as they lie; elsewhere a Transpose would be one task more. Transposes of constants are folded.
bool EinsumToMatMulPass(Graph& graph, PassContext& context);

}  // namespace atc

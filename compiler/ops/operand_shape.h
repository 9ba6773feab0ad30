// Shapes of operands that others decide, checked while shapes are inferred.
#pragma once

#include "compiler/ir/infer_context.h"

namespace atc {

// Fails, naming the operand, when input `i` is there and cannot have the shape `wanted`. Dims that are not known on
// either side fit.
void RequireOperandShape(const InferContext& ctx, size_t i, const Shape& wanted);

// The same for a number of elements, whatever the shape.
void RequireElements(const InferContext& ctx, size_t i, int64_t wanted);

// Fails when input `i` is a constant that holds an index outside [-size, size). A size below 0 is not known.
void RequireIndices(const InferContext& ctx, size_t i, int64_t size);

}  // namespace atc

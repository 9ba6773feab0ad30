// Shapes of operands that others decide, checked while shapes are inferred.
#pragma once

#include <optional>

#include "compiler/ir/infer_context.h"

namespace atc {

// Fails, naming the operand, when input `i` is there and cannot have the shape `wanted`. Dims that are not known on
// either side fit.
void RequireOperandShape(const InferContext& ctx, size_t i, const Shape& wanted);

// The same for a number of elements, whatever the shape.
void RequireElements(const InferContext& ctx, size_t i, int64_t wanted);

// Fails when input `i` is there and has another rank than one from `least` to `most`.
void RequireRank(const InferContext& ctx, size_t i, size_t least, size_t most);

// Fails when input `i` is there and cannot be broadcast to `wanted` (NumPy's rules, one way).
void RequireBroadcastTo(const InferContext& ctx, size_t i, const Shape& wanted);

// Fails when input `i` is there and its elements are no integers.
void RequireIntegers(const InferContext& ctx, size_t i);

// The one integer of input `i` where it is known; fails when the input is known to have another number of elements.
std::optional<int64_t> KnownScalar(const InferContext& ctx, size_t i);

// Fails when input `i` is a constant that holds an index outside [-size, size) or, unless `negative`, [0, size).
// A size below 0 is not known.
void RequireIndices(const InferContext& ctx, size_t i, int64_t size, bool negative = true);

}  // namespace atc

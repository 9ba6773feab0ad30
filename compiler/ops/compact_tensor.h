// Tensors whose elements repeat along axes, kept as one of each: what a Fill, an Expand or a normalisation's constants
// grow into need not be stored whole.
#pragma once

#include "compiler/ir/tensor.h"

namespace atc {

// Of a Const: it was made by constant folding.
inline constexpr char kFoldedAttr[] = "_is_from_constant_folding";

// Of what `tensor` (with bytes, any type) is a broadcast: a tensor of the same rank, 1 long along every axis along which
// its bytes repeat. Types of less than a byte, strings and sequences stay as they are.
Tensor Compacted(const Tensor& tensor);

// How a constant is stored: compacted where that saves space. The places of constants are far apart, so that the
// repetitions of short ones are left alone, except of those that folding made: what it makes may not grow the model.
Tensor Stored(const Tensor& constant, bool folded);

// `compact` broadcast to `shape`, of the same rank; axes of `compact` that differ from it must be 1.
Tensor Spread(const Tensor& compact, const Shape& shape);

}  // namespace atc

// How large a tensor may be at all, whatever memory there is.
#pragma once

#include "compiler/ir/shape.h"

namespace atc {

// No tensor may have more elements, so that products of dims, bytes, and sums over the tensors of a graph stay within
// 63 bits. Shape::NumElements() gives this for every larger product.
inline constexpr int64_t kMaxElements = int64_t{1} << 44;

// Whether the known dims that are not 0 multiply to at most kMaxElements, so that nothing that is computed from the
// shape overflows. A dim of 0 hides what the others multiply to, but not from strides and partial products.
bool IsCountable(const Shape& shape);

}  // namespace atc

// Arithmetic on what is known of small integer tensors, so that shape computations resolve with some dims unknown.
#pragma once

#include "compiler/ir/infer_context.h"

namespace atc {

using IntFn = int64_t (*)(int64_t, int64_t);

// Describes output 0 as the broadcast of inputs 0 and 1 (dtype `dtype`, or that of input 0 when undefined) and, for
// integers of rank 0 or 1, says which of its elements are known: fn of two known elements that fits the type.
void InferPartialBinary(InferContext& ctx, IntFn fn, DataType dtype = DT_UNDEFINED);

template <typename Op>
void InferIntBinary(InferContext& ctx) {
  InferPartialBinary(ctx, [](int64_t a, int64_t b) { return static_cast<int64_t>(Op()(a, b)); });
}
template <typename Op>
void InferIntCompare(InferContext& ctx) {
  InferPartialBinary(ctx, [](int64_t a, int64_t b) { return static_cast<int64_t>(Op()(a, b)); }, DT_BOOL);
}

// Element `i` of `ints` broadcast to `count` elements (ranks 0 and 1).
inline std::optional<int64_t> BroadcastElement(const PartialInts& ints, size_t i) {
  return ints.elements.size() == 1 ? ints.elements[0] : ints.elements[i];
}

}  // namespace atc

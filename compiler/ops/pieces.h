// Taking tensors of any type apart along an axis, and putting them together again.
#pragma once

#include <vector>

#include "compiler/ir/kernel_context.h"

namespace atc {

// `axis` counted from the start. Fails when it is outside [-rank, rank).
size_t CheckedAxis(const KernelContext& ctx, int64_t axis, size_t rank);

// `length` elements of `x` along `axis` from `begin`, which must lie within it.
Tensor Piece(const KernelContext& ctx, const Tensor& x, size_t axis, int64_t begin, int64_t length);
// Element `index` along `axis`, without that axis.
Tensor Element(const KernelContext& ctx, const Tensor& x, size_t axis, int64_t index);

// Joined along an axis that they have. Fails when there are none, or types, ranks or other dims differ.
Tensor Join(const KernelContext& ctx, const std::vector<Tensor>& parts, int64_t axis);
// Joined along a new axis, which may be the last. Fails when there are none, or types or shapes differ.
Tensor Stack(const KernelContext& ctx, const std::vector<Tensor>& parts, int64_t axis);

}  // namespace atc

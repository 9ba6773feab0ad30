// Index tensors of gathers and scatters: checked, counted from the start, turned into offsets.
#pragma once

#include <vector>

#include "compiler/ir/kernel_context.h"
#include "compiler/ops/broadcast.h"

namespace atc {

// Integers of input i, each in [0, dim) or, where `negative`, in [-dim, dim) and then counted from the start.
// Fails naming the first one out of range.
std::vector<int64_t> CheckedIndices(const KernelContext& ctx, size_t i, int64_t dim, bool negative);

// Fails unless `indices` has the rank of `data` and no dim above that of `data` away from `axis`.
void RequireIndexShape(const KernelContext& ctx, const Shape& data, const Shape& indices, int64_t axis);

// A walk over `indices` with the offset in `data` of each place, the index along `axis` taken as 0.
BroadcastPlan PlanAcross(const Shape& indices, const Shape& data, int64_t axis);

// Tuples of indices (the last dim of `indices`), each the start of a slice of `data`; the first `batch_dims` dims of both
// run together.
class TupleIndices {
 public:
  TupleIndices(const KernelContext& ctx, const Tensor& indices, const Shape& data, int64_t batch_dims, bool negative);

  const std::vector<int64_t>& offsets() const { return offsets_; }  // in elements of data
  int64_t slice() const { return slice_; }                          // elements of one slice
  // Dims of the tuples, then those of a slice.
  const Shape& GatheredShape() const { return gathered_; }

 private:
  std::vector<int64_t> offsets_;
  int64_t slice_ = 1;
  Shape gathered_;
};

}  // namespace atc

// Index tensors of gathers and scatters: checked, counted from the start, turned into offsets.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "compiler/ir/infer_context.h"
#include "compiler/ir/kernel_context.h"
#include "compiler/ops/broadcast.h"

namespace atc {

// Integers of input i, each in [0, dim) or, where `negative`, in [-dim, dim) and then counted from the start.
// Fails naming the first one out of range.
std::vector<int64_t> CheckedIndices(const KernelContext& ctx, size_t i, int64_t dim, bool negative);

// Fails unless `indices` has the rank of `data` and no dim above that of `data` away from `axis`. What is not known fits.
// Context: KernelContext or InferContext.
template <typename Context>
void RequireIndexShape(const Context& ctx, const Shape& data, const Shape& indices, int64_t axis) {
  if (!data.HasRank() || !indices.HasRank()) return;
  bool fits = data.rank() == indices.rank();
  for (size_t d = 0; fits && d < data.rank(); ++d) {
    fits = static_cast<int64_t>(d) == axis || data[d] < 0 || indices[d] <= data[d];
  }
  if (!fits) {
    ctx.Fail("indices " + ToString(indices) + " must have the rank of the data " + ToString(data) +
             " and no larger dim away from axis " + std::to_string(axis));
  }
}

// A walk over `indices` with the offset in `data` of each place, the index along `axis` taken as 0.
BroadcastPlan PlanAcross(const Shape& indices, const Shape& data, int64_t axis);

// What tuples of indices pick: the dims of the tuples, then those of a slice of `data`. Both ranks are known; the result
// has no rank while the length of the tuples is not known. Fails when they do not fit.
template <typename Context>
Shape TupleShape(const Context& ctx, const Shape& indices, const Shape& data, int64_t batch_dims) {
  const int64_t width = indices.rank() == 0 ? 0 : indices.dims().back();
  const auto rank = static_cast<int64_t>(data.rank());
  bool fits = indices.rank() > 0 && batch_dims >= 0 && batch_dims + std::max<int64_t>(width, 0) <= rank &&
              batch_dims < static_cast<int64_t>(indices.rank());
  for (int64_t d = 0; fits && d < batch_dims; ++d) {
    fits = indices[d] < 0 || data[d] < 0 || indices[d] == data[d];
  }
  if (!fits) {
    ctx.Fail("indices " + ToString(indices) + " with " + std::to_string(batch_dims) + " batch dims do not fit input " +
             ToString(data));
  }
  if (width < 0) return Shape::UnknownRank();
  std::vector<int64_t> dims(indices.dims().begin(), indices.dims().end() - 1);
  dims.insert(dims.end(), data.dims().begin() + batch_dims + width, data.dims().end());
  return Shape(std::move(dims));
}

// Fails when input `i` is a constant and one of its tuples lies outside input `data`.
void RequireTuples(const InferContext& ctx, size_t i, size_t data, int64_t batch_dims);

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

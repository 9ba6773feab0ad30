#include "compiler/ops/indexing.h"

namespace atc {
namespace {

int64_t CheckedIndex(const KernelContext& ctx, int64_t index, int64_t dim, bool negative) {
  if (index >= dim || index < (negative ? -dim : 0)) {
    ctx.Fail("index " + std::to_string(index) + " is outside [" + std::to_string(negative ? -dim : 0) + ", " +
             std::to_string(dim) + ")");
  }
  return index < 0 ? index + dim : index;
}

void RequireIndexType(const KernelContext& ctx, const Tensor& indices) {
  if (!IsInteger(indices.dtype())) {
    ctx.Fail("indices must be integers, they are " + std::string(DataTypeName(indices.dtype())));
  }
}

}  // namespace

std::vector<int64_t> CheckedIndices(const KernelContext& ctx, size_t i, int64_t dim, bool negative) {
  RequireIndexType(ctx, ctx.In(i));
  std::vector<int64_t> indices = ToInts(ctx.In(i));
  for (int64_t& index : indices) index = CheckedIndex(ctx, index, dim, negative);
  return indices;
}

void RequireIndexShape(const KernelContext& ctx, const Shape& data, const Shape& indices, int64_t axis) {
  bool fits = data.rank() == indices.rank();
  for (size_t d = 0; fits && d < data.rank(); ++d) fits = static_cast<int64_t>(d) == axis || indices[d] <= data[d];
  if (!fits) {
    ctx.Fail("indices " + ToString(indices) + " must have the rank of the data " + ToString(data) +
             " and no larger dim away from axis " + std::to_string(axis));
  }
}

BroadcastPlan PlanAcross(const Shape& indices, const Shape& data, int64_t axis) {
  BroadcastPlan plan{indices.dims(), {data.Strides()}};
  plan.strides[0][axis] = 0;
  return plan;
}

TupleIndices::TupleIndices(const KernelContext& ctx, const Tensor& indices, const Shape& data, int64_t batch_dims,
                           bool negative) {
  RequireIndexType(ctx, indices);
  const Shape& shape = indices.shape();
  const int64_t width = shape.rank() == 0 ? -1 : shape.dims().back();
  const auto rank = static_cast<int64_t>(data.rank());
  bool fits = width >= 0 && batch_dims >= 0 && batch_dims + width <= rank &&
              batch_dims < static_cast<int64_t>(shape.rank());
  for (int64_t d = 0; fits && d < batch_dims; ++d) fits = shape[d] == data[d];
  if (!fits) {
    ctx.Fail("indices " + ToString(shape) + " with " + std::to_string(batch_dims) + " batch dims do not fit input " +
             ToString(data));
  }
  std::vector<int64_t> dims(shape.dims().begin(), shape.dims().end() - 1);
  int64_t tuples = 1, batches = 1;
  for (const int64_t dim : dims) tuples *= dim;
  for (int64_t d = 0; d < batch_dims; ++d) batches *= data[d];
  for (int64_t d = batch_dims + width; d < rank; ++d) {
    dims.push_back(data[d]);
    slice_ *= data[d];
  }
  gathered_ = Shape(std::move(dims));
  if (tuples == 0) return;
  const std::vector<int64_t> strides = data.Strides();
  const std::vector<int64_t> values = ToInts(indices);
  const int64_t per_batch = tuples / batches;
  int64_t batch_stride = slice_;
  for (int64_t d = batch_dims; d < batch_dims + width; ++d) batch_stride *= data[d];
  offsets_.reserve(tuples);
  for (int64_t t = 0; t < tuples; ++t) {
    int64_t offset = t / per_batch * batch_stride;
    for (int64_t k = 0; k < width; ++k) {
      offset += CheckedIndex(ctx, values[t * width + k], data[batch_dims + k], negative) * strides[batch_dims + k];
    }
    offsets_.push_back(offset);
  }
}

}  // namespace atc

#include "compiler/ops/indexing.h"

namespace atc {
namespace {

template <typename Context>
int64_t CheckedIndex(const Context& ctx, int64_t index, int64_t dim, bool negative) {
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

void RequireTuples(const InferContext& ctx, size_t i, size_t data, int64_t batch_dims) {
  const Tensor* tuples = ctx.Constant(i);
  const Shape& shape = ctx.InShape(data);
  if (tuples == nullptr || !shape.HasRank() || !IsInteger(tuples->dtype())) return;
  const int64_t width = tuples->shape().dims().back();
  const std::vector<int64_t> values = ToInts(*tuples);
  for (size_t at = 0; at < values.size(); ++at) {
    const int64_t dim = shape[static_cast<size_t>(batch_dims + static_cast<int64_t>(at) % width)];
    if (dim >= 0) CheckedIndex(ctx, values[at], dim, true);
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
  gathered_ = TupleShape(ctx, shape, data, batch_dims);
  const int64_t width = shape.dims().back();
  const auto rank = static_cast<int64_t>(data.rank());
  int64_t tuples = 1, batches = 1;
  for (size_t d = 0; d + 1 < shape.rank(); ++d) tuples *= shape[d];
  for (int64_t d = 0; d < batch_dims; ++d) batches *= data[d];
  for (int64_t d = batch_dims + width; d < rank; ++d) slice_ *= data[d];
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

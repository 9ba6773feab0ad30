#include "compiler/ops/pieces.h"

#include "compiler/ops/movement.h"

namespace atc {
namespace {

Shape Without(Shape shape, size_t axis) {
  shape.dims().erase(shape.dims().begin() + static_cast<std::ptrdiff_t>(axis));
  return shape;
}

}  // namespace

size_t CheckedAxis(const KernelContext& ctx, int64_t axis, size_t rank) {
  const auto n = static_cast<int64_t>(rank);
  if (axis < -n || axis >= n) {
    ctx.Fail("axis " + std::to_string(axis) + " is outside [-" + std::to_string(n) + ", " + std::to_string(n) + ")");
  }
  return static_cast<size_t>(axis < 0 ? axis + n : axis);
}

Tensor Piece(const KernelContext& ctx, const Tensor& x, size_t axis, int64_t begin, int64_t length) {
  if (begin < 0 || length < 0 || begin > x.dim(axis) - length) {
    ctx.Fail("elements " + std::to_string(begin) + " to " + std::to_string(begin + length) + " of axis " +
             std::to_string(axis) + " are wanted, the shape is " + ToString(x.shape()));
  }
  Shape shape = x.shape();
  shape[axis] = length;
  Tensor piece = Tensor::Allocate(x.dtype(), shape);
  const std::vector<int64_t> strides = x.shape().Strides();
  MoveRegion(ctx, shape, x, {begin * strides[axis], strides}, &piece, {0, shape.Strides()});
  return piece;
}

Tensor Element(const KernelContext& ctx, const Tensor& x, size_t axis, int64_t index) {
  const Tensor piece = Piece(ctx, x, axis, index, 1);
  return piece.Reshaped(Without(piece.shape(), axis));
}

Tensor Join(const KernelContext& ctx, const std::vector<Tensor>& parts, int64_t axis) {
  if (parts.empty()) ctx.Fail("there are no tensors to join");
  const size_t at = CheckedAxis(ctx, axis, parts[0].rank());
  Shape shape = parts[0].shape();
  shape[at] = 0;
  for (const Tensor& part : parts) {
    if (part.dtype() != parts[0].dtype() || part.rank() != shape.rank() ||
        Without(part.shape(), at) != Without(shape, at)) {
      ctx.Fail("tensors to be joined along axis " + std::to_string(axis) + " differ: " +
               std::string(DataTypeName(parts[0].dtype())) + " " + ToString(parts[0].shape()) + " and " +
               std::string(DataTypeName(part.dtype())) + " " + ToString(part.shape()));
    }
    shape[at] += part.dim(at);
  }
  Tensor joined = Tensor::Allocate(parts[0].dtype(), shape);
  Region target{0, shape.Strides()};
  for (const Tensor& part : parts) {
    MoveRegion(ctx, part.shape(), part, {0, part.shape().Strides()}, &joined, target);
    target.offset += part.dim(at) * target.strides[at];
  }
  return joined;
}

Tensor Stack(const KernelContext& ctx, const std::vector<Tensor>& parts, int64_t axis) {
  if (parts.empty()) ctx.Fail("there are no tensors to stack");
  const size_t at = CheckedAxis(ctx, axis, parts[0].rank() + 1);
  std::vector<Tensor> rows;
  for (const Tensor& part : parts) {
    if (part.shape() != parts[0].shape()) {
      ctx.Fail("tensors to be stacked have the shapes " + ToString(parts[0].shape()) + " and " +
               ToString(part.shape()));
    }
    Shape shape = part.shape();
    shape.dims().insert(shape.dims().begin() + static_cast<std::ptrdiff_t>(at), 1);
    rows.push_back(part.Reshaped(shape));
  }
  return Join(ctx, rows, static_cast<int64_t>(at));
}

}  // namespace atc

#include "compiler/ops/compact_tensor.h"

#include <cassert>
#include <cstring>

namespace atc {
namespace {

// The tensor as `outer` blocks, each of `dim` rows of `row` bytes along one axis.
struct Rows {
  int64_t outer = 1, dim = 1;
  size_t row = 0;
};

Rows RowsAlong(const Shape& shape, size_t axis, DataType dtype) {
  Rows rows;
  for (size_t i = 0; i < axis; ++i) rows.outer *= shape[i];
  rows.dim = shape[axis];
  rows.row = static_cast<size_t>(shape.Strides()[axis]) * DataTypeBytes(dtype, 1);
  return rows;
}

bool Repeats(const Tensor& tensor, const Rows& rows) {
  const std::byte* at = tensor.Data();
  for (int64_t o = 0; o < rows.outer; ++o, at += rows.row) {
    for (int64_t i = 1; i < rows.dim; ++i, at += rows.row) {
      if (std::memcmp(at, at + rows.row, rows.row) != 0) return false;
    }
  }
  return true;
}

Tensor FirstRows(const Tensor& tensor, size_t axis, const Rows& rows) {
  Shape shape = tensor.shape();
  shape[axis] = 1;
  Tensor first = Tensor::Allocate(tensor.dtype(), shape);
  for (int64_t o = 0; o < rows.outer; ++o) {
    std::memcpy(first.MutableData() + o * rows.row, tensor.Data() + o * rows.dim * rows.row, rows.row);
  }
  return first;
}

constexpr size_t kShort = 512, kShortFolded = 64;  // bytes

bool HasBytes(DataType dtype) { return dtype != DT_STRING && dtype != DT_VARIANT && DataTypeBits(dtype) >= 8; }

}  // namespace

Tensor Compacted(const Tensor& tensor) {
  if (!HasBytes(tensor.dtype()) || tensor.NumElements() < 2) return tensor;
  Tensor compact = tensor;
  for (size_t axis = 0; axis < tensor.rank(); ++axis) {
    const Rows rows = RowsAlong(compact.shape(), axis, tensor.dtype());
    if (rows.dim > 1 && Repeats(compact, rows)) compact = FirstRows(compact, axis, rows);
  }
  return compact;
}

Tensor Stored(const Tensor& constant, bool folded) {
  return constant.NumBytes() > (folded ? kShortFolded : kShort) ? Compacted(constant) : constant;
}

Tensor Spread(const Tensor& compact, const Shape& shape) {
  assert(compact.rank() == shape.rank());
  Tensor whole = compact;
  // The last axis first: so what is copied is already as long as it gets.
  for (size_t axis = shape.rank(); axis-- > 0;) {
    if (whole.dim(axis) == shape[axis]) continue;
    assert(whole.dim(axis) == 1);
    Shape wider = whole.shape();
    wider[axis] = shape[axis];
    Tensor spread = Tensor::Allocate(whole.dtype(), wider);
    const Rows rows = RowsAlong(wider, axis, whole.dtype());
    for (int64_t o = 0; o < rows.outer; ++o) {
      for (int64_t i = 0; i < rows.dim; ++i) {
        std::memcpy(spread.MutableData() + (o * rows.dim + i) * rows.row, whole.Data() + o * rows.row, rows.row);
      }
    }
    whole = std::move(spread);
  }
  return whole;
}

}  // namespace atc

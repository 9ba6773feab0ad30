#include "compiler/ir/shape.h"

#include <algorithm>

#include "compiler/ir/shape_limit.h"

namespace atc {

bool IsCountable(const Shape& shape) {
  int64_t count = 1;
  for (const int64_t dim : shape.dims()) {
    if (dim <= 0) continue;
    if (count > kMaxElements / dim) return false;
    count *= dim;
  }
  return true;
}

int64_t Shape::NumElements() const {
  int64_t count = 1;
  bool empty = false;
  for (const int64_t dim : dims_) {
    if (dim < 0) return -1;
    empty |= dim == 0;
    if (__builtin_mul_overflow(count, dim, &count) || count > kMaxElements) count = kMaxElements;
  }
  return empty ? 0 : count;
}

std::vector<int64_t> Shape::Strides() const {
  std::vector<int64_t> strides(dims_.size(), 1);
  for (size_t i = dims_.size(); i-- > 1;) strides[i - 1] = strides[i] * dims_[i];
  return strides;
}

std::string ToString(const Shape& shape) {
  if (!shape.HasRank()) return "[?]";
  std::string text = "[";
  for (size_t i = 0; i < shape.rank(); ++i) {
    if (i > 0) text += ',';
    text += std::to_string(shape[i]);
  }
  return text + "]";
}

bool BroadcastShapes(const Shape& a, const Shape& b, Shape* out) {
  if (!a.HasRank() || !b.HasRank()) {
    *out = Shape::UnknownRank();
    return true;
  }
  const size_t rank = std::max(a.rank(), b.rank());
  std::vector<int64_t> dims(rank);
  for (size_t i = 0; i < rank; ++i) {
    const int64_t x = i + a.rank() < rank ? 1 : a[i + a.rank() - rank];
    const int64_t y = i + b.rank() < rank ? 1 : b[i + b.rank() - rank];
    if (x == y || y == 1) {
      dims[i] = x;
    } else if (x == 1) {
      dims[i] = y;
    } else if (x == kUnknownDim || y == kUnknownDim) {
      dims[i] = std::max(x, y);  // a dim other than 1 and -1 wins over an unknown one
    } else {
      return false;
    }
  }
  *out = Shape(std::move(dims));
  return true;
}

}  // namespace atc

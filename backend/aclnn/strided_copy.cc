#include "backend/aclnn/strided_copy.h"

#include <cassert>
#include <cstring>

namespace atc::aclnn {
namespace {

struct alignas(16) Sixteen {
  std::byte bytes[16];
};

// Walks the view row by row; `row(view_offset, contiguous_offset, count, stride)` handles the last axis.
template <class Row>
void ForEachRow(const View& view, Row&& row) {
  const size_t rank = view.shape.rank();
  if (view.shape.NumElements() == 0) return;
  if (rank == 0) return row(view.offset, 0, 1, 1);
  const int64_t count = view.shape[rank - 1];
  std::vector<int64_t> index(rank, 0);
  int64_t at = view.offset;
  int64_t done = 0;
  while (true) {
    row(at, done, count, view.strides[rank - 1]);
    done += count;
    size_t axis = rank - 1;
    while (axis-- > 0) {
      at += view.strides[axis];
      if (++index[axis] < view.shape[axis]) break;
      at -= index[axis] * view.strides[axis];
      index[axis] = 0;
    }
    if (axis == SIZE_MAX) return;
  }
}

template <class T>
void Gather(const View& view, const T* storage, T* out) {
  ForEachRow(view, [&](int64_t from, int64_t to, int64_t count, int64_t stride) {
    for (int64_t i = 0; i < count; ++i) out[to + i] = storage[from + i * stride];
  });
}

template <class T>
void Scatter(const View& view, const T* in, T* storage) {
  ForEachRow(view, [&](int64_t to, int64_t from, int64_t count, int64_t stride) {
    for (int64_t i = 0; i < count; ++i) storage[to + i * stride] = in[from + i];
  });
}

// Calls `copy` with a value of an element's width.
template <class Copy>
void ByWidth(DataType dtype, Copy&& copy) {
  switch (DataTypeBits(dtype)) {
    case 8: return copy(uint8_t{});
    case 16: return copy(uint16_t{});
    case 32: return copy(uint32_t{});
    case 64: return copy(uint64_t{});
    case 128: return copy(Sixteen{});
    default: assert(!"a view with gaps of a type below a byte");
  }
}

}  // namespace

void CopyFromView(const View& view, const void* storage, void* contiguous) {
  if (view.contiguous()) {
    std::memcpy(contiguous, static_cast<const std::byte*>(storage) + view.begin_bytes(),
                DataTypeBytes(view.dtype, view.shape.NumElements()));
    return;
  }
  ByWidth(view.dtype, [&]<class T>(T) { Gather(view, static_cast<const T*>(storage), static_cast<T*>(contiguous)); });
}

void CopyToView(const View& view, const void* contiguous, void* storage) {
  if (view.contiguous()) {
    std::memcpy(static_cast<std::byte*>(storage) + view.begin_bytes(), contiguous,
                DataTypeBytes(view.dtype, view.shape.NumElements()));
    return;
  }
  ByWidth(view.dtype, [&]<class T>(T) { Scatter(view, static_cast<const T*>(contiguous), static_cast<T*>(storage)); });
}

}  // namespace atc::aclnn

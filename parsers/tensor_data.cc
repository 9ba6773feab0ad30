#include "parsers/tensor_data.h"

#include <algorithm>

namespace atc {
namespace {

constexpr size_t kSmallBytes = 16 * 1024;

bool IsAligned(DataType dtype, const std::byte* data) {
  // Complex numbers are aligned as their parts; no element wants more than 8 bytes.
  const size_t bytes = dtype == DT_COMPLEX64 ? 4 : std::min(DataTypeBits(dtype) / 8, 8);
  return bytes <= 1 || reinterpret_cast<uintptr_t>(data) % bytes == 0;
}

}  // namespace

Tensor SmallOrDeferred(DataType dtype, const Shape& shape, TensorProducer make) {
  return DataTypeBytes(dtype, shape.NumElements()) <= kSmallBytes ? make()
                                                                  : Tensor::Deferred(dtype, shape, std::move(make));
}

Tensor TensorOfWindow(DataType dtype, const Shape& shape, Buffer window) {
  if (window.size == 0) return Tensor::Allocate(dtype, shape);
  if (IsAligned(dtype, window.data)) return Tensor(dtype, shape, std::move(window));
  return SmallOrDeferred(dtype, shape, [dtype, shape, window = std::move(window)] {
    Tensor copy = Tensor::Allocate(dtype, shape);
    std::memcpy(copy.MutableData(), window.data, copy.NumBytes());
    return copy;
  });
}

}  // namespace atc

#include "backend/executor/observe.h"

#include <cstring>

namespace atc {

Tensor CopyInOriginView(DataType dtype, const Shape& shape, const void* from, bool channels_last) {
  Tensor copy = Tensor::Allocate(dtype, shape);
  if (copy.NumBytes() == 0) return copy;
  auto* to = copy.MutableData<std::byte>();
  const auto* source = static_cast<const std::byte*>(from);
  if (!channels_last || shape.rank() < 3) {
    std::memcpy(to, source, copy.NumBytes());
    return copy;
  }
  const auto channels = static_cast<size_t>(shape[1]);
  const size_t bytes = copy.NumBytes() / static_cast<size_t>(shape.NumElements());
  size_t pixels = 1;
  for (size_t d = 2; d < shape.rank(); ++d) pixels *= static_cast<size_t>(shape[d]);
  for (size_t n = 0; n < static_cast<size_t>(shape[0]); ++n) {
    for (size_t p = 0; p < pixels; ++p) {
      for (size_t c = 0; c < channels; ++c) {
        std::memcpy(to + ((n * channels + c) * pixels + p) * bytes, source + ((n * pixels + p) * channels + c) * bytes, bytes);
      }
    }
  }
  return copy;
}

}  // namespace atc

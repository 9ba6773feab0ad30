// Between row-major N, C, spatial and channels-last N, spatial, C.
#pragma once

#include <cstddef>
#include <cstdint>

#include "backend/kernels/strided_copy.h"
#include "compiler/ir/shape.h"

namespace atc::kernels {

// out[n][s][c] = in[n][c][s], for elements of `width` bytes (1, 2, 4 or 8): found once, run often.
StridedCopy ChannelsToLast(const Shape& nchw, int width);
// The inverse.
StridedCopy ChannelsToFirst(const Shape& nchw, int width);

// The same at once.
void ToChannelsLast(void* out, const void* in, const Shape& nchw, int width, int threads);
void FromChannelsLast(void* out, const void* in, const Shape& nchw, int width, int threads);

}  // namespace atc::kernels

// Between planes of 32-bit elements and pixels of a few of them: images whose colours lie side by side.
#pragma once

#include <cstdint>

namespace atc::kernels {

inline constexpr int64_t kLeastPlanes = 2, kMostPlanes = 4;

// pixels[i * planes + p] = planes_at[p * stride + i] for i in [0, n); `planes` from kLeastPlanes to kMostPlanes.
void Interleave(const uint32_t* planes_at, int64_t stride, int64_t planes, int64_t n, uint32_t* pixels);
// The inverse.
void Deinterleave(const uint32_t* pixels, int64_t planes, int64_t n, uint32_t* planes_at, int64_t stride);

}  // namespace atc::kernels

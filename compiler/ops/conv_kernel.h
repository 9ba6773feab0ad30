// The convolution loop for any number of spatial axes, shared by the float, integer and quantised operators.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/ops/window.h"

namespace atc {

struct ConvSizes {
  int64_t batch = 0;
  int64_t groups = 1;
  int64_t in_channels = 0;   // of all groups
  int64_t out_channels = 0;  // of all groups
  std::vector<WindowAxis> axes;
};

// y[n,m,...] = bias[m] + sum over the group's channels and kernel taps of x * w, padding counting as zero. Row-major:
// x [batch, in_channels, in...], w [out_channels, in_channels / groups, kernel...], bias [out_channels] or nullptr,
// y [batch, out_channels, out...]. Sums are taken in T in order of channel and tap, the bias last; unsigned types wrap.
template <typename T>
void Convolve(const ConvSizes& sizes, const T* x, const T* w, const T* bias, T* y);

extern template void Convolve(const ConvSizes&, const float*, const float*, const float*, float*);
extern template void Convolve(const ConvSizes&, const double*, const double*, const double*, double*);
extern template void Convolve(const ConvSizes&, const uint32_t*, const uint32_t*, const uint32_t*, uint32_t*);

}  // namespace atc

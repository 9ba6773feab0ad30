// The two transforms of a 3 x 3 convolution by tiles of 4 x 4 results (Winograd's minimal filtering, F(4 x 4, 3 x 3)):
// y = A^T [(G g G^T) * (B^T d B)] A with the interpolation points 0, 5/8, -5/8, 3/2, -3/2 and infinity, which keep the
// rounding small and are exact in binary.
#pragma once

#include <cstdint>

namespace atc::kernels {

inline constexpr int64_t kTileIn = 6, kTileOut = 4, kTileTaps = kTileIn * kTileIn;

// G g G^T of `count` filters side by side: tap p of filter i is taps[p * count + i], its result k goes to out[k][i].
void TransformFilters(const float* taps, int64_t count, float* const* out);

// B^T d B of one tile: pixels[i * 6 + j] has the `channels` floats at row i and column j; result k is written to
// out + k * stride.
void TransformInput(const float* const* pixels, int64_t channels, float* out, int64_t stride);

// A^T m A + bias of one tile: m has the `channels` floats of product k at in + k * stride; row i and column j of the
// result go to pixels[i * 4 + j], nowhere where that is nullptr. No bias: nullptr.
void TransformOutput(const float* in, int64_t stride, int64_t channels, const float* bias, float* const* pixels);

}  // namespace atc::kernels

// The two transforms of a 3 x 3 convolution by tiles (Winograd's minimal filtering, F(n x n, 3 x 3)):
// y = A^T [(G g G^T) * (B^T d B)] A. Tiles of 4 x 4 results use the interpolation points 0, 5/8, -5/8, 3/2, -3/2 and
// infinity, which keep the rounding small and are exact in binary, those of 2 x 2 the points 0, 1, -1 and infinity.
#pragma once

#include <cstdint>

#include "backend/kernels/heavy_parts.h"

namespace atc::kernels {

// By the results that a tile has along each axis, 2 or 4.
constexpr int64_t TileIn(int64_t out) { return out + 2; }
constexpr int64_t TileTaps(int64_t out) { return TileIn(out) * TileIn(out); }
inline constexpr int64_t kMostTileOut = 4, kMostTileTaps = TileTaps(kMostTileOut);

// G g G^T of `count` filters side by side: tap p of filter i is taps[p * count + i], its result k goes to to[k][i].
void TransformFilters(int64_t out, const float* taps, int64_t count, float* const* to);

// B^T d B of one tile: pixels[i * TileIn(out) + j] has the `channels` floats at row i and column j; result k is written to
// to + k * stride.
void TransformInput(int64_t out, const float* const* pixels, int64_t channels, float* to, int64_t stride);

// What becomes of the results of a tile while they are in registers: bias and more are added, then they are clipped.
struct TileEnd {
  const float* bias = nullptr;  // a float for each channel; none: nullptr
  const float* add = nullptr;   // lies as y does; none: nullptr
  Clip clip = {};
};

// A^T m A of one tile: m has the `channels` floats of product k at in + k * stride; row i and column j of the result go to
// y + places[i * out + j], nowhere where that is negative.
void TransformOutput(int64_t out, const float* in, int64_t stride, int64_t channels, const TileEnd& end, float* y,
                     const int64_t* places);

}  // namespace atc::kernels

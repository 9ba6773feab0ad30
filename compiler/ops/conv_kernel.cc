#include "compiler/ops/conv_kernel.h"

#include "compiler/ops/matrix_product.h"

namespace atc {
namespace {

constexpr int64_t kTile = 256;  // output positions gathered at a time: bounds the scratch memory

// Gathers the inputs of output positions [begin, begin + count): one row of the tile a (channel, tap).
template <typename T>
void GatherTile(const std::vector<WindowAxis>& axes, int64_t channels, int64_t plane_size, const T* x, int64_t begin,
                int64_t count, T* tile) {
  const int64_t width = axes.back().in;
  std::vector<int64_t> tap(axes.size(), 0);
  for (int64_t c = 0; c < channels; ++c) {
    const T* plane = x + c * plane_size;
    do {
      ForEachTapRow(axes, tap, begin, count, [&](int64_t j, int64_t n, int64_t offset, int64_t first, int64_t step) {
        T* to = tile + j;
        if (offset < 0) {
          std::fill_n(to, n, T{0});
        } else if (step == 1 && first >= 0 && first + n <= width) {
          std::copy_n(plane + offset + first, n, to);
        } else {
          for (int64_t i = 0; i < n; ++i) {
            const int64_t at = first + i * step;
            to[i] = at >= 0 && at < width ? plane[offset + at] : T{0};
          }
        }
      });
      tile += kTile;
    } while (NextTap(axes, tap));
  }
}

}  // namespace

template <typename T>
void Convolve(const ConvSizes& sizes, const T* x, const T* w, const T* bias, T* y) {
  const int64_t channels = sizes.in_channels / sizes.groups, rows = sizes.out_channels / sizes.groups;
  int64_t plane = 1, positions = 1, taps = 1;
  bool pointwise = true;
  for (const WindowAxis& axis : sizes.axes) {
    plane *= axis.in;
    positions *= axis.out;
    taps *= axis.kernel;
    pointwise &= axis.kernel == 1 && axis.stride == 1 && axis.pad_begin == 0 && axis.pad_end == 0;
  }
  const int64_t depth = channels * taps;
  std::vector<T> tile(pointwise ? 0 : static_cast<size_t>(depth * kTile));
  for (int64_t n = 0; n < sizes.batch; ++n) {
    for (int64_t g = 0; g < sizes.groups; ++g) {
      const T* group_x = x + (n * sizes.in_channels + g * channels) * plane;
      const MatrixRef<T> weights{w + g * rows * depth, depth, 1};
      T* group_y = y + (n * sizes.out_channels + g * rows) * positions;
      if (pointwise) {
        MatrixProduct<T>(rows, positions, depth, weights, {group_x, plane, 1}, group_y, positions);
      } else {
        for (int64_t begin = 0; begin < positions; begin += kTile) {
          const int64_t count = std::min(kTile, positions - begin);
          GatherTile(sizes.axes, channels, plane, group_x, begin, count, tile.data());
          MatrixProduct<T>(rows, count, depth, weights, {tile.data(), kTile, 1}, group_y + begin, positions);
        }
      }
      if (bias == nullptr) continue;
      for (int64_t r = 0; r < rows; ++r) {
        const T add = bias[g * rows + r];
        for (int64_t p = 0; p < positions; ++p) group_y[r * positions + p] += add;
      }
    }
  }
}

template void Convolve(const ConvSizes&, const float*, const float*, const float*, float*);
template void Convolve(const ConvSizes&, const double*, const double*, const double*, double*);
template void Convolve(const ConvSizes&, const uint32_t*, const uint32_t*, const uint32_t*, uint32_t*);

}  // namespace atc

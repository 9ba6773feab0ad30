#include "backend/kernels/layout.h"

#include <algorithm>

namespace atc::kernels {
namespace {

// Both directions are a transpose of [rows][columns] per batch, in tiles that stay in the first-level cache.
template <typename T>
void Transpose(T* out, const T* in, int64_t batch, int64_t rows, int64_t columns, int threads) {
  constexpr int64_t kTile = 32;
  const int64_t row_tiles = (rows + kTile - 1) / kTile;
  const bool parallel = threads > 1 && batch * rows * columns > 64 * 1024;
#pragma omp parallel for collapse(2) num_threads(threads) schedule(static) if (parallel)
  for (int64_t n = 0; n < batch; ++n) {
    for (int64_t tile = 0; tile < row_tiles; ++tile) {
      const int64_t row_end = std::min(rows, (tile + 1) * kTile);
      for (int64_t column_begin = 0; column_begin < columns; column_begin += kTile) {
        const int64_t column_end = std::min(columns, column_begin + kTile);
        for (int64_t r = tile * kTile; r < row_end; ++r) {
          const T* from = in + (n * rows + r) * columns;
          T* to = out + n * rows * columns + r;
          for (int64_t c = column_begin; c < column_end; ++c) to[c * rows] = from[c];
        }
      }
    }
  }
}

void Transpose(void* out, const void* in, int64_t batch, int64_t rows, int64_t columns, int width, int threads) {
  const auto run = [&]<typename T>(T) {
    Transpose(static_cast<T*>(out), static_cast<const T*>(in), batch, rows, columns, threads);
  };
  if (width == 1) run(uint8_t{});
  if (width == 2) run(uint16_t{});
  if (width == 4) run(uint32_t{});
  if (width == 8) run(uint64_t{});
}

int64_t Spatial(const Shape& nchw) {
  int64_t count = 1;
  for (size_t i = 2; i < nchw.rank(); ++i) count *= nchw[i];
  return count;
}

}  // namespace

void ToChannelsLast(void* out, const void* in, const Shape& nchw, int width, int threads) {
  Transpose(out, in, nchw[0], nchw[1], Spatial(nchw), width, threads);
}

void FromChannelsLast(void* out, const void* in, const Shape& nchw, int width, int threads) {
  Transpose(out, in, nchw[0], Spatial(nchw), nchw[1], width, threads);
}

}  // namespace atc::kernels

#include "backend/kernels/layout.h"

namespace atc::kernels {
namespace {

// A transpose of [rows][columns] in each image.
StridedCopy Turn(int64_t batch, int64_t rows, int64_t columns, int width) {
  return StridedCopy({{batch, columns, rows}, {rows * columns, 1, columns}, {rows * columns, rows, 1}}, width);
}

int64_t Spatial(const Shape& nchw) {
  int64_t count = 1;
  for (size_t i = 2; i < nchw.rank(); ++i) count *= nchw[i];
  return count;
}

}  // namespace

StridedCopy ChannelsToLast(const Shape& nchw, int width) { return Turn(nchw[0], nchw[1], Spatial(nchw), width); }
StridedCopy ChannelsToFirst(const Shape& nchw, int width) { return Turn(nchw[0], Spatial(nchw), nchw[1], width); }

void ToChannelsLast(void* out, const void* in, const Shape& nchw, int width, int threads) {
  ChannelsToLast(nchw, width).Run(in, out, threads);
}

void FromChannelsLast(void* out, const void* in, const Shape& nchw, int width, int threads) {
  ChannelsToFirst(nchw, width).Run(in, out, threads);
}

}  // namespace atc::kernels

#include "backend/kernels/layout.h"

#include "backend/kernels/strided_copy.h"

namespace atc::kernels {
namespace {

// A transpose of [rows][columns] in each image.
void Turn(void* out, const void* in, int64_t batch, int64_t rows, int64_t columns, int width, int threads) {
  StridedCopy({{batch, columns, rows}, {rows * columns, 1, columns}, {rows * columns, rows, 1}}, width).Run(in, out, threads);
}

int64_t Spatial(const Shape& nchw) {
  int64_t count = 1;
  for (size_t i = 2; i < nchw.rank(); ++i) count *= nchw[i];
  return count;
}

}  // namespace

void ToChannelsLast(void* out, const void* in, const Shape& nchw, int width, int threads) {
  Turn(out, in, nchw[0], nchw[1], Spatial(nchw), width, threads);
}

void FromChannelsLast(void* out, const void* in, const Shape& nchw, int width, int threads) {
  Turn(out, in, nchw[0], Spatial(nchw), nchw[1], width, threads);
}

}  // namespace atc::kernels

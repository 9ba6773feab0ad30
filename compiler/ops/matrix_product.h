// The matrix product under the reference kernels of MatMul, Gemm, convolution and recurrent cells.
#pragma once

#include <cstdint>

namespace atc {

// Element (i, j) is data[i * row_stride + j * col_stride].
template <typename T>
struct MatrixRef {
  const T* data;
  int64_t row_stride;
  int64_t col_stride;
};

// c[i * c_stride + j] = sum over p of a(i, p) * b(p, j), for m rows and n columns. Each sum is taken in T, in order of p,
// whatever the sizes, so that the bits depend on nothing but the operands. Unsigned types wrap: signed integers of
// their width are multiplied through them.
template <typename T>
void MatrixProduct(int64_t m, int64_t n, int64_t k, MatrixRef<T> a, MatrixRef<T> b, T* c, int64_t c_stride);

extern template void MatrixProduct(int64_t, int64_t, int64_t, MatrixRef<float>, MatrixRef<float>, float*, int64_t);
extern template void MatrixProduct(int64_t, int64_t, int64_t, MatrixRef<double>, MatrixRef<double>, double*, int64_t);
extern template void MatrixProduct(int64_t, int64_t, int64_t, MatrixRef<uint32_t>, MatrixRef<uint32_t>, uint32_t*,
                                   int64_t);
extern template void MatrixProduct(int64_t, int64_t, int64_t, MatrixRef<uint64_t>, MatrixRef<uint64_t>, uint64_t*,
                                   int64_t);

}  // namespace atc

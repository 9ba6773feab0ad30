#include "compiler/ops/matrix_product.h"

#include <algorithm>
#include <vector>

namespace atc {
namespace {

// Rows x Width sums that stay in registers. `panel` holds k rows of Width columns of b.
template <typename T, int Rows, int Width>
void Block(int64_t k, const MatrixRef<T>& a, const T* panel, T* c, int64_t c_stride, int64_t columns) {
  T sum[Rows][Width] = {};
  const T* at[Rows];
  for (int r = 0; r < Rows; ++r) at[r] = a.data + r * a.row_stride;
  for (int64_t p = 0; p < k; ++p) {
    const T* row = panel + p * Width;
    for (int r = 0; r < Rows; ++r) {
      const T factor = at[r][p * a.col_stride];
      for (int j = 0; j < Width; ++j) sum[r][j] += factor * row[j];
    }
  }
  for (int r = 0; r < Rows; ++r) std::copy_n(sum[r], columns, c + r * c_stride);
}

template <typename T, int Width>
void Product(int64_t m, int64_t n, int64_t k, MatrixRef<T> a, MatrixRef<T> b, T* c, int64_t c_stride) {
  std::vector<T> panel(static_cast<size_t>(k) * Width);
  for (int64_t j0 = 0; j0 < n; j0 += Width) {
    const int64_t columns = std::min<int64_t>(Width, n - j0);
    for (int64_t p = 0; p < k; ++p) {
      const T* from = b.data + p * b.row_stride + j0 * b.col_stride;
      T* to = panel.data() + p * Width;
      for (int64_t j = 0; j < columns; ++j) to[j] = from[j * b.col_stride];
    }
    int64_t i = 0;
    for (; i + 4 <= m; i += 4) {
      Block<T, 4, Width>(k, {a.data + i * a.row_stride, a.row_stride, a.col_stride}, panel.data(),
                         c + i * c_stride + j0, c_stride, columns);
    }
    for (; i < m; ++i) {
      Block<T, 1, Width>(k, {a.data + i * a.row_stride, a.row_stride, a.col_stride}, panel.data(),
                         c + i * c_stride + j0, c_stride, columns);
    }
  }
}

}  // namespace

template <typename T>
void MatrixProduct(int64_t m, int64_t n, int64_t k, MatrixRef<T> a, MatrixRef<T> b, T* c, int64_t c_stride) {
  if (n == 1) {
    Product<T, 1>(m, n, k, a, b, c, c_stride);
  } else {
    Product<T, 8>(m, n, k, a, b, c, c_stride);
  }
}

template void MatrixProduct(int64_t, int64_t, int64_t, MatrixRef<float>, MatrixRef<float>, float*, int64_t);
template void MatrixProduct(int64_t, int64_t, int64_t, MatrixRef<double>, MatrixRef<double>, double*, int64_t);
template void MatrixProduct(int64_t, int64_t, int64_t, MatrixRef<uint32_t>, MatrixRef<uint32_t>, uint32_t*, int64_t);
template void MatrixProduct(int64_t, int64_t, int64_t, MatrixRef<uint64_t>, MatrixRef<uint64_t>, uint64_t*, int64_t);

}  // namespace atc

#include "compiler/ops/matrix_product.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace atc {
namespace {

// A vector register of the least common width (SSE2, NEON), as the compilers that build this project have it. Lanes are
// columns, so that no sum is split and the bits are those of plain code.
template <typename T>
struct Lanes {
  typedef T Type __attribute__((vector_size(16)));
  static constexpr int kCount = 16 / sizeof(T);
};

// Rows x Vectors registers of sums. `panel` holds k rows of as many columns of b.
template <typename T, int Rows, int Vectors>
void Block(int64_t k, const MatrixRef<T>& a, const T* panel, T* c, int64_t c_stride, int64_t columns) {
  using Vector = typename Lanes<T>::Type;
  constexpr int kWidth = Vectors * Lanes<T>::kCount;
  Vector sum[Rows][Vectors] = {};
  const T* at[Rows];
  for (int r = 0; r < Rows; ++r) at[r] = a.data + r * a.row_stride;
  for (int64_t p = 0; p < k; ++p, panel += kWidth) {
    Vector row[Vectors];
    std::memcpy(row, panel, sizeof row);
#pragma GCC unroll 4
    for (int r = 0; r < Rows; ++r) {
      const T factor = *at[r];
      at[r] += a.col_stride;
#pragma GCC unroll 4
      for (int v = 0; v < Vectors; ++v) sum[r][v] += factor * row[v];
    }
  }
  for (int r = 0; r < Rows; ++r) {
    T whole[kWidth];
    std::memcpy(whole, sum[r], sizeof whole);
    std::copy_n(whole, columns, c + r * c_stride);
  }
}

// The same for a single column.
template <typename T>
void Column(int64_t m, int64_t k, const MatrixRef<T>& a, const MatrixRef<T>& b, T* c, int64_t c_stride) {
  for (int64_t i = 0; i < m; ++i) {
    T sum = 0;
    for (int64_t p = 0; p < k; ++p) sum += a.data[i * a.row_stride + p * a.col_stride] * b.data[p * b.row_stride];
    c[i * c_stride] = sum;
  }
}

}  // namespace

template <typename T>
void MatrixProduct(int64_t m, int64_t n, int64_t k, MatrixRef<T> a, MatrixRef<T> b, T* c, int64_t c_stride) {
  if (n == 1) return Column(m, k, a, b, c, c_stride);
  constexpr int kVectors = 2, kRows = 4, kWidth = kVectors * Lanes<T>::kCount;
  std::vector<T> panel(static_cast<size_t>(k) * kWidth);
  for (int64_t j0 = 0; j0 < n; j0 += kWidth) {
    const int64_t columns = std::min<int64_t>(kWidth, n - j0);
    for (int64_t p = 0; p < k; ++p) {
      const T* from = b.data + p * b.row_stride + j0 * b.col_stride;
      T* to = panel.data() + p * kWidth;
      for (int64_t j = 0; j < columns; ++j) to[j] = from[j * b.col_stride];
    }
    const auto block = [&]<int Rows>(int64_t i) {
      Block<T, Rows, kVectors>(k, {a.data + i * a.row_stride, a.row_stride, a.col_stride}, panel.data(),
                               c + i * c_stride + j0, c_stride, columns);
    };
    int64_t i = 0;
    for (; i + kRows <= m; i += kRows) block.template operator()<kRows>(i);
    for (; i < m; ++i) block.template operator()<1>(i);
  }
}

template void MatrixProduct(int64_t, int64_t, int64_t, MatrixRef<float>, MatrixRef<float>, float*, int64_t);
template void MatrixProduct(int64_t, int64_t, int64_t, MatrixRef<double>, MatrixRef<double>, double*, int64_t);
template void MatrixProduct(int64_t, int64_t, int64_t, MatrixRef<uint32_t>, MatrixRef<uint32_t>, uint32_t*, int64_t);
template void MatrixProduct(int64_t, int64_t, int64_t, MatrixRef<uint64_t>, MatrixRef<uint64_t>, uint64_t*, int64_t);

}  // namespace atc

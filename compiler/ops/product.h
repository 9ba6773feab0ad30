// How the operands of a matrix product line up, by NumPy's rules for vectors and batch dims.
#pragma once

#include <string>
#include <vector>

#include "compiler/ir/tensor.h"
#include "compiler/ops/matrix_product.h"

namespace atc {

// Vectors become matrices of one row (a) or one column (b), whose unit dim the result does not have.
struct ProductFit {
  Shape a, b;  // of rank 2 at least
  bool transpose_a, transpose_b;
  Shape batch;  // broadcast
  int64_t m = 0, n = 0, k = 0;
  Shape out;
  std::string fault;  // what does not fit; empty when all is well
};

// Unknown dims are -1; both ranks must be known.
ProductFit FitProduct(const Shape& a, const Shape& b, bool transpose_a, bool transpose_b);

// Element offsets of each batch of an operand (of rank 2 at least), in the order of the broadcast batch.
std::vector<int64_t> BatchOffsets(const Shape& operand, const Shape& batch);

// y = a * b, all of them holding T. Signed integers are passed as their unsigned twins.
template <typename T>
void MultiplyBatches(const ProductFit& fit, const Tensor& a, const Tensor& b, Tensor& y) {
  const auto ref = [](const Tensor& tensor, int64_t offset, const Shape& shape, bool transpose) {
    const int64_t row = shape[shape.rank() - 1];
    return MatrixRef<T>{tensor.Data<T>() + offset, transpose ? 1 : row, transpose ? row : 1};
  };
  T* out = y.MutableData<T>();
  if (fit.b.rank() == 2 && !fit.transpose_a) {  // one matrix on the right: the batches are further rows
    MatrixProduct<T>(fit.batch.NumElements() * fit.m, fit.n, fit.k, ref(a, 0, fit.a, false),
                     ref(b, 0, fit.b, fit.transpose_b), out, fit.n);
    return;
  }
  const std::vector<int64_t> from_a = BatchOffsets(fit.a, fit.batch), from_b = BatchOffsets(fit.b, fit.batch);
  for (size_t i = 0; i < from_a.size(); ++i) {
    MatrixProduct<T>(fit.m, fit.n, fit.k, ref(a, from_a[i], fit.a, fit.transpose_a),
                     ref(b, from_b[i], fit.b, fit.transpose_b), out + static_cast<int64_t>(i) * fit.m * fit.n, fit.n);
  }
}

}  // namespace atc

#include "compiler/ops/product.h"

namespace atc {

ProductFit FitProduct(const Shape& a, const Shape& b, bool transpose_a, bool transpose_b) {
  ProductFit p;
  p.transpose_a = transpose_a;
  p.transpose_b = transpose_b;
  const bool vector_a = a.rank() == 1, vector_b = b.rank() == 1;
  if (a.rank() == 0 || b.rank() == 0) {
    p.fault = "operands " + ToString(a) + " and " + ToString(b) + " must have a rank of at least 1";
    return p;
  }
  p.a = vector_a ? Shape{transpose_a ? a[0] : 1, transpose_a ? 1 : a[0]} : a;
  p.b = vector_b ? Shape{transpose_b ? 1 : b[0], transpose_b ? b[0] : 1} : b;
  const size_t ra = p.a.rank(), rb = p.b.rank();
  p.m = p.a[transpose_a ? ra - 1 : ra - 2];
  p.k = p.a[transpose_a ? ra - 2 : ra - 1];
  p.n = p.b[transpose_b ? rb - 2 : rb - 1];
  const int64_t depth = p.b[transpose_b ? rb - 1 : rb - 2];
  if (p.k >= 0 && depth >= 0 && p.k != depth) {
    p.fault = "operands " + ToString(a) + " and " + ToString(b) + " do not fit: " + std::to_string(p.k) +
              " columns against " + std::to_string(depth) + " rows";
    return p;
  }
  const Shape batch_a(std::vector<int64_t>(p.a.dims().begin(), p.a.dims().end() - 2));
  const Shape batch_b(std::vector<int64_t>(p.b.dims().begin(), p.b.dims().end() - 2));
  if (!BroadcastShapes(batch_a, batch_b, &p.batch)) {
    p.fault = "batch dims of " + ToString(a) + " and " + ToString(b) + " do not broadcast";
    return p;
  }
  p.out = p.batch;
  if (!vector_a) p.out.dims().push_back(p.m);
  if (!vector_b) p.out.dims().push_back(p.n);
  return p;
}

std::vector<int64_t> BatchOffsets(const Shape& operand, const Shape& batch) {
  const size_t own = operand.rank() - 2, lead = batch.rank() - own;
  const std::vector<int64_t> strides = operand.Strides();
  std::vector<int64_t> offsets{0};
  for (size_t d = 0; d < batch.rank(); ++d) {
    const int64_t step = d < lead || operand[d - lead] == 1 ? 0 : strides[d - lead];
    std::vector<int64_t> next;
    for (const int64_t offset : offsets) {
      for (int64_t i = 0; i < batch[d]; ++i) next.push_back(offset + i * step);
    }
    offsets = std::move(next);
  }
  return offsets;
}

}  // namespace atc

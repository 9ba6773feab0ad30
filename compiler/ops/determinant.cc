// Determinants of square matrices.
#include <cmath>

#include "compiler/ops/dispatch.h"
#include "compiler/ops/families.h"
#include "compiler/ops/infer_util.h"

namespace atc {
namespace {

void InferDet(InferContext& ctx) {
  const Shape& x = ctx.InShape(0);
  if (!x.HasRank()) return ctx.SetOut(0, ctx.InType(0), x);
  if (x.rank() < 2) ctx.Fail("input " + ToString(x) + " must have rank 2 or more");
  ctx.SetOut(0, ctx.InType(0), Shape(std::vector<int64_t>(x.dims().begin(), x.dims().end() - 2)));
}

// By elimination with row pivoting; destroys `a` (n x n, row-major).
double Determinant(std::vector<double>& a, int64_t n) {
  double result = 1.0;
  for (int64_t k = 0; k < n; ++k) {
    int64_t pivot = k;
    for (int64_t row = k + 1; row < n; ++row) {
      if (std::fabs(a[row * n + k]) > std::fabs(a[pivot * n + k])) pivot = row;
    }
    if (a[pivot * n + k] == 0) return 0.0;
    if (pivot != k) {
      for (int64_t column = 0; column < n; ++column) std::swap(a[k * n + column], a[pivot * n + column]);
      result = -result;
    }
    result *= a[k * n + k];
    for (int64_t row = k + 1; row < n; ++row) {
      const double factor = a[row * n + k] / a[k * n + k];
      for (int64_t column = k; column < n; ++column) a[row * n + column] -= factor * a[k * n + column];
    }
  }
  return result;
}

void DetKernel(KernelContext& ctx) {
  const Shape& x = ctx.InShape(0);
  const int64_t n = x.rank() < 2 ? -1 : x[x.rank() - 1];
  if (n < 0 || x[x.rank() - 2] != n) ctx.Fail("input " + ToString(x) + " must hold square matrices");
  Tensor& out = ctx.Out(0, ctx.InType(0), Shape(std::vector<int64_t>(x.dims().begin(), x.dims().end() - 2)));
  Dispatch(FloatTypes{}, ctx, ctx.InType(0), [&]<typename T>() {
    for (int64_t m = 0; m < out.NumElements(); ++m) {
      const T* matrix = ctx.In(0).Data<T>() + m * n * n;
      std::vector<double> copy(matrix, matrix + n * n);
      out.MutableData<T>()[m] = static_cast<T>(Determinant(copy, n));
    }
  });
}

}  // namespace

void RegisterDeterminantOps(OpRegistry& registry) {
  registry.Add(OpDef("MatrixDeterminant").In("x").Out("y").Traits(kWidenHalf).Infer(InferDet).Kernel(DetKernel));
}

}  // namespace atc

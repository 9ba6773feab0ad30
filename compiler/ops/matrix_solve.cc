// Square matrices: Cholesky factors, inverses, and systems of linear equations. Computed in double, rounded once.
#include <cmath>
#include <optional>

#include "compiler/ops/dispatch.h"
#include "compiler/ops/infer_util.h"
#include "compiler/ops/families.h"

namespace atc {
namespace {

using Matrix = std::vector<double>;  // n x n or n x m, row-major

// The size of the square matrices of input `i`.
int64_t SquareSize(const KernelContext& ctx, size_t i) {
  const Shape& x = ctx.InShape(i);
  if (x.rank() < 2 || x[x.rank() - 1] != x[x.rank() - 2]) {
    ctx.Fail("input " + std::to_string(i) + " " + ToString(x) + " must hold square matrices");
  }
  return x[x.rank() - 1];
}

// Input 1 holds the right hand sides of the systems of input 0: [..., n, m] with the same leading dims.
int64_t RightHandColumns(const KernelContext& ctx, int64_t n) {
  const Shape &a = ctx.InShape(0), &b = ctx.InShape(1);
  bool fits = a.rank() == b.rank() && ctx.InType(0) == ctx.InType(1) && b[b.rank() - 2] == n;
  for (size_t d = 0; fits && d + 2 < a.rank(); ++d) fits = a[d] == b[d];
  if (!fits) ctx.Fail("right hand sides " + ToString(b) + " do not fit the matrices " + ToString(a));
  return b[b.rank() - 1];
}

Matrix Transposed(const Matrix& a, int64_t n) {
  Matrix t(a.size());
  for (int64_t r = 0; r < n; ++r) {
    for (int64_t c = 0; c < n; ++c) t[c * n + r] = a[r * n + c];
  }
  return t;
}

// Solves a x = b for m columns by elimination with row pivoting; false when `a` is singular.
bool Solve(Matrix a, int64_t n, Matrix& b, int64_t m) {
  for (int64_t k = 0; k < n; ++k) {
    int64_t pivot = k;
    for (int64_t row = k + 1; row < n; ++row) {
      if (std::fabs(a[row * n + k]) > std::fabs(a[pivot * n + k])) pivot = row;
    }
    if (a[pivot * n + k] == 0) return false;
    for (int64_t c = 0; pivot != k && c < n; ++c) std::swap(a[k * n + c], a[pivot * n + c]);
    for (int64_t c = 0; pivot != k && c < m; ++c) std::swap(b[k * m + c], b[pivot * m + c]);
    for (int64_t row = 0; row < n; ++row) {
      if (row == k) continue;
      const double factor = a[row * n + k] / a[k * n + k];
      for (int64_t c = k; c < n; ++c) a[row * n + c] -= factor * a[k * n + c];
      for (int64_t c = 0; c < m; ++c) b[row * m + c] -= factor * b[k * m + c];
    }
  }
  for (int64_t row = 0; row < n; ++row) {
    for (int64_t c = 0; c < m; ++c) b[row * m + c] /= a[row * n + row];
  }
  return true;
}

// Only one triangle of `a` is read.
bool SolveTriangular(const Matrix& a, int64_t n, bool lower, Matrix& b, int64_t m) {
  for (int64_t step = 0; step < n; ++step) {
    const int64_t row = lower ? step : n - 1 - step;
    if (a[row * n + row] == 0) return false;
    for (int64_t c = 0; c < m; ++c) {
      double sum = b[row * m + c];
      for (int64_t k = lower ? 0 : row + 1; k < (lower ? row : n); ++k) sum -= a[row * n + k] * b[k * m + c];
      b[row * m + c] = sum / a[row * n + row];
    }
  }
  return true;
}

// The lower factor L of a = L L^T, from the lower triangle of `a`; nothing when `a` is not positive definite.
std::optional<Matrix> CholeskyFactor(const Matrix& a, int64_t n) {
  Matrix factor(a.size(), 0.0);
  for (int64_t r = 0; r < n; ++r) {
    for (int64_t c = 0; c <= r; ++c) {
      double sum = a[r * n + c];
      for (int64_t k = 0; k < c; ++k) sum -= factor[r * n + k] * factor[c * n + k];
      if (r != c) {
        factor[r * n + c] = sum / factor[c * n + c];
      } else if (sum > 0) {
        factor[r * n + r] = std::sqrt(sum);
      } else {
        return std::nullopt;
      }
    }
  }
  return factor;
}

// Calls fn(matrix of input 0, its number) for each, and writes what it returns to output 0 of shape `shape`.
template <typename Fn>
void ForEachMatrix(KernelContext& ctx, int64_t n, const Shape& shape, Fn fn) {
  Tensor& out = ctx.Out(0, ctx.InType(0), shape);
  Dispatch(FloatTypes{}, ctx, ctx.InType(0), [&]<typename T>() {
    const int64_t count = n == 0 ? 0 : ctx.In(0).NumElements() / (n * n);
    T* to = out.MutableData<T>();
    for (int64_t k = 0; k < count; ++k) {
      const T* from = ctx.In(0).Data<T>() + k * n * n;
      for (const double value : fn(Matrix(from, from + n * n), k)) *to++ = static_cast<T>(value);
    }
  });
}

Matrix RightHand(const KernelContext& ctx, int64_t size, int64_t number) {
  Matrix b(static_cast<size_t>(size));
  Dispatch(FloatTypes{}, ctx, ctx.InType(1), [&]<typename T>() {
    const T* from = ctx.In(1).Data<T>() + number * size;
    std::copy(from, from + size, b.begin());
  });
  return b;
}

void CholeskyKernel(KernelContext& ctx) {
  const int64_t n = SquareSize(ctx, 0);
  ForEachMatrix(ctx, n, ctx.InShape(0), [&](const Matrix& a, int64_t number) {
    std::optional<Matrix> factor = CholeskyFactor(a, n);
    if (!factor) ctx.Fail("matrix " + std::to_string(number) + " is not positive definite");
    return *std::move(factor);
  });
}

void InverseKernel(KernelContext& ctx) {
  const int64_t n = SquareSize(ctx, 0);
  const bool adjoint = ctx.Attr<bool>("adjoint");
  ForEachMatrix(ctx, n, ctx.InShape(0), [&](const Matrix& a, int64_t number) {
    Matrix inverse(a.size(), 0.0);
    for (int64_t k = 0; k < n; ++k) inverse[k * n + k] = 1;
    if (!Solve(adjoint ? Transposed(a, n) : a, n, inverse, n)) ctx.Fail("matrix " + std::to_string(number) + " is singular");
    return inverse;
  });
}

void SolveKernel(KernelContext& ctx) {
  const int64_t n = SquareSize(ctx, 0), m = RightHandColumns(ctx, n);
  const bool adjoint = ctx.Attr<bool>("adjoint");
  ForEachMatrix(ctx, n, ctx.InShape(1), [&](const Matrix& a, int64_t number) {
    Matrix b = RightHand(ctx, n * m, number);
    if (!Solve(adjoint ? Transposed(a, n) : a, n, b, m)) ctx.Fail("matrix " + std::to_string(number) + " is singular");
    return b;
  });
}

void SolveTriangularKernel(KernelContext& ctx) {
  const int64_t n = SquareSize(ctx, 0), m = RightHandColumns(ctx, n);
  const bool adjoint = ctx.Attr<bool>("adjoint"), lower = ctx.Attr<bool>("lower") != adjoint;
  ForEachMatrix(ctx, n, ctx.InShape(1), [&](const Matrix& a, int64_t number) {
    Matrix b = RightHand(ctx, n * m, number);
    if (!SolveTriangular(adjoint ? Transposed(a, n) : a, n, lower, b, m)) {
      ctx.Fail("matrix " + std::to_string(number) + " is singular");
    }
    return b;
  });
}

void InferRightHand(InferContext& ctx) { ctx.SetOut(0, ctx.InType(1), ctx.InShape(1)); }

}  // namespace

void RegisterMatrixSolveOps(OpRegistry& registry) {
  registry.Add(OpDef("Cholesky").In("x").Out("y").Traits(kWidenHalf).Infer(InferSameAsInput).Kernel(CholeskyKernel));
  registry.Add(OpDef("MatrixInverse").In("x").Out("y").Attr("adjoint", false).Traits(kWidenHalf).Infer(InferSameAsInput)
                   .Kernel(InverseKernel));
  registry.Add(OpDef("tf::MatrixSolve").In("matrix").In("rhs").Out("output").Attr("adjoint", false).Traits(kWidenHalf)
                   .Infer(InferRightHand).Kernel(SolveKernel));
  registry.Add(OpDef("tf::MatrixTriangularSolve").In("matrix").In("rhs").Out("output").Attr("lower", true)
                   .Attr("adjoint", false).Traits(kWidenHalf).Infer(InferRightHand).Kernel(SolveTriangularKernel));
}

}  // namespace atc

#include "backend/kernels/rows.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/kernels/rows.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include <hwy/contrib/math/math-inl.h>

#include "backend/kernels/vector_loop-inl.h"
#include "backend/kernels/vector_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace atc::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Where one side is NaN the result is.
template <class D, class V>
HWY_INLINE V FoldTwo(D, Fold fold, V a, V b) {
  if (fold == Fold::kSum) return hn::Add(a, b);
  const V picked = fold == Fold::kMax ? hn::IfThenElse(hn::Gt(a, b), a, b) : hn::IfThenElse(hn::Lt(a, b), a, b);
  return hn::IfThenElse(hn::Eq(a, a), picked, a);
}

float Row(Fold fold, const float* x, int64_t n) {
  const hn::ScalableTag<float> d;
  const auto step = static_cast<int64_t>(hn::Lanes(d));
  const hn::CappedTag<float, 1> one;
  const auto two = [&](float a, float b) {
    return hn::GetLane(FoldTwo(one, fold, hn::Set(one, a), hn::Set(one, b)));
  };
  int64_t i = 0;
  float total;
  if (n >= 4 * step) {
    auto a = hn::LoadU(d, x), b = hn::LoadU(d, x + step), c = hn::LoadU(d, x + 2 * step), e = hn::LoadU(d, x + 3 * step);
    for (i = 4 * step; i + 4 * step <= n; i += 4 * step) {
      a = FoldTwo(d, fold, a, hn::LoadU(d, x + i));
      b = FoldTwo(d, fold, b, hn::LoadU(d, x + i + step));
      c = FoldTwo(d, fold, c, hn::LoadU(d, x + i + 2 * step));
      e = FoldTwo(d, fold, e, hn::LoadU(d, x + i + 3 * step));
    }
    HWY_ALIGN float lanes[HWY_MAX_BYTES / sizeof(float)];
    hn::Store(FoldTwo(d, fold, FoldTwo(d, fold, a, b), FoldTwo(d, fold, c, e)), d, lanes);
    total = lanes[0];
    for (int64_t k = 1; k < step; ++k) total = two(total, lanes[k]);
  } else {
    total = x[0];
    i = 1;
  }
  for (; i < n; ++i) total = two(total, x[i]);
  return total;
}

void Into(Fold fold, float* into, const float* x, int64_t n) {
  ForVectors(n, [&](auto d, int64_t i) { hn::StoreU(FoldTwo(d, fold, hn::LoadU(d, into + i), hn::LoadU(d, x + i)), d, into + i); });
}

void ScaleRow(float* y, const float* x, const float* scale, const float* shift, int64_t n) {
  ForVectors(n, [&](auto d, int64_t i) {
    hn::StoreU(hn::MulAdd(hn::LoadU(d, x + i), hn::LoadU(d, scale + i), hn::LoadU(d, shift + i)), d, y + i);
  });
}

void ScaleAll(float* y, const float* x, float scale, float shift, int64_t n) {
  ForVectors(n, [&](auto d, int64_t i) {
    hn::StoreU(hn::MulAdd(hn::LoadU(d, x + i), hn::Set(d, scale), hn::Set(d, shift)), d, y + i);
  });
}

void Combine(float* y, const float* const* rows, const float* weights, int count, int64_t n) {
  ForVectors(n, [&](auto d, int64_t i) {
    auto sum = hn::Mul(hn::LoadU(d, rows[0] + i), hn::Set(d, weights[0]));
    for (int k = 1; k < count; ++k) sum = hn::MulAdd(hn::LoadU(d, rows[k] + i), hn::Set(d, weights[k]), sum);
    hn::StoreU(sum, d, y + i);
  });
}

void PowerRow(float* y, const float* x, const float* squares, float bias, float alpha, float beta, int64_t n) {
  const auto base = [&](auto d, int64_t i) { return hn::MulAdd(hn::LoadU(d, squares + i), hn::Set(d, alpha), hn::Set(d, bias)); };
  if (beta == 0.75f) {  // the usual power is two square roots
    ForVectors(n, [&](auto d, int64_t i) {
      const auto root = hn::Sqrt(base(d, i));
      hn::StoreU(hn::Div(hn::LoadU(d, x + i), hn::Mul(root, hn::Sqrt(root))), d, y + i);
    });
    return;
  }
  ForVectors(n, [&](auto d, int64_t i) {
    const auto power = ExpOf(d, hn::Mul(hn::Set(d, -beta), hn::Log(d, base(d, i))));
    hn::StoreU(hn::Mul(hn::LoadU(d, x + i), power), d, y + i);
  });
}

void SquaresAround(float* sums, const float* x, int64_t before, int64_t after, int64_t n) {
  const auto edge = [&](int64_t i) {
    float sum = 0;
    for (int64_t k = std::max<int64_t>(0, i - before); k <= std::min(n - 1, i + after); ++k) sum += x[k] * x[k];
    sums[i] = sum;
  };
  const int64_t first = std::min(before, n), last = std::max(first, n - after);
  for (int64_t i = 0; i < first; ++i) edge(i);
  ForVectors(last - first, [&](auto d, int64_t at) {
    const int64_t i = first + at;
    auto sum = hn::Zero(d);
    for (int64_t k = -before; k <= after; ++k) {
      const auto v = hn::LoadU(d, x + i + k);
      sum = hn::MulAdd(v, v, sum);
    }
    hn::StoreU(sum, d, sums + i);
  });
  for (int64_t i = last; i < n; ++i) edge(i);
}

void AddSquareRow(float* into, const float* x, int64_t n) {
  ForVectors(n, [&](auto d, int64_t i) {
    const auto v = hn::LoadU(d, x + i);
    hn::StoreU(hn::MulAdd(v, v, hn::LoadU(d, into + i)), d, into + i);
  });
}

}  // namespace atc::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atc::kernels {

HWY_EXPORT(Row);
HWY_EXPORT(Into);
HWY_EXPORT(ScaleRow);
HWY_EXPORT(ScaleAll);
HWY_EXPORT(Combine);
HWY_EXPORT(PowerRow);
HWY_EXPORT(SquaresAround);
HWY_EXPORT(AddSquareRow);

float FoldRow(Fold fold, const float* x, int64_t n) { return HWY_DYNAMIC_DISPATCH(Row)(fold, x, n); }
void FoldInto(Fold fold, float* into, const float* x, int64_t n) { HWY_DYNAMIC_DISPATCH(Into)(fold, into, x, n); }
void ScaleShiftRow(float* y, const float* x, const float* scale, const float* shift, int64_t n) {
  HWY_DYNAMIC_DISPATCH(ScaleRow)(y, x, scale, shift, n);
}
void ScaleShiftAll(float* y, const float* x, float scale, float shift, int64_t n) {
  HWY_DYNAMIC_DISPATCH(ScaleAll)(y, x, scale, shift, n);
}
void CombineRows(float* y, const float* const* rows, const float* weights, int count, int64_t n) {
  HWY_DYNAMIC_DISPATCH(Combine)(y, rows, weights, count, n);
}
void DivideByPower(float* y, const float* x, const float* squares, float bias, float alpha, float beta, int64_t n) {
  HWY_DYNAMIC_DISPATCH(PowerRow)(y, x, squares, bias, alpha, beta, n);
}
void SumSquaresAround(float* sums, const float* x, int64_t before, int64_t after, int64_t n) {
  HWY_DYNAMIC_DISPATCH(SquaresAround)(sums, x, before, after, n);
}
void AddSquares(float* into, const float* x, int64_t n) { HWY_DYNAMIC_DISPATCH(AddSquareRow)(into, x, n); }

}  // namespace atc::kernels
#endif

#include "backend/kernels/norm_rows.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/kernels/norm_rows.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "backend/kernels/vector_loop-inl.h"

HWY_BEFORE_NAMESPACE();
namespace atc::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr int64_t kPiece = 4096;  // elements whose sum is taken in float

// The sum of f(vector, sum so far) over the vectors that `load` gives for the elements from `begin` on, in four sums that do
// not wait for each other.
template <class Load, class F>
HWY_INLINE float SumOfPiece(int64_t begin, int64_t end, Load load, F f) {
  const hn::ScalableTag<float> d;
  const hn::CappedTag<float, 1> one;
  const auto step = static_cast<int64_t>(hn::Lanes(d));
  auto a = hn::Zero(d), b = hn::Zero(d), c = hn::Zero(d), e = hn::Zero(d);
  int64_t i = begin;
  for (; i + 4 * step <= end; i += 4 * step) {
    a = f(d, load(d, i), a);
    b = f(d, load(d, i + step), b);
    c = f(d, load(d, i + 2 * step), c);
    e = f(d, load(d, i + 3 * step), e);
  }
  for (; i + step <= end; i += step) a = f(d, load(d, i), a);
  auto rest = hn::Zero(one);
  for (; i < end; ++i) rest = f(one, load(one, i), rest);
  return hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(a, b), hn::Add(c, e)))) + hn::GetLane(rest);
}

template <class Load, class F>
HWY_INLINE double SumOf(int64_t n, Load load, F f) {
  double sum = 0;
  for (int64_t i = 0; i < n; i += kPiece) sum += static_cast<double>(SumOfPiece(i, std::min(i + kPiece, n), load, f));
  return sum;
}

// `first`: how the row is read the first time.
template <class Load>
HWY_INLINE RowStatistics StatisticsFrom(const float* x, int64_t n, bool centered, Load first) {
  RowStatistics result;
  const auto later = [x](auto d, int64_t i) { return hn::LoadU(d, x + i); };
  double squares = 0;
  if (centered) {
    const double sum = SumOf(n, first, [](auto, auto v, auto into) { return hn::Add(into, v); });
    const float mean = result.mean = static_cast<float>(sum / static_cast<double>(n));
    squares = SumOf(n, later, [mean](auto d, auto v, auto into) {
      const auto distance = hn::Sub(v, hn::Set(d, mean));
      return hn::MulAdd(distance, distance, into);
    });
  } else {
    squares = SumOf(n, first, [](auto, auto v, auto into) { return hn::MulAdd(v, v, into); });
  }
  result.mean_square = static_cast<float>(squares / static_cast<double>(n));
  return result;
}

RowStatistics Statistics(const float* x, int64_t n, bool centered) {
  return StatisticsFrom(x, n, centered, [x](auto d, int64_t i) { return hn::LoadU(d, x + i); });
}

RowStatistics SumStatistics(float* sum, const float* a, const float* b, const float* c, int64_t n, bool centered) {
  if (c == nullptr) {
    return StatisticsFrom(sum, n, centered, [=](auto d, int64_t i) {
      const auto v = hn::Add(hn::LoadU(d, a + i), hn::LoadU(d, b + i));
      hn::StoreU(v, d, sum + i);
      return v;
    });
  }
  return StatisticsFrom(sum, n, centered, [=](auto d, int64_t i) {
    const auto v = hn::Add(hn::Add(hn::LoadU(d, a + i), hn::LoadU(d, b + i)), hn::LoadU(d, c + i));
    hn::StoreU(v, d, sum + i);
    return v;
  });
}

void Normalize(float* y, const float* x, int64_t n, float mean, float inverse, const float* scale, const float* shift) {
  const auto plain = [&](auto d, int64_t i) {
    return hn::Mul(hn::Sub(hn::LoadU(d, x + i), hn::Set(d, mean)), hn::Set(d, inverse));
  };
  if (scale == nullptr) {
    ForVectors(n, [&](auto d, int64_t i) { hn::StoreU(plain(d, i), d, y + i); });
  } else if (shift == nullptr) {
    ForVectors(n, [&](auto d, int64_t i) { hn::StoreU(hn::Mul(plain(d, i), hn::LoadU(d, scale + i)), d, y + i); });
  } else {
    ForVectors(n, [&](auto d, int64_t i) {
      hn::StoreU(hn::MulAdd(plain(d, i), hn::LoadU(d, scale + i), hn::LoadU(d, shift + i)), d, y + i);
    });
  }
}

}  // namespace atc::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atc::kernels {

HWY_EXPORT(Statistics);
HWY_EXPORT(SumStatistics);
HWY_EXPORT(Normalize);

RowStatistics StatisticsOf(const float* x, int64_t n, bool centered) {
  return HWY_DYNAMIC_DISPATCH(Statistics)(x, n, centered);
}
RowStatistics StatisticsOfSum(float* sum, const float* a, const float* b, const float* c, int64_t n, bool centered) {
  return HWY_DYNAMIC_DISPATCH(SumStatistics)(sum, a, b, c, n, centered);
}
void NormalizeRow(float* y, const float* x, int64_t n, float mean, float inverse, const float* scale, const float* shift) {
  HWY_DYNAMIC_DISPATCH(Normalize)(y, x, n, mean, inverse, scale, shift);
}

}  // namespace atc::kernels
#endif

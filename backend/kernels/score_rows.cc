#include "backend/kernels/score_rows.h"

#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/kernels/score_rows.cc"
#include <hwy/foreach_target.h>
#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include "backend/kernels/each_vector-inl.h"
#include "backend/kernels/vector_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace atc::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class D, class V>
HWY_INLINE V Apply(D d, const RowStep& step, int64_t i, V v) {
  switch (step.kind) {
    case RowStep::kScale: return hn::Mul(v, hn::Set(d, step.number));
    case RowStep::kAdd: return hn::Add(v, hn::LoadU(d, step.addend + i));
    case RowStep::kAddOne: return hn::Add(v, hn::Set(d, step.number));
    case RowStep::kFill: return hn::Set(d, step.number);
    case RowStep::kSelect: break;
  }
  const hn::Rebind<uint8_t, D> bytes;
  const hn::RebindToSigned<D> whole;
  const auto set = hn::RebindMask(d, hn::Ne(hn::PromoteTo(whole, hn::LoadU(bytes, step.flags + i)), hn::Zero(whole)));
  const V other = hn::Set(d, step.number);
  return step.keep ? hn::IfThenElse(set, v, other) : hn::IfThenElse(set, other, v);
}

void Softmax(float* y, const float* x, int64_t n, const RowStep* steps, int count) {
  const hn::ScalableTag<float> d;
  const hn::CappedTag<float, 1> one;
  const float lowest = -std::numeric_limits<float>::infinity();
  auto tops = hn::Set(d, lowest);
  auto top = hn::Set(one, lowest);
  const auto raise = [&](auto tag, auto v) {
    if constexpr (hn::MaxLanes(decltype(tag)()) == 1) {
      top = hn::Max(top, hn::Set(one, hn::GetLane(v)));
    } else {
      tops = hn::Max(tops, v);
    }
  };
  EachVector(n, [&](auto tag, int64_t i) {
    auto v = hn::LoadU(tag, x + i);
    for (int s = 0; s < count; ++s) v = Apply(tag, steps[s], i, v);
    hn::StoreU(v, tag, y + i);
    raise(tag, v);
  });
  float largest = hn::GetLane(top);
  if constexpr (hn::MaxLanes(d) > 1) {
    const float wide = hn::GetLane(hn::MaxOfLanes(d, tops));
    largest = wide > largest ? wide : largest;
  }
  auto sums = hn::Zero(d);
  float sum = 0;
  EachVector(n, [&](auto tag, int64_t i) {
    const auto e = ExpOf(tag, hn::Sub(hn::LoadU(tag, y + i), hn::Set(tag, largest)));
    hn::StoreU(e, tag, y + i);
    if constexpr (hn::MaxLanes(decltype(tag)()) == 1) {
      sum += hn::GetLane(e);
    } else {
      sums = hn::Add(sums, e);
    }
  });
  if constexpr (hn::MaxLanes(d) > 1) sum += hn::GetLane(hn::SumOfLanes(d, sums));
  const float inverse = 1.0f / sum;
  EachVector(n, [&](auto tag, int64_t i) { hn::StoreU(hn::Mul(hn::LoadU(tag, y + i), hn::Set(tag, inverse)), tag, y + i); });
}

// Of kKeys keys at a time, so that their sums do not wait for each other.
template <int kKeys>
HWY_INLINE void Dots(float* scores, const float* query, const float* keys, int64_t stride, int64_t size) {
  const hn::ScalableTag<float> d;
  const auto step = static_cast<int64_t>(hn::Lanes(d));
  hn::Vec<decltype(d)> sums[kKeys];
  for (int k = 0; k < kKeys; ++k) sums[k] = hn::Zero(d);
  int64_t t = 0;
  for (; t + step <= size; t += step) {
    const auto q = hn::LoadU(d, query + t);
    for (int k = 0; k < kKeys; ++k) sums[k] = hn::MulAdd(q, hn::LoadU(d, keys + k * stride + t), sums[k]);
  }
  for (int k = 0; k < kKeys; ++k) {
    float sum = hn::GetLane(hn::SumOfLanes(d, sums[k]));
    for (int64_t rest = t; rest < size; ++rest) sum += query[rest] * keys[k * stride + rest];
    scores[k] = sum;
  }
}

void Scores(float* scores, const float* query, const float* keys, int64_t stride, int64_t count, int64_t size) {
  constexpr int kKeys = 4;
  constexpr int64_t kAhead = 16;  // keys
  int64_t i = 0;
  for (; i + kKeys <= count; i += kKeys) {
    for (int k = 0; k < kKeys; ++k) {
      for (int64_t t = 0; t < size; t += 16) hwy::Prefetch(keys + (i + kAhead + k) * stride + t);
    }
    Dots<kKeys>(scores + i, query, keys + i * stride, stride, size);
  }
  for (; i < count; ++i) Dots<1>(scores + i, query, keys + i * stride, stride, size);
}

}  // namespace atc::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atc::kernels {

HWY_EXPORT(Softmax);
HWY_EXPORT(Scores);

void SoftmaxRow(float* y, const float* x, int64_t n, const RowStep* steps, int count) {
  HWY_DYNAMIC_DISPATCH(Softmax)(y, x, n, steps, count);
}

void ScoresOfRow(float* scores, const float* query, const float* keys, int64_t stride, int64_t count, int64_t size) {
  HWY_DYNAMIC_DISPATCH(Scores)(scores, query, keys, stride, count, size);
}

}  // namespace atc::kernels
#endif

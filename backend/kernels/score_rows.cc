#include "backend/kernels/score_rows.h"

#include <algorithm>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/kernels/score_rows.cc"
#include <hwy/foreach_target.h>
#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include "backend/kernels/first_lanes-inl.h"
#include "backend/kernels/vector_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace atc::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class D, class V>
HWY_INLINE V Apply(D d, const RowStep& step, int64_t i, V v) {
  switch (step.kind) {
    case RowStep::kScale: return hn::Mul(v, hn::Set(d, step.number));
    case RowStep::kFloor: return hn::IfThenElse(hn::Lt(v, hn::Set(d, step.number)), hn::Set(d, step.number), v);
    case RowStep::kAdd: return hn::Add(v, hn::LoadU(d, step.addend + i));
    case RowStep::kMul: return hn::Mul(v, hn::LoadU(d, step.addend + i));
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

// `count` scores, less than a vector has, after the steps.
template <class D>
HWY_INLINE hn::Vec<D> LoadRest(D d, const float* x, const RowStep* steps, int num_steps, int64_t at, int64_t count) {
  auto v = LoadFirst(d, x + at, count);
  HWY_ALIGN uint8_t flags[HWY_MAX_BYTES] = {};
  for (int s = 0; s < num_steps; ++s) {
    RowStep step = steps[s];
    if (step.kind == RowStep::kAdd || step.kind == RowStep::kMul) {
      const auto operand = LoadFirst(d, step.addend + at, count);
      v = step.kind == RowStep::kAdd ? hn::Add(v, operand) : hn::Mul(v, operand);
      continue;
    }
    if (step.kind == RowStep::kSelect) {
      std::copy_n(step.flags + at, count, flags);
      step.flags = flags;
    }
    v = Apply(d, step, 0, v);
  }
  return v;
}

void Softmax(float* y, const float* x, int64_t n, const RowStep* steps, int count) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const int64_t rest = n % lanes, whole = n - rest;
  const auto lowest = hn::Set(d, -std::numeric_limits<float>::infinity());
  const auto used = hn::FirstN(d, static_cast<size_t>(rest));
  auto last = lowest;
  if (rest > 0) last = hn::IfThenElse(used, LoadRest(d, x, steps, count, whole, rest), lowest);
  auto tops = last;
  for (int64_t i = 0; i < whole; i += lanes) {
    auto v = hn::LoadU(d, x + i);
    for (int s = 0; s < count; ++s) v = Apply(d, steps[s], i, v);
    hn::StoreU(v, d, y + i);
    tops = hn::Max(tops, v);
  }
  const auto largest = hn::MaxOfLanes(d, tops);
  auto sums = hn::Zero(d);
  for (int64_t i = 0; i < whole; i += lanes) {
    const auto e = ExpOfNegative(d, hn::Sub(hn::LoadU(d, y + i), largest));
    hn::StoreU(e, d, y + i);
    sums = hn::Add(sums, e);
  }
  if (rest > 0) {
    last = hn::IfThenElseZero(used, ExpOfNegative(d, hn::Sub(last, largest)));
    sums = hn::Add(sums, last);
  }
  const auto inverse = hn::Set(d, 1.0f / hn::GetLane(hn::SumOfLanes(d, sums)));
  for (int64_t i = 0; i < whole; i += lanes) hn::StoreU(hn::Mul(hn::LoadU(d, y + i), inverse), d, y + i);
  if (rest > 0) StoreFirst(d, hn::Mul(last, inverse), y + whole, rest);
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

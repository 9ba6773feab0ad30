#include "backend/kernels/score_rows.h"

#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/kernels/score_rows.cc"
#include <hwy/foreach_target.h>
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

}  // namespace atc::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atc::kernels {

HWY_EXPORT(Softmax);

void SoftmaxRow(float* y, const float* x, int64_t n, const RowStep* steps, int count) {
  HWY_DYNAMIC_DISPATCH(Softmax)(y, x, n, steps, count);
}

}  // namespace atc::kernels
#endif

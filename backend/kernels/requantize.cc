#include "backend/kernels/requantize.h"

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/kernels/requantize.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace atc::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Far beyond 8 bits, and far within what converts to int32.
constexpr float kMost = 1048576.0f;

inline int32_t Sum(const int32_t* sums, const int32_t* correction, int64_t c) {
  const uint32_t shift = correction == nullptr ? 0 : static_cast<uint32_t>(correction[c]);
  return static_cast<int32_t>(static_cast<uint32_t>(sums[c]) + shift);
}

inline uint8_t Finish(float quotient, const Rounding& r) {
  const float near = std::nearbyint(std::min(std::max(quotient, -kMost), kMost));
  return static_cast<uint8_t>(std::clamp(static_cast<int32_t>(near) + r.zero, r.low, r.high));
}

template <class DD>
using Ints = hn::Rebind<int32_t, DD>;

template <class DD>
HWY_INLINE hn::VFromD<DD> LoadSums(DD dd, const int32_t* sums, const int32_t* correction, int64_t c) {
  const Ints<DD> di;
  auto sum = hn::LoadU(di, sums + c);
  if (correction != nullptr) sum = hn::Add(sum, hn::LoadU(di, correction + c));
  return hn::PromoteTo(dd, sum);
}

// Lanes of int32 within range, as bytes of either sign: the low byte of each.
template <class DI, class V>
HWY_INLINE void StoreBytes(DI di, V values, uint8_t* out) {
  const hn::Rebind<uint8_t, DI> db;
  const hn::Repartition<uint32_t, DI> du;
  hn::StoreU(hn::U8FromU32(hn::And(hn::BitCast(du, values), hn::Set(du, 0xFF))), db, out);
}

template <class DF>
HWY_INLINE void StoreRounded(DF df, hn::VFromD<DF> quotient, const Rounding& r, uint8_t* out) {
  const hn::RebindToSigned<DF> di;
  const auto within = hn::Min(hn::Max(quotient, hn::Set(df, -kMost)), hn::Set(df, kMost));
  const auto moved = hn::Add(hn::NearestInt(within), hn::Set(di, r.zero));
  StoreBytes(di, hn::Min(hn::Max(moved, hn::Set(di, r.low)), hn::Set(di, r.high)), out);
}

void ScaleRowTarget(float* out, const int32_t* sums, const int32_t* correction, const ChannelScales& s) {
  const hn::ScalableTag<double> dd;
  const hn::Rebind<float, decltype(dd)> df;
  const auto step = static_cast<int64_t>(hn::Lanes(dd));
  int64_t c = 0;
  for (; c + step <= s.channels; c += step) {
    const auto product = hn::Mul(LoadSums(dd, sums, correction, c), hn::LoadU(dd, s.scale + c));
    hn::StoreU(hn::DemoteTo(df, hn::Add(product, hn::LoadU(dd, s.add + c))), df, out + c);
  }
  for (; c < s.channels; ++c) out[c] = static_cast<float>(Sum(sums, correction, c) * s.scale[c] + s.add[c]);
}

// A float quotient is the rounded product with the reciprocal in double: a quotient of two floats lies at least 2^-49 of
// its size away from where rounding changes, the product is off by less than 2^-51.
void QuantizeRowTarget(uint8_t* out, const int32_t* sums, const int32_t* correction, const ChannelScales& s,
                       const Rounding& r) {
  const hn::ScalableTag<double> dd;
  const hn::Rebind<float, decltype(dd)> df;
  const auto step = static_cast<int64_t>(hn::Lanes(dd));
  const double inverse = 1.0 / r.divisor;
  const auto by = hn::Set(dd, inverse);
  int64_t c = 0;
  for (; c + step <= s.channels; c += step) {
    const auto product = hn::Mul(LoadSums(dd, sums, correction, c), hn::LoadU(dd, s.scale + c));
    const auto value = hn::DemoteTo(df, hn::Add(product, hn::LoadU(dd, s.add + c)));
    StoreRounded(df, hn::DemoteTo(df, hn::Mul(hn::PromoteTo(dd, value), by)), r, out + c);
  }
  for (; c < s.channels; ++c) {
    const auto value = static_cast<float>(Sum(sums, correction, c) * s.scale[c] + s.add[c]);
    out[c] = Finish(value / static_cast<float>(r.divisor), r);
  }
}

void RoundRowTarget(uint8_t* out, const int32_t* sums, const int32_t* correction, const ChannelScales& s,
                    const Rounding& r) {
  const hn::ScalableTag<double> dd;
  const hn::Rebind<float, decltype(dd)> df;
  const auto step = static_cast<int64_t>(hn::Lanes(dd));
  const auto divisor = hn::Set(dd, r.divisor);
  const auto most = hn::Set(dd, kMost);
  int64_t c = 0;
  for (; c + step <= s.channels; c += step) {
    const auto product = hn::Mul(LoadSums(dd, sums, correction, c), hn::LoadU(dd, s.scale + c));
    const auto within = hn::Min(hn::Max(hn::Div(product, divisor), hn::Neg(most)), most);
    StoreRounded(df, hn::DemoteTo(df, hn::Round(within)), r, out + c);  // whole: exact as float
  }
  for (; c < s.channels; ++c) {
    const double quotient = Sum(sums, correction, c) * s.scale[c] / r.divisor;
    const double within = std::min(std::max(quotient, -static_cast<double>(kMost)), static_cast<double>(kMost));
    out[c] = Finish(static_cast<float>(std::nearbyint(within)), r);
  }
}

}  // namespace atc::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atc::kernels {

HWY_EXPORT(ScaleRowTarget);
HWY_EXPORT(QuantizeRowTarget);
HWY_EXPORT(RoundRowTarget);

void ScaleRow(float* out, const int32_t* sums, const int32_t* correction, const ChannelScales& scales) {
  HWY_DYNAMIC_DISPATCH(ScaleRowTarget)(out, sums, correction, scales);
}

void QuantizeRow(uint8_t* out, const int32_t* sums, const int32_t* correction, const ChannelScales& scales,
                 const Rounding& rounding) {
  HWY_DYNAMIC_DISPATCH(QuantizeRowTarget)(out, sums, correction, scales, rounding);
}

void RoundRow(uint8_t* out, const int32_t* sums, const int32_t* correction, const ChannelScales& scales,
              const Rounding& rounding) {
  HWY_DYNAMIC_DISPATCH(RoundRowTarget)(out, sums, correction, scales, rounding);
}

}  // namespace atc::kernels
#endif

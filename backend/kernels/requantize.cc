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
// Of a sum in float, a product, two roundings of the result and one of each number: 6 * 2^-24 and some.
constexpr float kError = 1.0f / (1 << 21);

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
  const int64_t channels = s.channels();
  int64_t c = 0;
  for (; c + step <= channels; c += step) {
    const auto product = hn::Mul(LoadSums(dd, sums, correction, c), hn::LoadU(dd, s.scale.data() + c));
    hn::StoreU(hn::DemoteTo(df, hn::Add(product, hn::LoadU(dd, s.add.data() + c))), df, out + c);
  }
  for (; c < channels; ++c) out[c] = static_cast<float>(Sum(sums, correction, c) * s.scale[c] + s.add[c]);
}

// A float quotient is the rounded product with the reciprocal in double: a quotient of two floats lies at least 2^-49 of
// its size away from where rounding changes, the product is off by less than 2^-51.
template <class DD>
HWY_INLINE void QuantizeExactly(DD dd, const int32_t* sums, const int32_t* correction, const ChannelScales& s,
                                const Rounding& r, int64_t c, uint8_t* out) {
  const hn::Rebind<float, DD> df;
  const auto product = hn::Mul(LoadSums(dd, sums, correction, c), hn::LoadU(dd, s.scale.data() + c));
  const auto value = hn::DemoteTo(df, hn::Add(product, hn::LoadU(dd, s.add.data() + c)));
  StoreRounded(df, hn::DemoteTo(df, hn::Mul(hn::PromoteTo(dd, value), hn::Set(dd, 1.0 / r.divisor))), r, out + c);
}

// First in float alone, which errs by less than kError of the sizes that it adds; where that leaves the rounding of any
// lane open, all lanes are done exactly. Quotients beyond kSaturated end at a limit either way.
void QuantizeRowTarget(uint8_t* out, const int32_t* sums, const int32_t* correction, const ChannelScales& s,
                       const Rounding& r) {
  const hn::ScalableTag<double> dd;
  const hn::ScalableTag<float> df;
  const hn::RebindToSigned<decltype(df)> di;
  constexpr float kSaturated = 1024.0f;
  const auto step = static_cast<int64_t>(hn::Lanes(df)), half = static_cast<int64_t>(hn::Lanes(dd));
  const int64_t channels = s.channels();
  const auto error = hn::Set(df, kError);
  int64_t c = 0;
  for (; c + step <= channels; c += step) {
    auto sum = hn::LoadU(di, sums + c);
    if (correction != nullptr) sum = hn::Add(sum, hn::LoadU(di, correction + c));
    const auto product = hn::Mul(hn::ConvertTo(df, sum), hn::LoadU(df, s.near_scale.data() + c));
    const auto quotient = hn::Add(product, hn::LoadU(df, s.near_add.data() + c));
    const auto distance = hn::Abs(hn::Sub(quotient, hn::Round(quotient)));
    const auto doubt = hn::MulAdd(hn::Abs(product), error, hn::LoadU(df, s.add_error.data() + c));
    const auto open = hn::And(hn::Gt(hn::Add(distance, doubt), hn::Set(df, 0.5f)),
                              hn::Lt(hn::Abs(quotient), hn::Set(df, kSaturated)));
    if (HWY_UNLIKELY(!hn::AllFalse(df, open))) {
      for (int64_t at = c; at < c + step; at += half) QuantizeExactly(dd, sums, correction, s, r, at, out);
    } else {
      StoreRounded(df, quotient, r, out + c);
    }
  }
  for (; c + half <= channels; c += half) QuantizeExactly(dd, sums, correction, s, r, c, out);
  for (; c < channels; ++c) {
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
  const int64_t channels = s.channels();
  int64_t c = 0;
  for (; c + step <= channels; c += step) {
    const auto product = hn::Mul(LoadSums(dd, sums, correction, c), hn::LoadU(dd, s.scale.data() + c));
    const auto within = hn::Min(hn::Max(hn::Div(product, divisor), hn::Neg(most)), most);
    StoreRounded(df, hn::DemoteTo(df, hn::Round(within)), r, out + c);  // whole: exact as float
  }
  for (; c < channels; ++c) {
    const double quotient = Sum(sums, correction, c) * s.scale[c] / r.divisor;
    const double within = std::min(std::max(quotient, -static_cast<double>(kMost)), static_cast<double>(kMost));
    out[c] = Finish(static_cast<float>(std::nearbyint(within)), r);
  }
}

}  // namespace atc::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atc::kernels {

void ChannelScales::SetDivisor(double divisor) {
  near_scale.clear();
  near_add.clear();
  add_error.clear();
  for (size_t c = 0; c < scale.size(); ++c) {
    const auto by = static_cast<float>(scale[c] / divisor), shift = static_cast<float>(add[c] / divisor);
    const auto usual = [](float v) { return std::isnormal(v) || v == 0; };
    const bool fits = usual(by) && usual(shift);  // else everything is in doubt
    near_scale.push_back(fits ? by : 0);
    near_add.push_back(fits ? shift : 0);
    add_error.push_back(fits ? std::fabs(shift) * (1.0f / (1 << 21)) : INFINITY);
  }
}

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

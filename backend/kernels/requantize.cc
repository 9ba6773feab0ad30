#include "backend/kernels/requantize.h"

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/kernels/requantize.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "backend/kernels/byte_vectors-inl.h"

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

void ScaleRowsTarget(float* out, const SumRows& rows, const ChannelScales& s) {
  const hn::ScalableTag<double> dd;
  const hn::Rebind<float, decltype(dd)> df;
  const auto step = static_cast<int64_t>(hn::Lanes(dd));
  const int64_t channels = s.channels();
  for (int64_t row = 0; row < rows.rows; ++row, out += channels) {
    const int32_t* sums = rows.sums + row * channels;
    const int32_t* correction = rows.CorrectionOf(row, channels);
    int64_t c = 0;
    for (; c + step <= channels; c += step) {
      const auto product = hn::Mul(LoadSums(dd, sums, correction, c), hn::LoadU(dd, s.scale.data() + c));
      hn::StoreU(hn::DemoteTo(df, hn::Add(product, hn::LoadU(dd, s.add.data() + c))), df, out + c);
    }
    for (; c < channels; ++c) out[c] = static_cast<float>(Sum(sums, correction, c) * s.scale[c] + s.add[c]);
  }
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

HWY_NOINLINE void QuantizeAllExactly(int64_t count, const int32_t* sums, const int32_t* correction,
                                     const ChannelScales& s, const Rounding& r, int64_t c, uint8_t* out) {
  const hn::ScalableTag<double> dd;
  const auto step = static_cast<int64_t>(hn::Lanes(dd));
  const int64_t end = c + count;
  for (; c + step <= end; c += step) QuantizeExactly(dd, sums, correction, s, r, c, out);
  for (; c < end; ++c) {
    const auto value = static_cast<float>(Sum(sums, correction, c) * s.scale[c] + s.add[c]);
    out[c] = Finish(value / static_cast<float>(r.divisor), r);
  }
}

#if HWY_TARGET != HWY_SCALAR
template <class DF>
HWY_INLINE hn::VFromD<hn::RebindToSigned<DF>> RoundSums(DF df, const int32_t* sums, const int32_t* correction,
                                                        const ChannelScales& s, int64_t c, hn::VFromD<DF>& furthest) {
  const hn::RebindToSigned<DF> di;
  auto sum = hn::LoadU(di, sums + c);
  if (correction != nullptr) sum = hn::Add(sum, hn::LoadU(di, correction + c));
  const auto quotient =
      hn::MulAdd(hn::ConvertTo(df, sum), hn::LoadU(df, s.near_scale.data() + c), hn::LoadU(df, s.near_add.data() + c));
  const auto near = Nearest(df, quotient);
  furthest = hn::Max(furthest, hn::Abs(hn::Sub(quotient, hn::ConvertTo(df, near))));
  return near;
}

// Four vectors of sums as one of bytes.
template <class DF>
HWY_INLINE void QuantizeFour(DF df, const int32_t* sums, const int32_t* correction, const ChannelScales& s,
                             const Rounding& r, int64_t c, uint8_t* out) {
  const hn::Repartition<uint8_t, DF> d8;
  const hn::Repartition<int8_t, DF> di8;
  const hn::Repartition<int16_t, DF> d16;
  const hn::Repartition<uint32_t, DF> d32;
  constexpr size_t kLanes = hn::MaxLanes(DF());
  const auto step = static_cast<int64_t>(kLanes);
  auto furthest = hn::Zero(df);
  const auto a = RoundSums(df, sums, correction, s, c, furthest);
  const auto b = RoundSums(df, sums, correction, s, c + step, furthest);
  const auto e = RoundSums(df, sums, correction, s, c + 2 * step, furthest);
  const auto f = RoundSums(df, sums, correction, s, c + 3 * step, furthest);
  if (HWY_UNLIKELY(!hn::AllFalse(df, hn::Gt(furthest, hn::Set(df, s.least_limit))))) {
    return QuantizeAllExactly(4 * step, sums, correction, s, r, c, out);
  }
  const bool is_signed = r.low < 0;
  auto bytes = Pack(d8, hn::ReorderDemote2To(d16, a, b), hn::ReorderDemote2To(d16, e, f), is_signed);
  if constexpr (kLanes > 4) {
    // Each sixteen bytes have four of each vector.
    HWY_ALIGN int32_t order[kLanes];
    for (size_t i = 0; i < kLanes; ++i) order[i] = static_cast<int32_t>(i % (kLanes / 4) * 4 + i / (kLanes / 4));
    bytes = hn::BitCast(d8, hn::TableLookupLanes(hn::BitCast(d32, bytes), hn::SetTableIndices(d32, order)));
  }
  if (is_signed) {
    const auto least = hn::Set(di8, static_cast<int8_t>(r.low)), most = hn::Set(di8, static_cast<int8_t>(r.high));
    bytes = hn::BitCast(d8, hn::Min(hn::Max(hn::BitCast(di8, bytes), least), most));
  } else {
    const auto least = hn::Set(d8, static_cast<uint8_t>(r.low)), most = hn::Set(d8, static_cast<uint8_t>(r.high));
    bytes = hn::Min(hn::Max(bytes, least), most);
  }
  hn::StoreU(bytes, d8, out + c);
}
#endif

// As many channels as go by four vectors of 8 numbers or more, from the first on; the number of them.
HWY_INLINE int64_t QuantizeFours(const int32_t* HWY_RESTRICT sums, const int32_t* HWY_RESTRICT correction,
                                 const ChannelScales& s, const Rounding& r, uint8_t* out) {
  int64_t c = 0;
#if HWY_TARGET != HWY_SCALAR
  const int64_t channels = s.channels();
  if (s.least_limit < 0) return 0;
  constexpr int64_t kWidest = 4 * hn::MaxLanes(hn::CappedTag<float, 16>());
  for (; c + kWidest <= channels; c += kWidest)
    QuantizeFour(hn::CappedTag<float, 16>(), sums, correction, s, r, c, out);
  if constexpr (kWidest > 32) {
    for (; c + 32 <= channels; c += 32) QuantizeFour(hn::CappedTag<float, 8>(), sums, correction, s, r, c, out);
  }
#endif
  return c;
}

// First in float alone, a vector at a time; where that leaves the rounding of any lane open, all lanes are done exactly.
// Adding 1.5 * 2^23 rounds what is within limits to a whole number, whose bytes are then the low ones of the sum.
void QuantizeRowsTarget(uint8_t* out, const SumRows& rows, const ChannelScales& s, const Rounding& r) {
  const hn::ScalableTag<float> df;
  const hn::RebindToSigned<decltype(df)> di;
  const auto step = static_cast<int64_t>(hn::Lanes(df));
  const int64_t channels = s.channels();
  const auto low = hn::Set(df, static_cast<float>(r.low)), high = hn::Set(df, static_cast<float>(r.high));
  const auto whole = hn::Set(df, 12582912.0f);
  const float *scale = s.near_scale.data(), *add = s.near_add.data(), *limit = s.limit.data();
  const int64_t last = channels - step;  // where the last vector begins, which may overlap the one before
  for (int64_t row = 0; row < rows.rows; ++row, out += channels) {
    const int32_t* HWY_RESTRICT sums = rows.sums + row * channels;
    const int32_t* HWY_RESTRICT correction = rows.CorrectionOf(row, channels);
    if (last < 0) QuantizeAllExactly(channels, sums, correction, s, r, 0, out);
    for (int64_t at = QuantizeFours(sums, correction, s, r, out); at < channels && last >= 0; at += step) {
      const int64_t c = std::min(at, last);
      auto sum = hn::LoadU(di, sums + c);
      if (correction != nullptr) sum = hn::Add(sum, hn::LoadU(di, correction + c));
      const auto value = hn::MulAdd(hn::ConvertTo(df, sum), hn::LoadU(df, scale + c), hn::LoadU(df, add + c));
      const auto within = hn::Min(hn::Max(value, low), high);
      const auto raised = hn::Add(within, whole);
      const auto open = hn::Gt(hn::Abs(hn::Sub(within, hn::Sub(raised, whole))), hn::LoadU(df, limit + c));
      StoreBytes(di, hn::BitCast(di, raised), out + c);
      if (HWY_UNLIKELY(!hn::AllFalse(df, open))) QuantizeAllExactly(step, sums, correction, s, r, c, out);
    }
  }
}

HWY_NOINLINE void RoundExactly(int64_t count, const int32_t* sums, const int32_t* correction, const ChannelScales& s,
                               const Rounding& r, int64_t c, uint8_t* out) {
  const hn::ScalableTag<double> dd;
  const hn::Rebind<float, decltype(dd)> df;
  const auto step = static_cast<int64_t>(hn::Lanes(dd));
  const auto divisor = hn::Set(dd, r.divisor);
  const auto most = hn::Set(dd, kMost);
  const int64_t end = c + count;
  for (; c + step <= end; c += step) {
    const auto product = hn::Mul(LoadSums(dd, sums, correction, c), hn::LoadU(dd, s.scale.data() + c));
    const auto within = hn::Min(hn::Max(hn::Div(product, divisor), hn::Neg(most)), most);
    StoreRounded(df, hn::DemoteTo(df, hn::Round(within)), r, out + c);  // whole: exact as float
  }
  for (; c < end; ++c) {
    const double quotient = Sum(sums, correction, c) * s.scale[c] / r.divisor;
    const double within = std::min(std::max(quotient, -static_cast<double>(kMost)), static_cast<double>(kMost));
    out[c] = Finish(static_cast<float>(std::nearbyint(within)), r);
  }
}

void RoundRowsTarget(uint8_t* out, const SumRows& rows, const ChannelScales& s, const Rounding& r) {
  const int64_t channels = s.channels();
  for (int64_t row = 0; row < rows.rows; ++row, out += channels) {
    RoundExactly(channels, rows.sums + row * channels, rows.CorrectionOf(row, channels), s, r, 0, out);
  }
}

void QuantizeSpanTarget(uint8_t* out, const int32_t* sums, int64_t channel, int64_t count, const ChannelScales& s,
                        const Rounding& r, Quotient quotient) {
  const auto exactly = quotient == Quotient::kFloat ? QuantizeAllExactly : RoundExactly;
  exactly(count, sums - channel, nullptr, s, r, channel, out - channel);
}

}  // namespace atc::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atc::kernels {

// A sum, a factor and an addend that became floats and the two roundings of the arithmetic each err by at most 2^-24 of
// themselves, and so do the two roundings of the exact result. What matters lies within +-256, which leaves a product
// of at most 256 + |add| and a quotient without the zero point of at most 512: less than 2^-24 of 2048 + 8 * |add| in all.
void ChannelScales::SetRounding(const Rounding& rounding) {
  near_scale.clear();
  near_add.clear();
  limit.clear();
  // What is beyond int32 an int32 cannot tell.
  constexpr double kWithin = 1 << 30;
  least_limit = 1;
  const auto usual = [](float v) { return std::isnormal(v) || v == 0; };
  for (size_t c = 0; c < scale.size(); ++c) {
    const auto by = static_cast<float>(scale[c] / rounding.divisor);
    const auto shift = static_cast<float>((add.empty() ? 0 : add[c]) / rounding.divisor + rounding.zero);
    const bool fits = usual(by) && usual(shift);
    near_scale.push_back(fits ? by : 0);
    near_add.push_back(fits ? shift : 0);
    // Below zero everything is open.
    limit.push_back(fits ? 0.5f - (2048 + 8 * std::fabs(shift)) * (1.0f / (1 << 24)) : -1.0f);
    const bool within = std::fabs(near_scale.back()) * 2147483648.0 + std::fabs(near_add.back()) < kWithin;
    least_limit = std::min(least_limit, within ? limit.back() : -1.0f);
  }
}

HWY_EXPORT(ScaleRowsTarget);
HWY_EXPORT(QuantizeRowsTarget);
HWY_EXPORT(RoundRowsTarget);
HWY_EXPORT(QuantizeSpanTarget);

void ScaleRows(float* out, const SumRows& rows, const ChannelScales& scales) {
  HWY_DYNAMIC_DISPATCH(ScaleRowsTarget)(out, rows, scales);
}

void QuantizeRows(uint8_t* out, const SumRows& rows, const ChannelScales& scales, const Rounding& rounding) {
  HWY_DYNAMIC_DISPATCH(QuantizeRowsTarget)(out, rows, scales, rounding);
}

void RoundRows(uint8_t* out, const SumRows& rows, const ChannelScales& scales, const Rounding& rounding) {
  HWY_DYNAMIC_DISPATCH(RoundRowsTarget)(out, rows, scales, rounding);
}

void QuantizeSpan(uint8_t* out, const int32_t* sums, int64_t channel, int64_t count, const ChannelScales& scales,
                  const Rounding& rounding, Quotient quotient) {
  HWY_DYNAMIC_DISPATCH(QuantizeSpanTarget)(out, sums, channel, count, scales, rounding, quotient);
}

}  // namespace atc::kernels
#endif

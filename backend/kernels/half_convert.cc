#include "backend/kernels/half_convert.h"

#include <algorithm>
#include <cstring>

#include "backend/kernels/for_team.h"
#include "compiler/ir/half.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/kernels/half_convert.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace atc::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Whether the processor itself converts halves; what Highway does without loses infinity and NaN.
constexpr bool kConvertsHalf = HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL || HWY_TARGET == HWY_NEON;

void WidenHalf(float* out, const uint16_t* in, size_t count) {
  const hn::ScalableTag<float> df;
  const hn::Rebind<hwy::float16_t, decltype(df)> dh;
  const size_t step = hn::Lanes(df);
  size_t i = 0;
  for (; kConvertsHalf && i + step <= count; i += step) {
    hn::StoreU(hn::PromoteTo(df, hn::LoadU(dh, reinterpret_cast<const hwy::float16_t*>(in + i))), df, out + i);
  }
  for (; i < count; ++i) out[i] = HalfToFloat(in[i]);
}

void NarrowHalf(uint16_t* out, const float* in, size_t count) {
  const hn::ScalableTag<float> df;
  const hn::Rebind<hwy::float16_t, decltype(df)> dh;
  const size_t step = hn::Lanes(df);
  size_t i = 0;
  for (; kConvertsHalf && i + step <= count; i += step) {
    hn::StoreU(hn::DemoteTo(dh, hn::LoadU(df, in + i)), dh, reinterpret_cast<hwy::float16_t*>(out + i));
  }
  for (; i < count; ++i) out[i] = FloatToHalf(in[i]);
}

void RoundToHalf(float* out, const float* in, size_t count) {
  const hn::ScalableTag<float> df;
  const hn::Rebind<hwy::float16_t, decltype(df)> dh;
  const size_t step = hn::Lanes(df);
  size_t i = 0;
  for (; kConvertsHalf && i + step <= count; i += step) hn::StoreU(hn::PromoteTo(df, hn::DemoteTo(dh, hn::LoadU(df, in + i))), df, out + i);
  for (; i < count; ++i) out[i] = HalfToFloat(FloatToHalf(in[i]));
}

template <typename Byte>
void WidenBytes(float* out, const Byte* in, size_t count) {
  const hn::ScalableTag<float> df;
  const hn::RebindToSigned<decltype(df)> di;
  const hn::Rebind<Byte, decltype(df)> db;
  const size_t step = hn::Lanes(df);
  size_t i = 0;
  for (; i + step <= count; i += step) {
    hn::StoreU(hn::ConvertTo(df, hn::PromoteTo(di, hn::LoadU(db, in + i))), df, out + i);
  }
  for (; i < count; ++i) out[i] = in[i];
}

void WidenUint8(float* out, const uint8_t* in, size_t count) { WidenBytes(out, in, count); }
void WidenInt8(float* out, const int8_t* in, size_t count) { WidenBytes(out, in, count); }

// The low byte of whole numbers serves both signs.
void NarrowBytes(uint8_t* out, const float* in, size_t count) {
  const hn::ScalableTag<float> df;
  const hn::RebindToSigned<decltype(df)> di;
  const hn::RebindToUnsigned<decltype(df)> du;
  const hn::Rebind<uint8_t, decltype(df)> db;
  const size_t step = hn::Lanes(df);
  size_t i = 0;
  for (; i + step <= count; i += step) {
    const auto whole = hn::BitCast(du, hn::ConvertTo(di, hn::LoadU(df, in + i)));
    hn::StoreU(hn::U8FromU32(hn::And(whole, hn::Set(du, 0xFF))), db, out + i);
  }
  for (; i < count; ++i) out[i] = static_cast<uint8_t>(static_cast<int32_t>(in[i]));
}

}  // namespace atc::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atc::kernels {

HWY_EXPORT(WidenHalf);
HWY_EXPORT(NarrowHalf);
HWY_EXPORT(RoundToHalf);
HWY_EXPORT(WidenUint8);
HWY_EXPORT(WidenInt8);
HWY_EXPORT(NarrowBytes);

namespace {

// body(begin, count) over all elements, by as many of the team as are worth it: below so many elements for each of them a
// team costs more than it gains.
template <typename Body>
void Spread(size_t count, int threads, const Body& body) {
  constexpr size_t kLeast = 8 * 1024, kLine = 64;  // parts begin at cache lines of whatever they are
  const auto parts = std::min(static_cast<size_t>(threads), count / kLeast);
  if (parts < 2) return body(0, count);
  const auto begin = [&](int64_t part) { return part == static_cast<int64_t>(parts) ? count : count * static_cast<size_t>(part) / parts / kLine * kLine; };
  ForTeam(threads, static_cast<int64_t>(parts), [&](int64_t part) { body(begin(part), begin(part + 1) - begin(part)); });
}

}  // namespace

size_t TileElementBytes(DataType dtype) { return static_cast<size_t>(DataTypeBits(dtype)) / 8; }

void WidenTo(float* out, const void* in, DataType from, size_t count) {
  const auto* half = static_cast<const uint16_t*>(in);
  if (from == DT_FLOAT16) {
    HWY_DYNAMIC_DISPATCH(WidenHalf)(out, half, count);
  } else if (from == DT_BF16) {
    for (size_t i = 0; i < count; ++i) out[i] = BFloat16ToFloat(half[i]);
  } else if (from == DT_UINT8) {
    HWY_DYNAMIC_DISPATCH(WidenUint8)(out, static_cast<const uint8_t*>(in), count);
  } else if (from == DT_INT8) {
    HWY_DYNAMIC_DISPATCH(WidenInt8)(out, static_cast<const int8_t*>(in), count);
  } else {
    std::memcpy(out, in, count * sizeof(float));
  }
}

void NarrowTo(void* out, DataType to, const float* in, size_t count) {
  auto* half = static_cast<uint16_t*>(out);
  if (to == DT_FLOAT16) {
    HWY_DYNAMIC_DISPATCH(NarrowHalf)(half, in, count);
  } else if (to == DT_BF16) {
    for (size_t i = 0; i < count; ++i) half[i] = FloatToBFloat16(in[i]);
  } else if (to == DT_UINT8 || to == DT_INT8) {
    HWY_DYNAMIC_DISPATCH(NarrowBytes)(static_cast<uint8_t*>(out), in, count);
  } else {
    std::memcpy(out, in, count * sizeof(float));
  }
}

void RoundTo(float* out, DataType to, const float* in, size_t count) {
  if (to == DT_FLOAT16) return HWY_DYNAMIC_DISPATCH(RoundToHalf)(out, in, count);
  for (size_t i = 0; i < count; ++i) out[i] = BFloat16ToFloat(FloatToBFloat16(in[i]));
}

void ParallelWidenTo(float* out, const void* in, DataType from, size_t count, int threads) {
  const size_t width = TileElementBytes(from);
  Spread(count, threads, [&](size_t begin, size_t part) {
    WidenTo(out + begin, static_cast<const char*>(in) + begin * width, from, part);
  });
}

void ParallelNarrowTo(void* out, DataType to, const float* in, size_t count, int threads) {
  const size_t width = TileElementBytes(to);
  Spread(count, threads, [&](size_t begin, size_t part) {
    NarrowTo(static_cast<char*>(out) + begin * width, to, in + begin, part);
  });
}

void ParallelRoundTo(float* out, DataType to, const float* in, size_t count, int threads) {
  Spread(count, threads, [&](size_t begin, size_t part) { RoundTo(out + begin, to, in + begin, part); });
}

}  // namespace atc::kernels
#endif

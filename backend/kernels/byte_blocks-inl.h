// Sums of a block of channels (byte_filters.h) and what becomes of them, for files that are compiled once a target
// (hwy/foreach_target.h); not for HWY_SCALAR.
#if defined(OPENATC_BACKEND_KERNELS_BYTE_BLOCKS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef OPENATC_BACKEND_KERNELS_BYTE_BLOCKS_INL_H_
#undef OPENATC_BACKEND_KERNELS_BYTE_BLOCKS_INL_H_
#else
#define OPENATC_BACKEND_KERNELS_BYTE_BLOCKS_INL_H_
#endif

#include <hwy/highway.h>

#include <cstring>

#include "backend/kernels/byte_filters.h"
#include "backend/kernels/byte_vectors-inl.h"

#if HWY_TARGET != HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace atc::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Where the processor has VNNI as well, which this target of Highway's does not say.
constexpr bool kAddsFour = HWY_TARGET == HWY_AVX3;

// The four quarters of a block.
template <class V>
struct Quarters {
  V a, b, c, d;
};

template <class D8>
using SumsOf = Quarters<hn::VFromD<hn::Repartition<int32_t, D8> > >;

// What a block of channels is made of, in plain pointers: results are bytes, which might lie anywhere for the compiler.
struct BlockView {
  BlockView(const ByteFilters& f, const ByteFilters::Block& block)
      : weights(f.weights.Data<int8_t>() + block.at * f.groups * 4),
        start(f.start.Data<int32_t>() + block.at),
        scale(f.scale.defined() ? f.scale.Data<float>() + block.at : nullptr),
        add(f.add.defined() ? f.add.Data<float>() + block.at : nullptr),
        channel(block.channel),
        filters(&f) {}

  const int8_t* weights;
  const int32_t* start;
  const float *scale, *add;
  int64_t channel;
  const ByteFilters* filters;
};

template <class D8>
HWY_INLINE SumsOf<D8> LoadStart(D8, const BlockView& view) {
  const hn::Repartition<int32_t, D8> d32;
  const auto step = static_cast<int64_t>(hn::Lanes(d32));
  return {hn::LoadU(d32, view.start), hn::LoadU(d32, view.start + step), hn::LoadU(d32, view.start + 2 * step),
          hn::LoadU(d32, view.start + 3 * step)};
}

template <class D8>
HWY_INLINE Quarters<hn::VFromD<hn::RebindToSigned<D8> > > LoadWeights(D8, const int8_t* from) {
  const hn::RebindToSigned<D8> d;
  const auto width = static_cast<int64_t>(hn::Lanes(d));
  return {hn::LoadU(d, from), hn::LoadU(d, from + width), hn::LoadU(d, from + 2 * width),
          hn::LoadU(d, from + 3 * width)};
}

template <class Sums, class X, class W>
HWY_INLINE void AddFour(Sums& sum, const X& x, const W& w) {
  sum.a = AddQuads(sum.a, x.a, w.a);
  sum.b = AddQuads(sum.b, x.b, w.b);
  sum.c = AddQuads(sum.c, x.c, w.c);
  sum.d = AddQuads(sum.d, x.d, w.d);
}

// Writes the sums, in the order of channels.
struct StoreSums {
  int32_t* out;

  template <class D8>
  HWY_INLINE void operator()(D8, const SumsOf<D8>& sum, const BlockView& view, int64_t at) const {
    Store(D8(), sum, out + at + view.channel);
  }
  template <class D8>
  static HWY_INLINE void Store(D8, const SumsOf<D8>& sum, int32_t* to) {
    const hn::Repartition<int32_t, D8> d32;
    HWY_ALIGN int32_t lanes[hn::MaxLanes(D8())];
    const auto step = static_cast<int64_t>(hn::Lanes(d32));
    hn::Store(sum.a, d32, lanes);
    hn::Store(sum.b, d32, lanes + step);
    hn::Store(sum.c, d32, lanes + 2 * step);
    hn::Store(sum.d, d32, lanes + 3 * step);
    for (int64_t sixteen = 0; sixteen < step / 4; ++sixteen) {
      for (int64_t k = 0; k < 4; ++k)
        std::memcpy(to + 16 * sixteen + 4 * k, lanes + k * step + 4 * sixteen, 4 * sizeof(int32_t));
    }
  }
};

// Writes bytes, rounded in float; where that leaves one of them open, all are made exactly. What is beyond 8 bits
// saturates.
struct StoreBytes {
  uint8_t* out;
  float limit;
  int32_t low, high;

  template <class D8>
  HWY_INLINE void operator()(D8 d8, const SumsOf<D8>& sum, const BlockView& view, int64_t at) const {
    const hn::Repartition<int32_t, D8> d32;
    const hn::Repartition<float, D8> df;
    const hn::Repartition<int16_t, D8> d16;
    const hn::RebindToSigned<D8> di8;
    uint8_t* to = out + at + view.channel;
    auto furthest = hn::Zero(df);
    const auto a = Round(df, sum.a, view, 0, furthest), b = Round(df, sum.b, view, 1, furthest);
    const auto c = Round(df, sum.c, view, 2, furthest), d = Round(df, sum.d, view, 3, furthest);
    if (HWY_UNLIKELY(!hn::AllFalse(df, hn::Gt(furthest, hn::Set(df, limit))))) return StoreExactly(d8, sum, view, to);
    const auto ab = hn::ReorderDemote2To(d16, a, b), cd = hn::ReorderDemote2To(d16, c, d);
    if (low < 0) {
      const auto bytes = hn::BitCast(di8, Pack(d8, ab, cd, true));
      const auto least = hn::Set(di8, static_cast<int8_t>(low)), most = hn::Set(di8, static_cast<int8_t>(high));
      hn::StoreU(hn::BitCast(d8, hn::Min(hn::Max(bytes, least), most)), d8, to);
    } else {
      const auto bytes = Pack(d8, ab, cd, false);
      const auto least = hn::Set(d8, static_cast<uint8_t>(low)), most = hn::Set(d8, static_cast<uint8_t>(high));
      hn::StoreU(hn::Min(hn::Max(bytes, least), most), d8, to);
    }
  }

  template <class DF, class V32>
  static HWY_INLINE V32 Round(DF df, V32 sum, const BlockView& view, int64_t quarter, hn::VFromD<DF>& furthest) {
    const auto at = quarter * static_cast<int64_t>(hn::Lanes(df));
    const auto quotient =
        hn::MulAdd(hn::ConvertTo(df, sum), hn::LoadU(df, view.scale + at), hn::LoadU(df, view.add + at));
    const auto near = Nearest(df, quotient);
    furthest = hn::Max(furthest, hn::Abs(hn::Sub(quotient, hn::ConvertTo(df, near))));
    return near;
  }

  template <class D8>
  static HWY_NOINLINE void StoreExactly(D8 d8, SumsOf<D8> sum, const BlockView& view, uint8_t* to) {
    HWY_ALIGN int32_t sums[hn::MaxLanes(D8())];
    StoreSums::Store(d8, sum, sums);
    const ByteFilters& f = *view.filters;
    QuantizeSpan(to, sums, view.channel, static_cast<int64_t>(hn::Lanes(d8)), *f.exact, f.rounding, f.quotient);
  }
};

}  // namespace atc::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#endif  // once a target

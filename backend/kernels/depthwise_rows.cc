#include "backend/kernels/depthwise_rows.h"

#include <algorithm>
#include <cstring>

#include "backend/kernels/vector_limit.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/kernels/depthwise_rows.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "backend/kernels/byte_vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace atc::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR
// Has no vectors, so that there are no blocks of channels.
int64_t Widest() { return 0; }
bool AddsFour() { return false; }
void SumRow(const DepthwiseFilters&, const DepthwiseRow&, int32_t*) {}
void QuantizeRow(const DepthwiseFilters&, const DepthwiseRow&, uint8_t*) {}
#else

// Where the processor has VNNI as well, which this target of Highway's does not say.
constexpr bool kAddsFour = HWY_TARGET == HWY_AVX3;

int64_t Widest() { return static_cast<int64_t>(hn::Lanes(hn::CappedTag<uint8_t, 64>())); }
bool AddsFour() { return kAddsFour && HasVnni(); }

// The four quarters of a block.
template <class V>
struct Quarters {
  V a, b, c, d;
};

template <class D8>
using SumsOf = Quarters<hn::VFromD<hn::Repartition<int32_t, D8> > >;

// What a block of channels is made of, in plain pointers: results are bytes, which might lie anywhere for the compiler.
struct BlockView {
  BlockView(const DepthwiseFilters& f, const DepthwiseFilters::Block& block)
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
  const DepthwiseFilters* filters;
};

template <class D8>
HWY_INLINE SumsOf<D8> LoadStart(D8, const BlockView& view) {
  const hn::Repartition<int32_t, D8> d32;
  const auto step = static_cast<int64_t>(hn::Lanes(d32));
  return {hn::LoadU(d32, view.start), hn::LoadU(d32, view.start + step), hn::LoadU(d32, view.start + 2 * step),
          hn::LoadU(d32, view.start + 3 * step)};
}

template <bool kFlip, class D8>
HWY_INLINE hn::VFromD<D8> LoadTap(D8 d8, const uint8_t* from) {
  const auto x = hn::LoadU(d8, from);
  if constexpr (kFlip)
    return hn::Xor(x, hn::Set(d8, 0x80));
  else
    return x;
}

// Four taps side by side: of each channel four bytes.
template <class D8, class V>
HWY_INLINE Quarters<V> Interleave(D8 d8, V x0, V x1, V x2, V x3) {
  const hn::Repartition<uint16_t, D8> d16;
  const auto low01 = hn::BitCast(d16, hn::InterleaveLower(d8, x0, x1)),
             high01 = hn::BitCast(d16, hn::InterleaveUpper(d8, x0, x1));
  const auto low23 = hn::BitCast(d16, hn::InterleaveLower(d8, x2, x3)),
             high23 = hn::BitCast(d16, hn::InterleaveUpper(d8, x2, x3));
  return {hn::BitCast(d8, hn::InterleaveLower(d16, low01, low23)),
          hn::BitCast(d8, hn::InterleaveUpper(d16, low01, low23)),
          hn::BitCast(d8, hn::InterleaveLower(d16, high01, high23)),
          hn::BitCast(d8, hn::InterleaveUpper(d16, high01, high23))};
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

template <class D8, class Sums, class V>
HWY_INLINE void AddTwo(D8 d8, Sums& sum, V x0, V x1, const int8_t* weights) {
  const hn::Repartition<int16_t, D8> d16;
  const hn::Repartition<int32_t, D8> d32;
  const auto step = static_cast<int64_t>(hn::Lanes(d16));
  const auto* w = reinterpret_cast<const int16_t*>(weights);
  const auto none = hn::Zero(d8);
  const auto low = hn::InterleaveLower(d8, x0, x1), high = hn::InterleaveUpper(d8, x0, x1);
  sum.a = AddPairs(d32, hn::BitCast(d16, hn::InterleaveLower(d8, low, none)), hn::LoadU(d16, w), sum.a);
  sum.b = AddPairs(d32, hn::BitCast(d16, hn::InterleaveUpper(d8, low, none)), hn::LoadU(d16, w + step), sum.b);
  sum.c = AddPairs(d32, hn::BitCast(d16, hn::InterleaveLower(d8, high, none)), hn::LoadU(d16, w + 2 * step), sum.c);
  sum.d = AddPairs(d32, hn::BitCast(d16, hn::InterleaveUpper(d8, high, none)), hn::LoadU(d16, w + 3 * step), sum.d);
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
    const DepthwiseFilters& f = *view.filters;
    QuantizeSpan(to, sums, view.channel, static_cast<int64_t>(hn::Lanes(d8)), *f.exact, f.rounding, f.quotient);
  }
};

// The pixel of x at `column` of a line, or zero points.
HWY_INLINE const uint8_t* PixelAt(const DepthwiseFilters& f, const DepthwiseRow& row, int64_t line, int64_t column) {
  return column >= 0 && column < row.columns->in ? row.lines[line] + column * f.channels : row.zeros;
}

// Any window: the taps of each pixel from where they are.
template <bool kFour, bool kFlip, class D8, class Finish>
HWY_INLINE void RunTaps(D8 d8, const BlockView& view, const DepthwiseRow& row, const Finish& finish) {
  const DepthwiseFilters& f = *view.filters;
  const WindowAxis& axis = *row.columns;
  const int64_t groups = f.groups, count = static_cast<int64_t>(f.slots.size()), channels = f.channels;
  const auto width = static_cast<int64_t>(hn::Lanes(d8));
  const uint8_t *inside[kMostDepthwiseSlots], *edge[kMostDepthwiseSlots];
  // Between these all taps lie within their lines, a step further each pixel.
  const int64_t free = axis.in - axis.extent() + axis.pad_begin, step = axis.stride * channels;
  const int64_t first = std::min((axis.pad_begin + axis.stride - 1) / axis.stride, axis.out);
  const int64_t last = std::clamp(free < 0 ? 0 : free / axis.stride + 1, first, axis.out);
  const auto find = [&](int64_t pixel, const uint8_t** taps) {
    for (int64_t i = 0; i < count; ++i) {
      const int64_t tap = f.slots[static_cast<size_t>(i)];
      const int64_t column = pixel * axis.stride - axis.pad_begin + tap % axis.kernel * axis.dilation;
      taps[i] = (tap < 0 ? row.zeros : PixelAt(f, row, tap / axis.kernel, column)) + view.channel;
    }
  };
  if (first < last) find(first, inside);
  for (int64_t pixel = 0; pixel < axis.out; ++pixel) {
    const bool free_of_edges = pixel >= first && pixel < last;
    if (!free_of_edges) find(pixel, edge);
    const uint8_t* const* taps = free_of_edges ? inside : edge;
    const int64_t off = free_of_edges ? (pixel - first) * step : 0;
    SumsOf<D8> sum = LoadStart(d8, view);
    const int8_t* w = view.weights;
    for (int64_t g = 0; g < groups; ++g, w += 4 * width) {
      if constexpr (kFour) {
        const auto x0 = LoadTap<kFlip>(d8, taps[4 * g] + off), x1 = LoadTap<kFlip>(d8, taps[4 * g + 1] + off);
        const auto x2 = LoadTap<kFlip>(d8, taps[4 * g + 2] + off), x3 = LoadTap<kFlip>(d8, taps[4 * g + 3] + off);
        AddFour(sum, Interleave(d8, x0, x1, x2, x3), LoadWeights(d8, w));
      } else {
        AddTwo(d8, sum, LoadTap<kFlip>(d8, taps[2 * g] + off), LoadTap<kFlip>(d8, taps[2 * g + 1] + off), w);
      }
    }
    finish(d8, sum, view, pixel * channels);
  }
}

// A column of three taps side by side, with nothing for the fourth.
template <bool kFlip, class D8>
HWY_INLINE auto ColumnOfThree(D8 d8, const BlockView& view, const DepthwiseRow& row, int64_t column) {
  const DepthwiseFilters& f = *view.filters;
  const auto x0 = LoadTap<kFlip>(d8, PixelAt(f, row, 0, column) + view.channel);
  const auto x1 = LoadTap<kFlip>(d8, PixelAt(f, row, 1, column) + view.channel);
  const auto x2 = LoadTap<kFlip>(d8, PixelAt(f, row, 2, column) + view.channel);
  return Interleave(d8, x0, x1, x2, hn::Zero(d8));
}

// Windows of 3 x 3 with horizontal steps of one: neighbouring pixels share columns.
template <bool kFlip, class D8, class Finish>
HWY_INLINE void RunThree(D8 d8, const BlockView& view, const DepthwiseRow& row, const Finish& finish) {
  const WindowAxis& axis = *row.columns;
  const auto width = static_cast<int64_t>(hn::Lanes(d8));
  const auto w0 = LoadWeights(d8, view.weights), w1 = LoadWeights(d8, view.weights + 4 * width),
             w2 = LoadWeights(d8, view.weights + 8 * width);
  auto left = ColumnOfThree<kFlip>(d8, view, row, -axis.pad_begin);
  auto middle = ColumnOfThree<kFlip>(d8, view, row, 1 - axis.pad_begin);
  for (int64_t pixel = 0; pixel < axis.out; ++pixel) {
    const auto right = ColumnOfThree<kFlip>(d8, view, row, pixel + 2 - axis.pad_begin);
    SumsOf<D8> sum = LoadStart(d8, view);
    AddFour(sum, left, w0);
    AddFour(sum, middle, w1);
    AddFour(sum, right, w2);
    finish(d8, sum, view, pixel * view.filters->channels);
    left = middle;
    middle = right;
  }
}

template <bool kFour, bool kFlip, class D8, class Finish>
HWY_INLINE void RunBlock(D8 d8, const DepthwiseFilters& f, const DepthwiseFilters::Block& block,
                         const DepthwiseRow& row, const Finish& finish) {
  const BlockView view(f, block);
  if constexpr (kFour) {
    if (f.three && row.columns->stride == 1 && row.columns->dilation == 1)
      return RunThree<kFlip>(d8, view, row, finish);
  }
  RunTaps<kFour, kFlip>(d8, view, row, finish);
}

template <bool kFour, bool kFlip, class Finish>
HWY_INLINE void RunBlocks(const DepthwiseFilters& f, const DepthwiseRow& row, const Finish& finish) {
  for (const DepthwiseFilters::Block& block : f.blocks) {
    if (block.width == 64)
      RunBlock<kFour, kFlip>(hn::CappedTag<uint8_t, 64>(), f, block, row, finish);
    else if (block.width == 32)
      RunBlock<kFour, kFlip>(hn::CappedTag<uint8_t, 32>(), f, block, row, finish);
    else
      RunBlock<kFour, kFlip>(hn::CappedTag<uint8_t, 16>(), f, block, row, finish);
  }
}

template <class Finish>
HWY_INLINE void Run(const DepthwiseFilters& f, const DepthwiseRow& row, const Finish& finish) {
  if constexpr (kAddsFour) {
    if (f.together == 4) return f.flip ? RunBlocks<true, true>(f, row, finish) : RunBlocks<true, false>(f, row, finish);
  }
  f.flip ? RunBlocks<false, true>(f, row, finish) : RunBlocks<false, false>(f, row, finish);
}

void SumRow(const DepthwiseFilters& f, const DepthwiseRow& row, int32_t* sums) { Run(f, row, StoreSums{sums}); }

void QuantizeRow(const DepthwiseFilters& f, const DepthwiseRow& row, uint8_t* out) {
  Run(f, row, StoreBytes{out, f.limit, f.rounding.low, f.rounding.high});
}

#endif  // HWY_SCALAR

}  // namespace atc::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atc::kernels {

HWY_EXPORT(Widest);
HWY_EXPORT(AddsFour);
HWY_EXPORT(SumRow);
HWY_EXPORT(QuantizeRow);

namespace {

constexpr int64_t kNarrowest = 16;

// The channel of a block's number `i`.
int64_t ChannelAt(const DepthwiseFilters::Block& block, int64_t i) {
  const int64_t quarter = i / (block.width / 4), within = i % (block.width / 4);
  return block.channel + within / 4 * 16 + quarter * 4 + within % 4;
}

template <typename T, typename Value>
void ByBlock(const DepthwiseFilters& f, DataType dtype, Tensor* into, Value value) {
  const DepthwiseFilters::Block& last = f.blocks.back();
  if (!into->defined()) *into = Tensor::Allocate(dtype, {last.at + last.width});
  for (const DepthwiseFilters::Block& block : f.blocks) {
    for (int64_t i = 0; i < block.width; ++i) {
      into->MutableData<T>()[block.at + i] = static_cast<T>(value(static_cast<size_t>(ChannelAt(block, i))));
    }
  }
}

}  // namespace

void DepthwiseFilters::Lay(const Tensor& w, bool is_signed) {
  flip = is_signed;
  channels = w.dim(0);
  taps = w.NumElements() / std::max<int64_t>(channels, 1);
  const int64_t widest = HWY_DYNAMIC_DISPATCH(Widest)();
  if (widest < kNarrowest || channels < kNarrowest || taps < 1 || taps > kMostDepthwiseTaps) return;
  const auto weight = [&](int64_t i) {
    return w.dtype() == DT_INT8 ? int32_t{w.Data<int8_t>()[i]} : int32_t{w.Data<int16_t>()[i]};
  };
  bool narrow = true;
  for (int64_t c = 0; c < channels; ++c) {
    sums.push_back(0);
    for (int64_t t = 0; t < taps; ++t) {
      const int32_t value = weight(c * taps + t);
      narrow = narrow && value >= -128 && value <= 127;
      sums.back() += value;
    }
  }
  together = narrow && HWY_DYNAMIC_DISPATCH(AddsFour)() ? 4 : 2;
  // Four rows of a column stand side by side, or as many taps as there are, row by row.
  three = together == 4 && w.dim(2) == 3 && w.dim(3) == 3;
  for (int64_t t = 0; t < taps; ++t) {
    slots.push_back(three ? t % 3 * 3 + t / 3 : t);
    if (three && t % 3 == 2) slots.push_back(-1);
  }
  while (static_cast<int64_t>(slots.size()) % together != 0) slots.push_back(-1);
  groups = static_cast<int64_t>(slots.size()) / together;

  int64_t at = 0;
  for (int64_t width = widest, channel = 0; channel < channels;) {
    while (width > kNarrowest && channel + width > channels) width /= 2;
    blocks.push_back({std::min(channel, channels - width), width, at});
    channel += width;
    at += width;
  }
  weights = Tensor::Allocate(DT_INT8, {at * groups * 4});
  for (const Block& block : blocks) {
    int64_t to = block.at * groups * 4 / (together == 4 ? 1 : 2);
    for (int64_t g = 0; g < groups; ++g) {
      for (int64_t i = 0; i < block.width; ++i) {
        for (int64_t t = g * together; t < (g + 1) * together; ++t, ++to) {
          const int64_t tap = slots[static_cast<size_t>(t)];
          const int32_t value = tap < 0 ? 0 : weight(ChannelAt(block, i) * taps + tap);
          if (together == 4)
            weights.MutableData<int8_t>()[to] = static_cast<int8_t>(value);
          else
            reinterpret_cast<int16_t*>(weights.MutableData<int8_t>())[to] = static_cast<int16_t>(value);
        }
      }
    }
  }
}

// A flipped byte is greater by 128, and so is its zero point.
void DepthwiseFilters::SetStart(const std::vector<int32_t>& bias, int32_t zero) {
  const auto less = static_cast<uint32_t>(flip ? zero + 128 : zero);
  ByBlock<int32_t>(*this, DT_INT32, &start, [&](size_t c) {
    return (bias.empty() ? 0u : static_cast<uint32_t>(bias[c])) - less * static_cast<uint32_t>(sums[c]);
  });
}

bool DepthwiseFilters::SetRounding(const ChannelScales& scales, const Rounding& to, Quotient by) {
  limit = scales.least_limit;
  if (limit < 0) return false;
  exact = &scales;
  rounding = to;
  quotient = by;
  ByBlock<float>(*this, DT_FLOAT, &scale, [&](size_t c) { return scales.near_scale[c]; });
  ByBlock<float>(*this, DT_FLOAT, &add, [&](size_t c) { return scales.near_add[c]; });
  return true;
}

void SumDepthwise(const DepthwiseFilters& filters, const DepthwiseRow& row, int32_t* sums) {
  HWY_DYNAMIC_DISPATCH(SumRow)(filters, row, sums);
}

void QuantizeDepthwise(const DepthwiseFilters& filters, const DepthwiseRow& row, uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(QuantizeRow)(filters, row, out);
}

}  // namespace atc::kernels
#endif

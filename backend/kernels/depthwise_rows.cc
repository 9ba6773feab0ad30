#include "backend/kernels/depthwise_rows.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/kernels/depthwise_rows.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "backend/kernels/byte_blocks-inl.h"

HWY_BEFORE_NAMESPACE();
namespace atc::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR
// Has no vectors, so that there are no blocks of channels.
void SumRow(const ByteFilters&, const DepthwiseRow&, int32_t*) {}
void QuantizeRow(const ByteFilters&, const DepthwiseRow&, uint8_t*) {}
#else

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

// The pixel of x at `column` of a line, or zero points.
HWY_INLINE const uint8_t* PixelAt(const ByteFilters& f, const DepthwiseRow& row, int64_t line, int64_t column) {
  return column >= 0 && column < row.columns->in ? row.lines[line] + column * f.channels : row.zeros;
}

// Any window: the taps of each pixel from where they are.
template <bool kFour, bool kFlip, class D8, class Finish>
HWY_INLINE void RunTaps(D8 d8, const BlockView& view, const DepthwiseRow& row, const Finish& finish) {
  const ByteFilters& f = *view.filters;
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
  const ByteFilters& f = *view.filters;
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
HWY_INLINE void RunBlock(D8 d8, const ByteFilters& f, const ByteFilters::Block& block, const DepthwiseRow& row,
                         const Finish& finish) {
  const BlockView view(f, block);
  if constexpr (kFour) {
    if (f.three && row.columns->stride == 1 && row.columns->dilation == 1)
      return RunThree<kFlip>(d8, view, row, finish);
  }
  RunTaps<kFour, kFlip>(d8, view, row, finish);
}

template <bool kFour, bool kFlip, class Finish>
HWY_INLINE void RunBlocks(const ByteFilters& f, const DepthwiseRow& row, const Finish& finish) {
  for (const ByteFilters::Block& block : f.blocks) {
    if (block.width == 64)
      RunBlock<kFour, kFlip>(hn::CappedTag<uint8_t, 64>(), f, block, row, finish);
    else if (block.width == 32)
      RunBlock<kFour, kFlip>(hn::CappedTag<uint8_t, 32>(), f, block, row, finish);
    else
      RunBlock<kFour, kFlip>(hn::CappedTag<uint8_t, 16>(), f, block, row, finish);
  }
}

template <class Finish>
HWY_INLINE void Run(const ByteFilters& f, const DepthwiseRow& row, const Finish& finish) {
  if constexpr (kAddsFour) {
    if (f.together == 4) return f.flip ? RunBlocks<true, true>(f, row, finish) : RunBlocks<true, false>(f, row, finish);
  }
  f.flip ? RunBlocks<false, true>(f, row, finish) : RunBlocks<false, false>(f, row, finish);
}

void SumRow(const ByteFilters& f, const DepthwiseRow& row, int32_t* sums) { Run(f, row, StoreSums{sums}); }

void QuantizeRow(const ByteFilters& f, const DepthwiseRow& row, uint8_t* out) {
  Run(f, row, StoreBytes{out, f.limit, f.rounding.low, f.rounding.high});
}

#endif  // HWY_SCALAR

}  // namespace atc::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atc::kernels {

HWY_EXPORT(SumRow);
HWY_EXPORT(QuantizeRow);

void SumDepthwise(const ByteFilters& filters, const DepthwiseRow& row, int32_t* sums) {
  HWY_DYNAMIC_DISPATCH(SumRow)(filters, row, sums);
}

void QuantizeDepthwise(const ByteFilters& filters, const DepthwiseRow& row, uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(QuantizeRow)(filters, row, out);
}

}  // namespace atc::kernels
#endif

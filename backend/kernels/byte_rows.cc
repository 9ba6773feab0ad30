#include "backend/kernels/byte_rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/kernels/byte_rows.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "backend/kernels/byte_blocks-inl.h"

HWY_BEFORE_NAMESPACE();
namespace atc::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR
// Has no vectors, so that there are no blocks of channels.
void SumRows(const ByteFilters&, const ByteRows&, int32_t*) {}
void QuantizeRows(const ByteFilters&, const ByteRows&, uint8_t*) {}
#else

template <bool kFour, bool kFlip, class D8, class Weights>
HWY_INLINE void AddGroup(D8 d8, SumsOf<D8>& sum, const void* row, int64_t group, const Weights& w) {
  const hn::Repartition<int32_t, D8> d32;
  int32_t four;
  std::memcpy(&four, static_cast<const std::byte*>(row) + 4 * group, sizeof(four));
  const auto x = hn::Set(d32, four);
  if constexpr (kFour) {
    auto bytes = hn::BitCast(d8, x);
    if constexpr (kFlip) bytes = hn::Xor(bytes, hn::Set(d8, 0x80));
    AddFour(sum, Quarters<hn::VFromD<D8> >{bytes, bytes, bytes, bytes}, w);
  } else {
    const hn::Repartition<int16_t, D8> d16;
    const auto pair = hn::BitCast(d16, x);
    sum.a = AddPairs(d32, pair, hn::BitCast(d16, w.a), sum.a);
    sum.b = AddPairs(d32, pair, hn::BitCast(d16, w.b), sum.b);
    sum.c = AddPairs(d32, pair, hn::BitCast(d16, w.c), sum.c);
    sum.d = AddPairs(d32, pair, hn::BitCast(d16, w.d), sum.d);
  }
}

// Rows whose sums fit into registers beside the weights: four where there are 32 registers, else two.
constexpr int64_t kRowsAtOnce = HWY_TARGET == HWY_AVX3 ? 4 : 2;

template <bool kFour, bool kFlip, class D8, class Finish>
HWY_INLINE void RunBlock(D8 d8, const ByteFilters& f, const ByteFilters::Block& block, const ByteRows& rows,
                         const Finish& finish) {
  const BlockView view(f, block);
  const auto step = 4 * static_cast<int64_t>(hn::Lanes(d8));
  const int64_t groups = f.groups, channels = f.channels;
  int64_t row = 0;
  if constexpr (kRowsAtOnce == 4) {
    for (; row + 4 <= rows.count; row += 4) {
      const void *r0 = rows.rows[row], *r1 = rows.rows[row + 1], *r2 = rows.rows[row + 2], *r3 = rows.rows[row + 3];
      SumsOf<D8> s0 = LoadStart(d8, view), s1 = s0, s2 = s0, s3 = s0;
      const int8_t* from = view.weights;
      for (int64_t g = 0; g < groups; ++g, from += step) {
        const auto w = LoadWeights(d8, from);
        AddGroup<kFour, kFlip>(d8, s0, r0, g, w);
        AddGroup<kFour, kFlip>(d8, s1, r1, g, w);
        AddGroup<kFour, kFlip>(d8, s2, r2, g, w);
        AddGroup<kFour, kFlip>(d8, s3, r3, g, w);
      }
      finish(d8, s0, view, row * channels);
      finish(d8, s1, view, (row + 1) * channels);
      finish(d8, s2, view, (row + 2) * channels);
      finish(d8, s3, view, (row + 3) * channels);
    }
  }
  for (; row + 2 <= rows.count; row += 2) {
    const void *r0 = rows.rows[row], *r1 = rows.rows[row + 1];
    SumsOf<D8> s0 = LoadStart(d8, view), s1 = s0;
    const int8_t* from = view.weights;
    for (int64_t g = 0; g < groups; ++g, from += step) {
      const auto w = LoadWeights(d8, from);
      AddGroup<kFour, kFlip>(d8, s0, r0, g, w);
      AddGroup<kFour, kFlip>(d8, s1, r1, g, w);
    }
    finish(d8, s0, view, row * channels);
    finish(d8, s1, view, (row + 1) * channels);
  }
  for (; row < rows.count; ++row) {
    SumsOf<D8> sum = LoadStart(d8, view);
    const int8_t* from = view.weights;
    for (int64_t g = 0; g < groups; ++g, from += step) {
      AddGroup<kFour, kFlip>(d8, sum, rows.rows[row], g, LoadWeights(d8, from));
    }
    finish(d8, sum, view, row * channels);
  }
}

template <bool kFour, bool kFlip, class Finish>
HWY_INLINE void RunBlocks(const ByteFilters& f, const ByteRows& rows, const Finish& finish) {
  for (const ByteFilters::Block& block : f.blocks) {
    if (block.width == 64)
      RunBlock<kFour, kFlip>(hn::CappedTag<uint8_t, 64>(), f, block, rows, finish);
    else if (block.width == 32)
      RunBlock<kFour, kFlip>(hn::CappedTag<uint8_t, 32>(), f, block, rows, finish);
    else
      RunBlock<kFour, kFlip>(hn::CappedTag<uint8_t, 16>(), f, block, rows, finish);
  }
}

template <class Finish>
HWY_INLINE void Run(const ByteFilters& f, const ByteRows& rows, const Finish& finish) {
  if constexpr (kAddsFour) {
    if (f.together == 4)
      return f.flip ? RunBlocks<true, true>(f, rows, finish) : RunBlocks<true, false>(f, rows, finish);
  }
  RunBlocks<false, false>(f, rows, finish);
}

void SumRows(const ByteFilters& f, const ByteRows& rows, int32_t* sums) { Run(f, rows, StoreSums{sums}); }

void QuantizeRows(const ByteFilters& f, const ByteRows& rows, uint8_t* out) {
  Run(f, rows, StoreBytes{out, f.limit, f.rounding.low, f.rounding.high});
}

#endif  // HWY_SCALAR

void Widen(int16_t* numbers, const uint8_t* bytes, int64_t count, bool flip) {
  const hn::ScalableTag<int16_t> d16;
  const hn::Rebind<uint8_t, decltype(d16)> d8;
  const auto step = static_cast<int64_t>(hn::Lanes(d16));
  const auto change = hn::Set(d8, flip ? 0x80 : 0);
  int64_t i = 0;
  for (; i + step <= count; i += step)
    hn::StoreU(hn::PromoteTo(d16, hn::Xor(hn::LoadU(d8, bytes + i), change)), d16, numbers + i);
  for (; i < count; ++i) numbers[i] = static_cast<int16_t>(bytes[i] ^ (flip ? 0x80 : 0));
}

}  // namespace atc::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atc::kernels {

HWY_EXPORT(SumRows);
HWY_EXPORT(QuantizeRows);
HWY_EXPORT(Widen);

void SumByteRows(const ByteFilters& filters, const ByteRows& rows, int32_t* sums) {
  HWY_DYNAMIC_DISPATCH(SumRows)(filters, rows, sums);
}

void QuantizeByteRows(const ByteFilters& filters, const ByteRows& rows, uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(QuantizeRows)(filters, rows, out);
}

void WidenBytes(int16_t* numbers, const uint8_t* bytes, int64_t count, bool flip) {
  HWY_DYNAMIC_DISPATCH(Widen)(numbers, bytes, count, flip);
}

}  // namespace atc::kernels
#endif

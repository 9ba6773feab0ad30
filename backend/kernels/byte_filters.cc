#include "backend/kernels/byte_filters.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>

#include "backend/kernels/vector_limit.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/kernels/byte_filters.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace atc::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Bytes in the widest block; a processor without vectors has none that is wide enough.
int64_t Widest() { return static_cast<int64_t>(hn::Lanes(hn::CappedTag<uint8_t, 64>())); }
bool AddsFour() { return HWY_TARGET == HWY_AVX3 && HasVnni(); }

}  // namespace atc::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atc::kernels {

HWY_EXPORT(Widest);
HWY_EXPORT(AddsFour);

namespace {

constexpr int64_t kNarrowest = 16;

// The channel of a block's number `i`.
int64_t ChannelAt(const ByteFilters::Block& block, int64_t i) {
  const int64_t quarter = i / (block.width / 4), within = i % (block.width / 4);
  return block.channel + within / 4 * 16 + quarter * 4 + within % 4;
}

template <typename T, typename Value>
void ByBlock(const ByteFilters& f, DataType dtype, Tensor* into, Value value) {
  const ByteFilters::Block& last = f.blocks.back();
  if (!into->defined()) *into = Tensor::Allocate(dtype, {last.at + last.width});
  for (const ByteFilters::Block& block : f.blocks) {
    for (int64_t i = 0; i < block.width; ++i) {
      into->MutableData<T>()[block.at + i] = static_cast<T>(value(static_cast<size_t>(ChannelAt(block, i))));
    }
  }
}

// The weights in the order of vectors. A group's taps mostly lie side by side in the filter, and are moved together then.
template <typename From, typename To>
void LayBlocks(const ByteFilters& f, const Tensor& w) {
  const From* from = w.Data<From>();
  To* to = reinterpret_cast<To*>(const_cast<std::byte*>(f.weights.Data()));
  for (const ByteFilters::Block& block : f.blocks) {
    std::array<const From*, 64> filters;
    for (int64_t i = 0; i < block.width; ++i) filters[static_cast<size_t>(i)] = from + ChannelAt(block, i) * f.taps;
    for (int64_t g = 0; g < f.groups; ++g) {
      const int64_t* slots = f.slots.data() + g * f.together;
      bool side_by_side = slots[0] >= 0;
      for (int64_t t = 1; t < f.together; ++t) side_by_side = side_by_side && slots[t] == slots[0] + t;
      for (int64_t i = 0; i < block.width; ++i, to += f.together) {
        const From* filter = filters[static_cast<size_t>(i)];
        if (std::is_same_v<From, To> && side_by_side) {
          std::memcpy(to, filter + slots[0], static_cast<size_t>(f.together) * sizeof(To));
        } else {
          for (int64_t t = 0; t < f.together; ++t) to[t] = slots[t] < 0 ? To{0} : static_cast<To>(filter[slots[t]]);
        }
      }
    }
  }
}

// The sum of each channel's weights; false where some need more than a byte.
template <typename T>
bool AddUp(const Tensor& w, int64_t channels, int64_t taps, std::vector<int32_t>* sums) {
  const T* weight = w.Data<T>();
  int32_t least = 0, most = 0;
  for (int64_t c = 0; c < channels; ++c) {
    int32_t sum = 0;
    for (int64_t t = 0; t < taps; ++t, ++weight) {
      least = std::min<int32_t>(least, *weight);
      most = std::max<int32_t>(most, *weight);
      sum += *weight;
    }
    sums->push_back(sum);
  }
  return least >= -128 && most <= 127;
}

}  // namespace

void ByteFilters::Lay(const Tensor& w, bool is_signed) {
  flip = is_signed;
  channels = w.dim(0);
  taps = w.NumElements() / std::max<int64_t>(channels, 1);
  const int64_t widest = HWY_DYNAMIC_DISPATCH(Widest)();
  if (widest < kNarrowest || channels < kNarrowest || taps < 1) return;
  const bool narrow = w.dtype() == DT_INT8 ? AddUp<int8_t>(w, channels, taps, &sums) : AddUp<int16_t>(w, channels, taps, &sums);
  together = narrow && HWY_DYNAMIC_DISPATCH(AddsFour)() ? 4 : 2;
  // Four rows of a column stand side by side, or as many taps as there are, row by row.
  three = together == 4 && w.rank() == 4 && w.dim(1) == 1 && w.dim(2) == 3 && w.dim(3) == 3;
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
  if (together == 2) {
    w.dtype() == DT_INT8 ? LayBlocks<int8_t, int16_t>(*this, w) : LayBlocks<int16_t, int16_t>(*this, w);
  } else {
    w.dtype() == DT_INT8 ? LayBlocks<int8_t, int8_t>(*this, w) : LayBlocks<int16_t, int8_t>(*this, w);
  }
}

// A flipped byte is greater by 128, and so is its zero point.
void ByteFilters::SetStart(const std::vector<int32_t>& bias, int32_t zero) {
  const auto less = static_cast<uint32_t>(flip ? zero + 128 : zero);
  ByBlock<int32_t>(*this, DT_INT32, &start, [&](size_t c) {
    return (bias.empty() ? 0u : static_cast<uint32_t>(bias[c])) - less * static_cast<uint32_t>(sums[c]);
  });
}

bool ByteFilters::SetRounding(const ChannelScales& scales, const Rounding& to, Quotient by) {
  limit = scales.least_limit;
  if (limit < 0) return false;
  exact = &scales;
  rounding = to;
  quotient = by;
  ByBlock<float>(*this, DT_FLOAT, &scale, [&](size_t c) { return scales.near_scale[c]; });
  ByBlock<float>(*this, DT_FLOAT, &add, [&](size_t c) { return scales.near_add[c]; });
  return true;
}

}  // namespace atc::kernels
#endif

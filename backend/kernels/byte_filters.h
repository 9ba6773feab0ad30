// Filters of 8-bit convolutions and what becomes of their sums, laid out for the vectors of this processor.
#pragma once

#include <cstdint>
#include <vector>

#include "backend/kernels/requantize.h"
#include "compiler/ir/tensor.h"

namespace atc::kernels {

// Filters, and what becomes of their sums, laid out for the vectors of this processor. Channels are cut into blocks of
// as many as a vector has bytes. Within a block numbers lie in the order in which interleaving bytes leaves the sums:
// quarter k has channels 4 k to 4 k + 3 of each sixteen.
struct ByteFilters {
  struct Block {
    int64_t channel;  // its first; the last block may begin within the one before
    int64_t width;
    int64_t at;  // its first number in the arrays below
  };

  // w is ShiftedWeights [channels, 1, KH, KW] or [channels, taps] (int8 or int16), `flip`: x is int8. There are no
  // blocks where there are fewer channels than the narrowest has.
  void Lay(const Tensor& w, bool flip);
  // What sums begin with: of each channel the bias (empty: none) less what the zero point adds to its sum.
  void SetStart(const std::vector<int32_t>& bias, int32_t zero);
  // Whether rounding in float where that is open to no doubt gives exact results: of the scales' SetRounding. They must
  // stay.
  bool SetRounding(const ChannelScales& scales, const Rounding& rounding, Quotient quotient);

  int64_t channels = 0;
  int64_t taps = 0;
  int64_t together = 4;        // taps whose products are added at once: 4 of int8 weights, or 2 of int16
  int64_t groups = 0;          // of so many slots
  bool three = false;          // a window of 3 x 3 whose groups are its columns
  std::vector<int64_t> slots;  // the tap of each slot of a group, -1: none
  bool flip = false;
  std::vector<Block> blocks;
  Tensor weights;             // [blocks][groups][4 quarters][width / 4][together]
  Tensor start, scale, add;   // [blocks][4 quarters][width / 4]
  std::vector<int32_t> sums;  // of the weights, by channel
  const ChannelScales* exact = nullptr;
  Rounding rounding;
  Quotient quotient = Quotient::kFloat;
  float limit = 0;  // rounding a quotient that lies further from a whole number is open
};

}  // namespace atc::kernels

// Sums of 8-bit products of which each reads one channel alone, a row of pixels at a time; channels lie side by side.
#pragma once

#include <cstdint>

#include "backend/kernels/byte_filters.h"
#include "compiler/ops/window.h"

namespace atc::kernels {

constexpr int64_t kMostDepthwiseTaps = 128;
constexpr int64_t kMostDepthwiseSlots = kMostDepthwiseTaps + 4;

// One row of results.
struct DepthwiseRow {
  const uint8_t* const* lines;  // by vertical tap: the first pixel of its line of x, or of one of zero points
  const uint8_t* zeros;         // a pixel of zero points
  const WindowAxis* columns;
};

// sums[pixel][channel], wrapping.
void SumDepthwise(const ByteFilters& filters, const DepthwiseRow& row, int32_t* sums);
// What QuantizeRows or RoundRows makes of these sums.
void QuantizeDepthwise(const ByteFilters& filters, const DepthwiseRow& row, uint8_t* out);

}  // namespace atc::kernels

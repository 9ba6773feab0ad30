// From exact integer sums to floats or 8-bit numbers, row by row: one row holds the sums of all channels of a place.
// Each function computes its formula as plain code would, whatever instructions the CPU has.
#pragma once

#include <cstdint>

namespace atc::kernels {

// One number a channel; `correction` is added to the sums first, wrapping, and may be nullptr.
struct ChannelScales {
  const double* scale;
  const double* add;  // not used by RoundRow
  int64_t channels;
};

// What becomes of a quotient: rounded to nearest even, shifted by `zero`, then put into [low, high].
struct Rounding {
  double divisor = 1;
  int32_t zero = 0;
  int32_t low = 0;
  int32_t high = 255;
};

// out[c] = float(sums[c] * scale[c] + add[c])
void ScaleRow(float* out, const int32_t* sums, const int32_t* correction, const ChannelScales& scales);

// The float of ScaleRow, divided by the divisor (a float) as floats are, then rounded. `out` holds uint8 or int8, as
// low and high say. The divisor must be a normal number above zero.
void QuantizeRow(uint8_t* out, const int32_t* sums, const int32_t* correction, const ChannelScales& scales,
                 const Rounding& rounding);

// sums[c] * scale[c] / divisor in double, then rounded.
void RoundRow(uint8_t* out, const int32_t* sums, const int32_t* correction, const ChannelScales& scales,
              const Rounding& rounding);

}  // namespace atc::kernels

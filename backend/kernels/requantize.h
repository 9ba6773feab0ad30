// From exact integer sums to floats or 8-bit numbers, row by row: one row holds the sums of all channels of a place.
// Each function computes its formula as plain code would, whatever instructions the CPU has.
#pragma once

#include <cstdint>
#include <vector>

namespace atc::kernels {

// Numbers by channel; the `correction` of a row is added to its sums first, wrapping, and may be nullptr.
struct ChannelScales {
  std::vector<double> scale;
  std::vector<double> add;  // not used by RoundRow
  // For QuantizeRow, by SetDivisor: scale and add over the divisor, and a bound of what float arithmetic makes of add.
  std::vector<float> near_scale, near_add, add_error;

  int64_t channels() const { return static_cast<int64_t>(scale.size()); }
  void SetDivisor(double divisor);
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
// low and high say. The divisor must be a normal number above zero, and that of SetDivisor.
void QuantizeRow(uint8_t* out, const int32_t* sums, const int32_t* correction, const ChannelScales& scales,
                 const Rounding& rounding);

// sums[c] * scale[c] / divisor in double, then rounded.
void RoundRow(uint8_t* out, const int32_t* sums, const int32_t* correction, const ChannelScales& scales,
              const Rounding& rounding);

}  // namespace atc::kernels

// From exact integer sums to floats or 8-bit numbers: one row holds the sums of all channels of a place.
// Each function computes its formula as plain code would, whatever instructions the CPU has.
#pragma once

#include <cstdint>
#include <vector>

namespace atc::kernels {

// What becomes of a quotient: rounded to nearest even, shifted by `zero`, then put into [low, high].
struct Rounding {
  double divisor = 1;
  int32_t zero = 0;
  int32_t low = 0;
  int32_t high = 255;
};

// How a sum is divided: in float, as QuantizeRows does, or in double, as RoundRows does.
enum class Quotient { kFloat, kDouble };

// Sums [rows][channels], and what is added to them first, wrapping.
struct SumRows {
  const int32_t* sums = nullptr;
  int64_t rows = 0;
  const int32_t* corrections = nullptr;  // [kinds][channels]; nullptr: none
  const uint32_t* kinds = nullptr;       // by row; nullptr: all are of the first kind

  const int32_t* CorrectionOf(int64_t row, int64_t channels) const {
    return corrections == nullptr ? nullptr : corrections + (kinds == nullptr ? 0 : kinds[row] * channels);
  }
};

// Numbers by channel.
struct ChannelScales {
  std::vector<double> scale;
  std::vector<double> add;  // not used by RoundRows, which has 0 for it
  // By SetRounding, for QuantizeRows and what is as fast: what a sum times the first plus the second gives lies so near
  // to the exact result that rounding it is right wherever it is at most `limit` away from a whole number.
  std::vector<float> near_scale, near_add, limit;
  float least_limit = -1;  // of all channels; below zero where some near result may be beyond what an int32 holds

  int64_t channels() const { return static_cast<int64_t>(scale.size()); }
  void SetRounding(const Rounding& rounding);
};

// Of each row: out[c] = float(sums[c] * scale[c] + add[c])
void ScaleRows(float* out, const SumRows& rows, const ChannelScales& scales);

// The floats of ScaleRows, divided by the divisor (a float) as floats are, then rounded. `out` holds uint8 or int8, as
// low and high say. The divisor must be a normal number above zero, and the rounding that of SetRounding.
void QuantizeRows(uint8_t* out, const SumRows& rows, const ChannelScales& scales, const Rounding& rounding);

// sums[c] * scale[c] / divisor in double, then rounded.
void RoundRows(uint8_t* out, const SumRows& rows, const ChannelScales& scales, const Rounding& rounding);

// Either of them, of a row's channels from `channel` on; sums[0] is the first of these, nothing is added to it.
void QuantizeSpan(uint8_t* out, const int32_t* sums, int64_t channel, int64_t count, const ChannelScales& scales,
                  const Rounding& rounding, Quotient quotient);

}  // namespace atc::kernels

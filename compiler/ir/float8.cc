#include "compiler/ir/float8.h"

#include <cassert>
#include <algorithm>
#include <cmath>
#include <limits>

namespace atc {
namespace {

struct Layout {
  DataType dtype;
  int exponent_bits;
  int mantissa_bits;
  int bias;
  bool has_infinity;   // E5M2 alone: all-ones exponent as in IEEE
  bool negative_zero_is_nan;  // FNUZ: 0x80 is the only NaN
  float max;
};

constexpr Layout kLayouts[] = {
    {DT_FLOAT8_E5M2, 5, 2, 15, true, false, 57344.0f},
    {DT_FLOAT8_E4M3FN, 4, 3, 7, false, false, 448.0f},
    {DT_FLOAT8_E4M3FNUZ, 4, 3, 8, false, true, 240.0f},
    {DT_FLOAT8_E5M2FNUZ, 5, 2, 16, false, true, 57344.0f},
};

const Layout& Find(DataType dtype) {
  for (const Layout& layout : kLayouts) {
    if (layout.dtype == dtype) return layout;
  }
  assert(false && "not a DT_FLOAT8 type");
  return kLayouts[0];
}

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

uint8_t NaNBits(const Layout& layout) { return layout.negative_zero_is_nan ? 0x80 : 0x7F; }

// `magnitude` > 0 and finite, rounded to nearest even at the format's precision; may exceed its maximum.
float RoundTo(float magnitude, int mantissa_bits, int min_exponent) {
  int exponent;
  std::frexp(magnitude, &exponent);  // magnitude = f * 2^exponent, f in [0.5, 1)
  const int unit = std::max(exponent - 1, min_exponent) - mantissa_bits;
  return std::ldexp(std::nearbyint(std::ldexp(magnitude, -unit)), unit);
}

uint8_t Encode(float magnitude, const Layout& layout) {
  int exponent;
  std::frexp(magnitude, &exponent);
  const int stored = exponent - 1 + layout.bias;
  if (magnitude == 0.0f) return 0;
  if (stored <= 0) return static_cast<uint8_t>(std::ldexp(magnitude, layout.bias - 1 + layout.mantissa_bits));
  const float fraction = std::ldexp(magnitude, 1 - exponent) - 1.0f;
  return static_cast<uint8_t>((stored << layout.mantissa_bits) |
                              static_cast<int>(std::ldexp(fraction, layout.mantissa_bits)));
}

}  // namespace

float Float8ToFloat(DataType dtype, uint8_t bits) {
  if (dtype == DT_FLOAT8_E8M0) return bits == 0xFF ? kNaN : std::ldexp(1.0f, static_cast<int>(bits) - 127);
  const Layout& layout = Find(dtype);
  if (layout.negative_zero_is_nan && bits == 0x80) return kNaN;
  const int exponent = (bits & 0x7F) >> layout.mantissa_bits;
  const int mantissa = bits & ((1 << layout.mantissa_bits) - 1);
  const float sign = (bits & 0x80) ? -1.0f : 1.0f;
  if (layout.has_infinity && exponent == 31) {
    return mantissa == 0 ? sign * std::numeric_limits<float>::infinity() : kNaN;
  }
  if (dtype == DT_FLOAT8_E4M3FN && (bits & 0x7F) == 0x7F) return kNaN;
  const int unit = (exponent == 0 ? 1 : exponent) - layout.bias - layout.mantissa_bits;
  const int significand = exponent == 0 ? mantissa : mantissa | (1 << layout.mantissa_bits);
  return sign * std::ldexp(static_cast<float>(significand), unit);
}

uint8_t FloatToFloat8(DataType dtype, float value, bool saturate) {
  if (dtype == DT_FLOAT8_E8M0) {
    if (std::isnan(value) || value < 0) return 0xFF;
    if (std::isinf(value)) return saturate ? 0xFE : 0xFF;
    if (value == 0) return 0;
    int exponent;
    const float fraction = std::frexp(value, &exponent);  // in [0.5, 1)
    const int stored = exponent - 1 + 127 + (fraction >= 0.75f ? 1 : 0);  // ties go up
    return static_cast<uint8_t>(stored < 0 ? 0 : stored > 254 ? (saturate ? 254 : 255) : stored);
  }
  const Layout& layout = Find(dtype);
  if (std::isnan(value)) return NaNBits(layout) | (std::signbit(value) && !layout.negative_zero_is_nan ? 0x80 : 0);
  const uint8_t sign = std::signbit(value) ? 0x80 : 0;
  float magnitude = std::fabs(value);
  if (!std::isinf(magnitude) && magnitude != 0) {
    magnitude = RoundTo(magnitude, layout.mantissa_bits, 1 - layout.bias);
  }
  if (magnitude > layout.max) {
    if (saturate) return sign | Encode(layout.max, layout);
    return layout.has_infinity ? sign | 0x7C : layout.negative_zero_is_nan ? 0x80 : sign | 0x7F;
  }
  if (magnitude == 0 && layout.negative_zero_is_nan) return 0;
  return sign | Encode(magnitude, layout);
}

float Float4E2M1ToFloat(uint8_t nibble) {
  static constexpr float kValues[8] = {0, 0.5f, 1, 1.5f, 2, 3, 4, 6};
  return (nibble & 8) ? -kValues[nibble & 7] : kValues[nibble & 7];
}

uint8_t FloatToFloat4E2M1(float value) {
  const uint8_t sign = std::signbit(value) ? 8 : 0;
  if (std::isnan(value)) return 8;  // there is no NaN: -0, as ONNX's backend tests have it
  const float magnitude = RoundTo(std::fabs(value) > 6 ? 6.0f : std::fabs(value) == 0 ? 0.0f : std::fabs(value), 1, 0);
  for (uint8_t i = 0; i < 8; ++i) {
    if (Float4E2M1ToFloat(i) == magnitude) return sign | i;
  }
  return sign | 7;
}

}  // namespace atc

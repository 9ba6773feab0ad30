// Tile functions of QuantizeLinear and DequantizeLinear.
#include "backend/kernels/tile_functions.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/kernels/quantize_tile.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace atc::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

void Dequantize(const float* in, float* out, int n, const float* p) {
  const hn::ScalableTag<float> df;
  const auto step = static_cast<int>(hn::Lanes(df));
  const auto scale = hn::Set(df, p[0]), zero = hn::Set(df, p[1]);
  int i = 0;
  for (; i + step <= n; i += step) hn::StoreU(hn::Mul(hn::Sub(hn::LoadU(df, in + i), zero), scale), df, out + i);
  for (; i < n; ++i) out[i] = (in[i] - p[1]) * p[0];
}

// Adding and subtracting 1.5 * 2^23 rounds to a whole number while the magnitude is below 2^22.
inline float QuantizeOne(float x, const float* p) {
  constexpr float kWhole = 12582912.0f, kMost = 1048576.0f;
  const float quotient = x / p[0];
  if (quotient != quotient) return p[2] > 0 ? p[2] : 0;
  float near = quotient < -kMost ? -kMost : quotient;
  near = near > kMost ? kMost : near;
  const float moved = (near + kWhole) - kWhole + p[1];
  const float raised = moved < p[2] ? p[2] : moved;
  return raised > p[3] ? p[3] : raised;
}

void Quantize(const float* in, float* out, int n, const float* p) {
  const hn::ScalableTag<float> df;
  const auto step = static_cast<int>(hn::Lanes(df));
  const auto scale = hn::Set(df, p[0]), zero = hn::Set(df, p[1]), low = hn::Set(df, p[2]), high = hn::Set(df, p[3]);
  const auto of_nan = hn::Set(df, p[2] > 0 ? p[2] : 0);
  int i = 0;
  for (; i + step <= n; i += step) {
    const auto quotient = hn::Div(hn::LoadU(df, in + i), scale);
    const auto moved = hn::Add(hn::Round(quotient), zero);
    const auto result = hn::Min(hn::Max(moved, low), high);
    hn::StoreU(hn::IfThenElse(hn::Eq(quotient, quotient), result, of_nan), df, out + i);
  }
  for (; i < n; ++i) out[i] = QuantizeOne(in[i], p);
}

}  // namespace atc::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atc::kernels {

HWY_EXPORT(Dequantize);
HWY_EXPORT(Quantize);

namespace {

void DequantizeFn(const float* const* args, float* out, int n, const float* params) {
  HWY_DYNAMIC_DISPATCH(Dequantize)(args[0], out, n, params);
}

void QuantizeFn(const float* const* args, float* out, int n, const float* params) {
  HWY_DYNAMIC_DISPATCH(Quantize)(args[0], out, n, params);
}

}  // namespace

TileFunction DequantizeTile(float scale, float zero) { return {DequantizeFn, 1, {scale, zero}}; }

TileFunction QuantizeTile(float scale, float zero, float low, float high) {
  return {QuantizeFn, 1, {scale, zero, low, high}};
}

}  // namespace atc::kernels
#endif

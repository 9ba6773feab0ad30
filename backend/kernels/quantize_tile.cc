// Tile functions of QuantizeLinear and DequantizeLinear.
#include <array>

#include "backend/kernels/tile_functions.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/kernels/quantize_tile.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "backend/kernels/vector_loop-inl.h"

HWY_BEFORE_NAMESPACE();
namespace atc::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

void Dequantize(const float* in, float* out, int n, const float* params) {
  const float scale = params[0], zero = params[1];  // out may lie anywhere
  ForVectors(n, [=](auto d, int64_t i) {
    hn::StoreU(hn::Mul(hn::Sub(hn::LoadU(d, in + i), hn::Set(d, zero)), hn::Set(d, scale)), d, out + i);
  });
}

void Quantize(const float* in, float* out, int n, const float* params) {
  const std::array<float, 4> p = {params[0], params[1], params[2], params[3]};  // out may lie anywhere
  ForVectors(n, [=](auto d, int64_t i) {
    const auto quotient = hn::Div(hn::LoadU(d, in + i), hn::Set(d, p[0]));
    const auto moved = hn::Add(hn::Round(quotient), hn::Set(d, p[1]));
    const auto result = hn::Min(hn::Max(moved, hn::Set(d, p[2])), hn::Set(d, p[3]));
    hn::StoreU(hn::IfThenElse(hn::Eq(quotient, quotient), result, hn::Set(d, p[2] > 0 ? p[2] : 0)), d, out + i);
  });
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

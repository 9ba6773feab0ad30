#include "backend/kernels/winograd_tiles.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/kernels/winograd_tiles.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "backend/kernels/vector_loop-inl.h"

HWY_BEFORE_NAMESPACE();
namespace atc::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The points +-a and +-b beside 0 and infinity; that of row and column k is the k-th of 0, a, -a, b, -b, infinity.
constexpr float kA = 0.625f, kB = 1.5f;
constexpr float kA2 = kA * kA, kB2 = kB * kB;

// B^T x: row k has the coefficients of the product of (t - p) over the finite points p other than the k-th.
template <class D, class V>
HWY_INLINE void InputSide(D d, const V* x, V* y) {
  const V a = hn::Set(d, kA), b = hn::Set(d, kB), a2 = hn::Set(d, kA2), b2 = hn::Set(d, kB2);
  const V sum = hn::Set(d, kA2 + kB2), product = hn::Set(d, kA2 * kB2);
  y[0] = hn::MulAdd(product, x[0], hn::NegMulAdd(sum, x[2], x[4]));
  const V even_a = hn::NegMulAdd(b2, x[2], x[4]), odd_a = hn::NegMulAdd(b2, x[1], x[3]);
  y[1] = hn::MulAdd(a, odd_a, even_a);
  y[2] = hn::NegMulAdd(a, odd_a, even_a);
  const V even_b = hn::NegMulAdd(a2, x[2], x[4]), odd_b = hn::NegMulAdd(a2, x[1], x[3]);
  y[3] = hn::MulAdd(b, odd_b, even_b);
  y[4] = hn::NegMulAdd(b, odd_b, even_b);
  y[5] = hn::MulAdd(product, x[1], hn::NegMulAdd(sum, x[3], x[5]));
}

// A^T x: row i has the i-th powers of the points.
template <class D, class V>
HWY_INLINE void OutputSide(D d, const V* x, V* y) {
  const V even_a = hn::Add(x[1], x[2]), odd_a = hn::Sub(x[1], x[2]);
  const V even_b = hn::Add(x[3], x[4]), odd_b = hn::Sub(x[3], x[4]);
  y[0] = hn::Add(x[0], hn::Add(even_a, even_b));
  y[1] = hn::MulAdd(hn::Set(d, kA), odd_a, hn::Mul(hn::Set(d, kB), odd_b));
  y[2] = hn::MulAdd(hn::Set(d, kA2), even_a, hn::Mul(hn::Set(d, kB2), even_b));
  y[3] = hn::MulAdd(hn::Set(d, kA2 * kA), odd_a, hn::MulAdd(hn::Set(d, kB2 * kB), odd_b, x[5]));
}

// G x: row k has the powers of the k-th point over the product of its differences from the other finite ones.
template <class D, class V>
HWY_INLINE void FilterSide(D d, const V* x, V* y) {
  constexpr float kOfA = 1 / (2 * kA2 * (kA2 - kB2)), kOfB = 1 / (2 * kB2 * (kB2 - kA2));
  y[0] = hn::Mul(hn::Set(d, 1 / (kA2 * kB2)), x[0]);
  const V even_a = hn::MulAdd(hn::Set(d, kOfA * kA2), x[2], hn::Mul(hn::Set(d, kOfA), x[0]));
  y[1] = hn::MulAdd(hn::Set(d, kOfA * kA), x[1], even_a);
  y[2] = hn::NegMulAdd(hn::Set(d, kOfA * kA), x[1], even_a);
  const V even_b = hn::MulAdd(hn::Set(d, kOfB * kB2), x[2], hn::Mul(hn::Set(d, kOfB), x[0]));
  y[3] = hn::MulAdd(hn::Set(d, kOfB * kB), x[1], even_b);
  y[4] = hn::NegMulAdd(hn::Set(d, kOfB * kB), x[1], even_b);
  y[5] = x[2];
}

void Filters(const float* taps, int64_t count, float* const* out) {
  ForVectors(count, [&](auto d, int64_t i) {
    using V = hn::Vec<decltype(d)>;
    V half[3][kTileIn];  // by column
    for (int64_t q = 0; q < 3; ++q) {
      V column[3];
      for (int64_t p = 0; p < 3; ++p) column[p] = hn::LoadU(d, taps + (p * 3 + q) * count + i);
      FilterSide(d, column, half[q]);
    }
    for (int64_t k = 0; k < kTileIn; ++k) {
      const V row[3] = {half[0][k], half[1][k], half[2][k]};
      V y[kTileIn];
      FilterSide(d, row, y);
      for (int64_t j = 0; j < kTileIn; ++j) hn::StoreU(y[j], d, out[k * kTileIn + j] + i);
    }
  });
}

void Input(const float* const* pixels, int64_t channels, float* out, int64_t stride) {
  ForVectors(channels, [&](auto d, int64_t c) {
    using V = hn::Vec<decltype(d)>;
    V half[kTileIn][kTileIn];  // by column
    for (int64_t j = 0; j < kTileIn; ++j) {
      V column[kTileIn];
      for (int64_t i = 0; i < kTileIn; ++i) column[i] = hn::LoadU(d, pixels[i * kTileIn + j] + c);
      InputSide(d, column, half[j]);
    }
    for (int64_t i = 0; i < kTileIn; ++i) {
      V row[kTileIn], y[kTileIn];
      for (int64_t j = 0; j < kTileIn; ++j) row[j] = half[j][i];
      InputSide(d, row, y);
      for (int64_t j = 0; j < kTileIn; ++j) hn::StoreU(y[j], d, out + (i * kTileIn + j) * stride + c);
    }
  });
}

void Output(const float* in, int64_t stride, int64_t channels, const float* bias, float* const* pixels) {
  ForVectors(channels, [&](auto d, int64_t c) {
    using V = hn::Vec<decltype(d)>;
    V half[kTileIn][kTileOut];  // by column
    for (int64_t j = 0; j < kTileIn; ++j) {
      V column[kTileIn];
      for (int64_t i = 0; i < kTileIn; ++i) column[i] = hn::LoadU(d, in + (i * kTileIn + j) * stride + c);
      OutputSide(d, column, half[j]);
    }
    const V start = bias == nullptr ? hn::Zero(d) : hn::LoadU(d, bias + c);
    for (int64_t i = 0; i < kTileOut; ++i) {
      V row[kTileIn], y[kTileOut];
      for (int64_t j = 0; j < kTileIn; ++j) row[j] = half[j][i];
      OutputSide(d, row, y);
      for (int64_t j = 0; j < kTileOut; ++j) {
        if (float* pixel = pixels[i * kTileOut + j]) hn::StoreU(hn::Add(y[j], start), d, pixel + c);
      }
    }
  });
}

}  // namespace atc::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atc::kernels {

HWY_EXPORT(Filters);
HWY_EXPORT(Input);
HWY_EXPORT(Output);

void TransformFilters(const float* taps, int64_t count, float* const* out) {
  HWY_DYNAMIC_DISPATCH(Filters)(taps, count, out);
}

void TransformInput(const float* const* pixels, int64_t channels, float* out, int64_t stride) {
  HWY_DYNAMIC_DISPATCH(Input)(pixels, channels, out, stride);
}

void TransformOutput(const float* in, int64_t stride, int64_t channels, const float* bias, float* const* pixels) {
  HWY_DYNAMIC_DISPATCH(Output)(in, stride, channels, bias, pixels);
}

}  // namespace atc::kernels
#endif

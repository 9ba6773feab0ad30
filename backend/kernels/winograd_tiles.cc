#include "backend/kernels/winograd_tiles.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/kernels/winograd_tiles.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "backend/kernels/vector_loop-inl.h"
#include "backend/kernels/vector_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace atc::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <int64_t kOut>
struct Sides;

template <>
struct Sides<4> {
  // The points +-a and +-b beside 0 and infinity; that of row and column k is the k-th of 0, a, -a, b, -b, infinity.
  static constexpr float kA = 0.625f, kB = 1.5f;
  static constexpr float kA2 = kA * kA, kB2 = kB * kB;

  // B^T x: row k has the coefficients of the product of (t - p) over the finite points p other than the k-th.
  template <class D, class V>
  static HWY_INLINE void Input(D d, const V* x, V* y) {
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
  static HWY_INLINE void Output(D d, const V* x, V* y) {
    const V even_a = hn::Add(x[1], x[2]), odd_a = hn::Sub(x[1], x[2]);
    const V even_b = hn::Add(x[3], x[4]), odd_b = hn::Sub(x[3], x[4]);
    y[0] = hn::Add(x[0], hn::Add(even_a, even_b));
    y[1] = hn::MulAdd(hn::Set(d, kA), odd_a, hn::Mul(hn::Set(d, kB), odd_b));
    y[2] = hn::MulAdd(hn::Set(d, kA2), even_a, hn::Mul(hn::Set(d, kB2), even_b));
    y[3] = hn::MulAdd(hn::Set(d, kA2 * kA), odd_a, hn::MulAdd(hn::Set(d, kB2 * kB), odd_b, x[5]));
  }

  // G x: row k has the powers of the k-th point over the product of its differences from the other finite ones.
  template <class D, class V>
  static HWY_INLINE void Filter(D d, const V* x, V* y) {
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
};

// The same of the points 0, 1, -1 and infinity, the sign of row 0 turned on both sides.
template <>
struct Sides<2> {
  template <class D, class V>
  static HWY_INLINE void Input(D, const V* x, V* y) {
    y[0] = hn::Sub(x[0], x[2]);
    y[1] = hn::Add(x[2], x[1]);
    y[2] = hn::Sub(x[2], x[1]);
    y[3] = hn::Sub(x[3], x[1]);
  }

  template <class D, class V>
  static HWY_INLINE void Output(D, const V* x, V* y) {
    y[0] = hn::Add(x[0], hn::Add(x[1], x[2]));
    y[1] = hn::Add(hn::Sub(x[1], x[2]), x[3]);
  }

  template <class D, class V>
  static HWY_INLINE void Filter(D d, const V* x, V* y) {
    const V half = hn::Set(d, 0.5f), even = hn::Mul(half, hn::Add(x[0], x[2]));
    y[0] = x[0];
    y[1] = hn::MulAdd(half, x[1], even);
    y[2] = hn::NegMulAdd(half, x[1], even);
    y[3] = x[2];
  }
};

template <int64_t kOut>
void Filters(const float* taps, int64_t count, float* const* to) {
  constexpr int64_t kIn = TileIn(kOut);
  ForVectors(count, [&](auto d, int64_t i) {
    using V = hn::Vec<decltype(d)>;
    V half[3][kIn];  // by column
    for (int64_t q = 0; q < 3; ++q) {
      V column[3];
      for (int64_t p = 0; p < 3; ++p) column[p] = hn::LoadU(d, taps + (p * 3 + q) * count + i);
      Sides<kOut>::Filter(d, column, half[q]);
    }
    for (int64_t k = 0; k < kIn; ++k) {
      const V row[3] = {half[0][k], half[1][k], half[2][k]};
      V y[kIn];
      Sides<kOut>::Filter(d, row, y);
      for (int64_t j = 0; j < kIn; ++j) hn::StoreU(y[j], d, to[k * kIn + j] + i);
    }
  });
}

template <int64_t kOut>
void Input(const float* const* pixels, int64_t channels, float* to, int64_t stride) {
  constexpr int64_t kIn = TileIn(kOut);
  ForVectors(channels, [&](auto d, int64_t c) {
    using V = hn::Vec<decltype(d)>;
    V half[kIn][kIn];  // by column
    for (int64_t j = 0; j < kIn; ++j) {
      V column[kIn];
      for (int64_t i = 0; i < kIn; ++i) column[i] = hn::LoadU(d, pixels[i * kIn + j] + c);
      Sides<kOut>::Input(d, column, half[j]);
    }
    for (int64_t i = 0; i < kIn; ++i) {
      V row[kIn], y[kIn];
      for (int64_t j = 0; j < kIn; ++j) row[j] = half[j][i];
      Sides<kOut>::Input(d, row, y);
      for (int64_t j = 0; j < kIn; ++j) hn::StoreU(y[j], d, to + (i * kIn + j) * stride + c);
    }
  });
}

template <int64_t kOut>
void Output(const float* in, int64_t stride, int64_t channels, const TileEnd& end, float* y, const int64_t* places) {
  constexpr int64_t kIn = TileIn(kOut);
  const bool clips = end.clip.clips();
  ForVectors(channels, [&](auto d, int64_t c) {
    using V = hn::Vec<decltype(d)>;
    V half[kIn][kOut];  // by column
    for (int64_t j = 0; j < kIn; ++j) {
      V column[kIn];
      for (int64_t i = 0; i < kIn; ++i) column[i] = hn::LoadU(d, in + (i * kIn + j) * stride + c);
      Sides<kOut>::Output(d, column, half[j]);
    }
    const V bias = end.bias == nullptr ? hn::Zero(d) : hn::LoadU(d, end.bias + c);
    const V low = hn::Set(d, end.clip.low), high = hn::Set(d, end.clip.high);
    for (int64_t i = 0; i < kOut; ++i) {
      V row[kIn], results[kOut];
      for (int64_t j = 0; j < kIn; ++j) row[j] = half[j][i];
      Sides<kOut>::Output(d, row, results);
      for (int64_t j = 0; j < kOut; ++j) {
        const int64_t place = places[i * kOut + j];
        if (place < 0) continue;
        V result = hn::Add(results[j], bias);
        if (end.add != nullptr) result = hn::Add(result, hn::LoadU(d, end.add + place + c));
        if (clips) result = Clipped(low, high, result);
        hn::StoreU(result, d, y + place + c);
      }
    }
  });
}

void FiltersOf(int64_t out, const float* taps, int64_t count, float* const* to) {
  out == 2 ? Filters<2>(taps, count, to) : Filters<4>(taps, count, to);
}

void InputOf(int64_t out, const float* const* pixels, int64_t channels, float* to, int64_t stride) {
  out == 2 ? Input<2>(pixels, channels, to, stride) : Input<4>(pixels, channels, to, stride);
}

void OutputOf(int64_t out, const float* in, int64_t stride, int64_t channels, const TileEnd& end, float* y,
              const int64_t* places) {
  out == 2 ? Output<2>(in, stride, channels, end, y, places) : Output<4>(in, stride, channels, end, y, places);
}

}  // namespace atc::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atc::kernels {

HWY_EXPORT(FiltersOf);
HWY_EXPORT(InputOf);
HWY_EXPORT(OutputOf);

void TransformFilters(int64_t out, const float* taps, int64_t count, float* const* to) {
  HWY_DYNAMIC_DISPATCH(FiltersOf)(out, taps, count, to);
}

void TransformInput(int64_t out, const float* const* pixels, int64_t channels, float* to, int64_t stride) {
  HWY_DYNAMIC_DISPATCH(InputOf)(out, pixels, channels, to, stride);
}

void TransformOutput(int64_t out, const float* in, int64_t stride, int64_t channels, const TileEnd& end, float* y,
                     const int64_t* places) {
  HWY_DYNAMIC_DISPATCH(OutputOf)(out, in, stride, channels, end, y, places);
}

}  // namespace atc::kernels
#endif

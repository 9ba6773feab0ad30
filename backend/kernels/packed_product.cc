#include "backend/kernels/packed_product.h"

#include <algorithm>
#include <cstdlib>
#include <new>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/kernels/packed_product.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace atc::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// A quarter of a block, or one vector where that is more: kRows times so many vectors are held in registers.
constexpr int64_t kPart = 16;

template <int kRows>
HWY_INLINE void MultiplyRows(const float* HWY_RESTRICT w, int64_t blocks, int64_t terms, const float* x, int64_t x_stride,
                             const float* start, int64_t start_stride, float* y, int64_t y_stride) {
  const hn::CappedTag<float, kPart> d;
  using V = hn::Vec<decltype(d)>;
  constexpr int64_t kBlock = PackedMatrix::kBlock;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t b = 0; b < blocks; ++b, w += terms * kBlock) {
    for (int64_t part = 0; part < kBlock; part += 4 * lanes) {
      V sum[kRows][4];
      for (int r = 0; r < kRows; ++r) {
        for (int v = 0; v < 4; ++v) sum[r][v] = hn::LoadU(d, start + r * start_stride + b * kBlock + part + v * lanes);
      }
      if constexpr (kRows == 1) {
        V odd[4] = {hn::Zero(d), hn::Zero(d), hn::Zero(d), hn::Zero(d)};  // a second chain hides the latency
        int64_t t = 0;
        for (; t + 2 <= terms; t += 2) {
          const V x0 = hn::Set(d, x[t]), x1 = hn::Set(d, x[t + 1]);
          const float* at = w + t * kBlock + part;
          for (int v = 0; v < 4; ++v) {
            sum[0][v] = hn::MulAdd(x0, hn::LoadU(d, at + v * lanes), sum[0][v]);
            odd[v] = hn::MulAdd(x1, hn::LoadU(d, at + kBlock + v * lanes), odd[v]);
          }
        }
        if (t < terms) {
          for (int v = 0; v < 4; ++v) {
            sum[0][v] = hn::MulAdd(hn::Set(d, x[t]), hn::LoadU(d, w + t * kBlock + part + v * lanes), sum[0][v]);
          }
        }
        for (int v = 0; v < 4; ++v) sum[0][v] = hn::Add(sum[0][v], odd[v]);
      } else {
        for (int64_t t = 0; t < terms; ++t) {
          V weights[4];
          for (int v = 0; v < 4; ++v) weights[v] = hn::LoadU(d, w + t * kBlock + part + v * lanes);
          for (int r = 0; r < kRows; ++r) {
            const V value = hn::Set(d, x[r * x_stride + t]);
            for (int v = 0; v < 4; ++v) sum[r][v] = hn::MulAdd(value, weights[v], sum[r][v]);
          }
        }
      }
      for (int r = 0; r < kRows; ++r) {
        for (int v = 0; v < 4; ++v) hn::StoreU(sum[r][v], d, y + r * y_stride + b * kBlock + part + v * lanes);
      }
    }
  }
}

void Multiply(const float* w, int64_t blocks, int64_t terms, int64_t rows, const float* x, int64_t x_stride,
              const float* start, int64_t start_stride, float* y, int64_t y_stride) {
  for (; rows >= 4; rows -= 4) {
    MultiplyRows<4>(w, blocks, terms, x, x_stride, start, start_stride, y, y_stride);
    x += 4 * x_stride, start += 4 * start_stride, y += 4 * y_stride;
  }
  for (; rows > 0; --rows) {
    MultiplyRows<1>(w, blocks, terms, x, x_stride, start, start_stride, y, y_stride);
    x += x_stride, start += start_stride, y += y_stride;
  }
}

}  // namespace atc::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atc::kernels {

HWY_EXPORT(Multiply);

void PackedMatrix::Free::operator()(float* data) const { std::free(data); }

PackedMatrix::PackedMatrix(const float* w, int64_t outputs, int64_t terms) : outputs_(outputs), terms_(terms) {
  data_.reset(static_cast<float*>(std::aligned_alloc(64, std::max<size_t>(bytes(), 64))));
  if (data_ == nullptr) throw std::bad_alloc();
  float* to = data_.get();
  for (int64_t block = 0; block < padded(); block += kBlock) {
    for (int64_t t = 0; t < terms; ++t) {
      for (int64_t o = block; o < block + kBlock; ++o) *to++ = o < outputs ? w[o * terms + t] : 0.0f;
    }
  }
}

void PackedMatrix::Multiply(int64_t rows, const float* x, int64_t x_stride, const float* start, int64_t start_stride,
                            float* y, int64_t y_stride) const {
  HWY_DYNAMIC_DISPATCH(Multiply)(data_.get(), padded() / kBlock, terms_, rows, x, x_stride, start, start_stride, y, y_stride);
}

}  // namespace atc::kernels
#endif

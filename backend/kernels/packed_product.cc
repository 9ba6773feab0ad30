#include "backend/kernels/packed_product.h"

#include <algorithm>
#include <cstring>

#include "backend/kernels/prepared_bytes.h"
#include "backend/kernels/strided_copy.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/kernels/packed_product.cc"
#include <hwy/foreach_target.h>
#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include "backend/kernels/first_lanes-inl.h"
#include "backend/kernels/vector_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace atc::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Sums are held in registers: kMostRows times as many vectors as kWide outputs take, beside one row of the matrix.
constexpr bool kManyRegisters = HWY_TARGET <= HWY_AVX3;
constexpr int64_t kWide = kManyRegisters ? PackedMatrix::kMostBlock : PackedMatrix::kPart;
constexpr int kMostRows = kManyRegisters || HWY_TARGET <= HWY_AVX2 ? 6 : 3;

constexpr int64_t kLine = 16;         // floats of a line of the caches
constexpr int64_t kAhead = 1024;      // floats
constexpr int64_t kRowsAhead = 16;    // of a matrix that lies in rows far apart
constexpr int64_t kFar = 512 * 1024;  // floats of a matrix that no second-level cache holds

struct Operands {  // of one product
  const float* x;
  int64_t x_stride;
  const float* start;  // nullptr: zero
  int64_t start_stride;
  float* y;
  int64_t y_stride;
  int64_t ahead;  // floats ahead of those read now that are asked for already, where the matrix comes from memory; else 0
  ProductEnd end = {};
};

// What ProductEnd says, where rows end within the vectors or not. Loops over the sums are unrolled whole: where one is not,
// the sums of all of them lie in memory.
template <bool kWhole, int kRows, int kVectors, class D, class V = hn::Vec<D>>
HWY_INLINE void EndTile(D d, V (&sum)[kRows][kVectors], const Operands& at) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  if (at.end.add != nullptr) {
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) {
        const float* from = at.end.add + r * at.y_stride + v * lanes;
        if constexpr (kWhole) sum[r][v] = hn::Add(sum[r][v], hn::LoadU(d, from));
        else sum[r][v] = hn::Add(sum[r][v], LoadFirst(d, from, at.end.written - v * lanes));
      }
    }
  }
  if (at.end.clip.clips()) {
    const V low = hn::Set(d, at.end.clip.low), high = hn::Set(d, at.end.clip.high);
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) sum[r][v] = Clipped(low, high, sum[r][v]);
    }
  }
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      float* to = at.y + r * at.y_stride + v * lanes;
      if constexpr (kWhole) hn::StoreU(sum[r][v], d, to);
      else StoreFirst(d, sum[r][v], to, at.end.written - v * lanes);
    }
  }
}

// Of kVectors vectors of outputs, whose matrix lies at w in rows of `width`.
template <int kRows, int kVectors, class D>
HWY_INLINE void MultiplyTile(D d, const float* HWY_RESTRICT w, int64_t width, int64_t terms, const Operands& at) {
  using V = hn::Vec<D>;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  V sum[kRows][kVectors];
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      sum[r][v] = at.start == nullptr ? hn::Zero(d) : hn::LoadU(d, at.start + r * at.start_stride + v * lanes);
    }
  }
  if constexpr (kRows == 1) {
    V odd[kVectors];  // a second chain hides the latency
    for (int v = 0; v < kVectors; ++v) odd[v] = hn::Zero(d);
    int64_t t = 0;
    for (; t + 2 <= terms; t += 2) {
      const V x0 = hn::Set(d, at.x[t]), x1 = hn::Set(d, at.x[t + 1]);
      const float* row = w + t * width;
      // One row takes no longer than reading the matrix, for which the processor looks ahead too little.
      if (at.ahead != 0) {
        for (int64_t o = 0; o < kVectors * lanes; o += kLine) hwy::Prefetch(row + at.ahead + o);
        for (int64_t o = 0; o < kVectors * lanes; o += kLine) hwy::Prefetch(row + width + at.ahead + o);
      }
      for (int v = 0; v < kVectors; ++v) {
        sum[0][v] = hn::MulAdd(x0, hn::LoadU(d, row + v * lanes), sum[0][v]);
        odd[v] = hn::MulAdd(x1, hn::LoadU(d, row + width + v * lanes), odd[v]);
      }
    }
    if (t < terms) {
      for (int v = 0; v < kVectors; ++v) {
        sum[0][v] = hn::MulAdd(hn::Set(d, at.x[t]), hn::LoadU(d, w + t * width + v * lanes), sum[0][v]);
      }
    }
    for (int v = 0; v < kVectors; ++v) sum[0][v] = hn::Add(sum[0][v], odd[v]);
  } else {
    for (int64_t t = 0; t < terms; ++t, w += width) {
      V weights[kVectors];
      for (int v = 0; v < kVectors; ++v) weights[v] = hn::LoadU(d, w + v * lanes);
#pragma GCC unroll 16
      for (int r = 0; r < kRows; ++r) {
        const V value = hn::Set(d, at.x[r * at.x_stride + t]);
#pragma GCC unroll 4
        for (int v = 0; v < kVectors; ++v) sum[r][v] = hn::MulAdd(value, weights[v], sum[r][v]);
      }
    }
  }
  // What follows a row in memory may be another thread's.
  if (at.end.written >= kVectors * lanes) EndTile<true, kRows, kVectors>(d, sum, at);
  else EndTile<false, kRows, kVectors>(d, sum, at);
}

// kRows rows at a time, then what is left. A single row would have to wait for the matrix, and is summed in another order:
// one more than a tile takes is parted into halves.
template <int kRows, int kVectors, class D>
HWY_INLINE void MultiplyRows(D d, const float* w, int64_t width, int64_t terms, int64_t rows, Operands at) {
  constexpr bool kParts = kRows > 2;
  for (; rows >= kRows && !(kParts && rows == kRows + 1); rows -= kRows) {
    MultiplyTile<kRows, kVectors>(d, w, width, terms, at);
    at.x += kRows * at.x_stride;
    at.y += kRows * at.y_stride;
    if (at.start != nullptr) at.start += kRows * at.start_stride;
    if (at.end.add != nullptr) at.end.add += kRows * at.y_stride;
  }
  if constexpr (kParts) {
    if (rows > kRows) return MultiplyRows<(kRows > kMostRows ? kMostRows : kRows / 2 + 1), kVectors>(d, w, width, terms, rows, at);
  }
  if constexpr (kRows > 1) {
    if (rows > 0) MultiplyRows<(kRows > kMostRows ? kMostRows : kRows - 1), kVectors>(d, w, width, terms, rows, at);
  }
}

// As many of the `left` outputs at w, whole vectors, as kVectors take, or fewer; their number.
template <int kVectors, class D>
HWY_INLINE int64_t MultiplyOutputs(D d, const float* w, int64_t width, int64_t left, int64_t terms, int64_t rows,
                                   const Operands& at) {
  const int64_t outputs = kVectors * static_cast<int64_t>(hn::Lanes(d));
  if constexpr (kVectors > 1) {
    if (left < outputs) return MultiplyOutputs<kVectors - 1>(d, w, width, left, terms, rows, at);
  }
  // Sums of one vector are too few to hide the latency of adding to each.
  MultiplyRows<(kVectors == 1 ? 2 : 1) * kMostRows, kVectors>(d, w, width, terms, rows, at);
  return outputs;
}

constexpr int64_t kPart = PackedMatrix::kPart;
using Tag = hn::CappedTag<float, kPart>;
using NarrowTag = hn::CappedTag<float, kPart / 2>;
constexpr int kMostVectors = HWY_MIN(4, static_cast<int>(kWide / static_cast<int64_t>(hn::MaxLanes(Tag()))));

// The first `count` outputs at w, a multiple of kPart, but none that only vectors beyond at.end.written would hold.
HWY_INLINE void MultiplyBlock(const float* w, int64_t width, int64_t count, int64_t terms, int64_t rows, Operands& at) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(Tag()));
  constexpr auto kNarrow = static_cast<int64_t>(hn::MaxLanes(NarrowTag()));
  const int64_t used = std::min(count, at.end.written);
  for (int64_t o = 0; o < used;) {
    // Few outputs at the end take vectors of half the width, which take half the time where those are made of two.
    const int64_t left = used - o, rest = left % lanes;
    const bool narrow = hn::MaxLanes(Tag()) > hn::MaxLanes(NarrowTag()) && rest > 0 && rest <= kNarrow;
    const int64_t done =
        narrow && left < lanes
            ? MultiplyOutputs<1>(NarrowTag(), w + o, width, left, terms, rows, at)
            : MultiplyOutputs<kMostVectors>(Tag(), w + o, width, narrow ? left - rest : left + (lanes - rest) % lanes, terms, rows, at);
    o += done;
    at.y += done;
    at.end.written -= done;
    if (at.start != nullptr) at.start += done;
    if (at.end.add != nullptr) at.end.add += done;
  }
}

void Multiply(const float* w, int64_t outputs, int64_t terms, int64_t rows, const float* x, int64_t x_stride,
              const float* start, int64_t start_stride, float* y, int64_t y_stride, const ProductEnd& end) {
  Operands at{x, x_stride, start, start_stride, y, y_stride, outputs * terms > kFar ? kAhead : 0, end};
  const int64_t whole = PackedMatrix::Block();
  for (int64_t block = 0; block < outputs; block += whole) {
    const int64_t width = std::min(whole, outputs - block);
    MultiplyBlock(w, width, width, terms, rows, at);
    w += width * terms;
  }
}

void MultiplyPlaced(const float* w, int64_t of_term, int64_t outputs, int64_t terms, int64_t rows, const float* x,
                    int64_t x_stride, float* y, int64_t y_stride) {
  Operands at{x, x_stride, nullptr, 0, y, y_stride, kRowsAhead * of_term};
  MultiplyBlock(w, of_term, outputs, terms, rows, at);
}

}  // namespace atc::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atc::kernels {

HWY_EXPORT(Multiply);
HWY_EXPORT(MultiplyPlaced);

void PackedMatrix::Allocate() {
  const std::shared_ptr<std::byte> memory = AllocatePrepared(bytes());
  data_ = std::shared_ptr<float[]>(memory, reinterpret_cast<float*>(memory.get()));
}

PackedMatrix::PackedMatrix(int64_t outputs, int64_t terms) : outputs_(outputs), terms_(terms) {
  Allocate();
  std::memset(data_.get(), 0, bytes());
}

PackedMatrix::PackedMatrix(const MatrixPlace& w, int64_t outputs, int64_t terms) : outputs_(outputs), terms_(terms) {
  Allocate();
  PackMatrix(w, outputs, terms, data_.get());
}

void PackedMatrix::MultiplyPart(int64_t begin, int64_t end, int64_t rows, const float* x, int64_t x_stride,
                                const float* start, int64_t start_stride, float* y, int64_t y_stride,
                                const ProductEnd& finish) const {
  const float* w = data_.get() + begin * terms_;
  HWY_DYNAMIC_DISPATCH(Multiply)(w, end - begin, terms_, rows, x, x_stride, start, start_stride, y, y_stride, finish);
}

void PackMatrix(const MatrixPlace& w, int64_t outputs, int64_t terms, float* packed) {
  const int64_t padded = PackedMatrix::Padded(outputs), whole = PackedMatrix::Block();
  for (int64_t block = 0; block < padded; block += whole) {
    const int64_t width = std::min(whole, padded - block), used = std::min(width, outputs - block);
    const float* from = w.data + block * w.of_output;
    if (w.of_term == 1) {
      TransposeFloats(from, w.of_output, packed, width, terms, used);
    } else if (w.of_output == 1) {
      for (int64_t t = 0; t < terms; ++t) std::copy_n(from + t * w.of_term, used, packed + t * width);
    } else {
      for (int64_t t = 0; t < terms; ++t) {
        for (int64_t o = 0; o < used; ++o) packed[t * width + o] = from[t * w.of_term + o * w.of_output];
      }
    }
    for (int64_t t = 0; used < width && t < terms; ++t) std::fill(packed + t * width + used, packed + (t + 1) * width, 0.0f);
    packed += width * terms;
  }
}

void MultiplyPacked(const float* packed, int64_t outputs, int64_t terms, int64_t rows, const float* x, int64_t x_stride,
                    float* y, int64_t y_stride) {
  HWY_DYNAMIC_DISPATCH(Multiply)(packed, PackedMatrix::Padded(outputs), terms, rows, x, x_stride, nullptr, 0, y, y_stride, ProductEnd());
}

void MultiplyInPlace(const float* w, int64_t of_term, int64_t outputs, int64_t terms, int64_t rows, const float* x,
                     int64_t x_stride, float* y, int64_t y_stride) {
  HWY_DYNAMIC_DISPATCH(MultiplyPlaced)(w, of_term, outputs, terms, rows, x, x_stride, y, y_stride);
}

}  // namespace atc::kernels
#endif

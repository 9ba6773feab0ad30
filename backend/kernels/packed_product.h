// Products of a few rows with a constant matrix that was laid out for it: what a recurrent cell does at each step, where
// the call of a general matrix product would cost more than its arithmetic.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace atc::kernels {

class PackedMatrix {
 public:
  static constexpr int64_t kBlock = 64;  // outputs that are summed at a time

  // w is row-major [outputs, terms].
  PackedMatrix(const float* w, int64_t outputs, int64_t terms);

  // y[r][o] = start[r][o] + sum over t of x[r][t] * w[o][t], for o in [0, padded()): what is beyond outputs() is start
  // alone. Distances of rows are in floats; start may be y, and start_stride 0 for one start of all rows.
  void Multiply(int64_t rows, const float* x, int64_t x_stride, const float* start, int64_t start_stride, float* y,
                int64_t y_stride) const;

  int64_t outputs() const { return outputs_; }
  int64_t padded() const { return (outputs_ + kBlock - 1) / kBlock * kBlock; }
  size_t bytes() const { return static_cast<size_t>(padded() * terms_) * sizeof(float); }

 private:
  struct Free {
    void operator()(float* data) const;
  };
  int64_t outputs_;
  int64_t terms_;
  std::unique_ptr<float[], Free> data_;  // [padded / kBlock][terms][kBlock]
};

}  // namespace atc::kernels

// Products of rows with a constant matrix that was laid out for it: what a recurrent cell does at each step, where the
// call of a general matrix product would cost more than its arithmetic, and the many small products of a convolution by
// tiles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace atc::kernels {

class PackedMatrix {
 public:
  static constexpr int64_t kBlock = 64;  // outputs that lie together, the last ones of a matrix aside
  static constexpr int64_t kPart = 16;   // the number of outputs is rounded up to multiples of this

  // w is row-major [outputs, terms].
  PackedMatrix(const float* w, int64_t outputs, int64_t terms);
  // Of zeros, to be filled by Row.
  PackedMatrix(int64_t outputs, int64_t terms);

  // The weights of term t for the block of outputs that begins at `block`, a multiple of kBlock: as many as the block has.
  float* Row(int64_t block, int64_t t) { return data_.get() + block * terms_ + t * BlockWidth(block); }
  int64_t BlockWidth(int64_t block) const { return block + kBlock < padded() ? kBlock : padded() - block; }

  // y[r][o] = start[r][o] + sum over t of x[r][t] * w[o][t], for o in [0, padded()): what is beyond outputs() is start
  // alone. Distances of rows are in floats; start may be y, start_stride 0 for one start of all rows, and nullptr says
  // zero.
  void Multiply(int64_t rows, const float* x, int64_t x_stride, const float* start, int64_t start_stride, float* y,
                int64_t y_stride) const {
    MultiplyPart(0, padded(), rows, x, x_stride, start, start_stride, y, y_stride);
  }
  // The same for o in [begin, end), multiples of kBlock or padded() itself. Output `begin` lies at y, its start at start.
  void MultiplyPart(int64_t begin, int64_t end, int64_t rows, const float* x, int64_t x_stride, const float* start,
                    int64_t start_stride, float* y, int64_t y_stride) const;

  int64_t outputs() const { return outputs_; }
  int64_t padded() const { return (outputs_ + kPart - 1) / kPart * kPart; }
  size_t bytes() const { return static_cast<size_t>(padded() * terms_) * sizeof(float); }

 private:
  int64_t outputs_;
  int64_t terms_;
  std::shared_ptr<float[]> data_;  // by blocks of `width` outputs, of which the last may be narrower: [terms][width]
};

}  // namespace atc::kernels

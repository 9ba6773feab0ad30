// Products of rows with a matrix that was laid out for it: what a recurrent cell does at each step, where the call of a
// general matrix product would cost more than its arithmetic, the many small products of a convolution by tiles, and
// those of attention, whose matrices are laid out in each run.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>

#include "backend/kernels/heavy_parts.h"
#include "backend/kernels/vector_limit.h"

namespace atc::kernels {

// Where a matrix lies: element (output, term) at data[output * of_output + term * of_term].
struct MatrixPlace {
  const float* data;
  int64_t of_output, of_term;
};

// What becomes of the sums while they are in registers.
struct ProductEnd {
  const float* add = nullptr;  // a term more of each result, in rows as far apart as those of y; may be y. nullptr: none
  Clip clip = {};              // of what that gives
  int64_t written = std::numeric_limits<int64_t>::max();  // results of a row of y from there on stay as they are
};

class PackedMatrix {
 public:
  static constexpr int64_t kMostBlock = 64;
  static constexpr int64_t kPart = 16;  // the number of outputs is rounded up to multiples of this

  // The outputs that lie together, the last ones of a matrix aside: as many as a row of the product takes at once, so that
  // its weights are read one after the other. Where vectors are narrow, the lines of a wider block would be so far apart
  // that only a part of the first-level cache could hold them.
  static int64_t Block() { return HasWideVectors() ? kMostBlock : kPart; }

  PackedMatrix(const MatrixPlace& w, int64_t outputs, int64_t terms);
  // Of zeros, to be filled by Row.
  PackedMatrix(int64_t outputs, int64_t terms);

  // The weights of term t for the block of outputs that begins at `block`, a multiple of Block(): as many as the block has.
  float* Row(int64_t block, int64_t t) { return data_.get() + block * terms_ + t * BlockWidth(block); }
  int64_t BlockWidth(int64_t block) const { return std::min(Block(), padded() - block); }

  // y[r][o] = start[r][o] + sum over t of x[r][t] * w[o][t], for o in [0, padded()): what is beyond outputs() is start
  // alone. Distances of rows are in floats; start may be y, start_stride 0 for one start of all rows, and nullptr says
  // zero.
  void Multiply(int64_t rows, const float* x, int64_t x_stride, const float* start, int64_t start_stride, float* y,
                int64_t y_stride) const {
    MultiplyPart(0, padded(), rows, x, x_stride, start, start_stride, y, y_stride);
  }
  // The same for o in [begin, end), multiples of Block() or padded() itself. Output `begin` lies at y, its start at start.
  void MultiplyPart(int64_t begin, int64_t end, int64_t rows, const float* x, int64_t x_stride, const float* start,
                    int64_t start_stride, float* y, int64_t y_stride, const ProductEnd& finish = {}) const;

  int64_t outputs() const { return outputs_; }
  static int64_t Padded(int64_t outputs) { return (outputs + kPart - 1) / kPart * kPart; }
  int64_t padded() const { return Padded(outputs_); }
  int64_t blocks() const { return (padded() + Block() - 1) / Block(); }
  // The outputs [begin, end) of whole blocks that are the share of member `part` of `parts`.
  struct Range {
    int64_t begin, end;
  };
  Range Share(int64_t part, int64_t parts) const {
    return {blocks() * part / parts * Block(), std::min(padded(), blocks() * (part + 1) / parts * Block())};
  }
  size_t bytes() const { return static_cast<size_t>(padded() * terms_) * sizeof(float); }

 private:
  void Allocate();

  int64_t outputs_;
  int64_t terms_;
  std::shared_ptr<float[]> data_;  // by blocks of `width` outputs, of which the last may be narrower: [terms][width]
};

// The same for matrices that come with each run: laid out in Padded(outputs) * terms floats at `packed`, then multiplied
// with starts of zero. All padded outputs of a row are written.
void PackMatrix(const MatrixPlace& w, int64_t outputs, int64_t terms, float* packed);
void MultiplyPacked(const float* packed, int64_t outputs, int64_t terms, int64_t rows, const float* x, int64_t x_stride,
                    float* y, int64_t y_stride);

// For so few rows that laying the matrix out would take longer than the product: it is read where it lies, its outputs
// side by side, their number a multiple of kPart, those of the next term `of_term` floats further.
void MultiplyInPlace(const float* w, int64_t of_term, int64_t outputs, int64_t terms, int64_t rows, const float* x,
                     int64_t x_stride, float* y, int64_t y_stride);

}  // namespace atc::kernels

// Exact sums of products of 8-bit numbers with constant integer weights, for convolutions and matrix products.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "backend/kernels/requantize.h"
#include "compiler/ir/tensor.h"
#include "compiler/ops/conv_spec.h"

namespace atc::kernels {

class ByteProduct {
 public:
  // Some rows of the sums: one row holds those of all channels of a place, places of all images in order.
  struct Piece {
    int64_t row = 0;
    int64_t rows = 0;
    int64_t x_at = 0;  // elements
    size_t form = 0;
  };

  virtual ~ByteProduct() = default;

  // A number for each channel that is part of the sums; once, before the first run.
  virtual void AddBias(std::vector<int32_t> bias) = 0;
  // Whether it makes bytes of its sums itself, as MakeBytes; once, after the bias. The scales must stay.
  virtual bool PrepareBytes(const ChannelScales& /*scales*/, const Rounding& /*rounding*/, Quotient /*quotient*/) {
    return false;
  }

  // One: made by the whole team. More: each by one thread, on any of lanes() at the same time.
  const std::vector<Piece>& pieces() const { return pieces_; }
  virtual int lanes() const = 0;

  // Ahead of the pieces of a run; gives the x that they read, which may lie in scratch.
  virtual const void* Begin(const void* x, int32_t zero, std::byte* scratch) = 0;
  // sums + correction are those of (x - zero) * w, where what lies in padding counts as zero, plus the bias. They wrap.
  virtual void Sum(const Piece& piece, int lane, const void* begun, int32_t* sums, std::byte* lane_scratch) = 0;
  // The piece's sums with what is still to be added to them.
  virtual SumRows RowsOf(const Piece& piece, const int32_t* sums) const = 0;
  // What QuantizeRows or RoundRows makes of the piece's sums; `out` is the first row of the piece.
  virtual void MakeBytes(const Piece& /*piece*/, const void* /*begun*/, uint8_t* /*out*/,
                         std::byte* /*lane_scratch*/) const {}

  int64_t rows() const { return rows_; }
  int64_t channels() const { return channels_; }
  size_t scratch_bytes() const { return scratch_bytes_; }
  size_t lane_scratch_bytes() const { return lane_scratch_bytes_; }
  size_t prepared_bytes() const { return prepared_bytes_; }

 protected:
  int64_t rows_ = 0;
  int64_t channels_ = 0;
  std::vector<Piece> pieces_;
  size_t scratch_bytes_ = 0;
  size_t lane_scratch_bytes_ = 0;
  size_t prepared_bytes_ = 0;
};

// x is [N, H, W, C] of `x_type` (int8 or uint8), w ShiftedWeights (onednn/byte_weights.h) [M, C / groups, KH, KW]; sums
// [N, OH, OW, M]. nullptr where the window has not two axes or no exact way is known.
std::unique_ptr<ByteProduct> MakeByteConvolution(const ConvSizes& sizes, DataType x_type, const Tensor& w, int threads);
// x is [m, k], w ShiftedWeights [k, n] or, transposed, [n, k]; sums [m, n].
std::unique_ptr<ByteProduct> MakeByteMatrix(int64_t m, DataType x_type, const Tensor& w, bool transpose, int threads);

// What the first of these chooses from, in order: by vectors of our own one output channel for each input channel, then
// all channels of short rows; all others by oneDNN.
std::unique_ptr<ByteProduct> MakeByteDepthwise(const ConvSizes& sizes, DataType x_type, const Tensor& w, int threads);
std::unique_ptr<ByteProduct> MakeByteRows(const ConvSizes& sizes, DataType x_type, const Tensor& w, int threads);
std::unique_ptr<ByteProduct> MakeOneDnnByteConvolution(const ConvSizes& sizes, DataType x_type, const Tensor& w,
                                                       int threads);

}  // namespace atc::kernels

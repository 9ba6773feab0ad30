// Exact sums of products of 8-bit numbers with constant integer weights, for convolutions and matrix products.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "backend/kernels/onednn/engine.h"
#include "backend/kernels/requantize.h"
#include "compiler/ir/tensor.h"
#include "compiler/ops/conv_spec.h"

namespace atc::kernels {

// With instructions that add products of bytes without saturating (VNNI) the sums are taken in int32; without them, in
// float, which is exact while no sum can reach 2^24. Weights that either way does not hold are split in two parts, whose
// sums are joined again (byte_weights.h).
class ByteProduct {
 public:
  // x is [N, H, W, C] of `x_type` (int8 or uint8), w ShiftedWeights [M, C / groups, KH, KW]; sums [N, OH, OW, M].
  // nullptr where the window has not two axes or no exact way is known.
  static std::unique_ptr<ByteProduct> Convolution(const ConvSizes& sizes, DataType x_type, const Tensor& w, int threads);
  // x is [m, k], w ShiftedWeights [k, n] or, transposed, [n, k]; sums [m, n].
  static std::unique_ptr<ByteProduct> Product(int64_t m, DataType x_type, const Tensor& w, bool transpose, int threads);

  // A number for each channel that is part of the corrections; once, before the first run.
  void AddBias(std::vector<int32_t> bias) { bias_ = std::move(bias); }

  // Some rows of the sums: one row holds those of all channels of a place, places of all images in order.
  struct Piece {
    int64_t row = 0;
    int64_t rows = 0;
    int64_t x_at = 0;  // elements
    size_t form = 0;
  };
  // One: made by the whole team. More: each by one thread, on any of lanes() at the same time.
  const std::vector<Piece>& pieces() const { return pieces_; }
  int lanes() const { return static_cast<int>(lanes_.size()); }

  // Ahead of the pieces of a run; gives the x that they read, which may lie in scratch.
  const void* Begin(const void* x, int32_t zero, std::byte* scratch);
  // sums + correction are those of (x - zero) * w, where what lies in padding counts as zero, plus the bias. They wrap.
  void Sum(const Piece& piece, int lane, const void* begun, int32_t* sums, std::byte* lane_scratch);

  // The piece's sums with what is still to be added to them.
  SumRows RowsOf(const Piece& piece, const int32_t* sums) const;

  int64_t rows() const { return rows_; }
  int64_t channels() const { return channels_; }
  size_t scratch_bytes() const { return scratch_bytes_; }
  size_t lane_scratch_bytes() const { return lane_scratch_bytes_; }
  size_t prepared_bytes() const { return prepared_bytes_; }

 private:
  // A convolution or product for all pieces of one size.
  struct Form {
    dnnl::primitive primitive;
    dnnl::memory::desc x, y, scratchpad;
    std::vector<KeptMemory> weights;  // by part
  };
  // What a lane calls a form with.
  struct Call {
    dnnl::memory x, y, scratchpad;
    std::vector<std::vector<dnnl_exec_arg_t>> arguments;  // by part
  };
  ByteProduct(DataType x_type, int threads);
  // A form for each of `descs`, which are alike but for sizes; `plain` says how the parts of w lie.
  template <typename Primitive, typename PrimitiveDesc>
  void Prepare(const std::vector<Tensor>& parts, const dnnl::memory::desc& plain, const std::vector<PrimitiveDesc>& descs);
  void MakeLanes(int lanes);
  void SumTaps(const ConvSizes& sizes, const Tensor& w);
  dnnl::memory::data_type XType() const;
  void SetCorrections(int32_t zero);

  DataType x_type_;
  bool integer_;
  int threads_;
  int64_t rows_ = 0;
  int64_t channels_ = 0;
  int64_t x_count_ = 0;
  std::vector<uint32_t> factors_;  // by part
  std::vector<Piece> pieces_;
  std::vector<Form> forms_;
  std::vector<std::vector<Call>> lanes_;  // by lane and form
  size_t part_at_ = 0;    // of a lane's scratch: the sums of one part, where they do not go straight to the result
  size_t scratch_bytes_ = 0;
  size_t lane_scratch_bytes_ = 0;
  size_t prepared_bytes_ = 0;
  std::vector<int32_t> tap_sums_;     // by kind of place and channel: the sum of the weights that meet x there
  std::vector<int32_t> bias_;
  std::vector<int32_t> corrections_;  // bias_ less tap_sums_ times the zero point of the last run
  std::vector<uint32_t> kinds_;       // by place of all images; empty: all are of one kind
  std::optional<int32_t> zero_;       // of the last run
};

}  // namespace atc::kernels

// Exact sums of products of 8-bit numbers with constant integer weights, for convolutions and matrix products.
#pragma once

#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "backend/kernels/onednn/engine.h"
#include "compiler/ir/tensor.h"
#include "compiler/ops/conv_spec.h"

namespace atc::kernels {

// With instructions that add products of bytes without saturating (VNNI) the sums are taken in int32; without them, in
// float, which is exact while no sum can reach 2^24. Weights that either way does not hold are split in two parts, whose
// sums are joined again.
class ByteProduct {
 public:
  // x is [N, H, W, C] of `x_type` (int8 or uint8), w int32 [M, C / groups, KH, KW] with |w| <= 255; sums [N, OH, OW, M].
  // nullptr where the window has not two axes or no exact way is known.
  static std::unique_ptr<ByteProduct> Convolution(const ConvSizes& sizes, DataType x_type, const Tensor& w, int threads);
  // x is [m, k], w int32 [k, n] or, transposed, [n, k]; sums [m, n].
  static std::unique_ptr<ByteProduct> Product(int64_t m, DataType x_type, const Tensor& w, bool transpose, int threads);

  // A number for each channel that is part of Correction; once, before the first run.
  void AddBias(std::vector<int32_t> bias) { bias_ = std::move(bias); }

  // sums + Correction(place) are those of (x - zero) * w, where what lies in padding counts as zero, plus the bias. They
  // wrap.
  void Run(const void* x, int32_t zero, int32_t* sums, std::byte* scratch);
  // One number a channel, for place 0 to places() - 1 of an image (of a matrix: the only row stands for all); nullptr
  // where nothing is to be added.
  const int32_t* Correction(int64_t place) const;

  int64_t rows() const { return rows_; }          // places of all images
  int64_t places() const { return places_; }
  int64_t channels() const { return channels_; }
  size_t scratch_bytes() const { return scratch_bytes_; }
  size_t prepared_bytes() const { return prepared_bytes_; }

 private:
  struct Part {
    uint32_t factor;
    dnnl::primitive primitive;
    dnnl::memory weights;
    std::unordered_map<int, dnnl::memory> arguments;  // looked up by oneDNN, never walked
  };
  ByteProduct(DataType x_type, int threads);
  // `describe` makes the primitive's description for weights, in any layout, and attributes; `plain` says how w lies.
  template <typename PrimitiveDesc, typename Primitive, typename Describe>
  void Prepare(const std::vector<Tensor>& parts, const std::vector<uint32_t>& factors, const dnnl::memory::desc& plain,
               Describe describe);
  void SumTaps(const ConvSizes& sizes, const Tensor& w);
  dnnl::memory::data_type XType() const;
  size_t Reserve(size_t bytes);
  void SetCorrections(int32_t zero);

  DataType x_type_;
  bool integer_;
  int threads_;
  int64_t rows_ = 0;
  int64_t places_ = 1;
  int64_t channels_ = 0;
  int64_t x_count_ = 0;
  std::vector<Part> parts_;
  dnnl::memory x_, y_, scratchpad_;
  size_t x_at_ = 0;       // of x widened to float
  size_t part_at_ = 0;    // of the sums of one part, where they do not go straight to the result
  size_t scratchpad_at_ = 0;
  size_t scratch_bytes_ = 0;
  size_t prepared_bytes_ = 0;
  std::vector<int32_t> tap_sums_;     // by kind of place and channel: the sum of the weights that meet x there
  std::vector<int32_t> bias_;
  std::vector<int32_t> corrections_;  // bias_ less tap_sums_ times the zero point of the last run
  std::vector<uint32_t> kinds_;       // by place; empty: all are of one kind
  std::optional<int32_t> zero_;       // of the last run
};

}  // namespace atc::kernels

// Sums of a ByteProduct by oneDNN.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "backend/kernels/byte_product.h"
#include "backend/kernels/onednn/engine.h"
#include "compiler/ops/conv_spec.h"

namespace atc::kernels {

// With instructions that add products of bytes without saturating (VNNI) the sums are taken in int32; without them, in
// float, which is exact while no sum can reach 2^24. Weights that either way does not hold are split in two parts, whose
// sums are joined again (byte_weights.h).
class OneDnnByteProduct : public ByteProduct {
 public:
  static std::unique_ptr<ByteProduct> Convolution(const ConvSizes& sizes, DataType x_type, const Tensor& w, int threads);
  static std::unique_ptr<ByteProduct> Matrix(int64_t m, DataType x_type, const Tensor& w, bool transpose, int threads);

  void AddBias(std::vector<int32_t> bias) override { bias_ = std::move(bias); }
  int lanes() const override { return static_cast<int>(lanes_.size()); }
  const void* Begin(const void* x, int32_t zero, std::byte* scratch) override;
  void Sum(const Piece& piece, int lane, const void* begun, int32_t* sums, std::byte* lane_scratch) override;
  SumRows RowsOf(const Piece& piece, const int32_t* sums) const override;

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
  OneDnnByteProduct(DataType x_type, int threads);
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
  int64_t x_count_ = 0;
  std::vector<uint32_t> factors_;  // by part
  std::vector<Form> forms_;
  std::vector<std::vector<Call>> lanes_;  // by lane and form
  size_t part_at_ = 0;    // of a lane's scratch: the sums of one part, where they do not go straight to the result
  std::vector<int32_t> tap_sums_;     // by kind of place and channel: the sum of the weights that meet x there
  std::vector<int32_t> bias_;
  std::vector<int32_t> corrections_;  // bias_ less tap_sums_ times the zero point of the last run
  std::vector<uint32_t> kinds_;       // by place of all images; empty: all are of one kind
  std::optional<int32_t> zero_;       // of the last run
};

}  // namespace atc::kernels

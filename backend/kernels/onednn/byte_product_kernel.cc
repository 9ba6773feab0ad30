#include "backend/kernels/onednn/byte_product_kernel.h"

#include "backend/kernels/layout.h"
#include "compiler/ops/quantize_number.h"

namespace atc::kernels {
namespace {

class ByteProductKernel : public Kernel {
 public:
  ByteProductKernel(const KernelSpec& spec, ByteProductTask task)
      : task_(std::move(task)), x_(spec.inputs[task_.x_port]), y_(spec.outputs[0]), threads_(spec.threads) {
    turn_x_ = task_.images && !x_.channels_last;
    turn_y_ = task_.images && !y_.channels_last;
    const auto count = static_cast<size_t>(task_.product->rows() * task_.product->channels());
    scratch_bytes_ = (task_.product->scratch_bytes() + 63) / 64 * 64;
    const auto reserve = [&](size_t bytes) {
      const size_t at = scratch_bytes_;
      scratch_bytes_ += (bytes + 63) / 64 * 64;
      return at;
    };
    sums_at_ = reserve(count * sizeof(int32_t));
    if (turn_x_) x_at_ = reserve(DataTypeBytes(x_.dtype, x_.shape.NumElements()));
    if (turn_y_) turned_at_ = reserve(count * sizeof(float));
    if (task_.tail) floats_at_ = reserve(count * sizeof(float));
  }

  size_t scratch_bytes() const override { return scratch_bytes_; }
  size_t prepared_bytes() const override { return task_.product->prepared_bytes(); }

  void Run(const void* const* inputs, void* const* outputs, std::byte* scratch) override {
    const void* x = inputs[task_.x_port];
    if (turn_x_) {
      ToChannelsLast(scratch + x_at_, x, x_.shape, 1, threads_);
      x = scratch + x_at_;
    }
    auto* sums = reinterpret_cast<int32_t*>(scratch + sums_at_);
    task_.product->Run(x, ZeroOf(inputs), sums, scratch);
    void* result = task_.tail ? scratch + floats_at_ : outputs[0];
    Write(turn_y_ ? scratch + turned_at_ : result, sums);
    if (turn_y_) FromChannelsLast(result, scratch + turned_at_, y_.shape, Width(), threads_);
    if (task_.tail) task_.tail->Run(inputs, static_cast<const float*>(result), outputs[0], threads_);
  }

 private:
  int Width() const { return task_.form == ByteProductTask::kSums || task_.form == ByteProductTask::kFloats ? 4 : 1; }

  int32_t ZeroOf(const void* const* inputs) const {
    if (task_.zero_port < 0) return 0;
    const void* zero = inputs[task_.zero_port];
    return x_.dtype == DT_UINT8 ? *static_cast<const uint8_t*>(zero) : *static_cast<const int8_t*>(zero);
  }

  void Write(void* out, const int32_t* sums) const {
    const ByteProduct& product = *task_.product;
    const int64_t rows = product.rows(), channels = product.channels(), places = product.places();
    const ChannelScales& scales = task_.scales;
#pragma omp parallel for num_threads(threads_) schedule(static) if (threads_ > 1 && rows * channels > 16384)
    for (int64_t row = 0; row < rows; ++row) {
      const int32_t* from = sums + row * channels;
      const int32_t* correction = product.Correction(row % places);
      switch (task_.form) {
        case ByteProductTask::kSums: {
          auto* to = static_cast<uint32_t*>(out) + row * channels;
          for (int64_t c = 0; c < channels; ++c) {
            to[c] = static_cast<uint32_t>(from[c]) + (correction ? static_cast<uint32_t>(correction[c]) : 0u);
          }
          break;
        }
        case ByteProductTask::kFloats:
          ScaleRow(static_cast<float*>(out) + row * channels, from, correction, scales);
          break;
        case ByteProductTask::kQuantized:
          QuantizeRow(static_cast<uint8_t*>(out) + row * channels, from, correction, scales, task_.rounding);
          break;
        case ByteProductTask::kRounded:
          RoundRow(static_cast<uint8_t*>(out) + row * channels, from, correction, scales, task_.rounding);
          break;
      }
    }
  }

  ByteProductTask task_;
  Port x_;
  Port y_;
  int threads_;
  bool turn_x_ = false;
  bool turn_y_ = false;
  size_t sums_at_ = 0;
  size_t x_at_ = 0;
  size_t turned_at_ = 0;
  size_t floats_at_ = 0;
  size_t scratch_bytes_ = 0;
};

}  // namespace

std::unique_ptr<Kernel> MakeByteProductKernel(const KernelSpec& spec, ByteProductTask task) {
  return std::make_unique<ByteProductKernel>(spec, std::move(task));
}

Tensor ShiftedWeights(const Tensor& w, const Tensor* zero, int64_t axis) {
  std::string fault;
  Tensor shifted = ShiftedToInt32(w, zero == nullptr ? Tensor() : *zero, axis, &fault);
  return fault.empty() ? shifted : Tensor();
}

}  // namespace atc::kernels

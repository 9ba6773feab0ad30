// Maximum pooling of 8-bit images, channels last: whole rows of channels at a time.
#include <algorithm>
#include <cstring>
#include <limits>

#include "backend/kernels/for_team.h"
#include "backend/kernels/kernel.h"
#include "compiler/ops/pool_spec.h"

namespace atc::kernels {
namespace {

template <typename T>
class ByteMaxPoolingKernel : public Kernel {
 public:
  ByteMaxPoolingKernel(const KernelSpec& spec, PoolFit fit)
      : x_(spec.inputs[0].shape), y_(spec.outputs[0].shape), axes_(std::move(fit.axes)), threads_(spec.threads) {}

  void Run(const void* const* inputs, void* const* outputs, std::byte*) override {
    const auto* x = static_cast<const T*>(inputs[0]);
    auto* y = static_cast<T*>(outputs[0]);
    const int64_t channels = x_[1], rows = x_[0] * axes_[0].out;
    ForTeam(y_.NumElements() > 32768 ? threads_ : 1, rows, [&](int64_t row) {
      const WindowAxis &h = axes_[0], &w = axes_[1];
      const int64_t image = row / h.out, top = row % h.out * h.stride - h.pad_begin;
      const auto [first_row, last_row] = TapsInside(h, top, 0, h.in);
      for (int64_t column = 0; column < w.out; ++column) {
        const int64_t left = column * w.stride - w.pad_begin;
        const auto [first_column, last_column] = TapsInside(w, left, 0, w.in);
        T* to = y + (row * w.out + column) * channels;
        std::fill_n(to, channels, std::numeric_limits<T>::lowest());
        for (int64_t r = first_row; r < last_row; ++r) {
          for (int64_t s = first_column; s < last_column; ++s) {
            const T* from = x + ((image * h.in + top + r * h.dilation) * w.in + left + s * w.dilation) * channels;
            for (int64_t c = 0; c < channels; ++c) to[c] = std::max(to[c], from[c]);
          }
        }
      }
    });
  }

 private:
  Shape x_;
  Shape y_;
  std::vector<WindowAxis> axes_;
  int threads_;
};

}  // namespace

std::unique_ptr<Kernel> MakeByteMaxPooling(const KernelSpec& spec) {
  if (!(spec.node.type() == "MaxPoolV3") || spec.node.fused || spec.outputs.size() != 1) return nullptr;
  const Port& x = spec.inputs[0];
  const bool byte = x.dtype == DT_UINT8 || x.dtype == DT_INT8;
  if (!byte || spec.outputs[0].dtype != x.dtype || !x.channels_last || !spec.outputs[0].channels_last) return nullptr;
  PoolFit fit = FitPool(spec.node, x.shape);
  if (!fit.fault.empty() || fit.axes.size() != 2 || spec.outputs[0].shape.NumElements() == 0) return nullptr;
  if (x.dtype == DT_UINT8) return std::make_unique<ByteMaxPoolingKernel<uint8_t>>(spec, std::move(fit));
  return std::make_unique<ByteMaxPoolingKernel<int8_t>>(spec, std::move(fit));
}

}  // namespace atc::kernels

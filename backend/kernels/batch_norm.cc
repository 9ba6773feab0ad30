// Batch normalisation by constant statistics: a scale and a shift for each channel.
#include <cmath>
#include <vector>

#include "backend/kernels/for_team.h"
#include "backend/kernels/kernel.h"
#include "backend/kernels/rows.h"
#include "compiler/ops/data_format.h"
#include "compiler/ops/evaluator.h"

namespace atc::kernels {
namespace {

constexpr int64_t kTeamElements = 64 * 1024;

class BatchNormKernel : public Kernel {
 public:
  // x as [rows, channels] where `last`, else as [rows, inner] with one channel a row, in turn.
  BatchNormKernel(std::vector<float> scale, std::vector<float> shift, bool last, int64_t rows, int64_t inner, int threads)
      : scale_(std::move(scale)), shift_(std::move(shift)), last_(last), rows_(rows), inner_(inner), threads_(threads) {}

  bool Reads(size_t port) const override { return port == 0; }
  void Run(const void* const* inputs, void* const* outputs, std::byte*) override {
    const auto* x = static_cast<const float*>(inputs[0]);
    auto* y = static_cast<float*>(outputs[0]);
    const auto channels = static_cast<int64_t>(scale_.size());
    const int64_t width = last_ ? channels : inner_;
    ForTeam(rows_ * width >= kTeamElements ? threads_ : 1, rows_, [&](int64_t r) {
      if (last_) {
        ScaleShiftRow(y + r * width, x + r * width, scale_.data(), shift_.data(), width);
      } else {
        const auto c = static_cast<size_t>(r % channels);
        ScaleShiftAll(y + r * width, x + r * width, scale_[c], shift_[c], width);
      }
    });
  }

 private:
  std::vector<float> scale_, shift_;
  bool last_;
  int64_t rows_, inner_;
  int threads_;
};

}  // namespace

std::unique_ptr<Kernel> MakeBatchNorm(const KernelSpec& spec) {
  if (!(spec.node.type() == "BatchNorm") || spec.node.fused || spec.outputs.size() != 1 || spec.inputs.size() < 5) return nullptr;
  if (spec.node.Attr<bool>("is_training")) return nullptr;
  const Port& x = spec.inputs[0];
  if (x.dtype != DT_FLOAT || spec.outputs[0].dtype != DT_FLOAT || x.shape.rank() < 2) return nullptr;
  if (x.channels_last != spec.outputs[0].channels_last || x.shape.NumElements() == 0) return nullptr;
  const bool last = x.channels_last || (IsChannelsLast(spec.node) && x.shape.rank() > 2);
  const int64_t channels = IsChannelsLast(spec.node) && x.shape.rank() > 2 ? x.shape[x.shape.rank() - 1] : x.shape[1];
  Tensor values[4];
  for (size_t i = 0; i < 4; ++i) {
    const Port& port = spec.inputs[i + 1];
    if (!port.present || port.constant == nullptr) return nullptr;
    values[i] = Widen(*port.constant);
    if (values[i].dtype() != DT_FLOAT || values[i].NumElements() != channels) return nullptr;
  }
  const double epsilon = spec.node.Attr<float>("epsilon");
  std::vector<float> scale, shift;
  for (int64_t c = 0; c < channels; ++c) {
    const double factor = values[0].Data<float>()[c] / std::sqrt(values[3].Data<float>()[c] + epsilon);
    scale.push_back(static_cast<float>(factor));
    shift.push_back(static_cast<float>(values[1].Data<float>()[c] - values[2].Data<float>()[c] * factor));
  }
  const int64_t count = x.shape.NumElements();
  const int64_t inner = count / (x.shape[0] * channels);
  return std::make_unique<BatchNormKernel>(std::move(scale), std::move(shift), last, last ? count / channels : x.shape[0] * channels,
                                           inner, spec.threads);
}

}  // namespace atc::kernels

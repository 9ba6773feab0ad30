#include "backend/kernels/adapted.h"

#include <algorithm>

#include "backend/kernels/half_convert.h"
#include "compiler/ops/evaluator.h"

namespace atc::kernels {
namespace {

class AdaptedKernel : public Kernel {
 public:
  AdaptedKernel(std::unique_ptr<Kernel> inner, const std::vector<Adaptation>& inputs, const std::vector<Adaptation>& outputs,
                std::vector<std::unique_ptr<Tensor>> constants, int threads)
      : inner_(std::move(inner)), constants_(std::move(constants)), threads_(threads), from_(inputs.size()), to_(outputs.size()) {
    constants_.resize(inputs.size());
    for (const Adaptation& input : inputs) inputs_.push_back(Reserve(input, true));
    for (const Adaptation& output : outputs) outputs_.push_back(Reserve(output, false));
  }

  size_t scratch_bytes() const override { return bytes_ + inner_->scratch_bytes(); }
  size_t prepared_bytes() const override { return inner_->prepared_bytes(); }
  bool Reads(size_t port) const override { return inner_->Reads(port) && constants_[port] == nullptr; }

  void Run(const void* const* inputs, void* const* outputs, std::byte* scratch) override {
    for (size_t i = 0; i < inputs_.size(); ++i) {
      const Place& place = inputs_[i];
      from_[i] = constants_[i] ? constants_[i]->Data() : inputs[i];
      if (constants_[i] || inputs[i] == nullptr || place.way.kind == Adaptation::kAsIs) continue;
      Convert(place.way, scratch + place.at, inputs[i]);
      from_[i] = scratch + place.at;
    }
    for (size_t i = 0; i < outputs_.size(); ++i) {
      to_[i] = outputs[i] != nullptr && outputs_[i].InScratch() ? scratch + outputs_[i].at : outputs[i];
    }
    inner_->Run(from_.data(), to_.data(), scratch + bytes_);
    for (size_t i = 0; i < outputs_.size(); ++i) {
      if (outputs[i] != nullptr && outputs_[i].way.kind != Adaptation::kAsIs) Convert(outputs_[i].way, outputs[i], to_[i]);
    }
  }

 private:
  struct Place {
    Adaptation way;
    size_t at;  // in scratch
    bool InScratch() const { return way.kind == Adaptation::kWiden || way.kind == Adaptation::kNarrow; }
  };

  // `input`: the scratch has what the conversion gives, else what it takes.
  Place Reserve(const Adaptation& way, bool input) {
    const Place place{way, bytes_};
    const size_t width = (way.kind == Adaptation::kWiden) == input ? sizeof(float) : sizeof(uint16_t);
    if (place.InScratch()) bytes_ += (way.count * width + 63) / 64 * 64;
    return place;
  }

  void Convert(const Adaptation& way, void* to, const void* from) const {
    if (way.kind == Adaptation::kWiden) return ParallelWidenTo(static_cast<float*>(to), from, way.half, way.count, threads_);
    if (way.kind == Adaptation::kNarrow) return ParallelNarrowTo(to, way.half, static_cast<const float*>(from), way.count, threads_);
    ParallelRoundTo(static_cast<float*>(to), way.half, static_cast<const float*>(from), way.count, threads_);
  }

  std::unique_ptr<Kernel> inner_;
  std::vector<std::unique_ptr<Tensor>> constants_;
  std::vector<Place> inputs_, outputs_;
  size_t bytes_ = 0;
  int threads_;
  std::vector<const void*> from_;
  std::vector<void*> to_;
};

size_t Elements(const Port& port) { return port.present ? static_cast<size_t>(port.shape.NumElements()) : 0; }

// Rounds what the kernel does not round itself.
std::unique_ptr<Kernel> WithRounding(std::unique_ptr<Kernel> kernel, const KernelSpec& spec) {
  if (kernel == nullptr || kernel->RoundsOutputs()) return kernel;
  std::vector<Adaptation> outputs;
  for (const Port& port : spec.outputs) {
    const auto kind = port.rounded == DT_UNDEFINED ? Adaptation::kAsIs : Adaptation::kRound;
    outputs.push_back({kind, port.rounded, Elements(port)});
  }
  const bool any = std::any_of(outputs.begin(), outputs.end(), [](const Adaptation& a) { return a.kind != Adaptation::kAsIs; });
  if (!any) return kernel;
  return Adapt(std::move(kernel), std::vector<Adaptation>(spec.inputs.size()), outputs, {}, spec.threads);
}

// Constants stay as they are: kernels widen them once.
std::unique_ptr<Kernel> MakeAllWide(const KernelSpec& spec) {
  KernelSpec wide = spec;
  std::vector<Adaptation> inputs, outputs;
  const auto adapt = [](Port& port, Adaptation::Kind kind) {
    Adaptation made;
    if (!port.present || port.constant != nullptr || !IsHalf(port.dtype)) return made;
    made = {kind, port.dtype, Elements(port)};
    port.dtype = DT_FLOAT;
    return made;
  };
  for (Port& port : wide.inputs) inputs.push_back(adapt(port, Adaptation::kWiden));
  for (Port& port : wide.outputs) outputs.push_back(adapt(port, Adaptation::kNarrow));
  std::unique_ptr<Kernel> kernel = WithRounding(MakeFastKernel(wide), wide);
  return kernel == nullptr ? nullptr : Adapt(std::move(kernel), inputs, outputs, {}, spec.threads);
}

std::unique_ptr<Kernel> MakeAllNarrow(const KernelSpec& spec) {
  KernelSpec narrow = spec;
  std::vector<Adaptation> inputs, outputs;
  const auto adapt = [](Port& port, Adaptation::Kind kind) {
    Adaptation made;
    if (port.rounded == DT_UNDEFINED) return made;
    made = {kind, port.rounded, Elements(port)};
    port.dtype = port.rounded;
    port.rounded = DT_UNDEFINED;
    return made;
  };
  for (Port& port : narrow.inputs) inputs.push_back(adapt(port, Adaptation::kNarrow));
  for (Port& port : narrow.outputs) outputs.push_back(adapt(port, Adaptation::kWiden));
  return Adapt(MakeKernel(narrow), inputs, outputs, {}, spec.threads);
}

}  // namespace

std::unique_ptr<Kernel> Adapt(std::unique_ptr<Kernel> inner, const std::vector<Adaptation>& inputs,
                              const std::vector<Adaptation>& outputs, std::vector<std::unique_ptr<Tensor>> constants,
                              int threads) {
  return std::make_unique<AdaptedKernel>(std::move(inner), inputs, outputs, std::move(constants), threads);
}

std::unique_ptr<Kernel> MakeRounded(const KernelSpec& spec) {
  if (std::unique_ptr<Kernel> kernel = WithRounding(MakeFastKernel(spec), spec)) return kernel;
  if (std::unique_ptr<Kernel> kernel = MakeAllWide(spec)) return kernel;
  return MakeAllNarrow(spec);
}

}  // namespace atc::kernels

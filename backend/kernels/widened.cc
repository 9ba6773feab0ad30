// Half tensors of kernels that know floats alone: widened into scratch before, narrowed after.
#include <memory>

#include "backend/kernels/half_convert.h"
#include "backend/kernels/kernel.h"
#include "compiler/ops/evaluator.h"

namespace atc::kernels {
namespace {

constexpr Factory kOfFloats[] = {MakeBatchNorm, MakeResize, MakeResponseNorm};

class WidenedKernel : public Kernel {
 public:
  struct Place {
    DataType dtype;
    size_t count;
    size_t at;  // in scratch
  };
  WidenedKernel(std::unique_ptr<Kernel> inner, std::vector<std::unique_ptr<Tensor>> constants, std::vector<Place> inputs,
                std::vector<Place> outputs, size_t bytes, int threads)
      : inner_(std::move(inner)), constants_(std::move(constants)), inputs_(std::move(inputs)),
        outputs_(std::move(outputs)), bytes_(bytes), threads_(threads), from_(inputs_.size()), to_(outputs_.size()) {}

  size_t scratch_bytes() const override { return bytes_ + inner_->scratch_bytes(); }
  bool Reads(size_t port) const override { return inner_->Reads(port) && constants_[port] == nullptr; }

  void Run(const void* const* inputs, void* const* outputs, std::byte* scratch) override {
    for (size_t i = 0; i < inputs_.size(); ++i) {
      from_[i] = inputs[i];
      if (constants_[i]) from_[i] = constants_[i]->Data();
      if (constants_[i] || !IsHalf(inputs_[i].dtype)) continue;
      auto* wide = reinterpret_cast<float*>(scratch + inputs_[i].at);
      ParallelWidenTo(wide, inputs[i], inputs_[i].dtype, inputs_[i].count, threads_);
      from_[i] = wide;
    }
    for (size_t i = 0; i < outputs_.size(); ++i) {
      to_[i] = outputs[i] != nullptr && IsHalf(outputs_[i].dtype) ? scratch + outputs_[i].at : outputs[i];
    }
    inner_->Run(from_.data(), to_.data(), scratch + bytes_);
    for (size_t i = 0; i < outputs_.size(); ++i) {
      if (to_[i] == outputs[i]) continue;
      ParallelNarrowTo(outputs[i], outputs_[i].dtype, static_cast<const float*>(to_[i]), outputs_[i].count, threads_);
    }
  }

 private:
  std::unique_ptr<Kernel> inner_;
  std::vector<std::unique_ptr<Tensor>> constants_;  // by input; nullptr: it is no constant of a half type
  std::vector<Place> inputs_, outputs_;
  size_t bytes_;
  int threads_;
  std::vector<const void*> from_;
  std::vector<void*> to_;
};

}  // namespace

std::unique_ptr<Kernel> MakeWidened(const KernelSpec& spec) {
  if (!spec.node.Is(kWidenHalf) || spec.node.fused) return nullptr;
  KernelSpec wide = spec;
  bool any = false;
  size_t bytes = 0;
  std::vector<std::unique_ptr<Tensor>> constants(spec.inputs.size());
  const auto place = [&](Port& port) {
    const WidenedKernel::Place found{port.dtype, static_cast<size_t>(port.present ? port.shape.NumElements() : 0), bytes};
    if (!port.present || !IsHalf(port.dtype)) return found;
    any = true;
    bytes += (found.count * sizeof(float) + 63) / 64 * 64;
    port.dtype = DT_FLOAT;
    return found;
  };
  std::vector<WidenedKernel::Place> inputs, outputs;
  for (size_t i = 0; i < wide.inputs.size(); ++i) {
    Port& port = wide.inputs[i];
    if (port.present && IsHalf(port.dtype) && port.constant != nullptr) {
      constants[i] = std::make_unique<Tensor>(Widen(*port.constant));
      port.constant = constants[i].get();
      port.dtype = DT_FLOAT;
      any = true;
    }
    inputs.push_back(place(port));
  }
  for (Port& port : wide.outputs) outputs.push_back(place(port));
  if (!any) return nullptr;
  for (const Factory make : kOfFloats) {
    if (std::unique_ptr<Kernel> inner = make(wide)) {
      return std::make_unique<WidenedKernel>(std::move(inner), std::move(constants), std::move(inputs), std::move(outputs),
                                             bytes, spec.threads);
    }
  }
  return nullptr;
}

}  // namespace atc::kernels

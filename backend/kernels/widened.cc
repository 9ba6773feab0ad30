// Half tensors of kernels that know floats alone: widened into scratch before, narrowed after.
#include <memory>

#include "backend/kernels/adapted.h"
#include "compiler/ops/evaluator.h"

namespace atc::kernels {
namespace {

constexpr Factory kOfFloats[] = {MakeBatchNorm, MakeResize, MakeResponseNorm};

}  // namespace

std::unique_ptr<Kernel> MakeWidened(const KernelSpec& spec) {
  if (!spec.node.Is(kWidenHalf) || spec.node.fused) return nullptr;
  KernelSpec wide = spec;
  bool any = false;
  std::vector<std::unique_ptr<Tensor>> constants(spec.inputs.size());
  const auto adapt = [&](Port& port, Adaptation::Kind kind) {
    Adaptation made;
    if (!port.present || !IsHalf(port.dtype)) return made;
    any = true;
    made = {kind, port.dtype, static_cast<size_t>(port.shape.NumElements())};
    port.dtype = DT_FLOAT;
    return made;
  };
  std::vector<Adaptation> inputs, outputs;
  for (size_t i = 0; i < wide.inputs.size(); ++i) {
    Port& port = wide.inputs[i];
    if (port.present && IsHalf(port.dtype) && port.constant != nullptr) {
      constants[i] = std::make_unique<Tensor>(Widen(*port.constant));
      port.constant = constants[i].get();
      port.dtype = DT_FLOAT;
      any = true;
    }
    inputs.push_back(adapt(port, Adaptation::kWiden));
  }
  for (Port& port : wide.outputs) outputs.push_back(adapt(port, Adaptation::kNarrow));
  if (!any) return nullptr;
  for (const Factory make : kOfFloats) {
    if (std::unique_ptr<Kernel> inner = make(wide)) {
      return Adapt(std::move(inner), inputs, outputs, std::move(constants), spec.threads);
    }
  }
  return nullptr;
}

}  // namespace atc::kernels

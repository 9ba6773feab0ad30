// Cast between float and the half types; other conversions go to the reference kernel.
#include "backend/kernels/half_convert.h"
#include "backend/kernels/kernel.h"

namespace atc::kernels {
namespace {

class CastKernel : public Kernel {
 public:
  CastKernel(DataType from, DataType to, size_t count, int threads)
      : from_(from), to_(to), count_(count), threads_(threads) {}

  void Run(const void* const* inputs, void* const* outputs, std::byte*) override {
    if (to_ == DT_FLOAT) {
      ParallelWidenTo(static_cast<float*>(outputs[0]), inputs[0], from_, count_, threads_);
    } else {
      ParallelNarrowTo(outputs[0], to_, static_cast<const float*>(inputs[0]), count_, threads_);
    }
  }

 private:
  DataType from_;
  DataType to_;
  size_t count_;
  int threads_;
};

}  // namespace

std::unique_ptr<Kernel> MakeCast(const KernelSpec& spec) {
  if (!(spec.node.type() == "Cast") || spec.node.fused) return nullptr;
  const DataType from = spec.inputs[0].dtype;
  const DataType to = spec.outputs[0].dtype;
  if (!(from == DT_FLOAT && IsHalf(to)) && !(to == DT_FLOAT && IsHalf(from))) return nullptr;
  if (spec.inputs[0].channels_last != spec.outputs[0].channels_last) return nullptr;
  return std::make_unique<CastKernel>(from, to, spec.outputs[0].shape.NumElements(), spec.threads);
}

}  // namespace atc::kernels

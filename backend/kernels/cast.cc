// Cast between float and the half types; other conversions go to the reference kernel.
#include "backend/kernels/half_convert.h"
#include "backend/kernels/kernel.h"

namespace atc::kernels {
namespace {

class CastKernel : public Kernel {
 public:
  // `rounds`: to the numbers of `to`, still as floats.
  CastKernel(DataType from, DataType to, bool rounds, size_t count, int threads)
      : from_(from), to_(to), rounds_(rounds), count_(count), threads_(threads) {}

  bool RoundsOutputs() const override { return true; }

  void Run(const void* const* inputs, void* const* outputs, std::byte*) override {
    if (rounds_) {
      ParallelRoundTo(static_cast<float*>(outputs[0]), to_, static_cast<const float*>(inputs[0]), count_, threads_);
    } else if (to_ == DT_FLOAT) {
      ParallelWidenTo(static_cast<float*>(outputs[0]), inputs[0], from_, count_, threads_);
    } else {
      ParallelNarrowTo(outputs[0], to_, static_cast<const float*>(inputs[0]), count_, threads_);
    }
  }

 private:
  DataType from_;
  DataType to_;
  bool rounds_;
  size_t count_;
  int threads_;
};

}  // namespace

std::unique_ptr<Kernel> MakeCast(const KernelSpec& spec) {
  if (!(spec.node.type() == "Cast") || spec.node.fused) return nullptr;
  const DataType from = spec.inputs[0].dtype;
  const bool rounds = spec.outputs[0].rounded != DT_UNDEFINED;
  const DataType to = rounds ? spec.outputs[0].rounded : spec.outputs[0].dtype;
  if (rounds && from != DT_FLOAT) return nullptr;
  const bool copies = from == DT_FLOAT && to == DT_FLOAT && spec.inputs[0].rounded != DT_UNDEFINED;
  if (!copies && !(from == DT_FLOAT && IsHalf(to)) && !(to == DT_FLOAT && IsHalf(from))) return nullptr;
  if (spec.inputs[0].channels_last != spec.outputs[0].channels_last) return nullptr;
  return std::make_unique<CastKernel>(from, to, rounds, spec.outputs[0].shape.NumElements(), spec.threads);
}

}  // namespace atc::kernels

// TransData between NCHW and the slot of NC1HWC0, which holds channels-last on this device.
#include <cstring>

#include "backend/kernels/kernel.h"
#include "backend/kernels/layout.h"

namespace atc::kernels {
namespace {

class TransDataKernel : public Kernel {
 public:
  TransDataKernel(const Port& port, bool to_channels_last, int threads)
      : turn_((to_channels_last ? ChannelsToLast : ChannelsToFirst)(port.shape, DataTypeBits(port.dtype) / 8)), threads_(threads) {}

  bool RoundsOutputs() const override { return true; }  // it moves what is rounded
  void Run(const void* const* inputs, void* const* outputs, std::byte*) override {
    turn_.Run(inputs[0], outputs[0], threads_);
  }

 private:
  StridedCopy turn_;
  int threads_;
};

// Of a tensor whose origin has its channels last, slot and origin view are one.
class CopyKernel : public Kernel {
 public:
  explicit CopyKernel(const Port& port) : bytes_(DataTypeBytes(port.dtype, port.shape.NumElements())) {}

  bool RoundsOutputs() const override { return true; }  // it moves what is rounded
  void Run(const void* const* inputs, void* const* outputs, std::byte*) override {
    if (bytes_ > 0) std::memcpy(outputs[0], inputs[0], bytes_);
  }

 private:
  size_t bytes_;
};

}  // namespace

std::unique_ptr<Kernel> MakeTransData(const KernelSpec& spec) {
  if (!(spec.node.type() == "TransData")) return nullptr;
  if (spec.inputs[0].channels_last == spec.outputs[0].channels_last) return std::make_unique<CopyKernel>(spec.outputs[0]);
  return std::make_unique<TransDataKernel>(spec.outputs[0], spec.outputs[0].channels_last, spec.threads);
}

}  // namespace atc::kernels

// TransData between NCHW and the slot of NC1HWC0, which holds channels-last on this device.
#include "backend/kernels/kernel.h"
#include "backend/kernels/layout.h"

namespace atc::kernels {
namespace {

class TransDataKernel : public Kernel {
 public:
  TransDataKernel(const Port& port, bool to_channels_last, int threads)
      : shape_(port.shape), width_(DataTypeBits(port.dtype) / 8), to_channels_last_(to_channels_last), threads_(threads) {}

  void Run(const void* const* inputs, void* const* outputs, std::byte*) override {
    (to_channels_last_ ? ToChannelsLast : FromChannelsLast)(outputs[0], inputs[0], shape_, width_, threads_);
  }

 private:
  Shape shape_;
  int width_;
  bool to_channels_last_;
  int threads_;
};

}  // namespace

std::unique_ptr<Kernel> MakeTransData(const KernelSpec& spec) {
  if (!(spec.node.type() == "TransData") || spec.inputs[0].channels_last == spec.outputs[0].channels_last) return nullptr;
  return std::make_unique<TransDataKernel>(spec.outputs[0], spec.outputs[0].channels_last, spec.threads);
}

}  // namespace atc::kernels

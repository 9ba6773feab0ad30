// TransData between NCHW and the slot of NC1HWC0, which holds channels-last on this device.
#include <cstring>

#include "backend/kernels/kernel.h"
#include "backend/kernels/layout.h"
#include "compiler/ir/device_slot.h"

namespace atc::kernels {
namespace {

class TransDataKernel : public Kernel {
 public:
  TransDataKernel(StridedCopy turn, int threads) : turn_(std::move(turn)), threads_(threads) {}

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

// In elements, by axis of the origin view.
std::vector<int64_t> StridesOf(const Port& port) {
  if (!port.channels_last) return port.shape.Strides();
  const int64_t channels = port.shape[1], width = port.shape[3];
  return {channels * port.shape[2] * width, 1, width * channels, channels};
}

// Of one that stands for a Transpose too.
StridedCopy Transposed(const Port& from, const Port& to, const std::vector<int64_t>& order) {
  const std::vector<int64_t> strides = StridesOf(from);
  StridedCopy::Box box{to.shape.dims(), {}, StridesOf(to)};
  for (const int64_t axis : order) box.from.push_back(strides[static_cast<size_t>(axis)]);
  return StridedCopy(box, DataTypeBits(to.dtype) / 8);
}

}  // namespace

std::unique_ptr<Kernel> MakeTransData(const KernelSpec& spec) {
  if (!(spec.node.type() == "TransData")) return nullptr;
  const Port &from = spec.inputs[0], &to = spec.outputs[0];
  if (const auto order = TransposedInside(spec.node)) {
    return std::make_unique<TransDataKernel>(Transposed(from, to, *order), spec.threads);
  }
  if (from.channels_last == to.channels_last) return std::make_unique<CopyKernel>(to);
  const auto turned = to.channels_last ? ChannelsToLast : ChannelsToFirst;
  return std::make_unique<TransDataKernel>(turned(to.shape, DataTypeBits(to.dtype) / 8), spec.threads);
}

}  // namespace atc::kernels

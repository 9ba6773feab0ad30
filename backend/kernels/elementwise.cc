// Elementwise operators and chains of them on float and half tensors, and on 8-bit tensors that are dequantised first or
// quantised last.
#include "backend/kernels/byte_table.h"
#include "backend/kernels/elementwise_program.h"

namespace atc::kernels {
namespace {

class ElementwiseKernel : public Kernel {
 public:
  ElementwiseKernel(std::unique_ptr<ElementwiseProgram> program, int threads)
      : program_(std::move(program)), threads_(threads) {}

  bool RoundsOutputs() const override { return true; }
  void Run(const void* const* inputs, void* const* outputs, std::byte*) override {
    program_->Run(inputs, nullptr, outputs[0], threads_);
  }

 private:
  std::unique_ptr<ElementwiseProgram> program_;
  int threads_;
};

}  // namespace

std::unique_ptr<Kernel> MakeElementwise(const KernelSpec& spec) {
  const Name type = spec.node.type();
  const bool quantizes = type == "onnx::QuantizeLinear" || type == "onnx::DequantizeLinear";
  if (!quantizes && !spec.node.Is(kElementwise | kWidenHalf) && !(type == "onnx::Pow")) return nullptr;
  if (std::unique_ptr<Kernel> table = MakeByteTable(spec)) return table;
  if (std::unique_ptr<ElementwiseProgram> program = ElementwiseProgram::Make(spec, nullptr)) {
    return std::make_unique<ElementwiseKernel>(std::move(program), spec.threads);
  }
  return nullptr;
}

}  // namespace atc::kernels

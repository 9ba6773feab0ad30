// Elementwise operators and chains of them on float and half tensors.
#include "backend/kernels/elementwise_program.h"

namespace atc::kernels {
namespace {

class ElementwiseKernel : public Kernel {
 public:
  ElementwiseKernel(std::unique_ptr<ElementwiseProgram> program, int threads)
      : program_(std::move(program)), threads_(threads) {}

  void Run(const void* const* inputs, void* const* outputs, std::byte*) override {
    program_->Run(inputs, nullptr, outputs[0], threads_);
  }

 private:
  std::unique_ptr<ElementwiseProgram> program_;
  int threads_;
};

}  // namespace

std::unique_ptr<Kernel> MakeElementwise(const KernelSpec& spec) {
  if (!spec.node.Is(kElementwise | kWidenHalf) && !(spec.node.type() == "onnx::Pow")) return nullptr;
  if (std::unique_ptr<ElementwiseProgram> program = ElementwiseProgram::Make(spec, nullptr)) {
    return std::make_unique<ElementwiseKernel>(std::move(program), spec.threads);
  }
  return nullptr;
}

}  // namespace atc::kernels

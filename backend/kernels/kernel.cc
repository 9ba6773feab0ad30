#include "backend/kernels/kernel.h"

namespace atc::kernels {
namespace {

// Asked in order.
constexpr Factory kFactories[] = {
    MakeCast,          MakeTransData,     MakeOneDnnQuantizedUnit, MakeOneDnnIntegerProduct, MakeOneDnnConvolution,
    MakeOneDnnMatMul,  MakeOneDnnPooling, MakeOneDnnSoftmax,       MakeBytePooling,          MakeElementwise,
};

}  // namespace

std::unique_ptr<Kernel> MakeKernel(const KernelSpec& spec) {
  for (const Factory make : kFactories) {
    if (std::unique_ptr<Kernel> kernel = make(spec)) return kernel;
  }
  return MakeReference(spec);
}

}  // namespace atc::kernels

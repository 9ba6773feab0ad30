#include "compiler/ops/families.h"

namespace atc {
namespace {

using Register = void (*)(OpRegistry&);

// Sorted; the order has no meaning.
constexpr Register kFamilies[] = {
    RegisterActivationOps,
    RegisterAveragePoolOps,
    RegisterBatchNormOps,
    RegisterCompareOps,
    RegisterConvTransposeOps,
    RegisterConvolutionOps,
    RegisterElementwiseBinaryOps,
    RegisterElementwiseUnaryOps,
    RegisterGroupNormOps,
    RegisterLayerNormOps,
    RegisterMatMulOps,
    RegisterMaxPoolOps,
    RegisterRecurrentOps,
    RegisterReductionOps,
    RegisterResizeOps,
    RegisterResponseNormOps,
    RegisterSoftmaxOps,
    RegisterStructureOps,
};

}  // namespace

OpRegistry& OpRegistry::Get() {
  static OpRegistry* registry = [] {
    auto* all = new OpRegistry;  // never destroyed: graphs of static lifetime may outlive it otherwise
    for (const Register add : kFamilies) add(*all);
    return all;
  }();
  return *registry;
}

}  // namespace atc

#include "compiler/ops/families.h"

namespace atc {
namespace {

using Register = void (*)(OpRegistry&);

// Sorted; the order has no meaning.
constexpr Register kFamilies[] = {
    RegisterActivationOps,
    RegisterArgOps,
    RegisterAttentionOps,
    RegisterAveragePoolOps,
    RegisterBatchNormOps,
    RegisterBitCastOps,
    RegisterCastOps,
    RegisterCompareOps,
    RegisterConcatSplitOps,
    RegisterControlFlowOps,
    RegisterConvTransposeOps,
    RegisterConvolutionOps,
    RegisterCropResizeOps,
    RegisterCumulativeOps,
    RegisterDeformConvOps,
    RegisterDepthSpaceOps,
    RegisterDetectionOps,
    RegisterDeterminantOps,
    RegisterEinsumOps,
    RegisterElementwiseBinaryOps,
    RegisterElementwiseGuardedOps,
    RegisterElementwiseUnaryOps,
    RegisterExpandOps,
    RegisterFakeQuantOps,
    RegisterFillOps,
    RegisterGatherOps,
    RegisterGridSampleOps,
    RegisterGroupNormOps,
    RegisterImageOps,
    RegisterLayerNormOps,
    RegisterLossOps,
    RegisterMatMulOps,
    RegisterMaxPoolOps,
    RegisterMlFeatureOps,
    RegisterMlLabelOps,
    RegisterMlLinearOps,
    RegisterMlMapOps,
    RegisterMlSvmOps,
    RegisterMlTreeOps,
    RegisterNonMaxSuppressionOps,
    RegisterOptimizerOps,
    RegisterOptionalOps,
    RegisterPackOps,
    RegisterPadOps,
    RegisterQuantizationOps,
    RegisterQuantizedLinearOps,
    RegisterRandomOps,
    RegisterRearrangeOps,
    RegisterRecurrentOps,
    RegisterReductionOps,
    RegisterResizeOps,
    RegisterResponseNormOps,
    RegisterReverseSequenceOps,
    RegisterScanOps,
    RegisterScatterOps,
    RegisterSegmentOps,
    RegisterSelectionOps,
    RegisterSequenceMixingOps,
    RegisterSequenceOps,
    RegisterShapeOps,
    RegisterSignalOps,
    RegisterSliceOps,
    RegisterSoftmaxOps,
    RegisterSpaceBatchOps,
    RegisterSparseOps,
    RegisterStridedSliceOps,
    RegisterStringsOps,
    RegisterStructureOps,
    RegisterSumToLikeOps,
    RegisterTensorListOps,
    RegisterTextFeaturesOps,
    RegisterTfidfOps,
    RegisterTopkOps,
    RegisterTransposeOps,
    RegisterTriangleOps,
    RegisterUniqueOps,
    RegisterWhileOps,
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

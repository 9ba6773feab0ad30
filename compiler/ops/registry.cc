#include "compiler/ops/families.h"
#include "compiler/ops/tensorflow_families.h"

namespace atc {
namespace {

using Register = void (*)(OpRegistry&);

// Sorted; the order has no meaning.
constexpr Register kFamilies[] = {
    RegisterActivationOps,
    RegisterArgOps,
    RegisterAscendQuantOps,
    RegisterAttentionOps,
    RegisterAveragePoolOps,
    RegisterBatchNormOps,
    RegisterBitCastOps,
    RegisterBlockCellOps,
    RegisterCastOps,
    RegisterColorOps,
    RegisterCompareOps,
    RegisterConcatSplitOps,
    RegisterControlFlowOps,
    RegisterConvTransposeOps,
    RegisterConvolutionOps,
    RegisterCropResizeOps,
    RegisterCrossEntropyOps,
    RegisterCumulativeOps,
    RegisterDeformConvOps,
    RegisterDepthSpaceOps,
    RegisterDetectionOps,
    RegisterDeterminantOps,
    RegisterDiagonalOps,
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
    RegisterLookupTableOps,
    RegisterLossOps,
    RegisterMatMulOps,
    RegisterMatrixSolveOps,
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
    RegisterPatchesOps,
    RegisterQuantizationOps,
    RegisterQuantizedLinearOps,
    RegisterRandomOps,
    RegisterRangeQuantizationOps,
    RegisterRearrangeOps,
    RegisterRecurrentOps,
    RegisterReductionOps,
    RegisterResizeOps,
    RegisterResponseNormOps,
    RegisterReverseSequenceOps,
    RegisterRowsOps,
    RegisterScaleTranslateOps,
    RegisterScanOps,
    RegisterScatterOps,
    RegisterSeededRandomOps,
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
    RegisterSpecialFunctionsOps,
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
    RegisterViewTransformOps,
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

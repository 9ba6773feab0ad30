// One line an operator family; each is a file of the same name beside this one. Sorted.
#pragma once

#include "compiler/ir/op_def.h"

namespace atc {

void RegisterActivationOps(OpRegistry& registry);
void RegisterArgOps(OpRegistry& registry);
void RegisterAttentionOps(OpRegistry& registry);
void RegisterAveragePoolOps(OpRegistry& registry);
void RegisterBatchNormOps(OpRegistry& registry);
void RegisterBitCastOps(OpRegistry& registry);
void RegisterCastOps(OpRegistry& registry);
void RegisterCompareOps(OpRegistry& registry);
void RegisterConcatSplitOps(OpRegistry& registry);
void RegisterControlFlowOps(OpRegistry& registry);
void RegisterConvTransposeOps(OpRegistry& registry);
void RegisterConvolutionOps(OpRegistry& registry);
void RegisterCropResizeOps(OpRegistry& registry);
void RegisterCumulativeOps(OpRegistry& registry);
void RegisterDeformConvOps(OpRegistry& registry);
void RegisterDepthSpaceOps(OpRegistry& registry);
void RegisterDetectionOps(OpRegistry& registry);
void RegisterDeterminantOps(OpRegistry& registry);
void RegisterEinsumOps(OpRegistry& registry);
void RegisterElementwiseBinaryOps(OpRegistry& registry);
void RegisterElementwiseGuardedOps(OpRegistry& registry);
void RegisterElementwiseUnaryOps(OpRegistry& registry);
void RegisterExpandOps(OpRegistry& registry);
void RegisterFakeQuantOps(OpRegistry& registry);
void RegisterFillOps(OpRegistry& registry);
void RegisterGatherOps(OpRegistry& registry);
void RegisterGridSampleOps(OpRegistry& registry);
void RegisterGroupNormOps(OpRegistry& registry);
void RegisterImageOps(OpRegistry& registry);
void RegisterLayerNormOps(OpRegistry& registry);
void RegisterLossOps(OpRegistry& registry);
void RegisterMatMulOps(OpRegistry& registry);
void RegisterMaxPoolOps(OpRegistry& registry);
void RegisterMlFeatureOps(OpRegistry& registry);
void RegisterMlLabelOps(OpRegistry& registry);
void RegisterMlLinearOps(OpRegistry& registry);
void RegisterMlMapOps(OpRegistry& registry);
void RegisterMlSvmOps(OpRegistry& registry);
void RegisterMlTreeOps(OpRegistry& registry);
void RegisterNonMaxSuppressionOps(OpRegistry& registry);
void RegisterOptimizerOps(OpRegistry& registry);
void RegisterOptionalOps(OpRegistry& registry);
void RegisterPackOps(OpRegistry& registry);
void RegisterPadOps(OpRegistry& registry);
void RegisterQuantizationOps(OpRegistry& registry);
void RegisterQuantizedLinearOps(OpRegistry& registry);
void RegisterRandomOps(OpRegistry& registry);
void RegisterRearrangeOps(OpRegistry& registry);
void RegisterRecurrentOps(OpRegistry& registry);
void RegisterReductionOps(OpRegistry& registry);
void RegisterResizeOps(OpRegistry& registry);
void RegisterResponseNormOps(OpRegistry& registry);
void RegisterReverseSequenceOps(OpRegistry& registry);
void RegisterScanOps(OpRegistry& registry);
void RegisterScatterOps(OpRegistry& registry);
void RegisterSegmentOps(OpRegistry& registry);
void RegisterSelectionOps(OpRegistry& registry);
void RegisterSequenceMixingOps(OpRegistry& registry);
void RegisterSequenceOps(OpRegistry& registry);
void RegisterShapeOps(OpRegistry& registry);
void RegisterSignalOps(OpRegistry& registry);
void RegisterSliceOps(OpRegistry& registry);
void RegisterSoftmaxOps(OpRegistry& registry);
void RegisterSpaceBatchOps(OpRegistry& registry);
void RegisterSparseOps(OpRegistry& registry);
void RegisterStridedSliceOps(OpRegistry& registry);
void RegisterStringsOps(OpRegistry& registry);
void RegisterStructureOps(OpRegistry& registry);
void RegisterSumToLikeOps(OpRegistry& registry);
void RegisterTensorListOps(OpRegistry& registry);
void RegisterTextFeaturesOps(OpRegistry& registry);
void RegisterTfidfOps(OpRegistry& registry);
void RegisterTopkOps(OpRegistry& registry);
void RegisterTransposeOps(OpRegistry& registry);
void RegisterTriangleOps(OpRegistry& registry);
void RegisterUniqueOps(OpRegistry& registry);
void RegisterWhileOps(OpRegistry& registry);

}  // namespace atc

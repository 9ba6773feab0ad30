// One line a family of converters; each is a file of the same name beside this one. Sorted.
#pragma once

#include "parsers/onnx/convert.h"

namespace atc::onnx_parser {

void RegisterActivationConverters(ConverterRegistry& registry);
void RegisterArgConverters(ConverterRegistry& registry);
void RegisterAttentionConverters(ConverterRegistry& registry);
void RegisterCastConverters(ConverterRegistry& registry);
void RegisterCompareConverters(ConverterRegistry& registry);
void RegisterConcatSplitConverters(ConverterRegistry& registry);
void RegisterConstantConverters(ConverterRegistry& registry);
void RegisterContribConverters(ConverterRegistry& registry);
void RegisterContribEmbeddingConverters(ConverterRegistry& registry);
void RegisterContribQuantizationConverters(ConverterRegistry& registry);
void RegisterControlFlowConverters(ConverterRegistry& registry);
void RegisterConvolutionConverters(ConverterRegistry& registry);
void RegisterDetectionConverters(ConverterRegistry& registry);
void RegisterElementwiseBinaryConverters(ConverterRegistry& registry);
void RegisterElementwiseUnaryConverters(ConverterRegistry& registry);
void RegisterExpandConverters(ConverterRegistry& registry);
void RegisterGatherScatterConverters(ConverterRegistry& registry);
void RegisterGradientConverters(ConverterRegistry& registry);
void RegisterMatMulConverters(ConverterRegistry& registry);
void RegisterMlConverters(ConverterRegistry& registry);
void RegisterNormalizationConverters(ConverterRegistry& registry);
void RegisterPadConverters(ConverterRegistry& registry);
void RegisterPoolingConverters(ConverterRegistry& registry);
void RegisterQuantizationConverters(ConverterRegistry& registry);
void RegisterRandomConverters(ConverterRegistry& registry);
void RegisterRecurrentConverters(ConverterRegistry& registry);
void RegisterReductionConverters(ConverterRegistry& registry);
void RegisterResizeConverters(ConverterRegistry& registry);
void RegisterSelectionConverters(ConverterRegistry& registry);
void RegisterSequenceConverters(ConverterRegistry& registry);
void RegisterShapeConverters(ConverterRegistry& registry);
void RegisterSignalConverters(ConverterRegistry& registry);
void RegisterSliceConverters(ConverterRegistry& registry);
void RegisterSoftmaxConverters(ConverterRegistry& registry);
void RegisterStringsConverters(ConverterRegistry& registry);
void RegisterStructureConverters(ConverterRegistry& registry);
void RegisterTrainingConverters(ConverterRegistry& registry);
void RegisterTransposeConverters(ConverterRegistry& registry);

}  // namespace atc::onnx_parser

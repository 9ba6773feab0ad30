// One line a converter family; each is a file of the same name beside this one. Sorted.
#pragma once

#include "parsers/tensorflow/convert.h"

namespace atc::tf_parser {

void RegisterActivationConverters(ConverterRegistry& registry);
void RegisterArgConverters(ConverterRegistry& registry);
void RegisterAscendOperatorsConverters(ConverterRegistry& registry);
void RegisterCastConverters(ConverterRegistry& registry);
void RegisterComplexNumbersConverters(ConverterRegistry& registry);
void RegisterConcatSplitConverters(ConverterRegistry& registry);
void RegisterConstantConverters(ConverterRegistry& registry);
void RegisterControlFlowConverters(ConverterRegistry& registry);
void RegisterConvolutionConverters(ConverterRegistry& registry);
void RegisterDetectionConverters(ConverterRegistry& registry);
void RegisterElementwiseConverters(ConverterRegistry& registry);
void RegisterFusedConverters(ConverterRegistry& registry);
void RegisterGatherScatterConverters(ConverterRegistry& registry);
void RegisterImageConverters(ConverterRegistry& registry);
void RegisterLookupTableConverters(ConverterRegistry& registry);
void RegisterMatMulConverters(ConverterRegistry& registry);
void RegisterNormalizationConverters(ConverterRegistry& registry);
void RegisterPadConverters(ConverterRegistry& registry);
void RegisterPoolingConverters(ConverterRegistry& registry);
void RegisterQuantizationConverters(ConverterRegistry& registry);
void RegisterRandomConverters(ConverterRegistry& registry);
void RegisterRecurrentConverters(ConverterRegistry& registry);
void RegisterReductionConverters(ConverterRegistry& registry);
void RegisterScopeOperatorsConverters(ConverterRegistry& registry);
void RegisterSelectionConverters(ConverterRegistry& registry);
void RegisterShapeConverters(ConverterRegistry& registry);
void RegisterSliceConverters(ConverterRegistry& registry);
void RegisterSparseTextConverters(ConverterRegistry& registry);
void RegisterTensorListConverters(ConverterRegistry& registry);
void RegisterTrainingConverters(ConverterRegistry& registry);
void RegisterVariableUpdateConverters(ConverterRegistry& registry);

}  // namespace atc::tf_parser

// Quantisation, kept whole: AscendIR's operators multiply where ONNX divides, know fewer types, and want layouts of
// their own.
#include "parsers/onnx/families.h"

namespace atc::onnx_parser {

void RegisterQuantizationConverters(ConverterRegistry& registry) {
  registry.AddKeep("ConvInteger", 10);
  registry.AddKeep("DequantizeLinear", 10);
  registry.AddKeep("DynamicQuantizeLinear", 11);
  registry.AddKeep("MatMulInteger", 10);
  registry.AddKeep("QLinearConv", 10);
  registry.AddKeep("QLinearMatMul", 10);
  registry.AddKeep("QuantizeLinear", 10);
}

}  // namespace atc::onnx_parser

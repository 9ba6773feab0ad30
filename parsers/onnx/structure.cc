// Operators that pass their input on.
#include "parsers/onnx/families.h"

namespace atc::onnx_parser {

void RegisterStructureConverters(ConverterRegistry& registry) { registry.AddPass("Identity", 1, "Identity"); }

}  // namespace atc::onnx_parser

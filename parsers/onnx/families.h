// One line a family of converters; each is a file of the same name beside this one. Sorted.
#pragma once

#include "parsers/onnx/convert.h"

namespace atc::onnx_parser {

void RegisterStructureConverters(ConverterRegistry& registry);

}  // namespace atc::onnx_parser

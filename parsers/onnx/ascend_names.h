// Which AscendIR operators the converters make that are more than a renaming.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace atc::onnx_parser {

// The operators that may give output 0 of a node of this type: one or another by its attributes, types and shapes. Empty
// for operators whose registration says it (ConverterRegistry::AscendNames).
std::vector<std::string> AscendNamesOf(std::string_view op_type);

}  // namespace atc::onnx_parser

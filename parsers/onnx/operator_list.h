// The ONNX operators that can be converted, as data: what atc --list_ops prints.
#pragma once

#include <string>
#include <vector>

#include "compiler/ir/data_type.h"

namespace atc {

struct ListedOperator {
  std::string domain, type;
  std::vector<int> versions;         // from which on it differs: "1, 7, 13"; each holds until the next one
  std::vector<std::string> types;    // of the first operand (of the result where there is none), of all versions
  std::vector<std::string> becomes;  // AscendIR operators; "onnx::<type>" where it keeps its own identity
  std::string library;               // path of the plugin; empty: built in
};

// Built-in operators and those of the plugins that are loaded, by domain and type.
std::vector<ListedOperator> ListOnnxOperators();

}  // namespace atc

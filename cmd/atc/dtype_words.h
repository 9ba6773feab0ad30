// Element types in the lower-case words of configuration files: "float16", "fp16", "int8", ...
#pragma once

#include <string_view>

#include "compiler/ir/data_type.h"

namespace atc::cli {

// DT_UNDEFINED for a word that names none.
DataType DtypeFromWord(std::string_view word);

}  // namespace atc::cli

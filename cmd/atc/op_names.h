// Names that --gen_op_project can give to an operator, its tensors and its attributes: they become names in C and C++.
#pragma once

#include <string>

namespace atc::cli {

// Why a tensor or attribute cannot have this name, as the end of a sentence; empty where it can.
std::string FaultOfParameterName(const std::string& name);

// The same for an operator's type.
std::string FaultOfOperatorName(const std::string& name);

}  // namespace atc::cli

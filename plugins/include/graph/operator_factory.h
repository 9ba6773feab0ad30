// Operators by the name of their type.
#pragma once

#include "graph/operator.h"

namespace ge {

class OperatorFactory {
 public:
  static Operator CreateOperator(const char_t* name, const char_t* type) { return Operator(name, type); }
  static Operator CreateOperator(const std::string& name, const std::string& type) { return Operator(name, type); }
  static bool IsExistOp(const char_t* type);
  static bool IsExistOp(const std::string& type) { return IsExistOp(type.c_str()); }
};

}  // namespace ge

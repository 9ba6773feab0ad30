// Operators by the name of their type.
#pragma once

#include <functional>

#include "graph/operator.h"

namespace ge {

using OpCreatorV2 = std::function<Operator(const AscendString&)>;

class OperatorFactory {
 public:
  static Operator CreateOperator(const char_t* name, const char_t* type);
  static Operator CreateOperator(const std::string& name, const std::string& type) {
    return CreateOperator(name.c_str(), type.c_str());
  }
  // A type that the compiler runs, or one that a loaded library declares.
  static bool IsExistOp(const char_t* type);
  static bool IsExistOp(const std::string& type) { return IsExistOp(type.c_str()); }
  // Sorted.
  static graphStatus GetOpsTypeList(std::vector<AscendString>& types);
};

// Declares a type by a function that makes an operator of it; the first declaration of a type stays.
class OperatorCreatorRegister {
 public:
  OperatorCreatorRegister(const char_t* type, const OpCreatorV2& creator);
};

}  // namespace ge

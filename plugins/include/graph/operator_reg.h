// Definitions in the words of CANN's operator prototypes:
//   REG_OP(Warp)
//       .INPUT(x, TensorType({DT_FLOAT}))
//       .OUTPUT(y, TensorType({DT_FLOAT}))
//       .ATTR(strength, Float, 1.0)
//       .OP_END_FACTORY_REG(Warp)
// Inference and kernel are given by a registration of the same type: REGISTER_CUSTOM_OPERATOR("Warp").InferFn(...).
#pragma once

#include <initializer_list>
#include <vector>

#include "register/custom_operator.h"

namespace ge {

// The element types of a port.
class TensorType {
 public:
  TensorType(std::initializer_list<DataType> types) : types_(types) {}
  // Any type.
  static TensorType ALL() { return TensorType({}); }

  const std::vector<DataType>& types() const { return types_; }

 private:
  std::vector<DataType> types_;
};

// The macros' own: a name and the types of attributes by their words.
class OperatorPrototype {
 public:
  using Int = int64_t;
  using Float = float;
  using String = AscendString;
  using Bool = bool;
  using Type = DataType;
  using Tensor = ::ge::Tensor;
  using ListInt = std::vector<int64_t>;
  using ListFloat = std::vector<float>;
  using ListString = std::vector<AscendString>;
  using ListBool = std::vector<bool>;
  using ListListInt = std::vector<std::vector<int64_t>>;

  explicit OperatorPrototype(const char* type) : custom_(type) {}

  OperatorPrototype& Input(const char* name, const TensorType& type) { return custom_.Input(name, type.types()), *this; }
  OperatorPrototype& OptionalInput(const char* name, const TensorType& type) {
    return custom_.OptionalInput(name, type.types()), *this;
  }
  OperatorPrototype& DynamicInput(const char* name, const TensorType& type) {
    return custom_.DynamicInput(name, type.types()), *this;
  }
  OperatorPrototype& Output(const char* name, const TensorType& type) {
    return custom_.Output(name, type.types()), *this;
  }
  OperatorPrototype& DynamicOutput(const char* name, const TensorType& type) {
    return custom_.DynamicOutput(name, type.types()), *this;
  }
  template <typename T>
  OperatorPrototype& Attr(const char* name, const T& fallback) {
    return custom_.Attr(name, fallback), *this;
  }
  template <typename T>
  OperatorPrototype& RequiredAttr(const char* name) {
    return custom_.RequiredAttr<T>(name), *this;
  }
  const CustomOperator& End() const { return custom_; }

 private:
  CustomOperator custom_;
};

}  // namespace ge

#define REG_OP(type) \
  static ::ge::OperatorReceiver openatc_prototype_##type __attribute__((unused)) = ::ge::OperatorPrototype(#type)
#define INPUT(name, ...) Input(#name, ::ge::__VA_ARGS__)
#define OPTIONAL_INPUT(name, ...) OptionalInput(#name, ::ge::__VA_ARGS__)
#define DYNAMIC_INPUT(name, ...) DynamicInput(#name, ::ge::__VA_ARGS__)
#define OUTPUT(name, ...) Output(#name, ::ge::__VA_ARGS__)
#define DYNAMIC_OUTPUT(name, ...) DynamicOutput(#name, ::ge::__VA_ARGS__)
#define ATTR(name, type, ...) Attr(#name, ::ge::OperatorPrototype::type(__VA_ARGS__))
#define REQUIRED_ATTR(name, type) RequiredAttr<::ge::OperatorPrototype::type>(#name)
#define OP_END_FACTORY_REG(type) End();

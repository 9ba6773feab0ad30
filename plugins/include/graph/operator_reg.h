<<<<<<< HEAD
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
=======
// How a type of operator is declared: a class ge::op::<type> with functions for its ports and attributes.
//   REG_OP(Scale).INPUT(x, TensorType({DT_FLOAT})).OUTPUT(y, TensorType({DT_FLOAT})).ATTR(factor, Float, 1.0)
//       .OP_END_FACTORY_REG(Scale)
// Each part closes the function that the part before it opened and opens one of its own, so that the chain is a class.
#pragma once

#include "graph/graph.h"
#include "graph/operator.h"
#include "graph/operator_factory.h"

namespace ge {

// What the dot at the head of each part is applied to.
struct OpDeclaration {
  void Ends() {}
>>>>>>> af2809e (Let passes build graphs, match patterns and decompose operators; generate the headers of operators)
};

}  // namespace ge

<<<<<<< HEAD
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
=======
#define OPENATC_OPEN(function) \
 private:                      \
  void function() {            \
    ::ge::OpDeclaration()

// `next` is declared later in the class, which is fine inside of it.
#define OPENATC_PART(next) \
  Ends();                  \
  next();                  \
  }                        \
                           \
 public:

#define REG_OP(x)                                                                       \
  namespace ge {                                                                        \
  namespace op {                                                                        \
  class x : public ::ge::Operator {                                                     \
    using _THIS_TYPE = x;                                                               \
                                                                                        \
   public:                                                                              \
    explicit x(const ::ge::AscendString& name) : Operator(name, ::ge::AscendString(#x)) { \
      openatc_begin();                                                                  \
    }                                                                                   \
    explicit x(const char* name) : x(::ge::AscendString(name)) {}                       \
    explicit x(const std::string& name) : x(name.c_str()) {}                            \
    x() : x(::ge::AscendString("")) {}                                                  \
    OPENATC_OPEN(openatc_begin)

#define OPENATC_INPUT(x, registered)                                                                  \
  OPENATC_PART(openatc_input_##x)                                                                     \
  static const std::string name_in_##x() { return #x; }                                               \
  _THIS_TYPE& set_input_##x(const Operator& v, const std::string& from) {                             \
    return Operator::SetInput(::ge::AscendString(#x), v, ::ge::AscendString(from.c_str())), *this;    \
  }                                                                                                   \
  _THIS_TYPE& set_input_##x##_by_name(const Operator& v, const char* from) {                          \
    return Operator::SetInput(::ge::AscendString(#x), v, ::ge::AscendString(from)), *this;            \
  }                                                                                                   \
  _THIS_TYPE& set_input_##x(const Operator& v, uint32_t index) {                                      \
    return Operator::SetInput(::ge::AscendString(#x), v, index), *this;                               \
  }                                                                                                   \
  _THIS_TYPE& set_input_##x(const Operator& v) { return set_input_##x(v, 0U); }                       \
  ::ge::TensorDesc get_input_desc_##x() const { return Operator::GetInputDescByName(#x); }            \
  ::ge::graphStatus update_input_desc_##x(const ::ge::TensorDesc& desc) {                             \
    return Operator::UpdateInputDesc(#x, desc);                                                       \
  }                                                                                                   \
  OPENATC_OPEN(openatc_input_##x);                                                                    \
  Operator::registered(#x);                                                                           \
  ::ge::OpDeclaration()

#define INPUT(x, types) OPENATC_INPUT(x, InputRegister)
#define OPTIONAL_INPUT(x, types) OPENATC_INPUT(x, OptionalInputRegister)

#define OUTPUT(x, types)                                                                       \
  OPENATC_PART(openatc_output_##x)                                                             \
  static const std::string name_out_##x() { return #x; }                                       \
  ::ge::TensorDesc get_output_desc_##x() const { return Operator::GetOutputDescByName(#x); }   \
  ::ge::graphStatus update_output_desc_##x(const ::ge::TensorDesc& desc) {                     \
    return Operator::UpdateOutputDesc(#x, desc);                                               \
  }                                                                                            \
  OPENATC_OPEN(openatc_output_##x);                                                            \
  Operator::OutputRegister(#x);                                                                \
  ::ge::OpDeclaration()

#define DYNAMIC_INPUT(x, types)                                                                              \
  OPENATC_PART(openatc_input_##x)                                                                            \
  _THIS_TYPE& create_dynamic_input_##x(uint32_t count, bool = true) {                                        \
    return Operator::DynamicInputRegister(#x, count), *this;                                                 \
  }                                                                                                          \
  _THIS_TYPE& create_dynamic_input_byindex_##x(uint32_t count, size_t) { return create_dynamic_input_##x(count); } \
  ::ge::TensorDesc get_dynamic_input_desc_##x(uint32_t index) const {                                        \
    return Operator::GetDynamicInputDesc(#x, index);                                                         \
  }                                                                                                          \
  ::ge::graphStatus update_dynamic_input_desc_##x(uint32_t index, const ::ge::TensorDesc& desc) {            \
    return Operator::UpdateDynamicInputDesc(#x, index, desc);                                                \
  }                                                                                                          \
  _THIS_TYPE& set_dynamic_input_##x(uint32_t index, const Operator& v) {                                     \
    return Operator::SetInput(Numbered(#x, index), v), *this;                                                \
  }                                                                                                          \
  _THIS_TYPE& set_dynamic_input_##x(uint32_t index, const Operator& v, const char* from) {                   \
    return Operator::SetInput(Numbered(#x, index), v, ::ge::AscendString(from)), *this;                      \
  }                                                                                                          \
  OPENATC_OPEN(openatc_input_##x);                                                                           \
  Operator::DynamicInputRegister(#x, 0);                                                                     \
  ::ge::OpDeclaration()

#define DYNAMIC_OUTPUT(x, types)                                                                   \
  OPENATC_PART(openatc_output_##x)                                                                 \
  _THIS_TYPE& create_dynamic_output_##x(uint32_t count, bool = true) {                             \
    return Operator::DynamicOutputRegister(#x, count), *this;                                      \
  }                                                                                                \
  ::ge::TensorDesc get_dynamic_output_desc_##x(uint32_t index) const {                             \
    return Operator::GetDynamicOutputDesc(#x, index);                                              \
  }                                                                                                \
  ::ge::graphStatus update_dynamic_output_desc_##x(uint32_t index, const ::ge::TensorDesc& desc) { \
    return Operator::UpdateDynamicOutputDesc(#x, index, desc);                                     \
  }                                                                                                \
  OPENATC_OPEN(openatc_output_##x);                                                                \
  Operator::DynamicOutputRegister(#x, 0);                                                          \
  ::ge::OpDeclaration()

#define OPENATC_ATTR(x, Type)                                 \
  OPENATC_PART(openatc_attr_##x)                              \
  static const std::string name_attr_##x() { return #x; }     \
  Op##Type get_attr_##x() const {                             \
    Op##Type value{};                                         \
    Operator::GetAttr(::ge::AscendString(#x), value);         \
    return value;                                             \
  }                                                           \
  _THIS_TYPE& set_attr_##x(const Op##Type& value) {           \
    return Operator::SetAttr(::ge::AscendString(#x), value), *this; \
  }                                                           \
  OPENATC_OPEN(openatc_attr_##x)

#define ATTR(x, Type, ...)                               \
  OPENATC_ATTR(x, Type);                                 \
  Operator::AttrRegister(#x, Op##Type(__VA_ARGS__));     \
  ::ge::OpDeclaration()

#define REQUIRED_ATTR(x, Type)          \
  OPENATC_ATTR(x, Type);                \
  Operator::RequiredAttrRegister(#x);   \
  ::ge::OpDeclaration()

#define OPENATC_GRAPH(x)                                                               \
  OPENATC_PART(openatc_graph_##x)                                                      \
  _THIS_TYPE& set_subgraph_builder_##x(const ::ge::SubgraphBuilder& builder) {         \
    return Operator::SetSubgraphBuilder(#x, 0, builder), *this;                        \
  }                                                                                    \
  OPENATC_OPEN(openatc_graph_##x)

#define GRAPH(x) OPENATC_GRAPH(x)

#define DYNAMIC_GRAPH(x)                                                                               \
  OPENATC_PART(openatc_graph_##x)                                                                      \
  _THIS_TYPE& create_dynamic_subgraph_##x(uint32_t) { return *this; }                                  \
  _THIS_TYPE& set_dynamic_subgraph_builder_##x(uint32_t index, const ::ge::SubgraphBuilder& builder) { \
    return Operator::SetSubgraphBuilder(Numbered(#x, index).GetString(), index, builder), *this;       \
  }                                                                                                    \
  OPENATC_OPEN(openatc_graph_##x)

#define DATATYPE(x, types)              \
  OPENATC_PART(openatc_type_##x)        \
  OPENATC_OPEN(openatc_type_##x)

// The last parts.
#define OP_END() \
  Ends();        \
  }              \
  }              \
  ;              \
  }              \
  }

#define OPENATC_REGISTERED(x, number)                                                                     \
  OP_END()                                                                                                \
  namespace {                                                                                             \
  const ::ge::OperatorCreatorRegister openatc_declared_##x##_##number(                                    \
      #x, [](const ::ge::AscendString& name) { return ::ge::Operator(::ge::op::x(name)); });              \
  }
#define OP_END_FACTORY_REG(x) OPENATC_REGISTERED(x, 0)
>>>>>>> af2809e (Let passes build graphs, match patterns and decompose operators; generate the headers of operators)

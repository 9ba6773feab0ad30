// How a type of operator is declared, in namespace ge: a class ge::op::<type> with functions for its ports and attributes.
//   REG_OP(Warp)
//       .INPUT(x, TensorType({DT_FLOAT}))
//       .OUTPUT(y, TensorType({DT_FLOAT}))
//       .ATTR(strength, Float, 1.0)
//       .OP_END_FACTORY_REG(Warp)
// In a library of operators this is also the definition of the operator, whose inference and kernel are given by a
// registration of the same type: REGISTER_CUSTOM_OPERATOR("Warp").InferFn(...).
// Each part closes the function that the part before it opened and opens one of its own, so that the chain is a class.
#pragma once

#include "graph/graph.h"
#include "graph/operator.h"
#include "graph/operator_factory.h"
#include "register/custom_operator.h"

namespace ge {

// What the dot at the head of each part is applied to.
struct OpDeclaration {
  void Ends() {}
};

// What a class declares, as the definition of an operator.
inline CustomOperator DefinitionFrom(const Operator& op) {
  const OperatorDescription& said = *op.description();
  CustomOperator custom(said.type.GetString());
  for (const OperatorDescription::Port& port : said.input_ports) {
    if (port.kind == IrPortKind::kDynamic) {
      custom.DynamicInput(port.name.GetString(), port.types);
    } else if (port.kind == IrPortKind::kOptional) {
      custom.OptionalInput(port.name.GetString(), port.types);
    } else {
      custom.Input(port.name.GetString(), port.types);
    }
  }
  for (const OperatorDescription::Port& port : said.output_ports) {
    if (port.kind == IrPortKind::kDynamic) {
      custom.DynamicOutput(port.name.GetString(), port.types);
    } else {
      custom.Output(port.name.GetString(), port.types);
    }
  }
  for (const OperatorDescription::Attr& attr : said.declared_attrs) {
    std::visit(
        [&](const auto& value) {
          using T = std::decay_t<decltype(value)>;
          if constexpr (!std::is_same_v<T, std::monostate>) {
            if (attr.required) {
              custom.RequiredAttr<T>(attr.name.GetString());
            } else {
              custom.Attr(attr.name.GetString(), value);
            }
          }
        },
        attr.fallback.storage());
  }
  return custom;
}

}  // namespace ge

#define OPENATC_OPEN(function)                                                                                         \
 private:                                                                                                              \
  void function() {                                                                                                    \
    ::ge::OpDeclaration()

// `next` is declared later in the class, which is fine inside of it.
#define OPENATC_PART(next)                                                                                             \
  Ends();                                                                                                              \
  next();                                                                                                              \
  }                                                                                                                    \
                                                                                                                       \
 public:

#define REG_OP(x)                                                                                                      \
  namespace op {                                                                                                       \
  class x : public ::ge::Operator {                                                                                    \
    using _THIS_TYPE = x;                                                                                              \
                                                                                                                       \
   public:                                                                                                             \
    explicit x(const ::ge::AscendString& name) : Operator(name, ::ge::AscendString(#x)) {                              \
      openatc_begin();                                                                                                 \
    }                                                                                                                  \
    explicit x(const char* name) : x(::ge::AscendString(name)) {}                                                      \
    explicit x(const std::string& name) : x(name.c_str()) {}                                                           \
    x() : x(::ge::AscendString("")) {}                                                                                 \
    OPENATC_OPEN(openatc_begin)

#define OPENATC_INPUT(x, kind, types)                                                                                  \
  OPENATC_PART(openatc_input_##x)                                                                                      \
  static const std::string name_in_##x() { return #x; }                                                                \
  _THIS_TYPE& set_input_##x(const Operator& v, const std::string& from) {                                              \
    return Operator::SetInput(::ge::AscendString(#x), v, ::ge::AscendString(from.c_str())), *this;                     \
  }                                                                                                                    \
  _THIS_TYPE& set_input_##x##_by_name(const Operator& v, const char* from) {                                           \
    return Operator::SetInput(::ge::AscendString(#x), v, ::ge::AscendString(from)), *this;                             \
  }                                                                                                                    \
  _THIS_TYPE& set_input_##x(const Operator& v, uint32_t index) {                                                       \
    return Operator::SetInput(::ge::AscendString(#x), v, index), *this;                                                \
  }                                                                                                                    \
  _THIS_TYPE& set_input_##x(const Operator& v) { return set_input_##x(v, 0U); }                                        \
  ::ge::TensorDesc get_input_desc_##x() const { return Operator::GetInputDescByName(#x); }                             \
  ::ge::graphStatus update_input_desc_##x(const ::ge::TensorDesc& desc) {                                              \
    return Operator::UpdateInputDesc(#x, desc);                                                                        \
  }                                                                                                                    \
  OPENATC_OPEN(openatc_input_##x);                                                                                     \
  Operator::Declare(#x, ::ge::IrPortKind::kind, true, types);                                                          \
  ::ge::OpDeclaration()

#define INPUT(x, types) OPENATC_INPUT(x, kRequired, types)
#define OPTIONAL_INPUT(x, types) OPENATC_INPUT(x, kOptional, types)

#define OUTPUT(x, types)                                                                                               \
  OPENATC_PART(openatc_output_##x)                                                                                     \
  static const std::string name_out_##x() { return #x; }                                                               \
  ::ge::TensorDesc get_output_desc_##x() const { return Operator::GetOutputDescByName(#x); }                           \
  ::ge::graphStatus update_output_desc_##x(const ::ge::TensorDesc& desc) {                                             \
    return Operator::UpdateOutputDesc(#x, desc);                                                                       \
  }                                                                                                                    \
  OPENATC_OPEN(openatc_output_##x);                                                                                    \
  Operator::Declare(#x, ::ge::IrPortKind::kRequired, false, types);                                                    \
  ::ge::OpDeclaration()

#define DYNAMIC_INPUT(x, types)                                                                                        \
  OPENATC_PART(openatc_input_##x)                                                                                      \
  _THIS_TYPE& create_dynamic_input_##x(uint32_t count, bool = true) {                                                  \
    return Operator::DynamicInputRegister(#x, count), *this;                                                           \
  }                                                                                                                    \
  _THIS_TYPE& create_dynamic_input_byindex_##x(uint32_t count, size_t) { return create_dynamic_input_##x(count); }     \
  ::ge::TensorDesc get_dynamic_input_desc_##x(uint32_t index) const {                                                  \
    return Operator::GetDynamicInputDesc(#x, index);                                                                   \
  }                                                                                                                    \
  ::ge::graphStatus update_dynamic_input_desc_##x(uint32_t index, const ::ge::TensorDesc& desc) {                      \
    return Operator::UpdateDynamicInputDesc(#x, index, desc);                                                          \
  }                                                                                                                    \
  _THIS_TYPE& set_dynamic_input_##x(uint32_t index, const Operator& v) {                                               \
    return Operator::SetInput(Numbered(#x, index), v), *this;                                                          \
  }                                                                                                                    \
  _THIS_TYPE& set_dynamic_input_##x(uint32_t index, const Operator& v, const char* from) {                             \
    return Operator::SetInput(Numbered(#x, index), v, ::ge::AscendString(from)), *this;                                \
  }                                                                                                                    \
  OPENATC_OPEN(openatc_input_##x);                                                                                     \
  Operator::Declare(#x, ::ge::IrPortKind::kDynamic, true, types);                                                      \
  ::ge::OpDeclaration()

#define DYNAMIC_OUTPUT(x, types)                                                                                       \
  OPENATC_PART(openatc_output_##x)                                                                                     \
  _THIS_TYPE& create_dynamic_output_##x(uint32_t count, bool = true) {                                                 \
    return Operator::DynamicOutputRegister(#x, count), *this;                                                          \
  }                                                                                                                    \
  ::ge::TensorDesc get_dynamic_output_desc_##x(uint32_t index) const {                                                 \
    return Operator::GetDynamicOutputDesc(#x, index);                                                                  \
  }                                                                                                                    \
  ::ge::graphStatus update_dynamic_output_desc_##x(uint32_t index, const ::ge::TensorDesc& desc) {                     \
    return Operator::UpdateDynamicOutputDesc(#x, index, desc);                                                         \
  }                                                                                                                    \
  OPENATC_OPEN(openatc_output_##x);                                                                                    \
  Operator::Declare(#x, ::ge::IrPortKind::kDynamic, false, types);                                                     \
  ::ge::OpDeclaration()

#define OPENATC_ATTR(x, Type)                                                                                          \
  OPENATC_PART(openatc_attr_##x)                                                                                       \
  static const std::string name_attr_##x() { return #x; }                                                              \
  Op##Type get_attr_##x() const {                                                                                      \
    Op##Type value{};                                                                                                  \
    Operator::GetAttr(::ge::AscendString(#x), value);                                                                  \
    return value;                                                                                                      \
  }                                                                                                                    \
  _THIS_TYPE& set_attr_##x(const Op##Type& value) {                                                                    \
    return Operator::SetAttr(::ge::AscendString(#x), value), *this;                                                    \
  }                                                                                                                    \
  OPENATC_OPEN(openatc_attr_##x)

#define ATTR(x, Type, ...)                                                                                             \
  OPENATC_ATTR(x, Type);                                                                                               \
  Operator::AttrRegister(#x, Op##Type(__VA_ARGS__));                                                                   \
  ::ge::OpDeclaration()

#define REQUIRED_ATTR(x, Type)                                                                                         \
  OPENATC_ATTR(x, Type);                                                                                               \
  Operator::RequiredAttrOf(#x, Op##Type());                                                                            \
  ::ge::OpDeclaration()

#define OPENATC_GRAPH(x)                                                                                               \
  OPENATC_PART(openatc_graph_##x)                                                                                      \
  _THIS_TYPE& set_subgraph_builder_##x(const ::ge::SubgraphBuilder& builder) {                                         \
    return Operator::SetSubgraphBuilder(#x, 0, builder), *this;                                                        \
  }                                                                                                                    \
  OPENATC_OPEN(openatc_graph_##x)

#define GRAPH(x) OPENATC_GRAPH(x)

#define DYNAMIC_GRAPH(x)                                                                                               \
  OPENATC_PART(openatc_graph_##x)                                                                                      \
  _THIS_TYPE& create_dynamic_subgraph_##x(uint32_t) { return *this; }                                                  \
  _THIS_TYPE& set_dynamic_subgraph_builder_##x(uint32_t index, const ::ge::SubgraphBuilder& builder) {                 \
    return Operator::SetSubgraphBuilder(Numbered(#x, index).GetString(), index, builder), *this;                       \
  }                                                                                                                    \
  OPENATC_OPEN(openatc_graph_##x)

#define DATATYPE(x, types)                                                                                             \
  OPENATC_PART(openatc_type_##x)                                                                                       \
  OPENATC_OPEN(openatc_type_##x)

// The last parts.
#define OP_END()                                                                                                       \
  Ends();                                                                                                              \
  }                                                                                                                    \
  }                                                                                                                    \
  ;                                                                                                                    \
  }

#define OP_END_FACTORY_REG(x)                                                                                          \
  OP_END()                                                                                                             \
  namespace {                                                                                                          \
  const ::ge::OperatorCreatorRegister openatc_declared_##x(                                                            \
      #x, [](const ::ge::AscendString& name) { return ::ge::Operator(::ge::op::x(name)); });                           \
  const ::ge::OperatorReceiver openatc_defined_##x(::ge::DefinitionFrom(::ge::op::x()));                               \
  }

// What a new node is to be: a name, an operator type, attributes, descriptions of inputs and outputs, and the operators
// that feed it. Graph::AddNodeByOp makes the node, Graph::SetOutputs a whole graph of linked operators. Copies share what
// they describe.
#pragma once

#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "graph/attr_value.h"
#include "graph/inference_context.h"
#include "graph/tensor.h"

namespace ge {

using std::function;
using std::shared_ptr;
using std::string;

class Graph;
using SubgraphBuilder = std::function<Graph()>;

enum class IrPortKind : uint32_t { kRequired, kOptional, kDynamic };

struct OperatorDescription {
  struct Port {
    AscendString name;
    IrPortKind kind;
    std::vector<DataType> types;  // empty: any
  };
  struct Attr {
    AscendString name;
    bool required;
    AttrValue fallback;  // tells the type of a required one, as far as it was said
  };
  struct Link {
    std::shared_ptr<OperatorDescription> from;
    uint32_t output;
  };

  AscendString name;
  AscendString type;
  std::map<AscendString, AttrValue> attrs;
  std::map<AscendString, TensorDesc> inputs;                         // by port name
  std::map<AscendString, TensorDesc> outputs;                        // by port name
  std::map<AscendString, uint32_t> dynamic_inputs, dynamic_outputs;  // number of ports of a dynamic one
  // What the type looks like, as far as its class says so; a type that the compiler knows need not.
  std::vector<Port> input_ports, output_ports;
  std::vector<Attr> declared_attrs;
  std::map<AscendString, Link> links;  // by input port name
  std::vector<std::shared_ptr<OperatorDescription>> after;
  std::map<AscendString, SubgraphBuilder> subgraphs;
};

class Operator {
 public:
  using OpInt = int64_t;
  using OpFloat = float32_t;
  using OpString = std::string;
  using OpAscendString = AscendString;
  using OpBool = bool;
  using OpTensor = Tensor;
  using OpType = DataType;
  using OpListInt = std::vector<int64_t>;
  using OpListFloat = std::vector<float32_t>;
  using OpListString = std::vector<std::string>;
  using OpListAscendString = std::vector<AscendString>;
  using OpListBool = std::vector<bool>;
  using OpListTensor = std::vector<Tensor>;
  using OpBytes = std::vector<uint8_t>;
  using OpListListInt = std::vector<std::vector<int64_t>>;
  using OpListType = std::vector<DataType>;

  Operator() = default;
  explicit Operator(const char_t* type) : Operator("", type) {}
  explicit Operator(const std::string& type) : Operator("", type.c_str()) {}
  Operator(const char_t* name, const char_t* type) : Operator(AscendString(name), AscendString(type)) {}
  Operator(const std::string& name, const std::string& type) : Operator(name.c_str(), type.c_str()) {}
  Operator(const AscendString& name, const AscendString& type) : description_(std::make_shared<OperatorDescription>()) {
    description_->name = name;
    description_->type = type;
  }
  explicit Operator(std::shared_ptr<OperatorDescription> description) : description_(std::move(description)) {}
  virtual ~Operator() = default;

  bool IsEmpty() const { return description_ == nullptr; }
  graphStatus GetName(AscendString& name) const {
    if (IsEmpty()) return GRAPH_FAILED;
    name = description_->name;
    return GRAPH_SUCCESS;
  }
  std::string GetName() const { return IsEmpty() ? "" : description_->name.GetString(); }
  graphStatus GetOpType(AscendString& type) const {
    if (IsEmpty()) return GRAPH_FAILED;
    type = description_->type;
    return GRAPH_SUCCESS;
  }
  std::string GetOpType() const { return IsEmpty() ? "" : description_->type.GetString(); }

  // Links an input to an output of another operator, which is the first one where none is named.
  Operator& SetInput(const AscendString& port, const Operator& from, uint32_t output = 0);
  Operator& SetInput(uint32_t input, const Operator& from, uint32_t output);
  Operator& SetInput(const AscendString& port, const Operator& from, const AscendString& output);
  Operator& SetInput(const std::string& port, const Operator& from) { return SetInput(port.c_str(), from); }
  Operator& SetInput(const std::string& port, const Operator& from, uint32_t output) {
    return SetInput(AscendString(port.c_str()), from, output);
  }
  Operator& SetInput(const std::string& port, const Operator& from, const std::string& output) {
    return SetInput(AscendString(port.c_str()), from, AscendString(output.c_str()));
  }
  Operator& SetInput(const char_t* port, const Operator& from) { return SetInput(AscendString(port), from); }
  Operator& SetInput(const char_t* port, const Operator& from, uint32_t output) {
    return SetInput(AscendString(port), from, output);
  }
  Operator& SetInput(const char_t* port, const Operator& from, const char_t* output) {
    return SetInput(AscendString(port), from, AscendString(output));
  }
  Operator& AddControlInput(const Operator& from);

  template <typename T>
  Operator& SetAttr(const AscendString& name, const T& value) {
    if (description_) description_->attrs[name].SetAttrValue(value);
    return *this;
  }
  Operator& SetAttr(const AscendString& name, const AttrValue& value) {
    if (description_) description_->attrs[name] = value;
    return *this;
  }
  Operator& SetAttr(const AscendString& name, AttrValue&& value) {
    if (description_) description_->attrs[name] = std::move(value);
    return *this;
  }
  Operator& SetAttr(const AscendString& name, std::initializer_list<int64_t> value) {
    return SetAttr(name, std::vector<int64_t>(value));
  }
  // Names of other kinds, so that no two conversions compete.
  template <typename T>
  Operator& SetAttr(const std::string& name, const T& value) {
    return SetAttr(AscendString(name.c_str()), value);
  }
  template <typename T>
  Operator& SetAttr(const char_t* name, const T& value) {
    return SetAttr(AscendString(name), value);
  }
  Operator& SetAttr(const char_t* name, std::initializer_list<int64_t> value) {
    return SetAttr(AscendString(name), std::vector<int64_t>(value));
  }
  // The attribute, or the default that the operator's class declares.
  graphStatus GetAttr(const AscendString& name, AttrValue& value) const;
  template <typename T>
  graphStatus GetAttr(const AscendString& name, T& value) const {
    AttrValue any;
    return GetAttr(name, any) == GRAPH_SUCCESS ? any.GetAttrValue(value) : GRAPH_FAILED;
  }
  template <typename T>
  graphStatus GetAttr(const std::string& name, T& value) const {
    return GetAttr(AscendString(name.c_str()), value);
  }
  template <typename T>
  graphStatus GetAttr(const char_t* name, T& value) const {
    return GetAttr(AscendString(name), value);
  }
  bool HasAttr(const AscendString& name) const {
    AttrValue any;
    return GetAttr(name, any) == GRAPH_SUCCESS;
  }
  // "VT_INT", "VT_LIST_FLOAT", ... by name, of the attributes that are set.
  graphStatus GetAllAttrNamesAndTypes(std::map<AscendString, AscendString>& types) const;

  // Ports are counted as they are: absent optional ones at the end are not there, dynamic ones as often as created.
  size_t GetInputsSize() const { return InputPorts().size(); }
  size_t GetOutputsSize() const { return OutputPorts().size(); }
  std::vector<AscendString> InputPorts() const;
  std::vector<AscendString> OutputPorts() const;
  int32_t GetDynamicInputNum(const AscendString& port) const;
  int32_t GetDynamicOutputNum(const AscendString& port) const;

  // What was set for the port, else what the operator that feeds it says; a default description where neither is.
  TensorDesc GetInputDesc(uint32_t index) const;
  TensorDesc GetInputDescByName(const char_t* port) const;
  TensorDesc GetInputDesc(const std::string& port) const { return GetInputDescByName(port.c_str()); }
  TensorDesc GetOutputDesc(uint32_t index) const;
  TensorDesc GetOutputDescByName(const char_t* port) const;
  TensorDesc GetOutputDesc(const std::string& port) const { return GetOutputDescByName(port.c_str()); }
  graphStatus TryGetInputDesc(const char_t* port, TensorDesc& desc) const;
  graphStatus TryGetInputDesc(const std::string& port, TensorDesc& desc) const {
    return TryGetInputDesc(port.c_str(), desc);
  }
  // Bytes of an input that a Const feeds.
  graphStatus GetInputConstData(const char_t* port, Tensor& data) const;
  graphStatus GetInputConstData(const std::string& port, Tensor& data) const {
    return GetInputConstData(port.c_str(), data);
  }

  graphStatus UpdateInputDesc(const AscendString& port, const TensorDesc& desc) {
    if (IsEmpty()) return GRAPH_FAILED;
    description_->inputs[port] = desc;
    return GRAPH_SUCCESS;
  }
  graphStatus UpdateInputDesc(const std::string& port, const TensorDesc& desc) {
    return UpdateInputDesc(AscendString(port.c_str()), desc);
  }
  graphStatus UpdateInputDesc(const char_t* port, const TensorDesc& desc) {
    return UpdateInputDesc(AscendString(port), desc);
  }
  graphStatus UpdateInputDesc(const uint32_t index, const TensorDesc& desc);
  graphStatus UpdateOutputDesc(const AscendString& port, const TensorDesc& desc) {
    if (IsEmpty()) return GRAPH_FAILED;
    description_->outputs[port] = desc;
    return GRAPH_SUCCESS;
  }
  graphStatus UpdateOutputDesc(const std::string& port, const TensorDesc& desc) {
    return UpdateOutputDesc(AscendString(port.c_str()), desc);
  }
  graphStatus UpdateOutputDesc(const char_t* port, const TensorDesc& desc) {
    return UpdateOutputDesc(AscendString(port), desc);
  }
  graphStatus UpdateOutputDesc(const uint32_t index, const TensorDesc& desc);
  TensorDesc GetDynamicInputDesc(const AscendString& port, uint32_t index) const {
    return GetInputDescByName(Numbered(port, index).GetString());
  }
  TensorDesc GetDynamicOutputDesc(const AscendString& port, uint32_t index) const {
    return GetOutputDescByName(Numbered(port, index).GetString());
  }
  graphStatus UpdateDynamicInputDesc(const AscendString& port, uint32_t index, const TensorDesc& desc) {
    return UpdateInputDesc(Numbered(port, index), desc);
  }
  graphStatus UpdateDynamicOutputDesc(const AscendString& port, uint32_t index, const TensorDesc& desc) {
    return UpdateOutputDesc(Numbered(port, index), desc);
  }

  // Describes the outputs from the descriptions of the inputs and the attributes. Fails for a type without inference.
  graphStatus InferShapeAndType();
  graphStatus VerifyAllAttr(bool = false) { return IsEmpty() ? GRAPH_FAILED : GRAPH_SUCCESS; }
  void SetInferenceContext(const InferenceContextPtr&) {}
  InferenceContextPtr GetInferenceContext() const { return nullptr; }
  void SetSubgraphBuilder(const char_t* name, uint32_t index, const SubgraphBuilder& builder);

  const OperatorDescription* description() const { return description_.get(); }
  const std::shared_ptr<OperatorDescription>& shared() const { return description_; }

 protected:
  // What a class says of its type, in the order of the ports.
  void InputRegister(const char_t* port, const char_t* = nullptr) { Declare(port, IrPortKind::kRequired, true, TensorType::ALL()); }
  void OptionalInputRegister(const char_t* port, const char_t* = nullptr) { Declare(port, IrPortKind::kOptional, true, TensorType::ALL()); }
  void OutputRegister(const char_t* port, const char_t* = nullptr) { Declare(port, IrPortKind::kRequired, false, TensorType::ALL()); }
  void DynamicInputRegister(const char_t* port, const uint32_t count, bool = true) {
    DeclareDynamic(port, count, true);
  }
  void DynamicInputRegister(const char_t* port, const uint32_t count, const char_t*, bool = true) {
    DeclareDynamic(port, count, true);
  }
  void DynamicInputRegisterByIndex(const char_t* port, const uint32_t count, size_t) {
    DeclareDynamic(port, count, true);
  }
  void DynamicOutputRegister(const char_t* port, const uint32_t count, bool = true) {
    DeclareDynamic(port, count, false);
  }
  void DynamicOutputRegister(const char_t* port, const uint32_t count, const char_t*, bool = true) {
    DeclareDynamic(port, count, false);
  }
  template <typename T>
  void AttrRegister(const char_t* name, const T& value) {
    AttrValue fallback;
    fallback.SetAttrValue(value);
    if (description_) description_->declared_attrs.push_back({name, false, fallback});
  }
  void AttrRegister(const char_t* name, const AttrValue& value) {
    if (description_) description_->declared_attrs.push_back({name, false, value});
  }
  template <typename T>
  void RequiredAttrOf(const char_t* name, const T& of_its_type) {
    AttrValue any;
    any.SetAttrValue(of_its_type);
    if (description_) description_->declared_attrs.push_back({name, true, any});
  }
  void RequiredAttrRegister(const char_t* name) {
    if (description_) description_->declared_attrs.push_back({name, true, AttrValue()});
  }
  void RequiredAttrWithTypeRegister(const char_t* name, const char_t*) { RequiredAttrRegister(name); }
  void SubgraphRegister(const char_t*, bool) {}
  void SubgraphCountRegister(const char_t*, uint32_t) {}
  void DataTypeRegister(const char_t*, const TensorType&) {}
  void DataTypeRegister(const char_t*, const ListTensorType&) {}
  void DataTypeRegister(const char_t*, const Promote&) {}
  void Declare(const char_t* port, IrPortKind kind, bool input, const TensorType& types) {
    if (!description_) return;
    auto& ports = input ? description_->input_ports : description_->output_ports;
    for (const OperatorDescription::Port& declared : ports) {
      if (declared.name == port) return;
    }
    ports.push_back({port, kind, types.types});
  }
  static AscendString Numbered(const AscendString& port, uint32_t index) {
    return AscendString((std::string(port.GetString()) + std::to_string(index)).c_str());
  }

 private:
  void DeclareDynamic(const char_t* port, uint32_t count, bool input) {
    if (!description_) return;
    Declare(port, IrPortKind::kDynamic, input, TensorType::ALL());
    (input ? description_->dynamic_inputs : description_->dynamic_outputs)[port] = count;
  }

  std::shared_ptr<OperatorDescription> description_;
};

using OperatorPtr = std::shared_ptr<Operator>;

}  // namespace ge

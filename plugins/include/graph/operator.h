// What a new node is to be: a name, an operator type, attributes and descriptions of inputs and outputs. Graph::
// AddNodeByOp makes the node. Copies share what they describe.
#pragma once

#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "graph/attr_value.h"
#include "graph/tensor.h"

namespace ge {

struct OperatorDescription {
  AscendString name;
  AscendString type;
  std::map<AscendString, AttrValue> attrs;
  std::map<AscendString, TensorDesc> inputs;                         // by port name
  std::map<AscendString, TensorDesc> outputs;                        // by port name
  std::map<AscendString, uint32_t> dynamic_inputs, dynamic_outputs;  // number of ports of a dynamic one
};

class Operator {
 public:
  Operator() = default;
  explicit Operator(const char_t* type) : Operator("", type) {}
  explicit Operator(const std::string& type) : Operator("", type.c_str()) {}
  Operator(const char_t* name, const char_t* type) : Operator(AscendString(name), AscendString(type)) {}
  Operator(const std::string& name, const std::string& type) : Operator(name.c_str(), type.c_str()) {}
  Operator(const AscendString& name, const AscendString& type) : description_(std::make_shared<OperatorDescription>()) {
    description_->name = name;
    description_->type = type;
  }
  virtual ~Operator() = default;

  bool IsEmpty() const { return description_ == nullptr; }
  graphStatus GetName(AscendString& name) const {
    if (IsEmpty()) return GRAPH_FAILED;
    name = description_->name;
    return GRAPH_SUCCESS;
  }
  graphStatus GetOpType(AscendString& type) const {
    if (IsEmpty()) return GRAPH_FAILED;
    type = description_->type;
    return GRAPH_SUCCESS;
  }

  template <typename T>
  Operator& SetAttr(const AscendString& name, const T& value) {
    if (description_) description_->attrs[name].SetAttrValue(value);
    return *this;
  }
  Operator& SetAttr(const AscendString& name, const AttrValue& value) {
    if (description_) description_->attrs[name] = value;
    return *this;
  }
  Operator& SetAttr(const AscendString& name, std::initializer_list<int64_t> value) {
    return SetAttr(name, std::vector<int64_t>(value));
  }
  template <typename T>
  graphStatus GetAttr(const AscendString& name, T& value) const {
    if (IsEmpty()) return GRAPH_FAILED;
    const auto it = description_->attrs.find(name);
    return it == description_->attrs.end() ? GRAPH_FAILED : it->second.GetAttrValue(value);
  }

  graphStatus UpdateInputDesc(const AscendString& port, const TensorDesc& desc) {
    if (IsEmpty()) return GRAPH_FAILED;
    description_->inputs[port] = desc;
    return GRAPH_SUCCESS;
  }
  graphStatus UpdateOutputDesc(const AscendString& port, const TensorDesc& desc) {
    if (IsEmpty()) return GRAPH_FAILED;
    description_->outputs[port] = desc;
    return GRAPH_SUCCESS;
  }

  const OperatorDescription* description() const { return description_.get(); }

 protected:
  void DynamicInput(const char_t* port, uint32_t count) { description_->dynamic_inputs[port] = count; }
  void DynamicOutput(const char_t* port, uint32_t count) { description_->dynamic_outputs[port] = count; }

 private:
  std::shared_ptr<OperatorDescription> description_;
};

}  // namespace ge

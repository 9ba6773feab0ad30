// ge::Operator beyond what its header says by itself.
#include "graph/operator.h"

#include <algorithm>

#include "graph/graph.h"
#include "plugins/sdk/convert.h"
#include "plugins/sdk/infer_alone.h"
#include "plugins/sdk/op_ir.h"

namespace ge {
namespace {

// Of the alternatives of AttrValue::Storage.
constexpr const char* kTypeNames[] = {"",
                                      "VT_INT",
                                      "VT_FLOAT",
                                      "VT_BOOL",
                                      "VT_STRING",
                                      "VT_DATA_TYPE",
                                      "VT_TENSOR",
                                      "VT_LIST_INT",
                                      "VT_LIST_FLOAT",
                                      "VT_LIST_BOOL",
                                      "VT_LIST_STRING",
                                      "VT_LIST_DATA_TYPE",
                                      "VT_LIST_TENSOR",
                                      "VT_LIST_LIST_INT",
                                      "VT_BYTES"};
static_assert(std::size(kTypeNames) == std::variant_size_v<AttrValue::Storage>);

std::vector<AscendString> PortsOf(const OperatorDescription* op, bool inputs) {
  const atc::OpDef* def = op == nullptr ? nullptr : DefinitionOf(*op);
  if (def == nullptr) return {};
  return inputs ? InputPortsOf(*op, *def) : OutputPortsOf(*op, *def);
}

const TensorDesc* Find(const std::map<AscendString, TensorDesc>& descs, const AscendString& port) {
  const auto found = descs.find(port);
  return found == descs.end() ? nullptr : &found->second;
}

}  // namespace

Operator& Operator::SetInput(const AscendString& port, const Operator& from, uint32_t output) {
  if (!IsEmpty() && !from.IsEmpty()) description_->links[port] = {from.shared(), output};
  return *this;
}

Operator& Operator::SetInput(uint32_t input, const Operator& from, uint32_t output) {
  const std::vector<AscendString> ports = InputPorts();
  return input < ports.size() ? SetInput(ports[input], from, output) : *this;
}

Operator& Operator::SetInput(const AscendString& port, const Operator& from, const AscendString& output) {
  const std::vector<AscendString> ports = PortsOf(from.description(), false);
  const auto found = std::find(ports.begin(), ports.end(), output);
  return found == ports.end() ? *this : SetInput(port, from, static_cast<uint32_t>(found - ports.begin()));
}

Operator& Operator::AddControlInput(const Operator& from) {
  if (!IsEmpty() && !from.IsEmpty()) description_->after.push_back(from.shared());
  return *this;
}

void Operator::SetSubgraphBuilder(const char_t* name, uint32_t, const SubgraphBuilder& builder) {
  if (!IsEmpty()) description_->subgraphs[name] = builder;
}

graphStatus Operator::GetAttr(const AscendString& name, AttrValue& value) const {
  if (IsEmpty()) return GRAPH_FAILED;
  if (const auto found = description_->attrs.find(name); found != description_->attrs.end()) {
    value = found->second;
    return GRAPH_SUCCESS;
  }
  for (const OperatorDescription::Attr& declared : description_->declared_attrs) {
    if (declared.name != name || declared.required) continue;
    value = declared.fallback;
    return GRAPH_SUCCESS;
  }
  return GRAPH_FAILED;
}

graphStatus Operator::GetAllAttrNamesAndTypes(std::map<AscendString, AscendString>& types) const {
  if (IsEmpty()) return GRAPH_FAILED;
  for (const auto& [name, value] : description_->attrs) types[name] = kTypeNames[value.storage().index()];
  return GRAPH_SUCCESS;
}

std::vector<AscendString> Operator::InputPorts() const { return PortsOf(description(), true); }
std::vector<AscendString> Operator::OutputPorts() const { return PortsOf(description(), false); }

int32_t Operator::GetDynamicInputNum(const AscendString& port) const {
  if (IsEmpty()) return 0;
  const auto found = description_->dynamic_inputs.find(port);
  return found == description_->dynamic_inputs.end() ? 0 : static_cast<int32_t>(found->second);
}

int32_t Operator::GetDynamicOutputNum(const AscendString& port) const {
  if (IsEmpty()) return 0;
  const auto found = description_->dynamic_outputs.find(port);
  return found == description_->dynamic_outputs.end() ? 0 : static_cast<int32_t>(found->second);
}

graphStatus Operator::TryGetInputDesc(const char_t* port, TensorDesc& desc) const {
  if (IsEmpty()) return GRAPH_FAILED;
  if (const TensorDesc* given = Find(description_->inputs, port)) {
    desc = *given;
    return GRAPH_SUCCESS;
  }
  const auto link = description_->links.find(port);
  if (link == description_->links.end()) return GRAPH_FAILED;
  desc = Operator(link->second.from).GetOutputDesc(link->second.output);
  return GRAPH_SUCCESS;
}

TensorDesc Operator::GetInputDescByName(const char_t* port) const {
  TensorDesc desc;
  TryGetInputDesc(port, desc);
  return desc;
}

TensorDesc Operator::GetInputDesc(uint32_t index) const {
  const std::vector<AscendString> ports = InputPorts();
  return index < ports.size() ? GetInputDescByName(ports[index].GetString()) : TensorDesc();
}

TensorDesc Operator::GetOutputDescByName(const char_t* port) const {
  const TensorDesc* given = IsEmpty() ? nullptr : Find(description_->outputs, port);
  return given == nullptr ? TensorDesc() : *given;
}

TensorDesc Operator::GetOutputDesc(uint32_t index) const {
  const std::vector<AscendString> ports = OutputPorts();
  return index < ports.size() ? GetOutputDescByName(ports[index].GetString()) : TensorDesc();
}

graphStatus Operator::UpdateInputDesc(const uint32_t index, const TensorDesc& desc) {
  const std::vector<AscendString> ports = InputPorts();
  return index < ports.size() ? UpdateInputDesc(ports[index], desc) : GRAPH_FAILED;
}

graphStatus Operator::UpdateOutputDesc(const uint32_t index, const TensorDesc& desc) {
  const std::vector<AscendString> ports = OutputPorts();
  return index < ports.size() ? UpdateOutputDesc(ports[index], desc) : GRAPH_FAILED;
}

graphStatus Operator::GetInputConstData(const char_t* port, Tensor& data) const {
  if (IsEmpty()) return GRAPH_FAILED;
  const auto link = description_->links.find(port);
  if (link == description_->links.end()) return GRAPH_FAILED;
  const Operator source(link->second.from);
  return source.GetOpType() == "Const" || source.GetOpType() == "Constant" ? source.GetAttr("value", data)
                                                                            : GRAPH_FAILED;
}

graphStatus Operator::InferShapeAndType() {
  const atc::OpDef* def = IsEmpty() ? nullptr : DefinitionOf(*description_);
  if (def == nullptr) return GRAPH_FAILED;
  atc::Graph graph("operator");
  std::vector<atc::ValueId> inputs;
  for (const AscendString& port : InputPorts()) {
    TensorDesc desc;
    Tensor constant;
    if (GetInputConstData(port.GetString(), constant) == GRAPH_SUCCESS) {
      std::optional<atc::Tensor> value = ToInternal(constant);
      if (!value) return GRAPH_FAILED;
      inputs.push_back(graph.AddConst("", std::move(*value)));
    } else if (TryGetInputDesc(port.GetString(), desc) == GRAPH_SUCCESS) {
      inputs.push_back(graph.AddData("", static_cast<int64_t>(inputs.size()), ToInternal(desc)));
    } else {
      inputs.push_back(atc::kNoId);
    }
  }
  while (!inputs.empty() && inputs.back() == atc::kNoId) inputs.pop_back();
  const std::vector<AscendString> outputs = OutputPorts();
  atc::Node& node = graph.Add(*def, "operator", inputs, outputs.size());
  for (const auto& [name, value] : description_->attrs) {
    std::optional<atc::AttrValue> copy = ToInternal(value);
    if (copy) node.attrs.Set(atc::Name(name.GetString()), std::move(*copy));
  }
  for (const atc::AttrDef& attr : def->attrs) {
    if (attr.required && !node.attrs.Has(attr.name)) return GRAPH_FAILED;
  }
  for (size_t i = 0; i < def->inputs.size(); ++i) {
    if (def->inputs[i].kind == atc::IoKind::kRequired && (i >= inputs.size() || inputs[i] == atc::kNoId))
      return GRAPH_FAILED;
  }
  if (!InferAlone(graph, node)) return GRAPH_FAILED;
  for (size_t i = 0; i < outputs.size(); ++i) {
    description_->outputs[outputs[i]] = ToPublic(graph.desc(node.outputs[i]));
  }
  return GRAPH_SUCCESS;
}

}  // namespace ge

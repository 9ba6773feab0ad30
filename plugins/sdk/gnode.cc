// ge::GNode: looking at a node and describing it.
#include "graph/gnode.h"

#include "graph/graph.h"

#include "plugins/sdk/convert.h"
#include "plugins/sdk/handles.h"

namespace ge {
namespace {

// What GetInDataNodesAndPortIndexs gives as the port where nothing is connected.
constexpr int32_t kNoPort = 0xFF;

AscendString Text(const std::string& text) { return AscendString(text.data(), text.size()); }

struct Place {
  const atc::Graph* graph = nullptr;
  const atc::Node* node = nullptr;
  std::shared_ptr<GraphImpl> impl;
  explicit operator bool() const { return node != nullptr; }
  GNodePtr Wrap(atc::NodeId id) const { return Access::WrapPtr(impl, graph->node(id)); }
};

Place Find(const std::shared_ptr<NodeImpl>& impl) {
  if (!impl) return {};
  return {impl->graph->Get(), impl->Get(), impl->graph};
}

bool Within(int32_t index, const std::vector<atc::ValueId>& ports) {
  return index >= 0 && static_cast<size_t>(index) < ports.size();
}

using PortName = std::string (atc::OpDef::*)(size_t) const;

graphStatus IndexByName(const atc::Node& node, size_t ports, PortName port_name, const AscendString& name,
                        int32_t& index) {
  for (size_t i = 0; i < ports; ++i) {
    if ((node.def->*port_name)(i) != name.GetString()) continue;
    index = static_cast<int32_t>(i);
    return GRAPH_SUCCESS;
  }
  return GRAPH_FAILED;
}

// Ports from the dynamic one called `name` on to the last.
graphStatus DynamicIndexes(const std::vector<atc::IoDef>& defs, size_t ports, const AscendString& name,
                           std::vector<int32_t>& indexes) {
  for (size_t i = 0; i < defs.size(); ++i) {
    if (defs[i].kind != atc::IoKind::kDynamic || defs[i].name.str() != name.GetString()) continue;
    const size_t after = defs.size() - i - 1;
    indexes.clear();
    for (size_t port = i; port + after < ports; ++port) indexes.push_back(static_cast<int32_t>(port));
    return GRAPH_SUCCESS;
  }
  return GRAPH_FAILED;
}

// Attributes of ports are attributes of the node under a name of their own.
AscendString PortAttr(const char* side, uint32_t index, const AscendString& name) {
  return Text(std::string("_") + side + std::to_string(index) + "_" + name.GetString());
}

}  // namespace

GNode::GNode() = default;

graphStatus GNode::GetType(AscendString& type) const {
  const Place place = Find(impl_);
  if (!place) return GRAPH_FAILED;
  type = Text(place.node->type().str());
  return GRAPH_SUCCESS;
}

graphStatus GNode::GetName(AscendString& name) const {
  const Place place = Find(impl_);
  if (!place) return GRAPH_FAILED;
  name = Text(place.node->name);
  return GRAPH_SUCCESS;
}

std::pair<GNodePtr, int32_t> GNode::GetInDataNodesAndPortIndexs(const int32_t index) const {
  const Place place = Find(impl_);
  if (!place || !Within(index, place.node->inputs) || place.node->inputs[index] == atc::kNoId)
    return {nullptr, kNoPort};
  const atc::Value& value = place.graph->value(place.node->inputs[index]);
  return {place.Wrap(value.producer), static_cast<int32_t>(value.index)};
}

std::vector<std::pair<GNodePtr, int32_t>> GNode::GetOutDataNodesAndPortIndexs(const int32_t index) const {
  std::vector<std::pair<GNodePtr, int32_t>> found;
  const Place place = Find(impl_);
  if (!place || !Within(index, place.node->outputs)) return found;
  for (const atc::Use& use : place.graph->value(place.node->outputs[index]).uses) {
    found.emplace_back(place.Wrap(use.node), static_cast<int32_t>(use.input));
  }
  return found;
}

std::vector<GNodePtr> GNode::GetInControlNodes() const {
  std::vector<GNodePtr> found;
  const Place place = Find(impl_);
  if (!place) return found;
  for (const atc::NodeId id : place.node->control_in) found.push_back(place.Wrap(id));
  return found;
}

std::vector<GNodePtr> GNode::GetOutControlNodes() const {
  std::vector<GNodePtr> found;
  const Place place = Find(impl_);
  if (!place) return found;
  for (const atc::NodeId id : place.node->control_out) found.push_back(place.Wrap(id));
  return found;
}

graphStatus GNode::GetInputConstData(const int32_t index, Tensor& data) const {
  const Place place = Find(impl_);
  if (!place || index < 0) return GRAPH_FAILED;
  const atc::Tensor* constant = place.graph->ConstantInput(*place.node, static_cast<uint32_t>(index));
  if (constant == nullptr) return GRAPH_NODE_WITHOUT_CONST_INPUT;
  std::optional<Tensor> copy = ToPublic(*constant);
  if (!copy) return GRAPH_FAILED;
  data = std::move(*copy);
  return GRAPH_SUCCESS;
}

graphStatus GNode::GetInputIndexByName(const AscendString& name, int32_t& index) const {
  const Place place = Find(impl_);
  return place ? IndexByName(*place.node, place.node->inputs.size(), &atc::OpDef::InputName, name, index)
               : GRAPH_FAILED;
}

graphStatus GNode::GetOutputIndexByName(const AscendString& name, int32_t& index) const {
  const Place place = Find(impl_);
  return place ? IndexByName(*place.node, place.node->outputs.size(), &atc::OpDef::OutputName, name, index)
               : GRAPH_FAILED;
}

graphStatus GNode::GetDynamicInputIndexesByName(const AscendString& name, std::vector<int32_t>& indexes) const {
  const Place place = Find(impl_);
  return place ? DynamicIndexes(place.node->def->inputs, place.node->inputs.size(), name, indexes) : GRAPH_FAILED;
}

graphStatus GNode::GetDynamicOutputIndexesByName(const AscendString& name, std::vector<int32_t>& indexes) const {
  const Place place = Find(impl_);
  return place ? DynamicIndexes(place.node->def->outputs, place.node->outputs.size(), name, indexes) : GRAPH_FAILED;
}

size_t GNode::GetInputsSize() const {
  const Place place = Find(impl_);
  if (!place) return 0;
  // Optional inputs of a new node that nothing is connected to are not there.
  size_t size = place.node->inputs.size();
  const auto absent = [&place](size_t index) {
    const atc::IoDef* def = place.node->def->InputDef(index);
    return place.node->inputs[index] == atc::kNoId && def != nullptr && def->kind == atc::IoKind::kOptional;
  };
  while (size > 0 && absent(size - 1)) --size;
  return size;
}

size_t GNode::GetOutputsSize() const {
  const Place place = Find(impl_);
  return place ? place.node->outputs.size() : 0;
}

graphStatus GNode::GetInputDesc(const int32_t index, TensorDesc& desc) const {
  const Place place = Find(impl_);
  if (!place || !Within(index, place.node->inputs)) return GRAPH_FAILED;
  if (place.node->inputs[index] != atc::kNoId) {
    desc = ToPublic(place.graph->desc(place.node->inputs[index]));
  } else if (const auto open = place.impl->session->open_inputs.find({place.graph, place.node->name, index});
             open != place.impl->session->open_inputs.end()) {
    desc = ToPublic(open->second);
  } else {
    const atc::IoDef* def = place.node->def->InputDef(index);
    if (def == nullptr || def->kind == atc::IoKind::kOptional) return GRAPH_FAILED;
    desc = TensorDesc();  // of a node that is new
  }
  desc.SetName(place.node->def->InputName(index).c_str());
  return GRAPH_SUCCESS;
}

graphStatus GNode::GetOutputDesc(const int32_t index, TensorDesc& desc) const {
  const Place place = Find(impl_);
  if (!place || !Within(index, place.node->outputs)) return GRAPH_FAILED;
  desc = ToPublic(place.graph->desc(place.node->outputs[index]));
  desc.SetName(place.node->def->OutputName(index).c_str());
  return GRAPH_SUCCESS;
}

graphStatus GNode::UpdateInputDesc(const int32_t index, const TensorDesc& desc) {
  const Place place = Find(impl_);
  if (!place || place.impl->Editable() == nullptr || !Within(index, place.node->inputs)) return GRAPH_FAILED;
  const atc::ValueId input = place.node->inputs[index];
  if (input == atc::kNoId) {
    place.impl->session->open_inputs[{place.graph, place.node->name, index}] = ToInternal(desc);
    return GRAPH_SUCCESS;
  }
  const atc::TensorDesc& has = place.graph->desc(input);
  const atc::TensorDesc given = ToInternal(desc);
  const bool type_fits = has.dtype == given.dtype || has.dtype == atc::DT_UNDEFINED || given.dtype == atc::DT_UNDEFINED;
  const bool shape_fits = has.shape == given.shape || !has.shape.IsKnown() || !given.shape.IsKnown();
  return type_fits && shape_fits ? GRAPH_SUCCESS : GRAPH_FAILED;
}

graphStatus GNode::UpdateOutputDesc(const int32_t index, const TensorDesc& desc) {
  const Place place = Find(impl_);
  if (!place || !Within(index, place.node->outputs)) return GRAPH_FAILED;
  atc::Graph* graph = place.impl->Editable();
  if (graph == nullptr) return GRAPH_FAILED;
  atc::TensorDesc given = ToInternal(desc);
  atc::TensorDesc& has = graph->desc(place.node->outputs[index]);
  if (given.origin_shape == has.origin_shape) {  // what the public description cannot say is kept
    given.symbols = has.symbols;
    if (given.ranges.empty()) given.ranges = has.ranges;
  }
  has = std::move(given);
  return GRAPH_SUCCESS;
}

graphStatus GNode::GetAttr(const AscendString& name, AttrValue& value) const {
  const Place place = Find(impl_);
  if (!place) return GRAPH_FAILED;
  const atc::Name key(name.GetString());
  const atc::AttrValue* found = place.node->attrs.Find(key);
  const atc::AttrDef* declared = place.node->def->FindAttr(key);
  if (found == nullptr && declared != nullptr && !declared->required) found = &declared->fallback;
  if (found == nullptr) return GRAPH_FAILED;
  std::optional<AttrValue> copy = ToPublic(*found);
  if (!copy) return GRAPH_FAILED;
  value = std::move(*copy);
  return GRAPH_SUCCESS;
}

graphStatus GNode::SetAttr(const AscendString& name, const AttrValue& value) const {
  const Place place = Find(impl_);
  if (!place || place.impl->Editable() == nullptr) return GRAPH_FAILED;
  std::optional<atc::AttrValue> copy = ToInternal(value);
  if (!copy) return GRAPH_FAILED;
  impl_->Get()->attrs.Set(atc::Name(name.GetString()), std::move(*copy));
  return GRAPH_SUCCESS;
}

bool GNode::HasAttr(const AscendString& name) const {
  const Place place = Find(impl_);
  if (!place) return false;
  const atc::AttrDef* declared = place.node->def->FindAttr(atc::Name(name.GetString()));
  return place.node->attrs.Has(atc::Name(name.GetString())) || (declared != nullptr && !declared->required);
}

graphStatus GNode::GetInputAttr(const AscendString& name, uint32_t index, AttrValue& value) const {
  return GetAttr(PortAttr("input", index, name), value);
}
graphStatus GNode::GetOutputAttr(const AscendString& name, uint32_t index, AttrValue& value) const {
  return GetAttr(PortAttr("output", index, name), value);
}
graphStatus GNode::SetInputAttr(const AscendString& name, uint32_t index, const AttrValue& value) {
  return index < GetInputsSize() ? SetAttr(PortAttr("input", index, name), value) : GRAPH_FAILED;
}
graphStatus GNode::SetOutputAttr(const AscendString& name, uint32_t index, const AttrValue& value) {
  return index < GetOutputsSize() ? SetAttr(PortAttr("output", index, name), value) : GRAPH_FAILED;
}

graphStatus GNode::GetSubgraph(uint32_t index, GraphPtr& graph) const {
  const Place place = Find(impl_);
  if (!place || index >= place.node->subgraphs.size()) return GRAPH_FAILED;
  graph = Access::WrapPtr(std::make_shared<GraphImpl>(impl_, index));
  return GRAPH_SUCCESS;
}

graphStatus GNode::SetSubgraph(const AscendString& name, const Graph& graph) {
  const Place place = Find(impl_);
  atc::Graph* owner = place ? place.impl->Editable() : nullptr;
  const atc::Graph* nested = Access::Impl(graph) ? Access::Impl(graph)->Get() : nullptr;
  if (owner == nullptr || nested == nullptr) return GRAPH_FAILED;
  Access::Attach(*owner, *impl_->Get(), name.GetString(), nested->Clone());
  return GRAPH_SUCCESS;
}

graphStatus GNode::SetSubgraphs(const AscendString& name, const std::vector<Graph>& graphs) {
  for (size_t i = 0; i < graphs.size(); ++i) {
    if (SetSubgraph(Text(name.GetString() + std::to_string(i)), graphs[i]) != GRAPH_SUCCESS) return GRAPH_FAILED;
  }
  return GRAPH_SUCCESS;
}

graphStatus GNode::GetALLSubgraphs(std::vector<GraphPtr>& graphs) const {
  if (!Find(impl_)) return GRAPH_FAILED;
  graphs = Access::WrapPtr(std::make_shared<GraphImpl>(impl_->graph->session))->GetAllSubgraphs();
  return graphs.empty() ? GRAPH_FAILED : GRAPH_SUCCESS;
}

}  // namespace ge

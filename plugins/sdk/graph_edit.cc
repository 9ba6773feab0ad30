// ge::Graph: changing a graph. A pass may leave it half connected between two calls; it is verified when it returns.
#include <algorithm>

#include "graph/graph.h"
#include "graph/operator_factory.h"
#include "plugins/sdk/convert.h"
#include "plugins/sdk/handles.h"

namespace ge {
namespace {

// The number of ports to begin with: the fixed ones, and as many of the dynamic one as the operator was given.
// `wanted` tells whether an optional port at the end is there.
template <typename F>
size_t Ports(const std::vector<atc::IoDef>& defs, const std::map<AscendString, uint32_t>& dynamic, F&& wanted) {
  size_t ports = 0;
  size_t used = 0;
  for (const atc::IoDef& def : defs) {
    const AscendString name(def.name.str().c_str());
    const auto given = dynamic.find(name);
    ports += def.kind != atc::IoKind::kDynamic ? 1 : given == dynamic.end() ? 0 : given->second;
    if (def.kind != atc::IoKind::kOptional || wanted(name)) used = ports;
  }
  return used;
}

bool Within(int32_t index, const std::vector<atc::ValueId>& ports) {
  return index >= 0 && static_cast<size_t>(index) < ports.size();
}

// A port that the definition allows, however many there are now.
bool Allowed(const atc::Node& node, int32_t index) {
  return index >= 0 && (Within(index, node.inputs) || node.fused != nullptr || node.def->InputDef(index) != nullptr);
}

}  // namespace

bool OperatorFactory::IsExistOp(const char_t* type) {
  return type != nullptr && atc::OpRegistry::Get().Find(atc::Name(type)) != nullptr;
}

GNode Graph::AddNodeByOp(const Operator& op) {
  atc::Graph* graph = impl_ ? impl_->Editable() : nullptr;
  const OperatorDescription* wanted = op.description();
  if (graph == nullptr || wanted == nullptr) return GNode();
  const atc::OpDef* def = atc::OpRegistry::Get().Find(atc::Name(wanted->type.GetString()));
  if (def == nullptr) return GNode();
  atc::AttrMap attrs;
  for (const auto& [name, value] : wanted->attrs) {
    std::optional<atc::AttrValue> copy = ToInternal(value);
    if (!copy) return GNode();
    attrs.Set(atc::Name(name.GetString()), std::move(*copy));
  }
  const auto described = [&](const AscendString& name) { return wanted->outputs.count(name) > 0; };
  const size_t inputs = Ports(def->inputs, wanted->dynamic_inputs, [](const AscendString&) { return true; });
  const size_t outputs = Ports(def->outputs, wanted->dynamic_outputs, described);
  atc::Node& node = graph->Add(*def, wanted->name.GetString(), std::vector<atc::ValueId>(inputs, atc::kNoId), outputs);
  node.attrs = std::move(attrs);
  node.origin = graph->origins().Leaf(impl_->session->pass);
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    const auto desc = wanted->outputs.find(AscendString(def->OutputName(i).c_str()));
    if (desc != wanted->outputs.end()) graph->desc(node.outputs[i]) = ToInternal(desc->second);
  }
  if (const atc::Tensor* value = node.attrs.FindAs<atc::Tensor>("value"); value != nullptr && node.type() == "Const") {
    graph->desc(node.outputs[0]) = atc::TensorDesc(value->dtype(), value->shape());
  }
  return Access::Wrap(impl_, node);
}

graphStatus Graph::AddDataEdge(GNode& from, const int32_t from_port, GNode& to, const int32_t to_port) {
  atc::Graph* graph = impl_ ? impl_->Editable() : nullptr;
  if (graph == nullptr) return GRAPH_FAILED;
  const atc::Node* source = Access::Get(from, *graph);
  atc::Node* target = Access::Get(to, *graph);
  if (source == nullptr || target == nullptr) return GRAPH_FAILED;
  if (!Within(from_port, source->outputs) || !Allowed(*target, to_port)) return GRAPH_FAILED;
  // Dynamic ports come one after another: a far number is a mistake, not a wish for that many of them.
  if (static_cast<size_t>(to_port) > target->inputs.size()) return GRAPH_FAILED;
  if (static_cast<size_t>(to_port) == target->inputs.size()) graph->AddInput(*target, atc::kNoId);
  if (target->inputs[to_port] != atc::kNoId) return GRAPH_FAILED;
  graph->SetInput(*target, to_port, source->outputs[from_port]);
  return GRAPH_SUCCESS;
}

graphStatus Graph::AddControlEdge(GNode& from, GNode& to) {
  atc::Graph* graph = impl_ ? impl_->Editable() : nullptr;
  if (graph == nullptr) return GRAPH_FAILED;
  const atc::Node* source = Access::Get(from, *graph);
  const atc::Node* target = Access::Get(to, *graph);
  if (source == nullptr || target == nullptr || source == target) return GRAPH_FAILED;
  graph->AddControl(source->id, target->id);
  return GRAPH_SUCCESS;
}

graphStatus Graph::RemoveEdge(GNode& from, const int32_t from_port, GNode& to, const int32_t to_port) {
  atc::Graph* graph = impl_ ? impl_->Editable() : nullptr;
  if (graph == nullptr) return GRAPH_FAILED;
  const atc::Node* source = Access::Get(from, *graph);
  atc::Node* target = Access::Get(to, *graph);
  if (source == nullptr || target == nullptr) return GRAPH_FAILED;
  if (from_port == -1 && to_port == -1) {
    if (std::find(source->control_out.begin(), source->control_out.end(), target->id) == source->control_out.end()) {
      return GRAPH_FAILED;
    }
    graph->RemoveControl(source->id, target->id);
    return GRAPH_SUCCESS;
  }
  if (!Within(from_port, source->outputs) || !Within(to_port, target->inputs)) return GRAPH_FAILED;
  if (target->inputs[to_port] != source->outputs[from_port]) return GRAPH_FAILED;
  graph->SetInput(*target, to_port, atc::kNoId);
  return GRAPH_SUCCESS;
}

graphStatus Graph::RemoveNode(GNode& node) {
  atc::Graph* graph = impl_ ? impl_->Editable() : nullptr;
  const atc::Node* gone = graph == nullptr ? nullptr : Access::Get(node, *graph);
  if (gone == nullptr) return GRAPH_FAILED;
  for (const atc::ValueId output : gone->outputs) {
    const std::vector<atc::Use> uses = graph->value(output).uses;
    for (const atc::Use& use : uses) graph->SetInput(graph->node(use.node), use.input, atc::kNoId);
  }
  graph->Remove(gone->id);
  return GRAPH_SUCCESS;
}

// Nested graphs live and go with the node that owns them.
graphStatus Graph::RemoveNode(GNode& node, bool contain_subgraph) { return RemoveNode(node); }

}  // namespace ge

// ge::Graph: changing a graph. A pass may leave it half connected between two calls; it is verified when it returns.
#include <algorithm>

#include "graph/graph.h"
#include "plugins/sdk/convert.h"
#include "plugins/sdk/handles.h"
#include "plugins/sdk/op_ir.h"

namespace ge {
namespace {

bool Within(int32_t index, const std::vector<atc::ValueId>& ports) {
  return index >= 0 && static_cast<size_t>(index) < ports.size();
}

// A port that the definition allows, however many there are now.
bool Allowed(const atc::Node& node, int32_t index) {
  return index >= 0 && (Within(index, node.inputs) || node.fused != nullptr || node.def->InputDef(index) != nullptr);
}

// Takes away what comes in there; the port keeps its description.
void Disconnect(Session& session, atc::Graph& graph, atc::Node& node, uint32_t input) {
  session.open_inputs[{&graph, node.name, static_cast<int32_t>(input)}] = graph.desc(node.inputs[input]);
  graph.SetInput(node, input, atc::kNoId);
}

}  // namespace

atc::Node* Access::AddNode(atc::Graph& graph, const OperatorDescription& wanted, const std::string& maker,
                           std::string* fault) {
  const auto refuse = [&](const std::string& why) {
    *fault = "a node '" + std::string(wanted.name.GetString()) + "' of type " + wanted.type.GetString() + why;
    return nullptr;
  };
  const atc::OpDef* def = DefinitionOf(wanted);
  if (def == nullptr) return refuse(", which is no operator known here");
  atc::AttrMap attrs;
  for (const auto& [name, value] : wanted.attrs) {
    if (value.empty()) continue;  // left at its default
    std::optional<atc::AttrValue> copy = ToInternal(value);
    if (!copy) return refuse(", whose attribute '" + std::string(name.GetString()) + "' cannot be kept");
    attrs.Set(atc::Name(name.GetString()), std::move(*copy));
  }
  const std::vector<AscendString> inputs = InputPortsOf(wanted, *def);
  const std::vector<AscendString> outputs = OutputPortsOf(wanted, *def);
  atc::Node& node =
      graph.Add(*def, wanted.name.GetString(), std::vector<atc::ValueId>(inputs.size(), atc::kNoId), outputs.size());
  node.attrs = std::move(attrs);
  node.origin = maker.empty() ? atc::kNoOrigin : graph.origins().Leaf(maker);
  for (size_t i = 0; i < outputs.size(); ++i) {
    const auto desc = wanted.outputs.find(outputs[i]);
    if (desc != wanted.outputs.end()) graph.desc(node.outputs[i]) = ToInternal(desc->second);
  }
  if (const atc::Tensor* value = node.attrs.FindAs<atc::Tensor>("value"); value != nullptr && node.type() == "Const") {
    graph.desc(node.outputs[0]) = atc::TensorDesc(value->dtype(), value->shape());
  }
  for (const auto& [name, builder] : wanted.subgraphs) {
    const Graph nested = builder();
    const atc::Graph* inside = nested.impl_ ? nested.impl_->Get() : nullptr;
    if (inside == nullptr) return refuse(", whose graph '" + std::string(name.GetString()) + "' is none");
    Attach(graph, node, name.GetString(), inside->Clone());
  }
  return &node;
}

void Access::Attach(atc::Graph& graph, atc::Node& node, const std::string& name, std::unique_ptr<atc::Graph> nested) {
  nested->parent_graph = &graph;
  nested->parent_node = node.id;
  for (atc::Subgraph& subgraph : node.subgraphs) {
    if (subgraph.name.str() != name) continue;
    subgraph.graph = std::move(nested);
    return;
  }
  node.subgraphs.push_back({atc::Name(name), std::move(nested)});
}

GNode Graph::AddNodeByOp(const Operator& op) {
  atc::Graph* graph = impl_ ? impl_->Editable() : nullptr;
  if (graph == nullptr || op.description() == nullptr) return GNode();
  atc::Node* node = Access::AddNode(*graph, *op.description(), impl_->session->pass, &impl_->session->fault);
  return node == nullptr ? GNode() : Access::Wrap(impl_, *node);
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
  Disconnect(*impl_->session, *graph, *target, static_cast<uint32_t>(to_port));
  return GRAPH_SUCCESS;
}

graphStatus Graph::RemoveNode(GNode& node) {
  atc::Graph* graph = impl_ ? impl_->Editable() : nullptr;
  const atc::Node* gone = graph == nullptr ? nullptr : Access::Get(node, *graph);
  if (gone == nullptr) return GRAPH_FAILED;
  for (const atc::ValueId output : gone->outputs) {
    const std::vector<atc::Use> uses = graph->value(output).uses;
    for (const atc::Use& use : uses) Disconnect(*impl_->session, *graph, graph->node(use.node), use.input);
  }
  std::erase_if(impl_->session->open_inputs, [&](const auto& open) {
    return std::get<0>(open.first) == graph && std::get<1>(open.first) == gone->name;
  });
  graph->Remove(gone->id);
  return GRAPH_SUCCESS;
}

// Nested graphs live and go with the node that owns them.
graphStatus Graph::RemoveNode(GNode& node, bool contain_subgraph) { return RemoveNode(node); }

}  // namespace ge

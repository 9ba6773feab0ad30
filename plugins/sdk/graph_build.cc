// ge::Graph: graphs of their own, made node by node or from linked operators.
#include <map>

#include "compiler/ir/error.h"
#include "graph/graph.h"
#include "plugins/sdk/convert.h"
#include "plugins/sdk/handles.h"
#include "plugins/sdk/op_ir.h"

namespace ge {
namespace {

constexpr const char* kOutputName = "NetOutput";

AscendString Text(const std::string& text) { return AscendString(text.data(), text.size()); }

// Makes nodes of operators and of what feeds them, each once.
class Linker {
 public:
  Linker(atc::Graph& graph, const std::string& maker, std::string* fault)
      : graph_(graph), maker_(maker), fault_(fault) {}

  // Null where the operator or one that feeds it cannot be made.
  atc::Node* Add(const std::shared_ptr<OperatorDescription>& op) {
    if (const auto found = made_.find(op.get()); found != made_.end()) return found->second;
    made_[op.get()] = nullptr;  // an operator that feeds itself ends here
    // Those before it come first, by a walk of its own: chains may be longer than the stack is deep.
    std::vector<std::shared_ptr<OperatorDescription>> open = {op};
    while (!open.empty()) {
      const std::shared_ptr<OperatorDescription> current = open.back();
      bool ready = true;
      const auto need = [&](const std::shared_ptr<OperatorDescription>& before) {
        if (made_.count(before.get()) > 0) return;
        made_[before.get()] = nullptr;
        open.push_back(before);
        ready = false;
      };
      for (const auto& [port, link] : current->links) need(link.from);
      for (const auto& before : current->after) need(before);
      if (!ready) continue;
      open.pop_back();
      if (made_[current.get()] == nullptr && !Make(*current)) return nullptr;
    }
    return made_[op.get()];
  }

 private:
  bool Make(const OperatorDescription& op) {
    atc::Node* node = Access::AddNode(graph_, op, maker_, fault_);
    if (node == nullptr) return false;
    made_[&op] = node;
    for (size_t i = 0; i < node->inputs.size(); ++i) {
      const auto link = op.links.find(Text(node->def->InputName(i)));
      if (link == op.links.end()) continue;
      const atc::Node* from = made_[link->second.from.get()];
      if (from == nullptr || link->second.output >= from->outputs.size()) {
        *fault_ = "the operator '" + std::string(op.name.GetString()) + "' takes an output that is not there";
        return false;
      }
      graph_.SetInput(*node, static_cast<uint32_t>(i), from->outputs[link->second.output]);
    }
    for (const auto& before : op.after) {
      if (const atc::Node* from = made_[before.get()]) graph_.AddControl(from->id, node->id);
    }
    while (!node->inputs.empty() && node->inputs.back() == atc::kNoId) {
      graph_.EraseInput(*node, static_cast<uint32_t>(node->inputs.size() - 1));
    }
    return true;
  }

  atc::Graph& graph_;
  const std::string& maker_;
  std::string* fault_;
  std::map<const OperatorDescription*, atc::Node*> made_;  // only looked up
};

Operator Describe(const atc::Graph& graph, const atc::Node& node) {
  Operator op(Text(node.name), Text(node.type().str()));
  for (const auto& [name, value] : node.attrs) {
    if (std::optional<AttrValue> copy = ToPublic(value)) op.SetAttr(Text(name.str()), *copy);
  }
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    if (node.inputs[i] == atc::kNoId) continue;
    op.UpdateInputDesc(Text(node.def->InputName(i)), ToPublic(graph.desc(node.inputs[i])));
  }
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    op.UpdateOutputDesc(Text(node.def->OutputName(i)), ToPublic(graph.desc(node.outputs[i])));
  }
  return op;
}

// The NetOutput, made anew for these values.
void SetOutputValues(atc::Graph& graph, const std::vector<atc::ValueId>& outputs) {
  if (const atc::Node* before = graph.NetOutput()) graph.Remove(before->id);
  graph.Add(kOutputName, kOutputName, outputs, 0);
}

}  // namespace

Graph::Graph(const char_t* name) {
  impl_ = Access::OwnImpl(std::make_unique<atc::Graph>(name == nullptr ? "graph" : name));
}

Graph& Graph::SetInputs(const std::vector<Operator>& inputs) {
  for (const Operator& input : inputs) AddOp(input);
  return *this;
}

graphStatus Graph::AddOp(const Operator& op) {
  atc::Graph* graph = impl_ ? impl_->Editable() : nullptr;
  if (graph == nullptr || op.IsEmpty()) return GRAPH_FAILED;
  if (graph->Find(op.GetName()) != nullptr) return GRAPH_SUCCESS;
  Session& session = *impl_->session;
  return Linker(*graph, session.pass, &session.fault).Add(op.shared()) == nullptr ? GRAPH_FAILED : GRAPH_SUCCESS;
}

Graph& Graph::SetOutputs(const std::vector<Operator>& outputs) {
  std::vector<std::pair<Operator, std::vector<size_t>>> all;
  for (const Operator& output : outputs) all.emplace_back(output, std::vector<size_t>{});
  return SetOutputs(all);
}

Graph& Graph::SetOutputs(const std::vector<std::pair<Operator, AscendString>>& outputs) {
  std::vector<std::pair<Operator, std::vector<size_t>>> all;
  for (const auto& [op, port] : outputs) {
    const std::vector<AscendString> ports = op.OutputPorts();
    std::vector<size_t> index;
    for (size_t i = 0; i < ports.size(); ++i) {
      if (ports[i] == port) index.push_back(i);
    }
    all.emplace_back(op, index);
  }
  return SetOutputs(all);
}

Graph& Graph::SetOutputs(const std::vector<std::pair<Operator, std::vector<size_t>>>& outputs) {
  atc::Graph* graph = impl_ ? impl_->Editable() : nullptr;
  if (graph == nullptr || impl_->session->own == nullptr) return *this;
  // Built anew: inputs given before keep their place, by their index.
  impl_ = Access::OwnImpl(std::make_unique<atc::Graph>(graph->name));
  graph = impl_->Get();
  Session& session = *impl_->session;
  Linker linker(*graph, session.pass, &session.fault);
  std::vector<atc::ValueId> values;
  for (const auto& [op, ports] : outputs) {
    const atc::Node* node = op.IsEmpty() ? nullptr : linker.Add(op.shared());
    if (node == nullptr) {
      impl_ = nullptr;
      return *this;
    }
    if (ports.empty()) values.insert(values.end(), node->outputs.begin(), node->outputs.end());
    for (const size_t port : ports) {
      if (port < node->outputs.size()) values.push_back(node->outputs[port]);
    }
  }
  SetOutputValues(*graph, values);
  return *this;
}

graphStatus Graph::SetOutputs(const std::vector<std::pair<GNode, int32_t>>& outputs) {
  atc::Graph* graph = impl_ ? impl_->Editable() : nullptr;
  if (graph == nullptr || impl_->session->own == nullptr) return GRAPH_FAILED;
  std::vector<atc::ValueId> values;
  for (const auto& [node, port] : outputs) {
    const atc::Node* producer = Access::Get(node, *graph);
    if (producer == nullptr || port < 0 || static_cast<size_t>(port) >= producer->outputs.size()) return GRAPH_FAILED;
    values.push_back(producer->outputs[port]);
  }
  SetOutputValues(*graph, values);
  return GRAPH_SUCCESS;
}

Graph& Graph::SetTargets(const std::vector<Operator>& targets) {
  for (const Operator& target : targets) AddOp(target);
  return *this;
}

GraphPtr Graph::ConstructFromInputs(const std::vector<Operator>& inputs, const AscendString& name) {
  GraphPtr graph = std::make_shared<Graph>(name.GetString());
  graph->SetInputs(inputs);
  return graph;
}

graphStatus Graph::FindOpByName(const char_t* name, Operator& op) const {
  const atc::Graph* graph = impl_ ? impl_->Get() : nullptr;
  const atc::Node* node = graph == nullptr || name == nullptr ? nullptr : graph->Find(name);
  if (node == nullptr) return GRAPH_FAILED;
  op = Describe(*graph, *node);
  return GRAPH_SUCCESS;
}

graphStatus Graph::FindOpByType(const char_t* type, std::vector<Operator>& ops) const {
  const atc::Graph* graph = impl_ ? impl_->Get() : nullptr;
  if (graph == nullptr || type == nullptr) return GRAPH_FAILED;
  for (atc::NodeId id = 0; id < graph->node_capacity(); ++id) {
    const atc::Node& node = graph->node(id);
    if (node.alive && node.type().str() == type) ops.push_back(Describe(*graph, node));
  }
  return GRAPH_SUCCESS;
}

graphStatus Graph::GetAllOpName(std::vector<AscendString>& names) const {
  const atc::Graph* graph = impl_ ? impl_->Get() : nullptr;
  if (graph == nullptr) return GRAPH_FAILED;
  for (atc::NodeId id = 0; id < graph->node_capacity(); ++id) {
    if (graph->node(id).alive) names.push_back(Text(graph->node(id).name));
  }
  return GRAPH_SUCCESS;
}

graphStatus Graph::CopyFrom(const Graph& graph) {
  const atc::Graph* source = graph.impl_ ? graph.impl_->Get() : nullptr;
  if (source == nullptr || (impl_ && impl_->session->own == nullptr)) return GRAPH_FAILED;
  impl_ = Access::OwnImpl(source->Clone());
  return GRAPH_SUCCESS;
}

graphStatus Graph::AddSubGraph(const Graph& graph) {
  const atc::Graph* nested = graph.impl_ ? graph.impl_->Get() : nullptr;
  if (nested == nullptr || impl_ == nullptr || impl_->Editable() == nullptr) return GRAPH_FAILED;
  AscendString name;
  graph.GetName(name);
  if (GetSubGraph(name.GetString()) != nullptr) return GRAPH_FAILED;
  impl_->session->loose.push_back(nested->Clone());
  return GRAPH_SUCCESS;
}

graphStatus Graph::RemoveSubgraph(const char* name) {
  if (name == nullptr || impl_ == nullptr || impl_->Editable() == nullptr) return GRAPH_FAILED;
  auto& loose = impl_->session->loose;
  for (auto it = loose.begin(); it != loose.end(); ++it) {
    if ((*it)->name != name) continue;
    loose.erase(it);
    return GRAPH_SUCCESS;
  }
  const GraphPtr nested = GetSubGraph(name);
  atc::Node* owner = nested == nullptr ? nullptr : nested->impl_->owner->Get();
  if (owner == nullptr) return GRAPH_FAILED;
  owner->subgraphs.erase(owner->subgraphs.begin() + static_cast<ptrdiff_t>(nested->impl_->index));
  return GRAPH_SUCCESS;
}

}  // namespace ge

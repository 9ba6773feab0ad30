#include "compiler/ir/graph.h"

#include <algorithm>
#include <functional>
#include <queue>

#include "compiler/ir/error.h"

namespace atc {

Node::Node() = default;
Node::~Node() = default;

Graph::Graph(std::string graph_name) : name(std::move(graph_name)), origins_(std::make_shared<OriginTable>()) {}
Graph::~Graph() = default;

// ---- building ----

std::string Graph::UniqueName(std::string wanted, Name type) {
  if (wanted.empty()) {
    wanted = type.str();
  } else if (!by_name_.contains(wanted)) {
    return wanted;
  }
  int& next = next_suffix_[wanted];
  std::string candidate;
  do {
    candidate = wanted + "_" + std::to_string(next++);
  } while (by_name_.contains(candidate));
  return candidate;
}

Node& Graph::Add(const OpDef& def, std::string node_name, std::vector<ValueId> inputs, size_t num_outputs) {
  Node& node = nodes_.emplace_back();
  node.id = static_cast<NodeId>(nodes_.size() - 1);
  node.def = &def;
  node.name = UniqueName(std::move(node_name), def.type);
  by_name_.emplace(node.name, node.id);
  ++num_alive_;
  for (const ValueId value : inputs) AddInput(node, value);
  for (size_t i = 0; i < num_outputs; ++i) AddOutput(node);
  return node;
}

Node& Graph::Add(Name type, std::string node_name, std::vector<ValueId> inputs, size_t num_outputs) {
  const OpDef* def = OpRegistry::Get().Find(type);
  if (def == nullptr) throw Error::Internal("operator " + type.str() + " is not defined");
  return Add(*def, std::move(node_name), std::move(inputs), num_outputs);
}

ValueId Graph::AddConst(std::string node_name, Tensor tensor, OriginId origin) {
  Node& node = Add("Const", std::move(node_name), {});
  node.origin = origin;
  desc(node.outputs[0]) = TensorDesc(tensor.dtype(), tensor.shape());
  node.attrs.Set("value", std::move(tensor));
  return node.outputs[0];
}

ValueId Graph::AddData(std::string node_name, int64_t index, TensorDesc data_desc) {
  Node& node = Add("Data", std::move(node_name), {});
  node.attrs.Set("index", index);
  desc(node.outputs[0]) = std::move(data_desc);
  return node.outputs[0];
}

std::unique_ptr<Graph> Graph::MakeNested(std::string nested_name) const {
  auto graph = std::make_unique<Graph>(std::move(nested_name));
  graph->origins_ = origins_;
  return graph;
}

Graph& Graph::AddSubgraph(Node& node, Name subgraph_name) {
  auto graph = MakeNested(node.name + "_" + std::to_string(node.subgraphs.size()) + "_" + subgraph_name.str());
  graph->parent_graph = this;
  graph->parent_node = node.id;
  node.subgraphs.push_back({subgraph_name, std::move(graph)});
  return *node.subgraphs.back().graph;
}

// ---- editing ----

void Graph::AddUse(ValueId value, NodeId node, uint32_t input) {
  if (value != kNoId) values_[value].uses.push_back({node, input});
}

void Graph::DropUse(ValueId value, NodeId node, uint32_t input) {
  if (value == kNoId) return;
  auto& uses = values_[value].uses;
  const auto it = std::find_if(uses.begin(), uses.end(),
                               [&](const Use& use) { return use.node == node && use.input == input; });
  assert(it != uses.end());
  uses.erase(it);
}

void Graph::SetInput(Node& node, uint32_t input, ValueId value) {
  DropUse(node.inputs[input], node.id, input);
  node.inputs[input] = value;
  AddUse(value, node.id, input);
}

void Graph::AddInput(Node& node, ValueId value) { InsertInput(node, static_cast<uint32_t>(node.inputs.size()), value); }

void Graph::InsertInput(Node& node, uint32_t at, ValueId value) {
  for (uint32_t i = at; i < node.inputs.size(); ++i) DropUse(node.inputs[i], node.id, i);
  node.inputs.insert(node.inputs.begin() + at, value);
  for (uint32_t i = at; i < node.inputs.size(); ++i) AddUse(node.inputs[i], node.id, i);
}

void Graph::EraseInput(Node& node, uint32_t at) {
  for (uint32_t i = at; i < node.inputs.size(); ++i) DropUse(node.inputs[i], node.id, i);
  node.inputs.erase(node.inputs.begin() + at);
  for (uint32_t i = at; i < node.inputs.size(); ++i) AddUse(node.inputs[i], node.id, i);
}

ValueId Graph::AddOutput(Node& node) {
  Value& value = values_.emplace_back();
  value.producer = node.id;
  value.index = static_cast<uint32_t>(node.outputs.size());
  node.outputs.push_back(static_cast<ValueId>(values_.size() - 1));
  return node.outputs.back();
}

void Graph::AddControl(NodeId from, NodeId to) {
  auto& successors = nodes_[from].control_out;
  if (std::find(successors.begin(), successors.end(), to) != successors.end()) return;
  successors.push_back(to);
  nodes_[to].control_in.push_back(from);
}

void Graph::RemoveControl(NodeId from, NodeId to) {
  std::erase(nodes_[from].control_out, to);
  std::erase(nodes_[to].control_in, from);
}

void Graph::ReplaceUses(ValueId from, ValueId to) {
  assert(from != to);
  const std::vector<Use> uses = values_[from].uses;
  for (const Use& use : uses) SetInput(nodes_[use.node], use.input, to);
}

void Graph::Remove(NodeId id) {
  Node& node = nodes_[id];
  assert(node.alive);
  for (uint32_t i = 0; i < node.inputs.size(); ++i) DropUse(node.inputs[i], id, i);
  node.inputs.clear();
  for ([[maybe_unused]] const ValueId output : node.outputs) assert(values_[output].uses.empty());
  const std::vector<NodeId> before = node.control_in;
  const std::vector<NodeId> after = node.control_out;
  for (const NodeId from : before) RemoveControl(from, id);
  for (const NodeId to : after) RemoveControl(id, to);
  for (const NodeId from : before) {
    for (const NodeId to : after) AddControl(from, to);
  }
  by_name_.erase(node.name);
  node.alive = false;
  node.attrs = {};
  node.subgraphs.clear();
  node.fused.reset();
  --num_alive_;
}

void Graph::Rename(Node& node, std::string node_name) {
  if (node.name == node_name) return;
  by_name_.erase(node.name);
  node.name = UniqueName(std::move(node_name), node.type());
  by_name_.emplace(node.name, node.id);
}

void Graph::Renumber(const std::vector<NodeId>& order) {
  assert(order.size() == num_alive_);
  std::deque<Node> nodes;
  std::deque<Value> values;
  std::vector<NodeId> new_node(nodes_.size(), kNoId);
  std::vector<ValueId> new_value(values_.size(), kNoId);
  for (size_t i = 0; i < order.size(); ++i) {
    new_node[order[i]] = static_cast<NodeId>(i);
    for (const ValueId output : nodes_[order[i]].outputs) {
      new_value[output] = static_cast<ValueId>(values.size());
      values.push_back(std::move(values_[output]));
    }
  }
  for (size_t i = 0; i < order.size(); ++i) {
    Node& from = nodes_[order[i]];
    Node& to = nodes.emplace_back();
    to.id = static_cast<NodeId>(i);
    to.name = std::move(from.name);
    to.def = from.def;
    to.attrs = std::move(from.attrs);
    to.inputs = std::move(from.inputs);
    to.outputs = std::move(from.outputs);
    to.control_in = std::move(from.control_in);
    to.control_out = std::move(from.control_out);
    for (ValueId& input : to.inputs) input = input == kNoId ? kNoId : new_value[input];
    for (ValueId& output : to.outputs) output = new_value[output];
    for (NodeId& before : to.control_in) before = new_node[before];
    for (NodeId& after : to.control_out) after = new_node[after];
    to.subgraphs = std::move(from.subgraphs);
    for (const Subgraph& subgraph : to.subgraphs) subgraph.graph->parent_node = to.id;
    to.fused = std::move(from.fused);
    to.origin = from.origin;
    to.reasons = std::move(from.reasons);
    to.engine = std::move(from.engine);
    to.stream = from.stream;
    to.workspace_offset = std::move(from.workspace_offset);
    to.workspace_bytes = std::move(from.workspace_bytes);
  }
  for (auto& [name, id] : by_name_) id = new_node[id];
  for (Value& value : values) {
    value.producer = new_node[value.producer];
    for (Use& use : value.uses) use.node = new_node[use.node];
  }
  nodes_ = std::move(nodes);
  values_ = std::move(values);
}

// ---- looking ----

Node* Graph::Find(std::string_view node_name) {
  const auto it = by_name_.find(std::string(node_name));
  return it == by_name_.end() ? nullptr : &nodes_[it->second];
}

const Node* Graph::Find(std::string_view node_name) const { return const_cast<Graph*>(this)->Find(node_name); }

const Tensor* Graph::Constant(ValueId id) const {
  if (id == kNoId) return nullptr;
  const Node& node = producer(id);
  return node.type() == "Const" ? node.attrs.FindAs<Tensor>("value") : nullptr;
}

const Tensor* Graph::ConstantInput(const Node& node, uint32_t input) const {
  return input < node.inputs.size() ? Constant(node.inputs[input]) : nullptr;
}

std::vector<NodeId> Graph::TopologicalOrder() const {
  std::vector<NodeId> order;
  order.reserve(num_alive_);
  // Most graphs are in order already.
  const auto follows_its_inputs = [&](const Node& node) {
    return std::all_of(node.inputs.begin(), node.inputs.end(),
                       [&](ValueId input) { return input == kNoId || values_[input].producer < node.id; }) &&
           std::all_of(node.control_in.begin(), node.control_in.end(), [&](NodeId before) { return before < node.id; });
  };
  for (const Node& node : nodes_) {
    if (!node.alive) continue;
    if (!follows_its_inputs(node)) break;
    order.push_back(node.id);
  }
  if (order.size() == num_alive_) return order;
  order.clear();
  std::vector<uint32_t> waiting(nodes_.size(), 0);
  std::priority_queue<NodeId, std::vector<NodeId>, std::greater<>> ready;
  for (const Node& node : nodes_) {
    if (!node.alive) continue;
    for (const ValueId input : node.inputs) waiting[node.id] += input != kNoId;
    waiting[node.id] += static_cast<uint32_t>(node.control_in.size());
    if (waiting[node.id] == 0) ready.push(node.id);
  }
  while (!ready.empty()) {
    const NodeId id = ready.top();
    ready.pop();
    order.push_back(id);
    const auto arrived = [&](NodeId to) {
      if (--waiting[to] == 0) ready.push(to);
    };
    for (const ValueId output : nodes_[id].outputs) {
      for (const Use& use : values_[output].uses) arrived(use.node);
    }
    for (const NodeId to : nodes_[id].control_out) arrived(to);
  }
  if (order.size() != num_alive_) {
    std::string names;
    int listed = 0;
    for (const Node& node : nodes_) {
      if (node.alive && waiting[node.id] > 0 && listed++ < 5) names += (names.empty() ? "" : ", ") + node.name;
    }
    throw Error::Internal("graph '" + name + "' has a cycle through or before: " + names);
  }
  return order;
}

std::vector<NodeId> Graph::Inputs() const {
  static const Name kData = "Data", kIndex = "index";
  std::vector<std::pair<int64_t, NodeId>> data;  // by index, equal ones in the order of nodes
  for (const Node& node : nodes_) {
    if (node.alive && node.type() == kData) data.emplace_back(node.attrs.Get<int64_t>(kIndex, 0), node.id);
  }
  std::sort(data.begin(), data.end());
  std::vector<NodeId> ids;
  for (const auto& [index, id] : data) ids.push_back(id);
  return ids;
}

Node* Graph::NetOutput() {
  for (auto it = nodes_.rbegin(); it != nodes_.rend(); ++it) {
    if (it->alive && it->type() == "NetOutput") return &*it;
  }
  return nullptr;
}

const Node* Graph::NetOutput() const { return const_cast<Graph*>(this)->NetOutput(); }

std::unique_ptr<Graph> Graph::Clone() const {
  auto copy = MakeNested(name);
  copy->attrs = attrs;
  copy->values_ = values_;
  copy->num_alive_ = num_alive_;
  copy->by_name_ = by_name_;
  copy->next_suffix_ = next_suffix_;
  for (const Node& node : nodes_) {
    Node& to = copy->nodes_.emplace_back();
    to.id = node.id;
    to.alive = node.alive;
    to.name = node.name;
    to.def = node.def;
    to.attrs = node.attrs;
    to.inputs = node.inputs;
    to.outputs = node.outputs;
    to.control_in = node.control_in;
    to.control_out = node.control_out;
    for (const Subgraph& subgraph : node.subgraphs) {
      to.subgraphs.push_back({subgraph.name, subgraph.graph->Clone()});
      to.subgraphs.back().graph->parent_graph = copy.get();
      to.subgraphs.back().graph->parent_node = node.id;
    }
    if (node.fused) to.fused = node.fused->Clone();
    to.origin = node.origin;
    to.reasons = node.reasons;
    to.engine = node.engine;
    to.stream = node.stream;
    to.workspace_offset = node.workspace_offset;
    to.workspace_bytes = node.workspace_bytes;
  }
  return copy;
}

}  // namespace atc

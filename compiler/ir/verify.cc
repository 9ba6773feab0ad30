// Graph::Verify: what must hold after every stage.
#include <algorithm>
#include <set>

#include "compiler/ir/error.h"
#include "compiler/ir/graph.h"

namespace atc {
namespace {

[[noreturn]] void Fail(const Graph& graph, const Node& node, const std::string& what) {
  throw Error::Internal("graph '" + graph.name + "', node '" + node.name + "' (" + node.type().str() + "): " + what);
}

// Number of ports that a definition allows: [required, all], `all` -1 with a dynamic port.
std::pair<size_t, int64_t> Arity(const std::vector<IoDef>& ports) {
  size_t required = 0;
  for (size_t i = 0; i < ports.size(); ++i) {
    if (ports[i].kind == IoKind::kRequired) required = i + 1;
    if (ports[i].kind == IoKind::kDynamic) return {required, -1};
  }
  return {required, static_cast<int64_t>(ports.size())};
}

void CheckArity(const Graph& graph, const Node& node) {
  const auto [required, all] = Arity(node.def->inputs);
  const size_t count = node.inputs.size();
  if (count < required || (all >= 0 && count > static_cast<size_t>(all))) {
    Fail(graph, node, "has " + std::to_string(count) + " inputs, the operator takes " + std::to_string(required) +
                          (all < 0 ? " or more" : " to " + std::to_string(all)));
  }
  for (size_t i = 0; i < std::min(count, node.def->inputs.size()); ++i) {
    if (node.def->inputs[i].kind == IoKind::kRequired && node.inputs[i] == kNoId) {
      Fail(graph, node, "required input '" + node.def->InputName(i) + "' is not connected");
    }
  }
  const int64_t outputs = Arity(node.def->outputs).second;
  if (outputs >= 0 && node.outputs.size() > static_cast<size_t>(outputs)) {
    Fail(graph, node, "has more outputs than the operator defines");
  }
  for (const AttrDef& attr : node.def->attrs) {
    if (attr.required && !node.attrs.Has(attr.name)) {
      Fail(graph, node, "required attribute '" + attr.name.str() + "' is not set");
    }
  }
}

}  // namespace

void Graph::Verify(bool after_inference) const {
  std::set<std::string> names;
  for (const Node& node : nodes_) {
    if (!node.alive) continue;
    if (!names.insert(node.name).second) Fail(*this, node, "another node has the same name");
    if (!node.fused) CheckArity(*this, node);  // a fused node takes whatever the graph it stands for takes
    for (uint32_t i = 0; i < node.inputs.size(); ++i) {
      const ValueId input = node.inputs[i];
      if (input == kNoId) continue;
      if (input >= values_.size()) Fail(*this, node, "input " + std::to_string(i) + " is no value of this graph");
      if (!producer(input).alive) Fail(*this, node, "input " + std::to_string(i) + " comes from a removed node");
      const auto& uses = values_[input].uses;
      const auto same = [&](const Use& use) { return use.node == node.id && use.input == i; };
      if (std::count_if(uses.begin(), uses.end(), same) != 1) Fail(*this, node, "use list is out of step");
    }
    for (uint32_t i = 0; i < node.outputs.size(); ++i) {
      const Value& value = values_[node.outputs[i]];
      if (value.producer != node.id || value.index != i) Fail(*this, node, "output list is out of step");
      for (const Use& use : value.uses) {
        if (!nodes_[use.node].alive || nodes_[use.node].inputs[use.input] != node.outputs[i]) {
          Fail(*this, node, "use list of output " + std::to_string(i) + " is out of step");
        }
      }
      if (after_inference && value.desc.dtype == DT_UNDEFINED && !value.uses.empty()) {
        Fail(*this, node, "output " + std::to_string(i) + " has no dtype");
      }
    }
    for (const NodeId to : node.control_out) {
      const auto& back = nodes_[to].control_in;
      if (!nodes_[to].alive || std::find(back.begin(), back.end(), node.id) == back.end()) {
        Fail(*this, node, "control edges are out of step");
      }
    }
    for (const Subgraph& subgraph : node.subgraphs) subgraph.graph->Verify(after_inference);
    if (node.fused) node.fused->Verify(after_inference);
  }
  TopologicalOrder();
}

}  // namespace atc

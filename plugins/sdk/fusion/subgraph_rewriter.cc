#include <algorithm>
#include <map>
#include <set>

#include "compiler/ir/error.h"
#include "compiler/ir/stream_label.h"
#include "ge/fusion/graph_fuse_inspector_utils.h"
#include "ge/fusion/graph_rewriter.h"
#include "plugins/sdk/fusion/match_result_impl.h"

namespace ge {
namespace fusion {
namespace {

// The part of a graph that a boundary encloses.
struct Part {
  std::shared_ptr<GraphImpl> impl;
  atc::Graph* graph = nullptr;
  std::vector<atc::ValueId> inputs;   // by number; kNoId: no node of the part takes it
  std::vector<atc::ValueId> outputs;  // by number
  std::vector<atc::NodeId> nodes;     // in topological order, constants of its own among them
};

bool IsConst(const atc::Node& node) { return node.type() == "Const" || node.type() == "Constant"; }

// The enclosed nodes, each after those that feed it: only these are looked at, so that many small replacements in a
// large graph stay cheap.
std::vector<atc::NodeId> InOrder(const atc::Graph& graph, const std::set<atc::NodeId>& enclosed) {
  std::vector<atc::NodeId> order;
  std::set<atc::NodeId> seen;
  for (const atc::NodeId first : enclosed) {
    std::vector<std::pair<atc::NodeId, size_t>> open;  // and the next input to look at
    if (seen.insert(first).second) open.emplace_back(first, 0);
    while (!open.empty()) {
      auto& [id, next] = open.back();
      const atc::Node& node = graph.node(id);
      if (next == node.inputs.size()) {
        order.push_back(id);
        open.pop_back();
        continue;
      }
      const atc::ValueId input = node.inputs[next++];
      const atc::NodeId source = input == atc::kNoId ? id : graph.value(input).producer;
      if (enclosed.contains(source) && seen.insert(source).second) open.emplace_back(source, 0);
    }
  }
  return order;
}

// Empty, or what is wrong with the boundary.
std::string Enclose(const SubgraphBoundary& boundary, Part* part) {
  std::vector<SubgraphInput> inputs;
  std::vector<SubgraphOutput> outputs;
  boundary.GetAllInputs(inputs);
  boundary.GetAllOutputs(outputs);
  if (outputs.empty()) return "the boundary has no output";
  std::set<std::pair<atc::NodeId, uint32_t>> entries;  // inputs of nodes
  std::set<atc::NodeId> enclosed;
  std::vector<atc::NodeId> open;
  const auto enter = [&](const GNode& handle) -> atc::Node* {
    atc::Node* node = Access::Get(handle);
    if (node == nullptr) return nullptr;
    if (part->impl == nullptr) part->impl = Access::Impl(handle)->graph;
    return Access::Impl(handle)->graph->Get() == part->impl->Get() ? node : nullptr;
  };
  for (const SubgraphOutput& output : outputs) {
    NodeIo port;
    if (output.GetOutput(port) != SUCCESS) return "an output of the boundary is not set";
    const atc::Node* node = enter(port.node);
    if (node == nullptr || port.index < 0 || static_cast<size_t>(port.index) >= node->outputs.size()) {
      return "an output of the boundary is no output of a node of the graph";
    }
    part->outputs.push_back(node->outputs[port.index]);
    if (enclosed.insert(node->id).second) open.push_back(node->id);
  }
  part->graph = part->impl->Editable();
  if (part->graph == nullptr) return "the graph may not be changed";
  for (const SubgraphInput& input : inputs) {
    atc::ValueId value = atc::kNoId;
    for (const NodeIo& port : input.GetAllInputs()) {
      const atc::Node* node = enter(port.node);
      if (node == nullptr || port.index < 0 || static_cast<size_t>(port.index) >= node->inputs.size()) {
        return "an input of the boundary is no input of a node of the graph";
      }
      const atc::ValueId fed = node->inputs[port.index];
      if (fed == atc::kNoId || (value != atc::kNoId && fed != value)) {
        return "the inputs that make up one input of the boundary take different values";
      }
      value = fed;
      entries.emplace(node->id, static_cast<uint32_t>(port.index));
    }
    part->inputs.push_back(value);
  }
  while (!open.empty()) {
    const atc::Node& node = part->graph->node(open.back());
    open.pop_back();
    for (uint32_t i = 0; i < node.inputs.size(); ++i) {
      if (node.inputs[i] == atc::kNoId || entries.contains({node.id, i})) continue;
      const atc::Node& source = part->graph->producer(node.inputs[i]);
      if (source.type() == "Data") {
        return "node '" + node.name + "' takes '" + source.name + "', which is no input of the boundary";
      }
      if (enclosed.insert(source.id).second) open.push_back(source.id);
    }
  }
  // A constant that others use, too, stays.
  for (const atc::NodeId id : std::vector<atc::NodeId>(enclosed.begin(), enclosed.end())) {
    const atc::Node& node = part->graph->node(id);
    if (!IsConst(node)) continue;
    for (const atc::Use& use : part->graph->value(node.outputs[0]).uses) {
      if (!enclosed.contains(use.node)) enclosed.erase(id);
    }
  }
  for (const atc::NodeId id : enclosed) {
    const atc::Node& node = part->graph->node(id);
    if (IsConst(node)) continue;
    for (const atc::ValueId output : node.outputs) {
      if (std::find(part->outputs.begin(), part->outputs.end(), output) != part->outputs.end()) continue;
      for (const atc::Use& use : part->graph->value(output).uses) {
        if (enclosed.contains(use.node)) continue;
        return "node '" + part->graph->node(use.node).name + "' outside of it takes '" + node.name +
               "', which is no output of the boundary";
      }
    }
  }
  part->nodes = InOrder(*part->graph, enclosed);
  return "";
}

// Copies the replacement's nodes and joins them to the values at the boundary's inputs. Returns its outputs.
std::vector<atc::ValueId> Insert(const atc::Graph& replacement, const Part& part, std::vector<atc::NodeId>* made) {
  atc::Graph& graph = *part.graph;
  atc::OriginId origin = atc::kNoOrigin;
  for (const atc::NodeId id : part.nodes) origin = graph.origins().Union(origin, graph.node(id).origin);
  if (origin == atc::kNoOrigin) origin = graph.origins().Leaf(part.impl->session->pass);
  std::map<atc::ValueId, atc::ValueId> values;
  const std::vector<atc::NodeId> data = replacement.Inputs();
  for (size_t i = 0; i < data.size(); ++i) values[replacement.node(data[i]).outputs[0]] = part.inputs[i];
  std::vector<atc::ValueId> outputs;
  for (const atc::NodeId id : replacement.TopologicalOrder()) {
    const atc::Node& node = replacement.node(id);
    if (node.type() == "Data") continue;
    std::vector<atc::ValueId> inputs;
    for (const atc::ValueId input : node.inputs) {
      inputs.push_back(input == atc::kNoId ? atc::kNoId : values.at(input));
    }
    if (node.type() == "NetOutput") {
      outputs = inputs;
      continue;
    }
    atc::Node& copy = graph.Add(*node.def, node.name, inputs, node.outputs.size());
    copy.attrs = node.attrs;
    copy.origin = origin;
    if (!part.nodes.empty()) atc::CopyStreamLabels(graph.node(part.nodes.back()), copy);
    for (const atc::Subgraph& nested : node.subgraphs) {
      Access::Attach(graph, copy, nested.name.str(), nested.graph->Clone());
    }
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      values[node.outputs[i]] = copy.outputs[i];
      graph.desc(copy.outputs[i]) = replacement.desc(node.outputs[i]);
    }
    made->push_back(copy.id);
  }
  return outputs;
}

Status ReplacePart(const SubgraphBoundary& boundary, const Graph& with, bool inspect) {
  const auto& with_impl = Access::Impl(with);
  const atc::Graph* replacement = with_impl ? with_impl->Get() : nullptr;
  Part part;
  const auto refuse = [&](const std::string& why) {
    if (part.impl != nullptr) part.impl->session->fault = "a replacement was refused: " + why;
    return FAILED;
  };
  const std::string fault = Enclose(boundary, &part);
  if (!fault.empty()) return refuse(fault);
  if (replacement == nullptr || replacement->NetOutput() == nullptr) return refuse("it is no graph with outputs");
  const std::vector<atc::NodeId> data = replacement->Inputs();
  if (data.size() > part.inputs.size() || replacement->NetOutput()->inputs.size() != part.outputs.size()) {
    return refuse("it has " + std::to_string(data.size()) + " inputs and " +
                  std::to_string(replacement->NetOutput()->inputs.size()) + " outputs, the boundary " +
                  std::to_string(part.inputs.size()) + " and " + std::to_string(part.outputs.size()));
  }
  std::vector<GNode> going;
  for (const atc::NodeId id : part.nodes) {
    if (!IsConst(part.graph->node(id))) going.push_back(Access::Wrap(part.impl, part.graph->node(id)));
  }
  AscendString why;
  if (inspect && !GraphFuseInspectorUtils::CanFuse(going, why)) return refuse(why.GetString());

  atc::Graph& graph = *part.graph;
  std::vector<atc::NodeId> made;
  const std::vector<atc::ValueId> outputs = Insert(*replacement, part, &made);
  // What had to wait, and what waited, still does.
  for (const atc::NodeId id : part.nodes) {
    const std::vector<atc::NodeId> before = graph.node(id).control_in;
    const std::vector<atc::NodeId> after = graph.node(id).control_out;
    for (const atc::NodeId to : made) {
      for (const atc::NodeId from : before) graph.AddControl(from, to);
    }
    for (const atc::NodeId from : made) {
      for (const atc::NodeId to : after) graph.AddControl(from, to);
    }
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i] != part.outputs[i] && outputs[i] != atc::kNoId) graph.ReplaceUses(part.outputs[i], outputs[i]);
  }
  for (auto it = part.nodes.rbegin(); it != part.nodes.rend(); ++it) {
    const std::vector<atc::ValueId>& values = graph.node(*it).outputs;
    const bool used = std::any_of(values.begin(), values.end(),
                                  [&](atc::ValueId value) { return !graph.value(value).uses.empty(); });
    if (!used) graph.Remove(*it);
  }
  ++part.impl->session->replaced;
  return SUCCESS;
}

}  // namespace

Status SubgraphRewriter::Replace(const SubgraphBoundary& boundary, const Graph& replacement) {
  return ReplacePart(boundary, replacement, false);
}
Status SubgraphRewriter::Replace(const SubgraphBoundary& boundary, Graph&& replacement) {
  return ReplacePart(boundary, replacement, false);
}
Status SubgraphRewriter::Replace(const SubgraphBoundary& boundary, const Graph& replacement, CustomPassContext&) {
  return ReplacePart(boundary, replacement, true);
}
Status SubgraphRewriter::Replace(const SubgraphBoundary& boundary, Graph&& replacement, CustomPassContext&) {
  return ReplacePart(boundary, replacement, true);
}

}  // namespace fusion
}  // namespace ge

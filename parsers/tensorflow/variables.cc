#include "parsers/tensorflow/variables.h"

#include "parsers/tensorflow/graph_def.pb.h"

namespace atc::tf_parser {
namespace {

using Keys = std::map<std::string, std::string>;

Port Source(const SourceGraph& graph, Port port) {
  while (graph.nodes[port.node].op == "Identity" && !graph.nodes[port.node].inputs.empty()) {
    port = graph.nodes[port.node].inputs[0];
  }
  return port;
}

bool IsVariable(const SourceNode& node) {
  return node.op == "VarHandleOp" || node.op == "VariableV2" || node.op == "Variable";
}

// Names of variables that a function gets as its arguments are `arguments`.
void Collect(const ModelState& model, const SourceGraph& graph, const std::vector<std::string>& arguments, int depth,
             Keys* keys) {
  const auto variable_of = [&](const Port& port) -> std::string {
    const SourceNode& node = graph.nodes[Source(graph, port).node];
    if (IsVariable(node)) return VariableName(node);
    const auto number = static_cast<size_t>(node.number);
    return node.op == kArgument && number < arguments.size() ? arguments[number] : "";
  };
  for (const SourceNode& node : graph.nodes) {
    if ((node.op == "AssignVariableOp" || node.op == "Assign") && node.inputs.size() == 2) {
      const std::string variable = variable_of(node.inputs[0]);
      const Port value = Source(graph, node.inputs[1]);
      const SourceNode& restore = graph.nodes[value.node];
      if (variable.empty() || restore.op != "RestoreV2" || restore.inputs.size() < 2) continue;
      const SourceNode& names = graph.nodes[Source(graph, restore.inputs[1]).node];
      if (names.def == nullptr || names.op != "Const" || !names.def->attr().contains("value")) continue;
      const Tensor keys_of = model.tensors->Read(names.def->attr().at("value").tensor(), names.name);
      if (keys_of.dtype() != DT_STRING || value.output >= static_cast<uint64_t>(keys_of.NumElements())) continue;
      keys->emplace(variable, keys_of.Data<std::string>()[value.output]);
    }
    if (node.op != "StatefulPartitionedCall" && node.op != "PartitionedCall") continue;
    const auto called = node.def->attr().find("f");
    const proto::FunctionDef* function =
        called == node.def->attr().end() ? nullptr : model.FindFunction(called->second.func().name());
    if (function == nullptr || depth > 3) continue;
    bool restores = false;
    for (const proto::NodeDef& inner : function->node_def()) restores |= inner.op() == "RestoreV2";
    if (!restores) continue;
    std::vector<std::string> given;
    for (const Port& input : node.inputs) given.push_back(variable_of(input));
    Collect(model, ReadFunction(*function, {}), given, depth + 1, keys);
  }
}

}  // namespace

std::string VariableName(const SourceNode& node) {
  if (node.def != nullptr) {
    const auto it = node.def->attr().find("shared_name");
    if (it != node.def->attr().end() && !it->second.s().empty()) return it->second.s();
  }
  return node.name;
}

Keys RestoredVariables(const ModelState& model, const SourceGraph& graph) {
  Keys keys;
  Collect(model, graph, {}, 0, &keys);
  return keys;
}

}  // namespace atc::tf_parser

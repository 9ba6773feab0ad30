#include "parsers/tensorflow/variables.h"

#include "parsers/tensorflow/call_tree.h"

namespace atc::tf_parser {
namespace {

bool IsVariable(const SourceNode& node) {
  return node.op == "VarHandleOp" || node.op == "VariableV2" || node.op == "Variable";
}

// Element `i` of the strings that input `input` of a RestoreV2 holds; empty where they are not known.
std::string TextOf(const ModelState& model, const Origin& restore, size_t input, uint32_t i) {
  if (input >= restore.node->inputs.size()) return "";
  const Origin from = TraceOrigin(*restore.site, restore.node->inputs[input]);
  const Tensor texts = from.node == nullptr ? Tensor() : ConstantOf(model, *from.node);
  if (texts.dtype() != DT_STRING || i >= static_cast<uint64_t>(texts.NumElements())) return "";
  return texts.Materialized().Data<std::string>()[i];
}

}  // namespace

std::map<std::string, RestoredFrom> RestoredVariables(const ModelState& model, const SourceGraph& graph) {
  std::map<std::string, RestoredFrom> restored;
  ForEachCalled(model, graph, {"RestoreV2"}, [&](const CallSite& site, const SourceNode& node) {
    if ((node.op != "AssignVariableOp" && node.op != "Assign") || node.inputs.size() != 2) return;
    const Origin variable = TraceOrigin(site, node.inputs[0]), value = TraceOrigin(site, node.inputs[1]);
    if (variable.node == nullptr || !IsVariable(*variable.node)) return;
    if (value.node == nullptr || value.node->op != "RestoreV2") return;
    const std::string key = TextOf(model, value, 1, value.output);
    if (!key.empty()) restored.emplace(ResourceName(*variable.node), RestoredFrom{key, TextOf(model, value, 2, value.output)});
  });
  return restored;
}

}  // namespace atc::tf_parser

#include "parsers/tensorflow/call_tree.h"

#include "parsers/tensorflow/graph_def.pb.h"

namespace atc::tf_parser {
namespace {

constexpr int kDeepest = 8;  // levels of calls: functions that set resources lie near the top

// What a node calls; empty when it calls nothing.
std::string Called(const ModelState& model, const SourceNode& node) {
  if (node.def == nullptr) return "";
  if (model.functions.contains(node.op)) return node.op;
  if (node.op != "StatefulPartitionedCall" && node.op != "PartitionedCall") return "";
  const auto f = node.def->attr().find("f");
  return f == node.def->attr().end() ? "" : f->second.func().name();
}

class Walk {
 public:
  Walk(const ModelState& model, const std::set<std::string>& wanted,
       const std::function<void(const CallSite&, const SourceNode&)>& visit)
      : model_(model), wanted_(wanted), visit_(visit) {}

  void Run(const CallSite& site, int depth) {
    for (const SourceNode& node : site.graph->nodes) {
      visit_(site, node);
      const std::string name = Called(model_, node);
      const proto::FunctionDef* function = name.empty() ? nullptr : model_.FindFunction(name);
      if (function == nullptr || depth >= kDeepest || !Holds(*function, depth)) continue;
      const SourceGraph body = ReadFunctionForAnyCall(*function, model_.functions);
      Run({&body, &site, &node}, depth + 1);
    }
  }

 private:
  // Whether the function, or one that it calls, holds an operator that is looked for.
  bool Holds(const proto::FunctionDef& function, int depth) {
    const auto [known, is_new] = holds_.emplace(function.signature().name(), false);
    if (!is_new) return known->second;
    bool found = false;
    for (const proto::NodeDef& node : function.node_def()) {
      found = found || wanted_.contains(node.op());
      const auto f = node.attr().find("f");
      const std::string& name = f == node.attr().end() ? node.op() : f->second.func().name();
      const proto::FunctionDef* inner = model_.FindFunction(name);
      if (inner != nullptr && depth < kDeepest) found = Holds(*inner, depth + 1) || found;
    }
    holds_[function.signature().name()] = found;
    return found;
  }

  const ModelState& model_;
  const std::set<std::string>& wanted_;
  const std::function<void(const CallSite&, const SourceNode&)>& visit_;
  std::map<std::string, bool> holds_;
};

// The value that the only assignment to a variable gives it.
Origin Assigned(const CallSite& site, const SourceNode* variable) {
  for (const SourceNode& node : site.graph->nodes) {
    if (node.op != "AssignVariableOp" || node.inputs.size() != 2) continue;
    if (&site.graph->nodes[node.inputs[0].node] == variable) return TraceOrigin(site, node.inputs[1]);
  }
  return {};
}

}  // namespace

Origin TraceOrigin(const CallSite& site, Port port) {
  const SourceNode& node = site.graph->nodes[port.node];
  if (node.op == "Identity" && !node.inputs.empty()) return TraceOrigin(site, node.inputs[0]);
  if (node.op == "ReadVariableOp" && !node.inputs.empty()) {
    const Origin handle = TraceOrigin(site, node.inputs[0]);
    return handle.node == nullptr ? Origin{} : Assigned(*handle.site, handle.node);
  }
  if (node.op == kArgument) {
    if (site.caller == nullptr || static_cast<size_t>(node.number) >= site.call->inputs.size()) return {};
    return TraceOrigin(*site.caller, site.call->inputs[static_cast<size_t>(node.number)]);
  }
  return {&site, &node, port.output};
}

void ForEachCalled(const ModelState& model, const SourceGraph& graph, const std::set<std::string>& wanted,
                   const std::function<void(const CallSite&, const SourceNode&)>& visit) {
  Walk(model, wanted, visit).Run({&graph, nullptr, nullptr}, 0);
}

std::string ResourceName(const SourceNode& node) {
  if (node.def != nullptr) {
    const auto it = node.def->attr().find("shared_name");
    if (it != node.def->attr().end() && !it->second.s().empty()) return it->second.s();
  }
  return node.name;
}

Tensor ConstantOf(const ModelState& model, const SourceNode& node) {
  if (node.def == nullptr || node.op != "Const" || !node.def->attr().contains("value")) return {};
  return model.tensors->Read(node.def->attr().at("value").tensor(), node.name);
}

}  // namespace atc::tf_parser

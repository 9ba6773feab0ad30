#include "parsers/tensorflow/scope_match.h"

#include <algorithm>

#include "parsers/tensorflow/call_tree.h"
#include "parsers/tensorflow/functionalize.h"
#include "parsers/tensorflow/graph_def.pb.h"

namespace atc::tf_parser {

Port ScopeMatch::Through(Port port) const {
  while (true) {
    const SourceNode& node = graph_.nodes[port.node];
    const bool passes = node.op == "Identity" || node.op == "StopGradient";
    if (!passes || node.inputs.empty()) return port;
    port = node.inputs[0];
  }
}

const SourceNode* ScopeMatch::Is(Port port, std::initializer_list<std::string_view> ops, size_t inputs) const {
  const SourceNode& node = graph_.nodes[port.node];
  if (port.output != 0 || node.inputs.size() < inputs) return nullptr;
  return std::find(ops.begin(), ops.end(), node.op) == ops.end() ? nullptr : &node;
}

Tensor ScopeMatch::Constant(Port port) const {
  const Port from = Through(port);
  return from.output == 0 ? ConstantOf(model_, graph_.nodes[from.node]) : Tensor();
}

std::optional<double> ScopeMatch::Scalar(Port port) const {
  const Tensor value = Constant(port);
  const bool number = IsFloating(value.dtype()) || IsInteger(value.dtype());
  if (!value.defined() || value.NumElements() != 1 || !number) return std::nullopt;
  return ToDoubles(value.Materialized())[0];
}

std::optional<std::vector<int64_t>> ScopeMatch::Ints(Port port) const {
  const Tensor value = Constant(port);
  if (!value.defined() || !IsInteger(value.dtype())) return std::nullopt;
  return ToInts(value.Materialized());
}

std::shared_ptr<proto::NodeDef> ScopeMatch::Def(const std::string& op) {
  auto def = std::make_shared<proto::NodeDef>();
  def->set_op(op);
  return def;
}

uint32_t ScopeMatch::Replace(uint32_t old, std::shared_ptr<proto::NodeDef> def, std::vector<Port> inputs) {
  SourceNode node;
  node.name = graph_.nodes[old].name;
  node.op = def->op();
  node.inputs = std::move(inputs);
  node.made = std::move(def);
  node.def = node.made.get();
  graph_.nodes[old].name += "/unfused";
  const auto made = static_cast<uint32_t>(graph_.nodes.size());
  graph_.nodes.push_back(std::move(node));
  Redirect({old, 0}, {made, 0});
  return made;
}

void ScopeMatch::Redirect(Port from, Port to) { ReplacePorts(graph_, {{from, to}}); }

}  // namespace atc::tf_parser

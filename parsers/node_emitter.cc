#include "parsers/node_emitter.h"

#include <fmt/format.h>

#include "compiler/ir/error.h"

namespace atc {

NodeEmitter::NodeEmitter(Graph& graph, std::string name, std::string type)
    : graph_(graph), name_(std::move(name)), type_(std::move(type)), origin_(graph.origins().Leaf(name_)) {}

std::string NodeEmitter::NameOf(std::string_view suffix) const {
  return suffix.empty() ? name_ : fmt::format("{}/{}", name_, suffix);
}

// A model may leave out or add what the operator does not allow; inference and kernels rely on the definition.
void NodeEmitter::CheckPorts(const OpDef& def, const std::vector<ValueId>& inputs, size_t num_outputs) const {
  for (size_t i = 0; i < def.inputs.size(); ++i) {
    const bool given = i < inputs.size() && inputs[i] != kNoId;
    // A list may be empty behind operands of its own (nothing captured by a nested graph), not alone.
    if (!given && (def.inputs[i].kind == IoKind::kRequired || (def.inputs[i].kind == IoKind::kDynamic && i == 0))) {
      Fail(fmt::format("its input '{}' is missing", def.inputs[i].name.str()));
    }
  }
  const auto has_dynamic = [](const std::vector<IoDef>& ports) {
    return !ports.empty() && ports.back().kind == IoKind::kDynamic;
  };
  if (inputs.size() > def.inputs.size() && !has_dynamic(def.inputs)) {
    Fail(fmt::format("it has {} inputs; the operator takes {}", inputs.size(), def.inputs.size()));
  }
  if (num_outputs > def.outputs.size() && !has_dynamic(def.outputs)) {
    Fail(fmt::format("it has {} outputs; the operator has {}", num_outputs, def.outputs.size()));
  }
}

Node& NodeEmitter::Emit(Name type, std::vector<ValueId> inputs, size_t num_outputs, std::string_view suffix) {
  const OpDef* def = OpRegistry::Get().Find(type);
  if (def == nullptr) throw Error("E10501", {{"opname", name_}, {"optype", type.str()}});
  while (!inputs.empty() && inputs.back() == kNoId) inputs.pop_back();
  CheckPorts(*def, inputs, num_outputs);
  while (num_outputs < def->outputs.size() && def->outputs[num_outputs].kind == IoKind::kRequired) ++num_outputs;
  Node& node = graph_.Add(*def, NameOf(suffix), std::move(inputs), num_outputs);
  node.origin = origin_;
  return node;
}

ValueId NodeEmitter::Const(Tensor tensor, std::string_view suffix) {
  return graph_.AddConst(NameOf(suffix), std::move(tensor), origin_);
}

ValueId NodeEmitter::ConstInts(const std::vector<int64_t>& ints, std::string_view suffix) {
  return Const(Tensor::Ints(ints), suffix);
}

void NodeEmitter::Fail(const std::string& message) const {
  throw Error("E14001", {{"value", "The definition"}, {"opname", name_}, {"optype", type_}, {"reason", message}});
}

}  // namespace atc

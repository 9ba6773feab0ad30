#include "compiler/ir/port_names.h"

namespace atc {
namespace {

// Name by input of the operator at the heart of a fused node, empty for the others' operands.
std::string NameAtHeart(const Graph& fused, Name type, size_t index) {
  for (NodeId id = 0; id < fused.node_capacity(); ++id) {
    const Node& member = fused.node(id);
    if (!member.alive || !(member.type() == type)) continue;
    for (size_t i = 0; i < member.inputs.size(); ++i) {
      if (member.inputs[i] == kNoId) continue;
      const Node* at = &fused.producer(member.inputs[i]);
      // An 8-bit operand is dequantised on its way.
      while (at->type() == "onnx::DequantizeLinear") at = &fused.producer(at->inputs[0]);
      const Node& source = *at;
      if (source.type() == "Data" && source.attrs.Get<int64_t>("index", -1) == static_cast<int64_t>(index)) {
        return member.def->InputName(i);
      }
    }
    return "";
  }
  return "";
}

}  // namespace

std::string InputPortName(const Node& node, size_t index) {
  if (!node.fused || !node.Is(kHeavy)) return node.def->InputName(index);
  std::string name = NameAtHeart(*node.fused, node.type(), index);
  if (!name.empty()) return name;
  size_t operand = 0;
  for (size_t i = 0; i < index; ++i) operand += NameAtHeart(*node.fused, node.type(), i).empty();
  return "operand" + std::to_string(operand);
}

}  // namespace atc

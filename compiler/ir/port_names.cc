#include "compiler/ir/port_names.h"

namespace atc {
namespace {

// Names by input of the operator at the heart of a fused node, empty for the others' operands.
std::vector<std::string> NamesAtHeart(const Graph& fused, Name type, size_t inputs) {
  std::vector<std::string> names(inputs);
  NodeId heart = 0;
  while (heart < fused.node_capacity() && !(fused.node(heart).alive && fused.node(heart).type() == type)) ++heart;
  if (heart == fused.node_capacity()) return names;
  const Node& member = fused.node(heart);
  for (size_t i = 0; i < member.inputs.size(); ++i) {
    if (member.inputs[i] == kNoId) continue;
    const Node* source = &fused.producer(member.inputs[i]);
    // An 8-bit operand is dequantised on its way.
    while (source->type() == "onnx::DequantizeLinear") source = &fused.producer(source->inputs[0]);
    if (!(source->type() == "Data")) continue;
    const auto index = static_cast<size_t>(source->attrs.Get<int64_t>("index", -1));
    if (index < inputs && names[index].empty()) names[index] = member.def->InputName(i);
  }
  return names;
}

}  // namespace

std::vector<std::string> InputPortNames(const Node& node) {
  std::vector<std::string> names(node.inputs.size());
  if (node.fused && node.Is(kHeavy)) names = NamesAtHeart(*node.fused, node.type(), node.inputs.size());
  size_t operand = 0;
  for (size_t i = 0; i < names.size(); ++i) {
    if (!names[i].empty()) continue;
    names[i] = node.fused && node.Is(kHeavy) ? "operand" + std::to_string(operand++) : node.def->InputName(i);
  }
  return names;
}

std::string InputPortName(const Node& node, size_t index) { return InputPortNames(node)[index]; }

}  // namespace atc

#include "compiler/ir/port_names.h"

namespace atc {
const OpDef* InputsAtHeart(const Node& node, std::vector<int>* at) {
  static const Name kData = "Data", kIndex = "index", kDequantize = "onnx::DequantizeLinear";
  at->clear();
  if (!node.fused || !node.Is(kHeavy)) return nullptr;
  at->resize(node.inputs.size(), -1);
  const Graph& fused = *node.fused;
  NodeId heart = 0;
  while (heart < fused.node_capacity() && !(fused.node(heart).alive && fused.node(heart).type() == node.type())) ++heart;
  if (heart == fused.node_capacity()) return nullptr;
  const Node& member = fused.node(heart);
  for (size_t i = 0; i < member.inputs.size(); ++i) {
    if (member.inputs[i] == kNoId) continue;
    const Node* source = &fused.producer(member.inputs[i]);
    // An 8-bit operand is dequantised on its way.
    while (source->type() == kDequantize) source = &fused.producer(source->inputs[0]);
    if (!(source->type() == kData)) continue;
    const auto index = static_cast<size_t>(source->attrs.Get<int64_t>(kIndex, -1));
    if (index < at->size() && (*at)[index] < 0) (*at)[index] = static_cast<int>(i);
  }
  return member.def;
}

std::vector<std::string> InputPortNames(const Node& node) {
  std::vector<int> at;
  const OpDef* heart = InputsAtHeart(node, &at);
  std::vector<std::string> names(node.inputs.size());
  size_t operand = 0;
  for (size_t i = 0; i < names.size(); ++i) {
    if (at.empty()) {
      names[i] = node.def->InputName(i);
    } else {
      names[i] = at[i] < 0 ? "operand" + std::to_string(operand++) : heart->InputName(static_cast<size_t>(at[i]));
    }
  }
  return names;
}

std::string InputPortName(const Node& node, size_t index) { return InputPortNames(node)[index]; }

}  // namespace atc

#include "backend/kernels/onednn/fused_tail.h"

namespace atc::kernels {

HeavyParts SplitHeavy(const KernelSpec& spec) {
  HeavyParts parts;
  if (!spec.node.fused) {
    parts.heavy = &spec.node;
    for (size_t i = 0; i < spec.inputs.size(); ++i) parts.ports.push_back(spec.inputs[i].present ? static_cast<int>(i) : -1);
    parts.fits = true;
    return parts;
  }
  const Graph& graph = *spec.node.fused;
  int others = 0;
  const Node* only = nullptr;
  for (const NodeId id : graph.TopologicalOrder()) {
    const Node& node = graph.node(id);
    if (node.type() == spec.node.type() && parts.heavy == nullptr) {
      parts.heavy = &node;
    } else if (!node.Is(kSource) && !(node.type() == "NetOutput")) {
      ++others;
      only = &node;
    }
  }
  if (parts.heavy == nullptr) return parts;
  for (const ValueId input : parts.heavy->inputs) {
    if (input == kNoId) {
      parts.ports.push_back(-1);
      continue;
    }
    if (!(graph.producer(input).type() == "Data")) return parts;
    parts.ports.push_back(static_cast<int>(graph.producer(input).Attr<int64_t>("index")));
  }
  parts.relu = others == 1 && only->type() == "Relu";
  if (!parts.relu) {
    parts.tail = ElementwiseProgram::Make(spec, parts.heavy);
    parts.fits = parts.tail != nullptr;
  } else {
    parts.fits = true;
  }
  return parts;
}

}  // namespace atc::kernels

#include "backend/kernels/heavy_parts.h"

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
  for (const NodeId id : graph.TopologicalOrder()) {
    if (graph.node(id).type() == spec.node.type() && parts.heavy == nullptr) parts.heavy = &graph.node(id);
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
  parts.fits = true;
  return parts;
}

}  // namespace atc::kernels

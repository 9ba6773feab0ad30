#include "backend/kernels/heavy_parts.h"

#include "compiler/ops/evaluator.h"

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

std::optional<Clip> FindClip(const KernelSpec& spec, const Node& heavy) {
  Clip clip;
  if (!spec.node.fused) return clip;
  const Graph& graph = *spec.node.fused;
  const auto bound = [&](ValueId value) -> std::optional<float> {
    const Node& from = graph.producer(value);
    if (from.type() != "Data") return std::nullopt;
    const Tensor* constant = spec.inputs[static_cast<size_t>(from.Attr<int64_t>("index"))].constant;
    if (constant == nullptr || constant->NumElements() != 1 || (constant->dtype() != DT_FLOAT && !IsHalf(constant->dtype()))) {
      return std::nullopt;
    }
    return *Widen(*constant).Data<float>();
  };
  const std::vector<Use>& uses = graph.value(heavy.outputs[0]).uses;
  if (uses.size() != 1 || uses[0].input != 0) return std::nullopt;
  const Node& last = graph.node(uses[0].node);
  if (last.outputs.size() != 1 || graph.value(last.outputs[0]).uses.size() != 1 || graph.NetOutput()->inputs[0] != last.outputs[0]) {
    return std::nullopt;
  }
  if (last.type() == "Relu" || last.type() == "Relu6") {
    clip.low = 0;
    if (last.type() == "Relu6") clip.high = 6;
    return clip;
  }
  if (last.type() != "ClipByValue") return std::nullopt;
  const std::optional<float> low = bound(last.inputs[1]), high = bound(last.inputs[2]);
  if (!low || !high || !(*low <= *high)) return std::nullopt;
  return Clip{*low, *high};
}

}  // namespace atc::kernels

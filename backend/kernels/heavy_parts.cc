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

namespace {

// The port that a value of the fused graph comes from; -1 where it is made inside.
int PortOf(const Graph& graph, ValueId value) {
  if (value == kNoId || graph.producer(value).type() != "Data") return -1;
  return static_cast<int>(graph.producer(value).Attr<int64_t>("index"));
}

std::optional<float> ConstantNumber(const KernelSpec& spec, int port) {
  const Tensor* constant = port < 0 ? nullptr : spec.inputs[static_cast<size_t>(port)].constant;
  if (constant == nullptr || constant->NumElements() != 1 || (constant->dtype() != DT_FLOAT && !IsHalf(constant->dtype()))) {
    return std::nullopt;
  }
  return *Widen(*constant).Data<float>();
}

std::optional<Clip> ClipOf(const KernelSpec& spec, const Node& node) {
  constexpr float kMost = std::numeric_limits<float>::infinity();
  if (node.type() == "Relu") return Clip{0, kMost};
  if (node.type() == "Relu6") return Clip{0, 6};
  if (node.type() != "ClipByValue") return std::nullopt;
  const Graph& graph = *spec.node.fused;
  const std::optional<float> low = ConstantNumber(spec, PortOf(graph, node.inputs[1]));
  const std::optional<float> high = ConstantNumber(spec, PortOf(graph, node.inputs[2]));
  if (!low || !high || !(*low <= *high)) return std::nullopt;
  return Clip{*low, *high};
}

bool LiesAsResult(const KernelSpec& spec, int port) {
  if (port < 0) return false;
  const Port &found = spec.inputs[static_cast<size_t>(port)], &result = spec.outputs[0];
  return found.present && found.dtype == DT_FLOAT && result.dtype == DT_FLOAT && found.shape == result.shape &&
         found.channels_last == result.channels_last;
}

}  // namespace

std::optional<ShortTail> FindShortTail(const KernelSpec& spec, const Node& heavy) {
  ShortTail tail;
  if (!spec.node.fused) return tail;
  const Graph& graph = *spec.node.fused;
  ValueId value = heavy.outputs[0];
  bool may_add = true;
  while (graph.NetOutput()->inputs[0] != value) {
    const std::vector<Use>& uses = graph.value(value).uses;
    if (uses.size() != 1) return std::nullopt;
    const Node& node = graph.node(uses[0].node);
    if (node.outputs.size() != 1) return std::nullopt;
    if (may_add && node.type() == "Add") {
      tail.add = PortOf(graph, node.inputs[1 - uses[0].input]);
      if (!LiesAsResult(spec, tail.add)) return std::nullopt;
      may_add = false;
    } else {
      const std::optional<Clip> clip = uses[0].input == 0 && !tail.clip.clips() ? ClipOf(spec, node) : std::nullopt;
      if (!clip) return std::nullopt;
      tail.clip = *clip;
      may_add = false;
    }
    value = node.outputs[0];
  }
  if (graph.value(value).uses.size() != 1) return std::nullopt;
  return tail;
}

}  // namespace atc::kernels

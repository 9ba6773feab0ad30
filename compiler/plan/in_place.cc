#include "compiler/plan/in_place.h"

#include <algorithm>

#include "compiler/ir/device_slot.h"

namespace atc {
namespace {

int64_t Bytes(const TensorDesc& desc) {
  const int64_t elements = std::max(desc.shape.NumElements(), desc.origin_shape.NumElements());
  return static_cast<int64_t>(DataTypeBytes(desc.dtype, elements));
}

}  // namespace

bool MayOverwrite(const Graph& graph, const Node& node, size_t input) {
  if (!node.Is(kElementwise) || node.Is(kStateful) || node.Is(kShapeOnly) || node.outputs.size() != 1 ||
      !node.subgraphs.empty() || node.inputs[input] == kNoId) {
    return false;
  }
  const TensorDesc& from = graph.desc(node.inputs[input]);
  const TensorDesc& to = graph.desc(node.outputs[0]);
  return from.dtype == to.dtype && from.shape == to.shape && from.format == to.format &&
         from.origin_shape == to.origin_shape && from.origin_format == to.origin_format &&
         HoldsChannelsLast(graph, node.inputs[input]) == HoldsChannelsLast(graph, node.outputs[0]);
}

bool LiesInPlace(const Graph& graph, const Node& node) {
  if (node.outputs.size() != 1) return false;
  const Value& to = graph.value(node.outputs[0]);
  bool lies = false;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    if (node.inputs[i] == kNoId || graph.Constant(node.inputs[i]) != nullptr) continue;
    const Value& from = graph.value(node.inputs[i]);
    if (from.offset >= to.offset + Bytes(to.desc) || to.offset >= from.offset + Bytes(from.desc)) continue;
    if (from.offset != to.offset || !MayOverwrite(graph, node, i)) return false;
    lies = true;
  }
  return lies;
}

}  // namespace atc

#include "compiler/om/op_wiring.h"

#include <algorithm>

#include "compiler/om/weight_layout.h"

namespace atc {

bool IsConstantValue(const Graph& graph, const Value& value) {
  static const Name kConst = "Const";
  return graph.node(value.producer).type() == kConst;
}

int64_t OffsetInFile(const Graph& graph, const Value& value, const WeightLayout* weights) {
  return weights != nullptr && IsConstantValue(graph, value) ? weights->Find(graph, value.producer).offset : value.offset;
}

void OpWiring::Find(const ListedGraph& listed, const Node& node, const WeightLayout* weights) {
  const Graph& graph = *listed.graph;
  const auto& place = listed.place;
  inputs.clear();
  targets.clear();
  input_offsets.clear();
  output_offsets.clear();
  constant.clear();
  bool placed = false;
  for (const ValueId id : node.inputs) {
    if (id == kNoId) {
      inputs.push_back({kNoId, 0});
      constant.push_back(false);
      continue;
    }
    const Value& value = graph.value(id);
    inputs.push_back({value.producer, value.index});
    constant.push_back(IsConstantValue(graph, value));
    input_offsets.push_back(OffsetInFile(graph, value, weights));
    placed |= input_offsets.back() >= 0;
  }
  if (!placed) input_offsets.clear();
  if (std::find(constant.begin(), constant.end(), true) == constant.end()) constant.clear();
  for (const NodeId from : node.control_in) inputs.push_back({from, -1});

  placed = false;
  // Uses and control edges have no order of their own.
  const auto sort_from = [&](size_t first) {
    if (targets.size() - first < 2) return;
    std::sort(targets.begin() + static_cast<std::ptrdiff_t>(first), targets.end(), [&](const End& a, const End& b) {
      return std::pair(place[a.node], a.index) < std::pair(place[b.node], b.index);
    });
  };
  for (const ValueId id : node.outputs) {
    const Value& value = graph.value(id);
    output_offsets.push_back(OffsetInFile(graph, value, weights));
    placed |= output_offsets.back() >= 0;
    const size_t first = targets.size();
    for (const Use& use : value.uses) targets.push_back({use.node, use.input});
    sort_from(first);
  }
  if (!placed) output_offsets.clear();
  const size_t first = targets.size();
  for (const NodeId to : node.control_out) targets.push_back({to, -1});
  sort_from(first);
}

}  // namespace atc

#include "backend/executor/wide_values.h"

#include <optional>

#include "backend/kernels/kernel.h"
#include "compiler/plan/parts.h"

namespace atc {
namespace {

// Values that lie in each other, or that a task moves from one to the other as they are: all are wide, or none is.
class Groups {
 public:
  explicit Groups(size_t values) : parent_(values), barred_(values, false), wanted_(values, false) {
    for (size_t i = 0; i < values; ++i) parent_[i] = static_cast<ValueId>(i);
  }

  ValueId Find(ValueId value) {
    while (parent_[value] != value) value = parent_[value] = parent_[parent_[value]];
    return value;
  }
  void Unite(ValueId a, ValueId b) {
    a = Find(a);
    b = Find(b);
    parent_[a] = b;
    barred_[b] = barred_[b] || barred_[a];
    wanted_[b] = wanted_[b] || wanted_[a];
  }
  void Bar(ValueId value) { barred_[Find(value)] = true; }
  void Want(ValueId value) { wanted_[Find(value)] = true; }
  bool Wide(ValueId value) {
    value = Find(value);
    return wanted_[value] && !barred_[value];
  }

 private:
  std::vector<ValueId> parent_;
  std::vector<bool> barred_, wanted_;  // by representative
};

// Calls `body` with each value that the node takes or gives.
template <typename Body>
void ForEachValue(const Node& node, const Body& body) {
  for (const ValueId value : node.inputs) {
    if (value != kNoId) body(value);
  }
  for (const ValueId value : node.outputs) body(value);
}

// A node without a task: what it gives lies in what it takes, or it is none of ours.
void JoinPlaces(const Graph& graph, const Node& node, Groups& groups) {
  const std::optional<Parts> parts = MarkedParts(graph, node);
  if (parts) {
    for (const ValueId part : parts->values) groups.Unite(part, parts->whole);
  } else if (AliasesInput(graph, node)) {
    for (const ValueId output : node.outputs) groups.Unite(output, node.inputs[0]);
  } else {
    ForEachValue(node, [&](ValueId value) { groups.Bar(value); });
  }
}

}  // namespace

std::vector<bool> FindWideValues(const Graph& graph, const std::vector<Task>& tasks, const std::vector<bool>& computed) {
  std::vector<bool> runs(graph.node_capacity(), false);
  for (const Task& task : tasks) runs[task.op_index] = runs[task.op_index] || task.type == TaskType::kKernel;
  Groups groups(graph.value_capacity());
  const auto is_half = [&](ValueId value) { return IsHalf(graph.desc(value).dtype); };
  for (NodeId id = 0; id < graph.node_capacity(); ++id) {
    const Node& node = graph.node(id);
    if (!node.alive) continue;
    // What shares bytes with another type is barred with it.
    ForEachValue(node, [&](ValueId value) {
      if (!is_half(value)) groups.Bar(value);
    });
    if (!runs[id] && !node.Is(kSource) && node.type() != "NetOutput") {
      JoinPlaces(graph, node, groups);
      continue;
    }
    const kernels::HalfUse use = runs[id] && !computed[id] ? kernels::HalfUseOf(node) : kernels::HalfUse::kNone;
    std::optional<ValueId> moved;
    ForEachValue(node, [&](ValueId value) {
      if (use == kernels::HalfUse::kNone) {
        groups.Bar(value);
      } else if (use == kernels::HalfUse::kMoves && is_half(value)) {
        if (moved) groups.Unite(value, *moved);
        moved = value;
      }
    });
    if (use != kernels::HalfUse::kApart) continue;
    for (const ValueId input : node.inputs) {
      if (input != kNoId) groups.Want(input);
    }
  }
  std::vector<bool> wide(graph.value_capacity(), false);
  for (NodeId id = 0; id < graph.node_capacity(); ++id) {
    if (!graph.node(id).alive) continue;
    for (const ValueId output : graph.node(id).outputs) wide[output] = is_half(output) && groups.Wide(output);
  }
  return wide;
}

}  // namespace atc

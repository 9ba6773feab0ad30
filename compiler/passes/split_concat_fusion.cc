#include "compiler/passes/split_concat_fusion.h"

#include <algorithm>
#include <vector>

#include "compiler/ir/stream_label.h"
#include "compiler/ir/user_dtype.h"
#include "compiler/passes/slice_ranges.h"

namespace atc {
namespace {

// Which split the values are all parts of, in order, each of them once; null for none.
const Node* SplitOf(const Graph& graph, const std::vector<ValueId>& values, size_t axis) {
  const Node& split = graph.producer(values[0]);
  const std::optional<SplitParts> parts = SplitPartsOf(graph, split);
  return parts && parts->axis == axis && split.outputs == values ? &split : nullptr;
}

// Operator `node` on another part than `like` but otherwise the same: one operand is data, others are one number each.
bool SameOnPart(const Graph& graph, const Node& node, const Node& like) {
  if (node.def != like.def || node.inputs.size() != like.inputs.size() || !Equal(node.attrs, like.attrs)) return false;
  for (size_t i = 1; i < node.inputs.size(); ++i) {
    if (node.inputs[i] == like.inputs[i] && (node.inputs[i] == kNoId || graph.desc(node.inputs[i]).origin_shape.rank() == 0)) continue;
    const Tensor *a = graph.ConstantInput(node, static_cast<uint32_t>(i)), *b = graph.ConstantInput(like, static_cast<uint32_t>(i));
    if (a == nullptr || b == nullptr || a->rank() != 0 || !BitEqual(*a, *b)) return false;
  }
  return StreamLabelOf(node) == StreamLabelOf(like);
}

bool CanHaveWhole(const Graph& graph, const Node& node) {
  return node.Is(kElementwise | kLayoutAgnostic) && !node.fused && !node.Is(kStateful) && node.outputs.size() == 1 &&
         !node.inputs.empty() && node.inputs[0] != kNoId && graph.value(node.outputs[0]).uses.size() == 1 &&
         node.control_in.empty() && node.control_out.empty() && !HasUserDtype(node);
}

bool IsOutput(const Graph& graph, ValueId value) {
  const auto& uses = graph.value(value).uses;
  return std::any_of(uses.begin(), uses.end(), [&](const Use& use) { return graph.node(use.node).type() == "NetOutput"; });
}

// Parts that are put together.
bool FuseJoin(Graph& graph, PassContext& context, Node& concat) {
  const std::optional<size_t> axis = ConcatAxisOf(graph, concat);
  if (!axis || concat.inputs.empty()) return false;
  if (const Node* split = SplitOf(graph, concat.inputs, *axis)) {
    const ValueId whole = split->inputs[SplitPartsOf(graph, *split)->data];
    // A model's output keeps a node of its own where it would be an input.
    if (graph.producer(whole).Is(kSource) && IsOutput(graph, concat.outputs[0])) return false;
    if (StreamLabelOf(*split) != StreamLabelOf(concat)) return false;
    if (!context.journal.Allow("ConcatD of a split", {split, &concat})) return false;
    Node& producer = graph.producer(whole);
    producer.origin = graph.origins().Union(producer.origin, concat.origin);
    context.journal.Made(producer);
    graph.ReplaceUses(concat.outputs[0], whole);
    graph.Remove(concat.id);
    return true;
  }
  std::vector<ValueId> parts;
  std::vector<const Node*> before;
  Node& first = graph.producer(concat.inputs[0]);
  for (const ValueId input : concat.inputs) {
    const Node& node = graph.producer(input);
    if (!CanHaveWhole(graph, node) || !SameOnPart(graph, node, first)) return false;
    parts.push_back(node.inputs[0]);
    before.push_back(&node);
  }
  const Node* split = SplitOf(graph, parts, *axis);
  if (split == nullptr || parts.size() < 2 || StreamLabelOf(*split) != StreamLabelOf(concat)) return false;
  before.push_back(&concat);
  if (!context.journal.Allow("ConcatD of " + first.type().str() + " of each part of a split", before)) return false;
  OriginId origin = concat.origin;
  for (const Node* node : before) origin = graph.origins().Union(origin, node->origin);
  graph.SetInput(first, 0, split->inputs[SplitPartsOf(graph, *split)->data]);
  graph.desc(first.outputs[0]) = graph.desc(concat.outputs[0]);
  first.origin = origin;
  graph.ReplaceUses(concat.outputs[0], first.outputs[0]);
  graph.Remove(concat.id);
  for (size_t i = 1; i + 1 < before.size(); ++i) graph.Remove(before[i]->id);
  context.journal.Made(first);
  return true;
}

// What was put together and is parted again.
bool FuseParts(Graph& graph, PassContext& context, Node& split) {
  const std::optional<SplitParts> parts = SplitPartsOf(graph, split);
  if (!parts) return false;
  Node& concat = graph.producer(split.inputs[parts->data]);
  if (ConcatAxisOf(graph, concat) != parts->axis || StreamLabelOf(concat) != StreamLabelOf(split)) return false;
  std::vector<std::vector<ValueId>> groups;
  size_t next = 0;
  for (const int64_t size : parts->sizes) {
    groups.emplace_back();
    for (int64_t at = 0; at < size; ++next) {
      if (next == concat.inputs.size()) return false;
      const Shape& shape = graph.desc(concat.inputs[next]).origin_shape;
      if (!shape.HasRank() || shape[parts->axis] < 0) return false;
      at += shape[parts->axis];
      if (at > size) return false;
      groups.back().push_back(concat.inputs[next]);
    }
    if (groups.back().empty()) return false;
  }
  if (next != concat.inputs.size()) return false;
  for (size_t i = 0; i < groups.size(); ++i) {
    if (groups[i].size() == 1 && graph.producer(groups[i][0]).Is(kSource) && IsOutput(graph, split.outputs[i])) return false;
  }
  // Several joins in place of one pay only where the whole goes.
  const bool joins = std::any_of(groups.begin(), groups.end(), [](const auto& group) { return group.size() > 1; });
  if (joins && graph.value(concat.outputs[0]).uses.size() != 1) return false;
  if (!context.journal.Allow(split.type().str() + " of ConcatD", {&concat, &split})) return false;
  for (size_t i = 0; i < groups.size(); ++i) {
    ValueId part = groups[i][0];
    if (groups[i].size() > 1) {
      Node& join = graph.Add(*concat.def, split.name + "/join", groups[i], 1);
      join.attrs = concat.attrs;
      join.attrs.Set("N", static_cast<int64_t>(groups[i].size()));
      join.origin = graph.origins().Union(concat.origin, split.origin);
      CopyStreamLabels(concat, join);
      graph.desc(join.outputs[0]) = graph.desc(split.outputs[i]);
      context.journal.Made(join);
      part = join.outputs[0];
    } else {
      Node& producer = graph.producer(part);
      producer.origin = graph.origins().Union(producer.origin, split.origin);
    }
    graph.ReplaceUses(split.outputs[i], part);
  }
  graph.Remove(split.id);
  if (graph.value(concat.outputs[0]).uses.empty()) graph.Remove(concat.id);
  return true;
}

}  // namespace

bool SplitConcatFusionPass(Graph& graph, PassContext& context) {
  bool changed = false;
  for (const NodeId id : graph.TopologicalOrder()) {
    Node& node = graph.node(id);
    if (!node.alive) continue;
    changed |= node.type() == "ConcatD" ? FuseJoin(graph, context, node) : FuseParts(graph, context, node);
  }
  return changed;
}

}  // namespace atc

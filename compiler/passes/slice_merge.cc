#include "compiler/passes/slice_merge.h"

#include <algorithm>

#include "compiler/ir/stream_label.h"
#include "compiler/passes/slice_ranges.h"

namespace atc {
namespace {

bool Redirect(Graph& graph, PassContext& context, Node& slice, Node& before, ValueId x, const std::vector<AxisRange>& ranges) {
  if (!context.journal.Allow(slice.type().str() + " of " + before.type().str(), {&before, &slice})) return false;
  slice.origin = graph.origins().Union(before.origin, slice.origin);
  SetRanges(graph, slice, x, ranges);
  if (graph.value(before.outputs[0]).uses.empty()) graph.Remove(before.id);
  context.journal.Made(slice);
  return true;
}

bool Merge(Graph& graph, PassContext& context, Node& slice) {
  const std::optional<std::vector<AxisRange>> outer = RangesOf(graph, slice);
  if (!outer) return false;
  Node& before = graph.producer(slice.inputs[0]);
  if (StreamLabelOf(before) != StreamLabelOf(slice)) return false;
  if (const auto inner = RangesOf(graph, before)) {
    // Where others still read the first slice it stays, and what is cut of it may be parts of a split.
    const auto& uses = graph.value(before.outputs[0]).uses;
    const auto merges = [&](const Use& use) {
      return use.input == 0 && RangesOf(graph, graph.node(use.node)).has_value();
    };
    if (!std::all_of(uses.begin(), uses.end(), merges)) return false;
    std::vector<AxisRange> both;
    for (size_t i = 0; i < outer->size(); ++i) {
      const AxisRange &a = (*inner)[i], &b = (*outer)[i];
      both.push_back({a.begin + b.begin * a.step, b.count, a.step * b.step});
      if (both.back().count == 0) return false;
    }
    return Redirect(graph, context, slice, before, before.inputs[0], both);
  }
  const std::optional<size_t> axis = ConcatAxisOf(graph, before);
  if (!axis) return false;
  const AxisRange range = (*outer)[*axis];
  if (range.count == 0) return false;
  int64_t at = 0;
  for (const ValueId part : before.inputs) {
    const Shape& shape = graph.desc(part).origin_shape;
    if (!shape.IsKnown()) return false;
    const int64_t last = range.begin + (range.count - 1) * range.step;
    if (range.begin >= at && last < at + shape[*axis]) {
      std::vector<AxisRange> within = *outer;
      within[*axis].begin -= at;
      return Redirect(graph, context, slice, before, part, within);
    }
    at += shape[*axis];
  }
  return false;
}

}  // namespace

bool StridedSliceMergePass(Graph& graph, PassContext& context) {
  bool changed = false;
  for (const NodeId id : graph.TopologicalOrder()) {
    Node& node = graph.node(id);
    if (node.alive && node.type() == "StridedSliceV2") changed |= Merge(graph, context, node);
  }
  return changed;
}

}  // namespace atc

#include "compiler/passes/slice_to_split.h"

#include <algorithm>
#include <map>
#include <vector>

#include "compiler/ir/stream_label.h"
#include "compiler/ir/user_dtype.h"
#include "compiler/passes/slice_ranges.h"

namespace atc {
namespace {

struct Cut {
  int64_t begin, count;
  NodeId slice;
};

// The only axis that a slice shortens, without leaving elements out between.
std::optional<size_t> OnlyAxis(const Shape& shape, const std::vector<AxisRange>& ranges) {
  std::optional<size_t> axis;
  for (size_t i = 0; i < ranges.size(); ++i) {
    if (ranges[i].Is(shape[i])) continue;
    if (axis || ranges[i].step != 1 || ranges[i].count == 0) return std::nullopt;
    axis = i;
  }
  return axis;
}

bool Covers(const std::vector<Cut>& cuts, int64_t dim) {
  int64_t at = 0;
  for (const Cut& cut : cuts) {
    if (cut.begin != at) return false;
    at += cut.count;
  }
  return at == dim && cuts.size() >= 2;
}

bool Replace(Graph& graph, PassContext& context, ValueId x, size_t axis, const std::vector<Cut>& cuts) {
  std::vector<const Node*> before;
  std::vector<int64_t> sizes;
  OriginId origin = kNoOrigin;
  for (const Cut& cut : cuts) {
    before.push_back(&graph.node(cut.slice));
    sizes.push_back(cut.count);
    origin = graph.origins().Union(origin, before.back()->origin);
  }
  if (!context.journal.Allow("StridedSlice side by side", before)) return false;
  const std::string name = before[0]->name + "/split";
  const ValueId lengths = graph.AddConst(name + "_sizes", Tensor::Ints(sizes), origin);
  const ValueId dim = graph.AddConst(name + "_dim", Tensor::Scalar(static_cast<int64_t>(axis)), origin);
  Node& split = graph.Add("SplitV", name, {x, lengths, dim}, cuts.size());
  split.attrs.Set("num_split", static_cast<int64_t>(cuts.size()));
  split.origin = origin;
  CopyStreamLabels(*before[0], split);
  for (size_t i = 0; i < cuts.size(); ++i) {
    const ValueId old = graph.node(cuts[i].slice).outputs[0];
    graph.desc(split.outputs[i]) = graph.desc(old);
    graph.ReplaceUses(old, split.outputs[i]);
    graph.Remove(cuts[i].slice);
  }
  context.journal.Made(split);
  return true;
}

bool Fuse(Graph& graph, PassContext& context, ValueId x) {
  const Shape& shape = graph.desc(x).origin_shape;
  if (!shape.IsKnown() || graph.Constant(x) != nullptr) return false;
  std::map<size_t, std::vector<Cut>> by_axis;
  std::optional<std::string> label;
  for (const Use& use : graph.value(x).uses) {
    const Node& node = graph.node(use.node);
    if (use.input != 0 || HasUserDtype(node) || !node.control_in.empty() || !node.control_out.empty()) continue;
    const std::optional<std::vector<AxisRange>> ranges = RangesOf(graph, node);
    const std::optional<size_t> axis = ranges ? OnlyAxis(shape, *ranges) : std::nullopt;
    if (!axis) continue;
    if (label && *label != StreamLabelOf(node)) return false;
    label = StreamLabelOf(node);
    by_axis[*axis].push_back({(*ranges)[*axis].begin, (*ranges)[*axis].count, node.id});
  }
  for (auto& [axis, cuts] : by_axis) {
    std::sort(cuts.begin(), cuts.end(), [](const Cut& a, const Cut& b) { return a.begin < b.begin; });
    if (Covers(cuts, shape[axis])) return Replace(graph, context, x, axis, cuts);
  }
  return false;
}

}  // namespace

bool StridedSliceDToSplitPass(Graph& graph, PassContext& context) {
  bool changed = false;
  for (const NodeId id : graph.TopologicalOrder()) {
    const std::vector<ValueId> outputs = graph.node(id).outputs;
    for (const ValueId output : outputs) {
      if (graph.node(id).alive && graph.value(output).uses.size() >= 2) changed |= Fuse(graph, context, output);
    }
  }
  return changed;
}

}  // namespace atc

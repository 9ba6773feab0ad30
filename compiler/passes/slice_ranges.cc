#include "compiler/passes/slice_ranges.h"

#include <algorithm>
#include <numeric>

#include "compiler/passes/constant_ints.h"

namespace atc {
namespace {

using Ints = std::vector<int64_t>;

std::vector<AxisRange> Whole(const Shape& shape) {
  std::vector<AxisRange> ranges;
  for (const int64_t dim : shape.dims()) ranges.push_back({0, dim, 1});
  return ranges;
}

std::optional<std::vector<AxisRange>> RangesOfSizes(const Graph& graph, const Node& node, const Shape& shape) {
  const auto offsets = ConstantInts(graph, node, 1), sizes = ConstantInts(graph, node, 2);
  if (!offsets || !sizes || offsets->size() != shape.rank() || sizes->size() != shape.rank()) return std::nullopt;
  std::vector<AxisRange> ranges;
  for (size_t i = 0; i < shape.rank(); ++i) {
    const int64_t begin = (*offsets)[i], count = (*sizes)[i] == -1 ? shape[i] - begin : (*sizes)[i];
    if (begin < 0 || count < 0 || begin + count > shape[i]) return std::nullopt;
    ranges.push_back({begin, count, 1});
  }
  return ranges;
}

std::optional<std::vector<AxisRange>> RangesOfEnds(const Graph& graph, const Node& node, const Shape& shape) {
  for (const char* mask : {"begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask"}) {
    if (node.Attr<int64_t>(mask) != 0) return std::nullopt;
  }
  const auto begins = ConstantInts(graph, node, 1), ends = ConstantInts(graph, node, 2);
  if (!begins || !ends || begins->size() != ends->size()) return std::nullopt;
  Ints axes(begins->size()), steps(begins->size(), 1);
  std::iota(axes.begin(), axes.end(), int64_t{0});
  if (HasInput(node, 3)) {
    const auto named = ConstantInts(graph, node, 3);
    if (!named || named->size() != axes.size()) return std::nullopt;
    axes = *named;
  }
  if (HasInput(node, 4)) {
    const auto given = ConstantInts(graph, node, 4);
    if (!given || given->size() != axes.size()) return std::nullopt;
    steps = *given;
  }
  const auto rank = static_cast<int64_t>(shape.rank());
  std::vector<AxisRange> ranges = Whole(shape);
  for (size_t i = 0; i < axes.size(); ++i) {
    const int64_t axis = axes[i] < 0 ? axes[i] + rank : axes[i];
    if (axis < 0 || axis >= rank || steps[i] < 1) return std::nullopt;
    const int64_t dim = shape[axis];
    const auto clamp = [dim](int64_t at) { return std::clamp<int64_t>(at < 0 ? at + dim : at, 0, dim); };
    const int64_t begin = clamp((*begins)[i]), end = clamp((*ends)[i]);
    ranges[axis] = {begin, end <= begin ? 0 : 1 + (end - begin - 1) / steps[i], steps[i]};
  }
  return ranges;
}

}  // namespace

std::optional<std::vector<AxisRange>> RangesOf(const Graph& graph, const Node& node) {
  const bool by_sizes = node.type() == "Slice";
  if (!by_sizes && !(node.type() == "StridedSliceV2")) return std::nullopt;
  const Shape& shape = graph.desc(node.inputs[0]).origin_shape;
  if (!shape.IsKnown()) return std::nullopt;
  return by_sizes ? RangesOfSizes(graph, node, shape) : RangesOfEnds(graph, node, shape);
}

void SetRanges(Graph& graph, Node& slice, ValueId x, const std::vector<AxisRange>& ranges) {
  const Shape& shape = graph.desc(x).origin_shape;
  Ints begin, end, axes, steps;
  for (size_t i = 0; i < ranges.size(); ++i) {
    if (ranges[i].Is(shape[i])) continue;
    begin.push_back(ranges[i].begin);
    end.push_back(ranges[i].count == 0 ? ranges[i].begin : ranges[i].begin + (ranges[i].count - 1) * ranges[i].step + 1);
    axes.push_back(static_cast<int64_t>(i));
    steps.push_back(ranges[i].step);
  }
  const Ints* lists[] = {&begin, &end, &axes, &steps};
  const char* names[] = {"_begin", "_end", "_axes", "_strides"};
  graph.SetInput(slice, 0, x);
  for (uint32_t i = 0; i < 4; ++i) {
    while (slice.inputs.size() <= i + 1) graph.AddInput(slice, kNoId);
    graph.SetInput(slice, i + 1, graph.AddConst(slice.name + names[i], Tensor::Ints(*lists[i]), slice.origin));
  }
}

std::optional<SplitParts> SplitPartsOf(const Graph& graph, const Node& node) {
  SplitParts parts;
  int64_t axis = 0;
  if (node.type() == "SplitD") {
    axis = node.Attr<int64_t>("split_dim");
  } else if (node.type() == "onnx::Split") {
    axis = node.Attr<int64_t>("axis");
  } else if (node.type() == "Split" || node.type() == "SplitV") {
    const bool equal = node.type() == "Split";
    parts.data = equal ? 1 : 0;
    const auto given = ConstantInts(graph, node, equal ? 0 : 2);
    if (!given || given->size() != 1) return std::nullopt;
    axis = (*given)[0];
  } else {
    return std::nullopt;
  }
  const Shape& shape = graph.desc(node.inputs[parts.data]).origin_shape;
  if (!shape.HasRank()) return std::nullopt;
  if (axis < 0) axis += static_cast<int64_t>(shape.rank());
  if (axis < 0 || axis >= static_cast<int64_t>(shape.rank())) return std::nullopt;
  parts.axis = static_cast<size_t>(axis);
  for (const ValueId output : node.outputs) {
    const Shape& part = graph.desc(output).origin_shape;
    if (!part.HasRank() || part.rank() != shape.rank() || part[parts.axis] < 0) return std::nullopt;
    parts.sizes.push_back(part[parts.axis]);
  }
  return parts;
}

std::optional<size_t> ConcatAxisOf(const Graph& graph, const Node& node) {
  if (!(node.type() == "ConcatD")) return std::nullopt;
  const Shape& shape = graph.desc(node.outputs[0]).origin_shape;
  if (!shape.HasRank()) return std::nullopt;
  const int64_t axis = node.Attr<int64_t>("concat_dim"), rank = static_cast<int64_t>(shape.rank());
  const int64_t at = axis < 0 ? axis + rank : axis;
  return at < 0 || at >= rank ? std::nullopt : std::optional(static_cast<size_t>(at));
}

}  // namespace atc

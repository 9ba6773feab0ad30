// What slices and splits with constant parameters take of each axis, and the nodes that take it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/ir/graph.h"

namespace atc {

struct AxisRange {
  int64_t begin = 0;
  int64_t count = 0;
  int64_t step = 1;  // at least 1

  bool Is(int64_t dim) const { return begin == 0 && count == dim && step == 1; }
};

// By axis, of StridedSliceV2 (without masks, steps of 1 and more) and Slice whose numbers are constant and whose input
// has a known shape; nothing of others.
std::optional<std::vector<AxisRange>> RangesOf(const Graph& graph, const Node& node);

// Makes a StridedSliceV2 of `x` take `ranges`.
void SetRanges(Graph& graph, Node& slice, ValueId x, const std::vector<AxisRange>& ranges);

// Of Split, SplitD, SplitV and onnx::Split with a constant axis, and results of known shape.
struct SplitParts {
  uint32_t data = 0;  // the input that is split
  size_t axis = 0;
  std::vector<int64_t> sizes;
};
std::optional<SplitParts> SplitPartsOf(const Graph& graph, const Node& node);

// The axis of a ConcatD from 0 on; nothing of others and where the rank is unknown.
std::optional<size_t> ConcatAxisOf(const Graph& graph, const Node& node);

}  // namespace atc

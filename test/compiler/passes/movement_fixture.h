// Concatenations, splits and slices.
#pragma once

#include "test/compiler/pass_fixture.h"

namespace atc::test {

struct MovementFixture : PassFixture {
  ValueId Ints(std::vector<int64_t> values) { return graph.AddConst("ints", Tensor::Ints(std::move(values))); }
  ValueId Concat(const char* name, std::vector<ValueId> parts, int64_t axis) {
    const auto count = static_cast<int64_t>(parts.size());
    const ValueId y = Op("ConcatD", name, std::move(parts));
    graph.producer(y).attrs.Set("concat_dim", axis);
    graph.producer(y).attrs.Set("N", count);
    return y;
  }
  std::vector<ValueId> Split(const char* name, ValueId x, std::vector<int64_t> sizes, int64_t axis) {
    const auto count = static_cast<int64_t>(sizes.size());
    Node& node = graph.Add("SplitV", name, {x, Ints(std::move(sizes)), graph.AddConst("axis", Tensor::Scalar(axis))}, count);
    node.attrs.Set("num_split", count);
    node.origin = graph.origins().Leaf(node.name);
    InferNode(graph, node);
    return node.outputs;
  }
  ValueId Slice(const char* name, ValueId x, std::vector<int64_t> begin, std::vector<int64_t> end,
                std::vector<int64_t> axes, std::vector<int64_t> steps = {}) {
    if (steps.empty()) steps.assign(begin.size(), 1);
    const ValueId y = Op("StridedSliceV2", name, {x, Ints(begin), Ints(end), Ints(axes), Ints(steps)});
    InferNode(graph, graph.producer(y));
    return y;
  }
};

}  // namespace atc::test

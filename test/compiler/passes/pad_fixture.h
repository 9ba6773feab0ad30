// Paddings, and windows behind them.
#pragma once

#include "test/compiler/pass_fixture.h"

namespace atc::test {

struct PadFixture : PassFixture {
  // `edges`: begin and end of one axis after the other.
  ValueId Pad(const char* name, ValueId x, std::vector<int64_t> edges, float value = 0) {
    std::vector<ValueId> in = {x, graph.AddConst("paddings", Tensor::Ints(std::move(edges)))};
    if (value != 0) in.push_back(graph.AddConst("value", Tensor::Scalar(value)));
    return Op("PadV3", name, in);
  }
  ValueId Pool(const char* type, ValueId x, int64_t size, int64_t stride, std::vector<int64_t> pads, bool ceil = false) {
    const ValueId y = Op(type, "pool", {x});
    Node& node = graph.producer(y);
    node.attrs.Set("ksize", std::vector<int64_t>{1, 1, size, size});
    node.attrs.Set("strides", std::vector<int64_t>{1, 1, stride, stride});
    node.attrs.Set("pads", std::move(pads));
    node.attrs.Set("ceil_mode", ceil);
    node.attrs.Set("data_format", "NCHW");
    return y;
  }
};

}  // namespace atc::test

// DynamicRNN against tf::BlockLSTM, whose values the cases of the TensorFlow parser settle.
#include <catch2/catch.hpp>

#include "compiler/ops/evaluator.h"
#include "test/compiler/pass_fixture.h"

using namespace atc;
using namespace atc::test;

TEST_CASE("DynamicRNN has the peepholes, the bias and the states of a BlockLSTM") {
  const bool peep = GENERATE(false, true);
  constexpr int64_t kSteps = 4, kBatch = 2, kInput = 3, kHidden = 5;
  const Tensor x = RandomFloats({kSteps, kBatch, kInput}, 1), w = RandomFloats({kInput + kHidden, 4 * kHidden}, 2),
               b = RandomFloats({4 * kHidden}, 3), h = RandomFloats({kBatch, kHidden}, 4), c = RandomFloats({kBatch, kHidden}, 5);
  const Tensor wci = RandomFloats({kHidden}, 6), wcf = RandomFloats({kHidden}, 7), wco = RandomFloats({kHidden}, 8);
  Graph graph("g");
  const auto add = [&](const char* type, const std::vector<Tensor>& inputs, size_t outputs) -> Node& {
    std::vector<ValueId> values;
    for (const Tensor& input : inputs) values.push_back(input.defined() ? graph.AddConst("c", input) : kNoId);
    return graph.Add(type, "node", std::move(values), outputs);
  };
  const auto run = [&](Node& node, const std::vector<Tensor>& inputs) {
    node.attrs.Set("use_peephole", peep);
    node.attrs.Set("forget_bias", 0.5f);
    node.attrs.Set("cell_clip", 0.9f);
    return RunReferenceKernel(node, inputs, {}, std::vector<DataType>(node.outputs.size(), DT_FLOAT));
  };
  const Tensor length = Tensor::From<int64_t>(DT_INT64, Shape(std::vector<int64_t>{}), {kSteps});
  const std::vector<Tensor> block_inputs = {length, x, c, h, w, wci, wcf, wco, b};
  const auto block = run(add("tf::BlockLSTM", block_inputs, 7), block_inputs);
  const std::vector<Tensor> dynamic_inputs = {x,   w,   b,   Tensor(), h.Reshaped({1, kBatch, kHidden}), c.Reshaped({1, kBatch, kHidden}),
                                              wci, wcf, wco, Tensor()};
  const auto dynamic = run(add("DynamicRNN", dynamic_inputs, 8), dynamic_inputs);
  // y, h, c, i, j, f, o, tanhc among i, cs, f, o, ci, co, h.
  const size_t from[] = {6, 6, 1, 0, 4, 2, 3, 5};
  for (size_t i = 0; i < 8; ++i) {
    INFO("output " << i);
    CHECK(ToDoubles(dynamic[i]) == ToDoubles(block[from[i]]));
  }
}

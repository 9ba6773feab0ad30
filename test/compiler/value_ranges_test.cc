#include "compiler/value_ranges.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "test/compiler/pass_fixture.h"
#include "test/compiler/random_model.h"

using namespace atc;
using test::PassFixture;

namespace {

ValueRange Of(PassFixture& f, ValueId value, std::vector<ValueRange> inputs) {
  f.Output({value});
  return FindRanges(f.graph, inputs)[value];
}

void Check(const ValueRange& range, double low, double high) {
  CHECK(range.low == Approx(low));
  CHECK(range.high == Approx(high));
}

}  // namespace

TEST_CASE("bounds of elementwise operators") {
  PassFixture f;
  const ValueId x = f.Input({2, 3});
  const ValueId two = f.graph.AddConst("two", Tensor::Scalar(2.0f));
  // 2 * [-3, 5] - 2
  Check(Of(f, f.Op("Sub", "s", {f.Op("Mul", "m", {x, two}), two}), {{-3, 5}}), -8, 8);
  PassFixture g;
  const ValueId y = g.Input({2, 3});
  Check(Of(g, g.Op("Square", "q", {g.Op("Relu", "r", {y})}), {{-3, 5}}), 0, 25);
  PassFixture h;
  Check(Of(h, h.Op("Sigmoid", "g", {h.Input({2})}), {{}}), 0, 1);
}

TEST_CASE("bounds of products are those of each column of weights") {
  PassFixture f;
  const ValueId w = f.graph.AddConst("w", Tensor::From<float>(DT_FLOAT, {2, 2}, {1, -4, 2, 5}));
  const ValueId y = f.Op("MatMulV2", "y", {f.Input({1, 2}), w});
  // Columns (1, 2) and (-4, 5) on x in [0, 10]: at most 30 and from -40 to 50.
  Check(Of(f, y, {{0, 10}}), -40, 50);
}

TEST_CASE("an input without a range bounds nothing, but what bounds itself") {
  PassFixture f;
  const ValueId x = f.Input({2, 3});
  const ValueId sum = f.Op("Add", "sum", {x, x});
  const ValueId soft = f.Op("SoftmaxV2", "soft", {sum});
  f.graph.producer(soft).attrs.Set("axes", std::vector<int64_t>{-1});
  f.Output({soft});
  const std::vector<ValueRange> ranges = FindRanges(f.graph, {{}});
  CHECK_FALSE(ranges[sum].bounded());
  Check(ranges[soft], 0, 1);
}

TEST_CASE("bounds of norms are those of their channels or of their deviations") {
  PassFixture f;
  const auto row = [](PassFixture& p, const char* name, std::vector<float> values) {
    const auto count = static_cast<int64_t>(values.size());
    return p.graph.AddConst(name, Tensor::From<float>(DT_FLOAT, {count}, values));
  };
  const ValueId y = f.Op("BatchNorm", "norm",
                         {f.Input({1, 2, 3, 3}), row(f, "scale", {2, -10}), row(f, "offset", {1, 0}),
                          row(f, "mean", {5, 1}), row(f, "variance", {4, 25})});
  f.graph.producer(y).attrs.Set("is_training", false);
  f.graph.producer(y).attrs.Set("epsilon", 0.0f);
  f.graph.producer(y).attrs.Set("data_format", "NCHW");
  // 2 (x - 5) / 2 + 1 and -10 (x - 1) / 5 on [0, 10].
  Check(Of(f, y, {{0, 10}}), -18, 6);
  PassFixture g;
  const ValueId z =
      g.Op("InstanceNorm", "norm", {g.Input({1, 2, 5, 2}), row(g, "gamma", {2, 1}), row(g, "beta", {0, 1})});
  g.graph.producer(z).attrs.Set("data_format", "NCHW");
  // Of 10 numbers none is more than 3 deviations off: 2 * 3 + 1.
  Check(Of(g, z, {{}}), -6, 7);
}

TEST_CASE("states of recurrent operators lie among the first one and what tanh gives, cells grow by one a step") {
  PassFixture f;
  const ValueId x = f.Input({7, 1, 3}), h = f.Input({1, 1, 4}), c = f.Input({1, 1, 4});
  Node& node =
      f.graph.Add("onnx::LSTM", "lstm", {x, f.Weights({1, 16, 3}, 1), f.Weights({1, 16, 4}, 2), kNoId, kNoId, h, c}, 3);
  node.attrs.Set("hidden_size", int64_t{4});
  f.Output({node.outputs[0], node.outputs[2]});
  const std::vector<ValueRange> ranges = FindRanges(f.graph, {{}, {0, 3}, {-2, 1}});
  Check(ranges[node.outputs[0]], -1, 3);
  Check(ranges[node.outputs[2]], -9, 9);
}

TEST_CASE("no value of an evaluation leaves its bounds") {
  for (uint32_t seed = 1; seed <= 4; ++seed) {
    const test::RandomModel model(seed, 40);
    const std::unique_ptr<Graph> graph = model.graph().Clone();
    InferShapes(*graph);
    std::vector<ValueRange> inputs;
    for (const Tensor& tensor : model.inputs()) inputs.push_back(RangeOf(tensor));
    const std::vector<ValueRange> ranges = FindRanges(*graph, inputs);
    EvaluateOptions options;
    int bounded = 0;
    options.observe = [&](const Graph&, const Node& node, const std::vector<Tensor>& outputs) {
      for (size_t i = 0; i < outputs.size(); ++i) {
        if (!outputs[i].defined() || !IsFloating(outputs[i].dtype())) continue;
        const ValueRange seen = RangeOf(outputs[i]);
        const ValueRange& bound = ranges[node.outputs[i]];
        const double slack = 1e-5 * std::max(1.0, seen.Magnitude());
        INFO("seed " << seed << ", " << node.type().str() << " " << node.name);
        CHECK(seen.low >= bound.low - slack);
        CHECK(seen.high <= bound.high + slack);
        bounded += bound.bounded();
      }
    };
    Evaluate(*graph, model.inputs(), options);
    CHECK(bounded > 20);
  }
}

// Small float graphs for tests of passes, and the check that a rewrite keeps what the graph computes.
#pragma once

#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <vector>

#include "compiler/ir/graph.h"
#include "compiler/ops/evaluator.h"
#include "compiler/ops/inference.h"
#include "compiler/passes/pass.h"

namespace atc::test {

inline Tensor RandomFloats(Shape shape, uint32_t seed, float low = -1, float high = 1) {
  std::mt19937 random(seed);
  std::vector<float> values(shape.NumElements());
  for (float& value : values) value = low + (high - low) * static_cast<float>(random() % 10000) / 10000.0f;
  return Tensor::From<float>(DT_FLOAT, shape, values);
}

struct PassFixture {
  Graph graph{"g"};
  Journal journal;
  Diagnostics diagnostics;
  PassContext context{journal, diagnostics};
  std::vector<Tensor> inputs;

  ValueId Input(Shape shape) {
    inputs.push_back(RandomFloats(shape, 100 + static_cast<uint32_t>(inputs.size())));
    return graph.AddData("", static_cast<int64_t>(inputs.size()) - 1, TensorDesc(DT_FLOAT, shape, FORMAT_NCHW));
  }
  ValueId Weights(Shape shape, uint32_t seed, float low = -1, float high = 1) {
    return graph.AddConst("weights", RandomFloats(std::move(shape), seed, low, high));
  }
  ValueId Op(const char* type, std::string name, std::vector<ValueId> in) {
    Node& node = graph.Add(type, std::move(name), std::move(in), 1);
    node.origin = graph.origins().Leaf(node.name);
    return node.outputs[0];
  }
  ValueId Conv(std::string name, ValueId x, ValueId w) {
    const ValueId y = Op("Conv2D", std::move(name), {x, w});
    Node& node = graph.producer(y);
    node.attrs.Set("strides", std::vector<int64_t>{1, 1, 1, 1});
    node.attrs.Set("pads", std::vector<int64_t>{1, 1, 1, 1});
    node.attrs.Set("data_format", "NCHW");
    return y;
  }
  void Output(std::vector<ValueId> values) {
    graph.Add("NetOutput", "Node_Output", std::move(values), 0);
    InferShapes(graph);
  }
  int Count(const char* type) const {
    int count = 0;
    for (NodeId id = 0; id < graph.node_capacity(); ++id) count += graph.node(id).alive && graph.node(id).type() == type;
    return count;
  }
  // Runs `rewrite` and checks that the graph still verifies and computes the same within `tolerance`.
  template <typename F>
  void KeepsResults(F&& rewrite, double tolerance) {
    const std::vector<Tensor> before = Evaluate(graph, inputs);
    rewrite();
    graph.Verify(true);
    const std::vector<Tensor> after = Evaluate(graph, inputs);
    REQUIRE(before.size() == after.size());
    for (size_t i = 0; i < before.size(); ++i) {
      CHECK(before[i].dtype() == after[i].dtype());
      CHECK(before[i].shape() == after[i].shape());
      const std::vector<double> x = ToDoubles(before[i]);
      const std::vector<double> y = ToDoubles(after[i]);
      for (size_t e = 0; e < x.size(); ++e) REQUIRE(y[e] == Approx(x[e]).margin(tolerance).epsilon(tolerance));
    }
  }
};

}  // namespace atc::test

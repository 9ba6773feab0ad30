// Convolutions and products with random tails of elementwise operators, on the device and by the reference evaluator.
#include <random>

#include "test/backend/executor/static_runner.h"
#include "test/compiler/pass_fixture.h"

using namespace atc;        // NOLINT
using namespace atc::test;  // NOLINT

namespace {

// One step of a tail. Constants are near one, so that values stay where single precision is exact enough.
ValueId Step(PassFixture& f, std::mt19937& random, ValueId x, int64_t channels, bool channels_first) {
  const float value = 0.6f + static_cast<float>(random() % 80) / 100;
  const ValueId scalar = f.graph.AddConst("scalar", Tensor::From<float>(DT_FLOAT, {1}, {value}));
  const Shape along = channels_first ? Shape{channels, 1, 1} : Shape{channels};
  const ValueId row = f.graph.AddConst("row", RandomFloats(along, random(), 0.5f, 1.5f));
  const uint32_t kind = random() % 13;
  const std::string name = "step" + std::to_string(f.graph.node_capacity());
  const auto with = [&](const char* type, const char* attr, auto v) {
    const ValueId y = f.Op(type, name, {x});
    f.graph.producer(y).attrs.Set(attr, v);
    return y;
  };
  switch (kind) {
    case 0: return f.Op("Mul", name, {x, scalar});
    case 1: return f.Op("RealDiv", name, {x, scalar});
    case 2: return f.Op("Add", name, {scalar, x});
    case 3: return f.Op("Sub", name, {scalar, x});
    case 4: return f.Op("Sub", name, {x, scalar});
    case 5: return f.Op("Mul", name, {row, x});
    case 6: return f.Op("Add", name, {x, row});
    case 7: return f.Op("Tanh", name, {x});
    case 8: return f.Op("Relu6", name, {x});
    case 9: return with("LeakyRelu", "negative_slope", value / 4);
    case 10: return with("Swish", "scale", value);
    case 11: return f.Op("HardSwish", name, {x});
    default: {
      const ValueId low = f.graph.AddConst("low", Tensor::From<float>(DT_FLOAT, Shape(std::vector<int64_t>{}), {-value}));
      const ValueId high = f.graph.AddConst("high", Tensor::From<float>(DT_FLOAT, Shape(std::vector<int64_t>{}), {value}));
      return f.Op("ClipByValue", name, {x, low, high});
    }
  }
}

}  // namespace

TEST_CASE("tails of convolutions and products compute what the reference evaluator does") {
  for (uint32_t seed = 0; seed < 60; ++seed) {
    std::mt19937 random(seed);
    PassFixture f;
    const bool convolution = seed % 2 == 0;
    const int64_t channels = random() % 2 ? 16 : 7;
    ValueId y;
    if (convolution) {
      y = f.Conv("heavy", f.Input({1, 5, 6, 6}), f.Weights({channels, 5, 3, 3}, seed, -0.3f, 0.3f));
    } else {
      const ValueId x = f.Input({2, 3, 6, 5});
      // Half of the products are of two tensors that vary.
      y = f.Op("BatchMatMulV2", "heavy", {x, random() % 2 ? f.Input({2, 3, 5, channels}) : f.Weights({5, channels}, seed)});
    }
    for (uint32_t steps = 1 + random() % 6; steps > 0; --steps) y = Step(f, random, y, channels, convolution);
    f.Output({y});
    const std::vector<double> expected = ToDoubles(Evaluate(f.graph, f.inputs)[0]);
    StaticRunner runner(f.graph.Clone());
    const std::vector<double> found = ToDoubles(runner.Run(f.inputs)[0]);
    INFO("seed " << seed);
    REQUIRE(found.size() == expected.size());
    for (size_t i = 0; i < found.size(); ++i) REQUIRE(found[i] == Approx(expected[i]).margin(2e-5).epsilon(2e-5));
  }
}

TEST_CASE("sums and clips after convolutions of one tap compute what the reference evaluator does") {
  const int64_t channels = GENERATE(7, 16, 34), pixels = GENERATE(5, 8);
  const std::string last = GENERATE(as<std::string>(), "", "Relu", "Relu6");
  const bool before = GENERATE(false, true);  // the clip, not the sum, comes first
  PassFixture f;
  const ValueId added = f.Input({1, channels, pixels, pixels});
  ValueId y = f.Conv("heavy", f.Input({1, 5, pixels, pixels}), f.Weights({channels, 5, 1, 1}, 3, -2.0f, 2.0f));
  f.graph.producer(y).attrs.Set("pads", std::vector<int64_t>{0, 0, 0, 0});
  if (before && !last.empty()) y = f.Op(last.c_str(), "last", {y});
  y = f.Op("Add", "sum", {added, y});
  if (!before && !last.empty()) y = f.Op(last.c_str(), "last", {y});
  f.Output({y});
  const std::vector<double> expected = ToDoubles(Evaluate(f.graph, f.inputs)[0]);
  StaticRunner runner(f.graph.Clone());
  const std::vector<double> found = ToDoubles(runner.Run(f.inputs)[0]);
  REQUIRE(found.size() == expected.size());
  for (size_t i = 0; i < found.size(); ++i) REQUIRE(found[i] == Approx(expected[i]).margin(2e-5).epsilon(2e-5));
}

// Every operand of the tail counts there too, where the sum of products is empty.
TEST_CASE("tails of convolutions with windows that lie wholly in the padding") {
  const auto [kernel, pads, stride] = GENERATE(table<int64_t, std::vector<int64_t>, int64_t>(
      {{1, {1, 1, 2, 1}, 1}, {1, {0, 0, 0, 1}, 1}, {2, {2, 2, 2, 2}, 1}, {3, {3, 4, 0, 3}, 1}, {1, {2, 2, 2, 2}, 2}}));
  const int64_t channels = GENERATE(1, 16);
  PassFixture f;
  const ValueId product = f.Conv("heavy", f.Input({1, 4, 5, 5}), f.Weights({channels, 4, kernel, kernel}, 1));
  f.graph.producer(product).attrs.Set("pads", pads);
  f.graph.producer(product).attrs.Set("strides", std::vector<int64_t>{1, 1, stride, stride});
  InferShapes(f.graph);
  const Shape shape = f.graph.desc(product).origin_shape;
  const ValueId sum = f.Op("Add", "sum", {product, f.Input(shape)});
  f.Output({f.Op("Relu", "relu", {f.Op("Mul", "scaled", {sum, f.Weights({channels, 1, 1}, 2, 0.5f, 1.5f)})})});
  const std::vector<double> expected = ToDoubles(Evaluate(f.graph, f.inputs)[0]);
  StaticRunner runner(f.graph.Clone());
  const std::vector<double> found = ToDoubles(runner.Run(f.inputs)[0]);
  REQUIRE(found.size() == expected.size());
  for (size_t i = 0; i < found.size(); ++i) REQUIRE(found[i] == Approx(expected[i]).margin(2e-5).epsilon(2e-5));
}

// NaN goes through fused activations, pooling and softmax on the device as it does through the reference evaluator.
#include <cmath>
#include <limits>

#include "test/backend/executor/static_runner.h"
#include "test/compiler/pass_fixture.h"

using namespace atc;        // NOLINT
using namespace atc::test;  // NOLINT

namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

// The values with two NaN and an infinity among them.
Tensor Spoilt(Tensor x) {
  auto* data = x.MutableData<float>();
  data[1] = kNan;
  data[x.NumElements() / 2] = kInfinity;
  data[x.NumElements() - 2] = kNan;
  return x;
}

// A product of which oneDNN does the activation: a strided, a depthwise or a wide convolution, or a matrix product.
ValueId Heavy(PassFixture& f, const std::string& kind) {
  if (kind == "product") return f.Op("MatMulV2", "heavy", {f.Input({40, 200}), f.Weights({200, 80}, 1)});
  const int64_t groups = kind == "depthwise" ? 16 : 1;
  const ValueId y = f.Conv("heavy", f.Input({1, 16, 12, 12}), f.Weights({16, 16 / groups, 3, 3}, 1));
  Node& node = f.graph.producer(y);
  node.attrs.Set("groups", groups);
  if (kind == "strided") node.attrs.Set("strides", std::vector<int64_t>{1, 1, 2, 2});
  return y;
}

ValueId Activated(PassFixture& f, const std::string& type, ValueId x) {
  const auto scalar = [&](const char* name, float value) {
    return f.graph.AddConst(name, Tensor::From<float>(DT_FLOAT, Shape(std::vector<int64_t>{}), {value}));
  };
  if (type == "ClipByValue") return f.Op(type.c_str(), "tail", {x, scalar("low", -1), scalar("high", 2)});
  if (type == "Maximum" || type == "Minimum") return f.Op(type.c_str(), "tail", {x, scalar("other", 0.5f)});
  return f.Op(type.c_str(), "tail", {x});
}

// How many results are NaN, of which all others are as the reference evaluator gives them.
int CheckNan(PassFixture& f) {
  const Tensor clean = f.inputs[0];
  f.inputs[0] = Spoilt(Tensor::From<float>(
      DT_FLOAT, clean.shape(), std::vector<float>(clean.Data<float>(), clean.Data<float>() + clean.NumElements())));
  const std::vector<double> expected = ToDoubles(Evaluate(f.graph, f.inputs)[0]);
  StaticRunner runner(f.graph.Clone());
  int nan = 0;
  // Runs without NaN before and after are as ever.
  for (const bool spoilt : {false, true, false, true}) {
    const std::vector<Tensor> inputs = {spoilt ? f.inputs[0] : clean};
    const std::vector<double> wanted = spoilt ? expected : ToDoubles(Evaluate(f.graph, inputs)[0]);
    const std::vector<double> found = ToDoubles(runner.Run(inputs)[0]);
    REQUIRE(found.size() == wanted.size());
    nan = 0;
    for (size_t i = 0; i < found.size(); ++i) {
      REQUIRE(std::isnan(found[i]) == std::isnan(wanted[i]));
      nan += std::isnan(found[i]) ? 1 : 0;
      if (!std::isnan(found[i])) REQUIRE(found[i] == Approx(wanted[i]).margin(2e-4).epsilon(2e-5));
    }
  }
  return nan;
}

}  // namespace

TEST_CASE("activations fused to convolutions and products keep NaN") {
  const std::string kind = GENERATE(as<std::string>(), "strided", "depthwise", "product");
  const std::string type = GENERATE(as<std::string>(), "Relu", "Relu6", "LeakyRelu", "HardSigmoid", "HardSwish",
                                    "ClipByValue", "Maximum", "Minimum", "Sigmoid", "Tanh");
  INFO(kind << ", " << type);
  PassFixture f;
  f.Output({Activated(f, type, Heavy(f, kind))});
  CHECK(CheckNan(f) > 0);
}

TEST_CASE("windows with NaN have NaN as their largest element") {
  PassFixture f;
  const ValueId y = f.Op("MaxPoolV3", "pool", {f.Input({1, 16, 12, 12})});
  Node& node = f.graph.producer(y);
  node.attrs.Set("ksize", std::vector<int64_t>{1, 1, 3, 3});
  node.attrs.Set("strides", std::vector<int64_t>{1, 1, 2, 2});
  node.attrs.Set("padding_mode", "CALCULATED");
  node.attrs.Set("pads", std::vector<int64_t>{1, 1, 1, 1});
  node.attrs.Set("data_format", "NCHW");
  f.Output({y});
  CHECK(CheckNan(f) > 0);
}

TEST_CASE("rows with NaN have no logarithms of a softmax") {
  PassFixture f;
  const ValueId y = f.Op("LogSoftmaxV2", "softmax", {f.Input({30, 33})});
  f.graph.producer(y).attrs.Set("axes", std::vector<int64_t>{-1});
  f.Output({y});
  CHECK(CheckNan(f) == 3 * 33);  // an infinity does the same
}

TEST_CASE("the largest element of a row with NaN is the NaN") {
  PassFixture f;
  const ValueId y = f.Op("HardMax", "hardmax", {f.Input({2, 3})});
  f.graph.producer(y).attrs.Set("axis", int64_t{-1});
  f.Output({y});
  f.inputs[0] = Tensor::From<float>(DT_FLOAT, {2, 3}, {1, kNan, 3, kNan, kInfinity, kNan});
  // As numpy.argmax has it.
  const std::vector<double> expected = {0, 1, 0, 1, 0, 0};
  CHECK(ToDoubles(Evaluate(f.graph, f.inputs)[0]) == expected);
  StaticRunner runner(f.graph.Clone());
  CHECK(ToDoubles(runner.Run(f.inputs)[0]) == expected);
}

TEST_CASE("functions that are odd near zero keep its sign") {
  const std::string type = GENERATE(as<std::string>(), "Tanh", "Elu", "Sin", "Erf", "Sqrt", "Softsign", "LeakyRelu");
  INFO(type);
  PassFixture f;
  f.Output({f.Op(type.c_str(), "odd", {f.Input({40})})});
  f.inputs[0] = Tensor::From<float>(DT_FLOAT, {40}, std::vector<float>(40, -0.0f));
  StaticRunner runner(f.graph.Clone());
  for (const double one : ToDoubles(runner.Run(f.inputs)[0])) {
    CHECK(one == 0);
    CHECK(std::signbit(one));
  }
}

// Elementwise operators, each by its vector function, against the reference.
#include <limits>

#include "backend/kernels/tile_functions.h"
#include "test/backend/kernels/kernel_fixture.h"

using namespace atc;
using namespace atc::test;

namespace {

// Random ones of several magnitudes, and those at which functions turn.
Tensor Arguments(float low, float high, unsigned seed, bool odd) {
  Tensor x = RandomFloats({4, 3, 97}, seed, low, high);
  float* values = x.MutableData<float>();
  for (int64_t i = 0; i < 200; ++i) values[i] *= i % 3 == 0 ? 1e-3f : 0.1f;
  const float infinity = std::numeric_limits<float>::infinity();
  const std::vector<float> special = {0.0f, -0.0f, infinity, -infinity, std::nanf(""), 1e-30f, -1e-30f, 90.0f, -90.0f, 200.0f, -200.0f};
  // Also in the tail that fills no vector.
  for (size_t i = 0; odd && i < special.size(); ++i) values[i] = values[4 * 3 * 97 - 1 - i] = special[i];
  return x;
}

struct Function {
  const char* type;
  float low = -10, high = 10;
  bool odd = true;
  double tolerance = 1e-6;
};

}  // namespace

TEST_CASE("functions of one tensor are those of the reference") {
  const Function f = GENERATE(values<Function>({
      {"Abs"}, {"Ceil"}, {"Cos"}, {"Cos", -1e6f, 1e6f}, {"Elu"}, {"Erf", -4, 4}, {"Exp"}, {"FastGelu"}, {"Floor"},
      {"Gelu"}, {"GeluV2", -6, 6}, {"HardSwish"}, {"LeakyRelu"}, {"Log", 0.01f, 100}, {"Mish"}, {"Neg"}, {"Reciprocal"},
      {"Relu"}, {"Relu6"}, {"Rsqrt", 0.01f, 100}, {"Sigmoid"}, {"Sin"}, {"Sin", -1e6f, 1e6f}, {"Softplus"}, {"Softsign"},
      {"Sqrt", 0, 100}, {"Square"}, {"Swish"}, {"Tanh"},
  }));
  KernelCase c;
  c.type = f.type;
  c.inputs = {Arguments(f.low, f.high, 3, true)};
  c.threads = GENERATE(1, 2);
  CheckAgainstReference(c, f.tolerance);
}

TEST_CASE("functions of two tensors are those of the reference, whatever is repeated") {
  const char* type = GENERATE("Add", "Sub", "Mul", "RealDiv", "Maximum", "Minimum", "SquaredDifference", "onnx::PRelu");
  KernelCase c;
  c.type = type;
  const Shape other = GENERATE(Shape{4, 3, 97}, Shape{97}, Shape{3, 1}, Shape{1});
  c.inputs = {Arguments(-10, 10, 3, true), RandomFloats(other, 4, -5, 5)};
  CheckAgainstReference(c, 1e-6);
}

TEST_CASE("powers by one exponent or by many are those of the reference") {
  KernelCase c;
  c.type = "Pow";
  const float exponent = GENERATE(2.0f, 3.0f, 1.0f, 0.5f, -1.0f, -0.5f, 1.7f, 0.0f);
  SECTION("one") { c.inputs = {Arguments(-3, 3, 5, true), Tensor::From<float>(DT_FLOAT, {1}, {exponent})}; }
  SECTION("many") { c.inputs = {Arguments(0, 3, 5, false), RandomFloats({97}, 6, -3, 3)}; }
  CheckAgainstReference(c, 1e-6);
}

TEST_CASE("a tile function may write over its argument") {
  std::vector<float> x(37), y(37);
  for (size_t i = 0; i < x.size(); ++i) x[i] = 0.1f * static_cast<float>(i) - 2;
  Graph graph("case");
  const Node& node = graph.Add("Tanh", "node", {graph.AddData("x", 0, TensorDesc(DT_FLOAT, {37}))});
  ForEachTarget([&] {
    const kernels::TileFunction tanh = kernels::FindTileFunction(node);
    std::vector<float> in_place = x;
    const float *from = x.data(), *same = in_place.data();
    tanh.fn(&from, y.data(), 37, tanh.params);
    tanh.fn(&same, in_place.data(), 37, tanh.params);
    CHECK(in_place == y);
  });
}

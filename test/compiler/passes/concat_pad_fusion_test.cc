#include "compiler/passes/concat_pad_fusion.h"

#include "test/compiler/passes/movement_fixture.h"

using namespace atc;
using test::MovementFixture;

namespace {

ValueId Filled(MovementFixture& f, Shape shape, float value) {
  const std::vector<float> values(shape.NumElements(), value);
  return f.graph.AddConst("filled", Tensor::From<float>(DT_FLOAT, shape, values));
}

}  // namespace

TEST_CASE("constants of one value around a tensor are its padding") {
  MovementFixture f;
  const float value = GENERATE(0.0f, -0.0f, 2.5f);
  const ValueId x = f.Input({2, 3, 4});
  f.Output({f.Concat("join", {Filled(f, {2, 1, 4}, value), x, Filled(f, {2, 2, 4}, value), Filled(f, {2, 3, 4}, value)}, 1)});
  f.KeepsResults([&] { CHECK(ConcatPadFusionPass(f.graph, f.context)); }, 0);
  InferShapes(f.graph);
  CHECK(f.graph.Find("join")->type() == "PadV3");
  CHECK(f.graph.desc(f.graph.Find("join")->outputs[0]).origin_shape == Shape{2, 9, 4});
}

TEST_CASE("constants of several values, and several tensors, stay joined") {
  MovementFixture f;
  const ValueId x = f.Input({2, 3});
  SECTION("values") { f.Output({f.Concat("join", {x, f.Weights({2, 3}, 1)}, 1)}); }
  SECTION("two values") { f.Output({f.Concat("join", {Filled(f, {2, 1}, 1), x, Filled(f, {2, 1}, 2)}, 1)}); }
  SECTION("tensors") { f.Output({f.Concat("join", {x, Filled(f, {2, 1}, 1), x}, 1)}); }
  CHECK_FALSE(ConcatPadFusionPass(f.graph, f.context));
}

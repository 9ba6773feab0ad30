#include "compiler/passes/reshape_sink.h"

#include "test/compiler/passes/attention_fixture.h"

using namespace atc;
using test::AttentionFixture;

namespace {

ValueId Product(AttentionFixture& f, Shape x, Shape w) { return f.Op("MatMulV2", "product", {f.Input(std::move(x)), f.Weights(std::move(w), 3)}); }

}  // namespace

TEST_CASE("elementwise operators behind a reshape of a product stand right behind the product") {
  AttentionFixture f;
  const ValueId y = f.Reshape(Product(f, {6, 5}, {5, 8}), {2, 3, 8});
  const ValueId biased = f.Op("Add", "bias", {f.Weights({8}, 4), y});
  f.Output({f.Op("Add", "residual", {f.Op("Relu", "relu", {biased}), f.Input({2, 3, 8})})});
  f.KeepsResults([&] { CHECK(ReshapeSinkPass(f.graph, f.context)); }, 1e-6);
  InferShapes(f.graph);
  const Node& last = f.graph.producer(f.graph.NetOutput()->inputs[0]);
  CHECK(last.type() == "Reshape");
  CHECK(f.graph.producer(last.inputs[0]).name == "residual");
  CHECK(f.graph.desc(last.inputs[0]).origin_shape == Shape{6, 8});
  CHECK(f.graph.producer(f.graph.Find("bias")->inputs[1]).name == "product");
  CHECK_FALSE(ReshapeSinkPass(f.graph, f.context));
}

TEST_CASE("a constant is reshaped where it runs along whole dims of the matrix") {
  const auto [shape, moves] = GENERATE(table<Shape, bool>({{{4, 2}, true}, {{1, 4, 2}, true}, {{2, 1, 4, 2}, false}, {{4, 1}, false},
                                                           {{2, 3, 1, 1}, true}, {{2, 3, 4, 2}, true}, {{1, 1, 1}, true}}));
  AttentionFixture f;
  const ValueId y = f.Reshape(Product(f, {6, 5}, {5, 8}), {2, 3, 4, 2});
  f.Output({f.Op("Mul", "scale", {y, f.Weights(shape, 4)})});
  f.KeepsResults([&] { CHECK(ReshapeSinkPass(f.graph, f.context) == moves); }, 1e-6);
}

TEST_CASE("factors of one value that were read behind the reshape all move") {
  AttentionFixture f;
  const ValueId y = f.Reshape(Product(f, {6, 5}, {5, 8}), {2, 3, 8});
  const bool itself = GENERATE(false, true);
  f.Output({f.Op("Mul", "", {y, itself ? y : f.Op("Sigmoid", "", {y})})});
  f.KeepsResults([&] { CHECK(ReshapeSinkPass(f.graph, f.context)); }, 1e-6);
  CHECK(f.Count("Reshape") == 1);
}

TEST_CASE("behind a product of unknown rows a bias along the columns moves, an unknown operand does not") {
  const bool operand = GENERATE(false, true);
  AttentionFixture f;
  const ValueId x = f.Input({6, 5}), other = f.Input({2, 3, 8});
  const ValueId y = f.Reshape(f.Op("MatMulV2", "product", {x, f.Weights({5, 8}, 3)}), {-1, 3, 8});
  f.Output({f.Op("Add", "sum", {y, operand ? other : f.Weights({8}, 4)}), other});
  f.graph.desc(x).SetShape(Shape{-1, 5});
  if (operand) f.graph.desc(other).SetShape(Shape{-1, 3, 8});
  InferShapes(f.graph);
  f.KeepsResults([&] { CHECK(ReshapeSinkPass(f.graph, f.context) != operand); }, 1e-6);
}

#include "compiler/passes/layer_norm_fusion.h"

#include "test/compiler/passes/norm_fixture.h"

using namespace atc;
using test::NormFixture;

TEST_CASE("a layer norm that is spelled out becomes one operator, however it is written") {
  const int square = GENERATE(0, 1, 2), over = GENERATE(0, 1, 2, 3, 4);
  const bool twice = GENERATE(false, true);
  NormFixture f;
  const ValueId x = f.Input({2, 3, 8});
  const ValueId distance = f.Op("Sub", "", {x, f.Mean(x, {-1})});
  const ValueId again = twice ? f.Op("Sub", "", {x, f.Mean(x, {2})}) : distance;
  const ValueId normal = f.Over(distance, f.Mean(f.Squared(again, square), {-1}), over);
  const ValueId scaled = f.Op("Mul", "", {f.Weights({8}, 1), normal});
  f.Output({f.Op("Add", "y", {scaled, f.Weights({8}, 2)})});
  f.KeepsResults([&] { CHECK(LayerNormFusionPass(f.graph, f.context)); }, 1e-6);
  CHECK(f.CountTasks() == 1);
  const Node& made = *f.graph.Find("y");
  CHECK(made.type() == "LayerNormV3");
  CHECK(made.Attr<int64_t>("begin_norm_axis") == 2);
  CHECK(made.Attr<float>("epsilon") == 1e-5f);
  CHECK_FALSE(LayerNormFusionPass(f.graph, f.context));
}

TEST_CASE("a layer norm over several axes, without scale or shift, or with leading ones") {
  const int affine = GENERATE(0, 1, 2);
  NormFixture f;
  const ValueId x = f.Input({2, 3, 4, 5});
  const ValueId distance = f.Op("Sub", "", {x, f.Mean(x, {2, 3})});
  ValueId y = f.Over(distance, f.Mean(f.Squared(distance, 0), {-1, -2}), 0);
  if (affine > 0) y = f.Op("Mul", "", {y, f.Weights({4, 5}, 1)});
  if (affine > 1) y = f.Op("Add", "", {f.Weights({1, 1, 4, 5}, 2), y});
  f.Output({y});
  f.KeepsResults([&] { CHECK(LayerNormFusionPass(f.graph, f.context)); }, 1e-6);
  CHECK(f.CountTasks() == 1);
  CHECK(f.Count("LayerNormV3") == 1);
}

TEST_CASE("the form of batch normalisation over the last axis is a layer norm") {
  NormFixture f;
  const ValueId x = f.Input({4, 6});
  const ValueId mean = f.Mean(x, {1});
  const ValueId variance = f.Mean(f.Op("SquaredDifference", "", {x, mean}), {1});
  const ValueId inverse = f.Op("Rsqrt", "", {f.Op("Add", "", {variance, f.Scalar(1e-3f)})});
  const ValueId factor = f.Op("Mul", "", {inverse, f.Weights({6}, 1)});
  const ValueId offset = f.Op("Sub", "", {f.Weights({6}, 2), f.Op("Mul", "", {mean, factor})});
  f.Output({f.Op("Add", "", {f.Op("Mul", "", {x, factor}), offset})});
  f.KeepsResults([&] { CHECK(LayerNormFusionPass(f.graph, f.context)); }, 1e-5);
  CHECK(f.CountTasks() == 1);
}

TEST_CASE("a layer norm in float between Casts of a half model takes the half tensor") {
  NormFixture f;
  const ValueId x = f.Cast(f.Input({3, 16}), DT_FLOAT16);
  const ValueId wide = f.Cast(x, DT_FLOAT);
  const ValueId distance = f.Op("Sub", "", {wide, f.Mean(wide, {1})});
  const ValueId normal = f.Cast(f.Over(distance, f.Mean(f.Squared(distance, 0), {1}), 0), DT_FLOAT16);
  const ValueId scale = f.Cast(f.Weights({16}, 1), DT_FLOAT16), shift = f.Cast(f.Weights({16}, 2), DT_FLOAT16);
  const ValueId y = f.Op("Add", "", {f.Op("Mul", "", {normal, scale}), shift});
  f.Output({f.Cast(y, DT_FLOAT)});
  f.KeepsResults([&] { CHECK(LayerNormFusionPass(f.graph, f.context)); }, 4e-3);
  REQUIRE(f.Count("LayerNormV3") == 1);
  CHECK(f.Count("Mul") == 0);
  CHECK(f.graph.desc(f.graph.producer(f.graph.producer(f.graph.NetOutput()->inputs[0]).inputs[0]).inputs[0]).dtype ==
        DT_FLOAT16);
}

TEST_CASE("an unknown batch does not matter, an unknown width does") {
  const bool width = GENERATE(false, true);
  NormFixture f;
  const ValueId x = f.Input({2, 8});
  const ValueId distance = f.Op("Sub", "", {x, f.Mean(x, {1})});
  f.Output({f.Over(distance, f.Mean(f.Squared(distance, 0), {1}), 0)});
  f.graph.desc(x).SetShape(width ? Shape{2, -1} : Shape{-1, 8});
  InferShapes(f.graph);
  CHECK(LayerNormFusionPass(f.graph, f.context) == !width);
}

TEST_CASE("a variance that is the mean of squares less the square of the mean makes a layer norm") {
  const int square = GENERATE(0, 1, 2), over = GENERATE(0, 1, 2), clamp = GENERATE(0, 1, 2, 3);
  NormFixture f;
  const ValueId x = f.Input({2, 3, 8});
  const ValueId mean = f.Mean(x, {-1});
  ValueId variance = f.Op("Sub", "", {f.Mean(f.Squared(x, square), {2}), f.Squared(mean, square)});
  if (clamp == 1) variance = f.Op("Relu", "", {variance});
  if (clamp > 1)
    variance =
        f.Op("Maximum", "", clamp == 2 ? std::vector{variance, f.Scalar(0)} : std::vector{f.Scalar(0), variance});
  const ValueId normal = f.Over(f.Op("Sub", "", {x, mean}), variance, over);
  f.Output({f.Op("Add", "y", {f.Op("Mul", "", {f.Weights({8}, 1), normal}), f.Weights({8}, 2)})});
  f.KeepsResults([&] { CHECK(LayerNormFusionPass(f.graph, f.context)); }, 2e-5);
  CHECK(f.CountTasks() == 1);
}

TEST_CASE("differences of squares that are no variance stay") {
  const int fault = GENERATE(0, 1, 2, 3, 4, 5);
  NormFixture f;
  const ValueId x = f.Input({3, 8, 8}), other = f.Input({3, 8, 8});
  const ValueId mean = f.Mean(x, {2});
  const ValueId squares = f.Mean(f.Squared(fault == 0 ? other : x, 0), {fault == 1 ? 1 : 2});
  const ValueId square = f.Squared(fault == 2 ? f.Mean(other, {2}) : mean, 0);
  ValueId variance = f.Op("Sub", "", fault == 3 ? std::vector{square, squares} : std::vector{squares, square});
  if (fault == 4) variance = f.Op("Maximum", "", {variance, f.Scalar(0.5f)});
  std::vector<ValueId> outputs = {f.Over(f.Op("Sub", "", {x, mean}), variance, 0)};
  if (fault == 5) outputs.push_back(variance);  // somebody else wants it
  f.Output(outputs);
  CHECK_FALSE(LayerNormFusionPass(f.graph, f.context));
}

TEST_CASE("what is nearly a layer norm stays") {
  const int fault = GENERATE(0, 1, 2, 3, 4);
  NormFixture f;
  const ValueId x = f.Input({3, 8, 8});
  const ValueId mean = f.Mean(fault == 0 ? f.Input({3, 8, 8}) : x, {2});
  const ValueId distance = f.Op("Sub", "", {x, mean});
  const ValueId square = fault == 1 ? f.Op("Pow", "", {distance, f.Scalar(3)}) : f.Squared(distance, 0);
  const ValueId variance = f.Mean(square, {fault == 2 ? 1 : 2});
  const ValueId y = f.Over(distance, variance, 0);
  std::vector<ValueId> outputs = {fault == 4 ? f.Op("Mul", "", {y, f.Weights({8, 1}, 1)}) : y};
  if (fault == 3) outputs.push_back(variance);  // somebody else wants it
  f.Output(outputs);
  CHECK_FALSE(LayerNormFusionPass(f.graph, f.context));  // with a factor of rows it is an instance norm
}

TEST_CASE("a layer norm whose scale comes before the quotient is one operator, too") {
  const int over = GENERATE(0, 1, 2);
  NormFixture f;
  const ValueId x = f.Input({2, 3, 8});
  const ValueId distance = f.Op("Sub", "", {x, f.Mean(x, {-1})});
  const ValueId scaled = f.Op("Mul", "", {f.Weights({8}, 1), distance});
  f.Output({f.Op("Add", "", {f.Over(scaled, f.Mean(f.Squared(distance, 0), {-1}), over), f.Weights({8}, 2)})});
  f.KeepsResults([&] { CHECK(LayerNormFusionPass(f.graph, f.context)); }, 1e-6);
  CHECK(f.CountTasks() == 1);
}

TEST_CASE("a layer norm over the channels of images is one between Transposes") {
  const int affine = GENERATE(0, 1, 2);
  const Shape shape = GENERATE(Shape{2, 6, 3, 4}, Shape{1, 5, 2, 3, 4});
  NormFixture f;
  const ValueId x = f.Input(shape);
  const std::vector<int64_t> each =
      shape.rank() == 4 ? std::vector<int64_t>{6, 1, 1} : std::vector<int64_t>{1, 5, 1, 1, 1};
  const ValueId distance = f.Op("Sub", "", {x, f.Mean(x, {1})});
  ValueId y = f.Over(distance, f.Mean(f.Squared(distance, 0), {1}), 0);
  if (affine > 0) y = f.Op("Mul", "", {f.Weights(Shape(each), 1), y});
  if (affine > 1) y = f.Op("Add", "", {y, f.Weights(Shape(each), 2)});
  f.Output({y});
  f.KeepsResults([&] { CHECK(LayerNormFusionPass(f.graph, f.context)); }, 1e-6);
  CHECK(f.Count("LayerNormV3") == 1);
  CHECK(f.Count("Transpose") == 2);
  CHECK(f.CountTasks() == 3);
}

TEST_CASE(
    "a norm over the middle of three dims is a layer norm where its scale lies along them, and may be another where "
    "not") {
  const bool along = GENERATE(false, true);
  NormFixture f;
  const ValueId x = f.Input({2, 6, 4});
  const ValueId distance = f.Op("Sub", "", {x, f.Mean(x, {1})});
  const ValueId normal = f.Over(distance, f.Mean(f.Squared(distance, 0), {1}), 0);
  f.Output({f.Op("Mul", "", {normal, along ? f.Weights({6, 1}, 1) : f.Weights({4}, 1)})});
  bool changed = false;
  f.KeepsResults([&] { changed = LayerNormFusionPass(f.graph, f.context); }, 1e-6);
  CHECK(changed == along);
  CHECK(f.Count("LayerNormV3") == (along ? 1 : 0));
}

#include "compiler/passes/split_concat_fusion.h"

#include "test/compiler/passes/movement_fixture.h"

using namespace atc;
using test::MovementFixture;

TEST_CASE("parts put together in order are the whole") {
  MovementFixture f;
  const ValueId x = f.Op("Exp", "exp", {f.Input({2, 6})});
  InferNode(f.graph, f.graph.producer(x));
  const std::vector<ValueId> parts = f.Split("split", x, {1, 2, 3}, 1);
  f.Output({f.Concat("join", parts, 1), f.Op("Relu", "relu", {parts[1]})});
  f.KeepsResults([&] { CHECK(SplitConcatFusionPass(f.graph, f.context)); }, 0);
  CHECK(f.Count("ConcatD") == 0);
  CHECK(f.graph.NetOutput()->inputs[0] == x);
}

TEST_CASE("an operator that has every part has the whole") {
  MovementFixture f;
  const std::vector<ValueId> parts = f.Split("split", f.Input({2, 6}), {1, 2, 3}, 1);
  std::vector<ValueId> doubled;
  for (int i = 0; i < 3; ++i) {
    doubled.push_back(f.Op("Mul", "mul" + std::to_string(i), {parts[i], f.graph.AddConst("two", Tensor::Scalar(2.0f))}));
  }
  f.Output({f.Concat("join", doubled, 1)});
  f.KeepsResults([&] { CHECK(SplitConcatFusionPass(f.graph, f.context)); }, 0);
  CHECK(f.Count("Mul") == 1);
  CHECK(f.Count("ConcatD") == 0);
}

TEST_CASE("a concatenation that is cut where its operands meet goes") {
  MovementFixture f;
  const ValueId a = f.Op("Exp", "a", {f.Input({2, 1})}), b = f.Op("Exp", "b", {f.Input({2, 2})}), c = f.Op("Exp", "c", {f.Input({2, 3})});
  for (const ValueId value : {a, b, c}) InferNode(f.graph, f.graph.producer(value));
  const ValueId whole = f.Concat("join", {a, b, c}, 1);
  InferNode(f.graph, f.graph.producer(whole));
  SECTION("one operand each") {
    f.Output(f.Split("split", whole, {1, 2, 3}, 1));
    f.KeepsResults([&] { CHECK(SplitConcatFusionPass(f.graph, f.context)); }, 0);
    CHECK(f.Count("SplitV") + f.Count("ConcatD") == 0);
  }
  SECTION("several operands in a part") {
    f.Output(f.Split("split", whole, {3, 3}, 1));
    f.KeepsResults([&] { CHECK(SplitConcatFusionPass(f.graph, f.context)); }, 0);
    CHECK(f.Count("SplitV") == 0);
    CHECK(f.Count("ConcatD") == 1);
  }
  SECTION("a cut within an operand") {
    f.Output(f.Split("split", whole, {2, 4}, 1));
    CHECK_FALSE(SplitConcatFusionPass(f.graph, f.context));
  }
}

TEST_CASE("other orders, operators that differ, and inputs that would be outputs stay") {
  MovementFixture f;
  const std::vector<ValueId> parts = f.Split("split", f.Input({2, 6}), {3, 3}, 1);
  SECTION("order") { f.Output({f.Concat("join", {parts[1], parts[0]}, 1)}); }
  SECTION("operators") { f.Output({f.Concat("join", {f.Op("Exp", "a", {parts[0]}), f.Op("Relu", "b", {parts[1]})}, 1)}); }
  SECTION("numbers") {
    const auto times = [&](int i, float n) {
      return f.Op("Mul", "mul" + std::to_string(i), {parts[i], f.graph.AddConst("n", Tensor::Scalar(n))});
    };
    f.Output({f.Concat("join", {times(0, 2), times(1, 3)}, 1)});
  }
  SECTION("axis") { f.Output({f.Concat("join", parts, 0)}); }
  SECTION("the model's input") { f.Output({f.Concat("join", parts, 1)}); }
  CHECK_FALSE(SplitConcatFusionPass(f.graph, f.context));
}

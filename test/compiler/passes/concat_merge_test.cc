#include "compiler/passes/concat_merge.h"

#include "test/compiler/passes/movement_fixture.h"

using namespace atc;
using test::MovementFixture;

TEST_CASE("concatenations of concatenations along one axis are one") {
  MovementFixture f;
  const ValueId a = f.Input({2, 3}), b = f.Input({2, 1}), c = f.Input({2, 4});
  const ValueId inner = f.Concat("inner", {f.Concat("innermost", {a, b}, 1), c}, -1);
  f.Output({f.Concat("outer", {b, inner, a}, 1)});
  f.KeepsResults([&] { CHECK(ConcatMergePass(f.graph, f.context)); }, 0);
  CHECK(f.Count("ConcatD") == 1);
  CHECK(f.graph.Find("outer")->inputs == std::vector<ValueId>{b, a, b, c, a});
  CHECK(f.graph.Find("outer")->Attr<int64_t>("N") == 5);
}

TEST_CASE("another axis and another user keep a concatenation") {
  MovementFixture f;
  const ValueId a = f.Input({2, 2});
  const ValueId inner = f.Concat("inner", {a, a}, 0);
  SECTION("axis") { f.Output({f.Concat("outer", {inner, inner}, 1)}); }
  SECTION("user") { f.Output({f.Concat("outer", {inner, a}, 0), inner}); }
  InferShapes(f.graph);
  CHECK_FALSE(ConcatMergePass(f.graph, f.context));
}

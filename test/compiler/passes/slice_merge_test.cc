#include "compiler/passes/slice_merge.h"

#include "test/compiler/passes/movement_fixture.h"

using namespace atc;
using test::MovementFixture;

TEST_CASE("a slice of a slice is one") {
  MovementFixture f;
  const ValueId x = f.Input({20, 9});
  const ValueId first = f.Slice("first", x, {2, -8}, {18, INT64_MAX}, {0, 1}, {3, 1});
  const ValueId y = f.Slice("second", first, {1}, {5}, {0}, {2});
  f.Output({y});
  f.KeepsResults([&] { CHECK(StridedSliceMergePass(f.graph, f.context)); }, 0);
  InferShapes(f.graph);
  CHECK(f.Count("StridedSliceV2") == 1);
  // Rows 2, 5, 8, ...; of these the second and the fourth.
  CHECK(ToInts(*f.graph.ConstantInput(*f.graph.Find("second"), 1)) == std::vector<int64_t>{5, 1});
  CHECK(ToInts(*f.graph.ConstantInput(*f.graph.Find("second"), 4)) == std::vector<int64_t>{6, 1});
  CHECK(f.graph.desc(y).origin_shape == Shape{2, 8});
}

TEST_CASE("a slice within one operand of a concatenation is a slice of it") {
  MovementFixture f;
  const ValueId a = f.Input({3, 4}), b = f.Input({5, 4});
  const ValueId whole = f.Concat("join", {a, b}, 0);
  InferNode(f.graph, f.graph.producer(whole));
  const int64_t begin = GENERATE(0, 2, 3);
  f.Output({f.Slice("cut", whole, {begin, 1}, {begin + 3, 3}, {0, 1})});
  f.KeepsResults([&] { CHECK(StridedSliceMergePass(f.graph, f.context) == (begin != 2)); }, 0);
  InferShapes(f.graph);
  CHECK(f.Count("ConcatD") == (begin == 2 ? 1 : 0));
}

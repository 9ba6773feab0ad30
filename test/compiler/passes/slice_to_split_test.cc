#include "compiler/passes/slice_to_split.h"

#include "test/compiler/passes/movement_fixture.h"

using namespace atc;
using test::MovementFixture;

TEST_CASE("slices that are the whole together are one split") {
  MovementFixture f;
  const ValueId x = f.Input({2, 9, 3});
  const ValueId a = f.Slice("a", x, {0}, {2}, {1}), c = f.Slice("c", x, {5}, {INT64_MAX}, {1}), b = f.Slice("b", x, {2}, {5}, {1});
  f.Output({f.Op("Exp", "exp", {c}), b, f.Op("Relu", "relu", {a}), f.Op("Abs", "abs", {x})});
  f.KeepsResults([&] { CHECK(StridedSliceDToSplitPass(f.graph, f.context)); }, 0);
  CHECK(f.Count("StridedSliceV2") == 0);
  CHECK(f.Count("SplitV") == 1);
}

TEST_CASE("slices that overlap, leave something out, skip, or cut two axes stay") {
  MovementFixture f;
  const ValueId x = f.Input({2, 8});
  const ValueId a = f.Slice("a", x, {0}, {4}, {1});
  ValueId b = kNoId;
  SECTION("overlap") { b = f.Slice("b", x, {3}, {8}, {1}); }
  SECTION("left out") { b = f.Slice("b", x, {5}, {8}, {1}); }
  SECTION("skipped") { b = f.Slice("b", x, {4}, {8}, {1}, {2}); }
  SECTION("two axes") { b = f.Slice("b", x, {0, 4}, {1, 8}, {0, 1}); }
  f.Output({a, b});
  CHECK_FALSE(StridedSliceDToSplitPass(f.graph, f.context));
}

#include "compiler/passes/space_to_depth_fusion.h"

#include <algorithm>

#include "test/compiler/passes/movement_fixture.h"

using namespace atc;
using test::MovementFixture;

TEST_CASE("all slices in steps side by side are one transpose, in any order of their places") {
  const int order = GENERATE(0, 1);  // which axis changes first
  const int64_t axis = GENERATE(1, 3);
  MovementFixture f;
  const Shape shape = axis == 1 ? Shape{2, 3, 4, 6} : Shape{2, 4, 6, 3};
  const std::vector<int64_t> stepped = axis == 1 ? std::vector<int64_t>{2, 3} : std::vector<int64_t>{1, 2};
  const ValueId x = f.Input(shape);
  std::vector<ValueId> parts;
  for (int64_t i = 0; i < 4; ++i) {
    const std::vector<int64_t> begin = order == 0 ? std::vector<int64_t>{i / 2, i % 2} : std::vector<int64_t>{i % 2, i / 2};
    parts.push_back(f.Slice("slice", x, begin, {INT64_MAX, INT64_MAX}, stepped, {2, 2}));
  }
  f.Output({f.Concat("join", parts, axis)});
  f.KeepsResults([&] { CHECK(SpaceToDepthFusionPass(f.graph, f.context)); }, 0);
  InferShapes(f.graph);
  CHECK(f.Count("Transpose") == 1);
  CHECK(f.Count("Reshape") == 2);
  CHECK(f.Count("StridedSliceV2") == 0);
  CHECK(f.graph.Find("join") != nullptr);
}

TEST_CASE("slices in steps that are not all of them, or that others read, stay") {
  const int way = GENERATE(0, 1, 2);
  MovementFixture f;
  const ValueId x = f.Input({2, 3, way == 2 ? 5 : 4});
  const ValueId even = f.Slice("even", x, {0}, {INT64_MAX}, {2}, {2});
  const ValueId odd = f.Slice("odd", x, {way == 0 ? 0 : 1}, {way == 2 ? 4 : INT64_MAX}, {2}, {2});
  if (way == 2) {
    f.Output({f.Concat("join", {odd, odd}, 1)});
  } else if (way == 1) {
    f.Output({f.Concat("join", {even, odd}, 1), odd});
  } else {
    f.Output({f.Concat("join", {even, odd}, 1)});
  }
  CHECK_FALSE(SpaceToDepthFusionPass(f.graph, f.context));
}

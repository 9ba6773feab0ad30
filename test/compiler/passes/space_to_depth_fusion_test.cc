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
    const std::vector<int64_t> begin =
        order == 0 ? std::vector<int64_t>{i / 2, i % 2} : std::vector<int64_t>{i % 2, i / 2};
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

namespace {

struct OpenFixture : MovementFixture {
  ValueId Image(Shape shape, Shape open) {
    const ValueId x = Input(shape);
    graph.desc(x).SetShape(open);
    return x;
  }
  // Rows and then columns in steps of 2, in one slice or in two of which the first is shared.
  ValueId Part(ValueId x, ValueId rows, int64_t row, int64_t column, int64_t first) {
    if (rows == kNoId) return Slice("slice", x, {row, column}, {INT64_MAX, INT64_MAX}, {first, first + 1}, {2, 2});
    return Slice("columns", rows, {column}, {INT32_MAX}, {first + 1}, {2});
  }
};

}  // namespace

TEST_CASE("slices in steps of an image of unknown sizes are SpaceToDepth, and a gather where the order differs") {
  const bool first = GENERATE(true, false), row_first = GENERATE(true, false), shared = GENERATE(true, false);
  OpenFixture f;
  const ValueId x = first ? f.Image({2, 3, 4, 6}, {-1, 3, -1, -1}) : f.Image({2, 4, 6, 3}, {-1, -1, -1, 3});
  const int64_t at = first ? 2 : 1;
  ValueId rows[2] = {kNoId, kNoId};
  for (int64_t i = 0; shared && i < 2; ++i) rows[i] = f.Slice("rows", x, {i}, {INT64_MAX}, {at - 4}, {2});
  std::vector<ValueId> parts;
  for (int64_t i = 0; i < 4; ++i) {
    const int64_t row = row_first ? i / 2 : i % 2, column = row_first ? i % 2 : i / 2;
    parts.push_back(f.Part(x, rows[row], row, column, at));
  }
  f.Output({f.Concat("join", parts, first ? 1 : 3)});
  f.KeepsResults([&] { CHECK(SpaceToDepthFusionPass(f.graph, f.context)); }, 0);
  InferShapes(f.graph);
  CHECK(f.Count("SpaceToDepth") == 1);
  CHECK(f.Count("GatherV2") == (row_first ? 0 : 1));
  CHECK(f.Count("StridedSliceV2") + f.Count("ConcatD") == 0);
  CHECK(f.graph.Find("join") != nullptr);
}

TEST_CASE("slices of an image of unknown sizes that are not all of it, end early or are read by others stay") {
  const int fault = GENERATE(0, 1, 2, 3, 4);
  OpenFixture f;
  const ValueId x = fault == 4 ? f.Image({2, 3, 4, 6}, {-1, -1, -1, -1}) : f.Image({2, 3, 4, 6}, {-1, 3, -1, -1});
  std::vector<ValueId> parts;
  for (int64_t i = 0; i < 4; ++i) parts.push_back(f.Part(x, kNoId, fault == 0 && i == 1 ? 0 : i % 2, i / 2, 2));
  if (fault == 1) parts[0] = f.Slice("early", x, {0, 0}, {4, INT64_MAX}, {2, 3}, {2, 2});
  std::vector<ValueId> outputs{f.Concat("join", parts, fault == 2 ? 0 : 1)};
  if (fault == 3) outputs.push_back(parts[1]);
  f.Output(outputs);
  CHECK_FALSE(SpaceToDepthFusionPass(f.graph, f.context));  // of unknown channels only the own order of SpaceToDepth
}

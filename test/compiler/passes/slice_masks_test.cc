#include "compiler/passes/slice_masks.h"

#include "test/compiler/passes/movement_fixture.h"

using namespace atc;
using test::MovementFixture;

namespace {

struct Masks {
  int64_t begin = 0, end = 0, ellipsis = 0, added = 0, shrunk = 0;
};

ValueId Cut(MovementFixture& f, ValueId x, std::vector<int64_t> begin, std::vector<int64_t> end, std::vector<int64_t> steps, Masks masks) {
  const ValueId y = f.Op("StridedSlice", "cut", {x, f.Ints(begin), f.Ints(end), f.Ints(steps)});
  Node& node = f.graph.producer(y);
  node.attrs.Set("begin_mask", masks.begin);
  node.attrs.Set("end_mask", masks.end);
  node.attrs.Set("ellipsis_mask", masks.ellipsis);
  node.attrs.Set("new_axis_mask", masks.added);
  node.attrs.Set("shrink_axis_mask", masks.shrunk);
  return y;
}

}  // namespace

TEST_CASE("slices by masks become plain ranges, and a reshape where axes come or go") {
  struct Case {
    std::vector<int64_t> begin, end, steps;
    Masks masks;
    int slices, reshapes;
    Shape shape;
  };
  const Case c = GENERATE(
      Case{{0, 1}, {0, 0}, {1, 2}, {.end = 2, .ellipsis = 1}, 1, 0, {4, 5, 3}},              // x[..., 1::2]
      Case{{1, 0, -3}, {3, 0, 0}, {1, 1, 1}, {.begin = 2, .end = 6}, 1, 0, {2, 5, 3}},       // x[1:3, :, -3:]
      Case{{0, 0, -1}, {0, 0, 0}, {1, 1, 1}, {.begin = 3, .end = 3, .shrunk = 4}, 1, 1, {4, 5}},  // x[:, :, -1]
      Case{{0, 0, 0}, {0, 0, 0}, {1, 1, 1}, {.begin = 5, .end = 5, .added = 2}, 0, 1, {4, 1, 5, 7}},  // x[:, None, :]
      Case{{2, 0, 0}, {3, 0, 4}, {1, 1, 3}, {.added = 2, .shrunk = 1}, 1, 1, {1, 2, 7}});    // x[2, None, 0:4:3]
  MovementFixture f;
  f.Output({Cut(f, f.Input({4, 5, 7}), c.begin, c.end, c.steps, c.masks)});
  f.KeepsResults([&] { CHECK(StridedSliceMasksPass(f.graph, f.context)); }, 0);
  InferShapes(f.graph);
  CHECK(f.Count("StridedSlice") == 0);
  CHECK(f.Count("StridedSliceV2") == c.slices);
  CHECK(f.Count("Reshape") == c.reshapes);
  CHECK(f.graph.desc(f.graph.NetOutput()->inputs[0]).origin_shape == c.shape);
  CHECK(f.graph.Find("cut") != nullptr);
  CHECK_FALSE(StridedSliceMasksPass(f.graph, f.context));
}

TEST_CASE("slices that go backwards, take nothing or are not known stay as they are") {
  MovementFixture f;
  const ValueId x = f.Input({4, 5});
  const int way = GENERATE(0, 1, 2);
  if (way == 0) f.Output({Cut(f, x, {3}, {0}, {-1}, {})});
  if (way == 1) f.Output({Cut(f, x, {2}, {2}, {1}, {})});
  if (way == 2) {
    f.Output({Cut(f, x, {1}, {3}, {1}, {})});
    f.graph.desc(x).SetShape(Shape{-1, 5});
    InferShapes(f.graph);
  }
  CHECK_FALSE(StridedSliceMasksPass(f.graph, f.context));
}

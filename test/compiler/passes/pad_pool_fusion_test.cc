#include "compiler/passes/pad_pool_fusion.h"

#include <limits>

#include "test/compiler/passes/pad_fixture.h"

using namespace atc;
using test::PadFixture;

namespace {

constexpr float kLeast = -std::numeric_limits<float>::infinity();
const std::vector<int64_t> kEdges = {0, 0, 0, 0, 1, 2, 0, 1};

}  // namespace

TEST_CASE("minus infinity around the plane becomes pads of a max pooling") {
  PadFixture f;
  const int64_t own = GENERATE(0, 1);
  f.Output({f.Pool("MaxPoolV3", f.Pad("pad", f.Input({1, 2, 6, 7}), kEdges, kLeast), 3, 2, {own, own, own, own})});
  f.KeepsResults([&] { CHECK(PaddMaxPoolFusionPass(f.graph, f.context)); }, 0);
  CHECK(f.Count("PadV3") == 0);
  CHECK(f.graph.Find("pool")->Attr<std::vector<int64_t>>("pads") == std::vector<int64_t>{1 + own, 2 + own, own, 1 + own});
}

TEST_CASE("zeros count as nothing around what is never negative") {
  PadFixture f;
  const ValueId x = f.Input({1, 2, 6, 7});
  SECTION("relu") {
    f.Output({f.Pool("MaxPoolV3", f.Pad("pad", f.Op("Relu", "relu", {x}), kEdges), 3, 2, {0, 0, 0, 0})});
    f.KeepsResults([&] { CHECK(PaddMaxPoolFusionPass(f.graph, f.context)); }, 0);
    CHECK(f.Count("PadV3") == 0);
  }
  SECTION("data that may be negative") {
    f.Output({f.Pool("MaxPoolV3", f.Pad("pad", x, kEdges), 3, 2, {0, 0, 0, 0})});
    CHECK_FALSE(PaddMaxPoolFusionPass(f.graph, f.context));
  }
  SECTION("windows on nothing but zeros") {
    f.Output({f.Pool("MaxPoolV3", f.Pad("pad", f.Op("Relu", "relu", {x}), {0, 0, 0, 0, 4, 0, 0, 0}), 3, 1, {0, 0, 0, 0})});
    CHECK_FALSE(PaddMaxPoolFusionPass(f.graph, f.context));
  }
  SECTION("the largest number that is not infinite, negated") {
    f.Output({f.Pool("MaxPoolV3", f.Pad("pad", x, kEdges, std::numeric_limits<float>::lowest()), 3, 2, {0, 0, 0, 0})});
    CHECK_FALSE(PaddMaxPoolFusionPass(f.graph, f.context));
  }
}

TEST_CASE("a last window that begins in the padding is not lost") {
  // 5 rows and 2 of padding: windows of 2 at 0, 3, 6 with ceil; with the padding among the pads the last would begin
  // behind the data and be dropped.
  PadFixture f;
  f.Output({f.Pool("MaxPoolV3", f.Pad("pad", f.Input({1, 1, 5, 5}), {0, 0, 0, 0, 0, 2, 0, 2}, kLeast), 2, 3, {0, 0, 0, 0}, true)});
  const Shape before = f.graph.desc(f.graph.NetOutput()->inputs[0]).origin_shape;
  CHECK(before == Shape{1, 1, 3, 3});
  CHECK_FALSE(PaddMaxPoolFusionPass(f.graph, f.context));
}

TEST_CASE("zeros around an average pooling count among its elements") {
  struct Row {
    int64_t own;
    bool exclusive, ceil, fuses;
  };
  for (const Row& row : {Row{0, true, false, true}, Row{0, false, false, true}, Row{1, false, false, true},
                         Row{1, true, false, false}, Row{0, true, true, true}, Row{0, false, true, true}}) {
    INFO(row.own << " " << row.exclusive << " " << row.ceil);
    PadFixture f;
    const ValueId y = f.Pool("AvgPoolV2", f.Pad("pad", f.Input({1, 2, 6, 7}), kEdges), 3, 2,
                             std::vector<int64_t>(4, row.own), row.ceil);
    f.graph.producer(y).attrs.Set("exclusive", row.exclusive);
    f.Output({y});
    f.KeepsResults([&] { CHECK(PaddAvgPoolFusionPass(f.graph, f.context) == row.fuses); }, 1e-6);
    CHECK(f.Count("PadV3") == (row.fuses ? 0 : 1));
  }
}

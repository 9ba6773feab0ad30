#include "compiler/passes/channel_shuffle_fusion.h"

#include "compiler/ops/channel_shuffle.h"
#include "test/compiler/pass_fixture.h"

using namespace atc;        // NOLINT
using namespace atc::test;  // NOLINT

namespace {

using Ints = std::vector<int64_t>;

struct Shuffle : PassFixture {
  ValueId Reshaped(ValueId x, const Ints& dims, const char* name) {
    return Op("Reshape", name, {x, graph.AddConst("shape", Tensor::Ints(dims))});
  }
  ValueId Build(Shape x, const Ints& inner, const Ints& perm, const Ints& outer) {
    const ValueId cut = Reshaped(Input(std::move(x)), inner, "cut");
    const ValueId turned = Op("Transpose", "turn", {cut, graph.AddConst("perm", Tensor::Ints(perm))});
    return Reshaped(turned, outer, "join");
  }
  void Fuses(bool fuses) {
    KeepsResults([&] { CHECK(ReshapeTransposeFusionPass(graph, context) == fuses); }, 0);
    CHECK(Count("Reshape") == (fuses ? 0 : 2));
    if (fuses) {
      const Node& node = *graph.Find("join");
      CHECK(IsChannelShuffle(node));
      CHECK(node.inputs.size() == 1);
      CHECK(ShuffledInside(node).name == "turn");
    }
  }
};

}  // namespace

TEST_CASE("Reshape, Transpose and Reshape that permute channels alone become one node") {
  Shuffle g;
  SECTION("two groups") { g.Output({g.Build({2, 6, 5, 3}, {2, 2, 3, 5, 3}, {0, 2, 1, 3, 4}, {2, 6, 5, 3})}); }
  SECTION("the plane as one axis") { g.Output({g.Build({2, 6, 5, 3}, {2, 3, 2, 15}, {0, 2, 1, 3}, {2, 6, 5, 3})}); }
  SECTION("three factors") { g.Output({g.Build({1, 12, 4, 4}, {1, 2, 3, 2, 4, 4}, {0, 3, 1, 2, 4, 5}, {1, 12, 4, 4})}); }
  g.Fuses(true);
}

TEST_CASE("Transposes that move more than channels are left alone") {
  Shuffle g;
  SECTION("rows and columns") { g.Output({g.Build({2, 6, 4, 4}, {2, 2, 3, 4, 4}, {0, 2, 1, 4, 3}, {2, 6, 4, 4})}); }
  SECTION("channels into the plane") { g.Output({g.Build({1, 4, 4, 4}, {1, 2, 2, 4, 4}, {0, 3, 1, 2, 4}, {1, 4, 4, 4})}); }
  SECTION("the batch") { g.Output({g.Build({2, 2, 4, 4}, {2, 2, 1, 4, 4}, {1, 0, 2, 3, 4}, {2, 2, 4, 4})}); }
  SECTION("another shape") { g.Output({g.Build({1, 6, 4, 4}, {1, 2, 3, 4, 4}, {0, 2, 1, 3, 4}, {1, 6, 16, 1})}); }
  SECTION("cuts across the plane") { g.Output({g.Build({1, 6, 4, 4}, {1, 3, 8, 4}, {0, 2, 1, 3}, {1, 6, 4, 4})}); }
  SECTION("what lies between is used") {
    const ValueId cut = g.Reshaped(g.Input({1, 6, 4, 4}), {1, 2, 3, 4, 4}, "cut");
    const ValueId turned = g.Op("Transpose", "turn", {cut, g.graph.AddConst("perm", Tensor::Ints({0, 2, 1, 3, 4}))});
    g.Output({g.Reshaped(turned, {1, 6, 4, 4}, "join"), g.Op("Relu", "other", {cut})});
  }
  g.Fuses(false);
}

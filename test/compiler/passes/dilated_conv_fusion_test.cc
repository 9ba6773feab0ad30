#include "compiler/passes/dilated_conv_fusion.h"

#include "test/compiler/pass_fixture.h"

namespace atc {
namespace {

using test::PassFixture;
using Ints = std::vector<int64_t>;

struct Dilation : PassFixture {
  ValueId IntConst(Shape shape, const Ints& values) {
    return graph.AddConst("ints", Tensor::From<int64_t>(DT_INT64, std::move(shape), values));
  }
  ValueId Moved(const char* type, ValueId x, const Ints& block, const Ints& edges) {
    const auto axes = static_cast<int64_t>(block.size());
    return Op(type, "", {x, IntConst({axes}, block), IntConst({axes, 2}, edges)});
  }
  ValueId Conv2D(ValueId x, Shape filter, int64_t groups = 1, Ints strides = {1, 1, 1, 1}) {
    const ValueId y = Op("Conv2D", "conv", {x, Weights(std::move(filter), 3)});
    Node& node = graph.producer(y);
    node.attrs.Set("strides", AttrValue(std::move(strides)));
    node.attrs.Set("pads", AttrValue(Ints{0, 0, 0, 0}));
    node.attrs.Set("data_format", "NHWC");
    node.attrs.Set("groups", groups);
    return y;
  }
  void Rewrites(bool changes) {
    KeepsResults([&] { CHECK(DilatedConvFusionPass(graph, context) == changes); }, 1e-5);
    CHECK(Count("SpaceToBatchND") == (changes ? 0 : 1));
    CHECK(Count("BatchToSpaceND") == (changes ? 0 : 1));
  }
  Ints Attr(const char* name) { return graph.Find("conv")->Attr<Ints>(name); }
};

}  // namespace

TEST_CASE("A convolution of blocks becomes a dilated one") {
  Dilation g;
  const ValueId x = g.Input({2, 7, 6, 3});  // padded by 2 on each side, and by 1 more below so that blocks fit
  const ValueId blocks = g.Moved("SpaceToBatchND", x, {2, 2}, {2, 3, 2, 2});
  const ValueId conv = g.Conv2D(blocks, {4, 3, 3, 3});
  const ValueId bias = g.Op("Add", "bias", {conv, g.Weights({4}, 9)});
  const ValueId relu = g.Op("Relu", "relu", {bias});
  g.Output({g.Moved("BatchToSpaceND", relu, {2, 2}, {0, 1, 0, 0})});
  g.Rewrites(true);
  CHECK(g.Attr("dilations") == Ints{1, 2, 2, 1});
  CHECK(g.Attr("pads") == Ints{2, 2, 2, 2});
  CHECK(g.graph.desc(g.graph.Find("conv")->outputs[0]).shape == Shape{2, 7, 6, 4});
}

TEST_CASE("Groups, different blocks and crops at the beginning") {
  Dilation g;
  const ValueId x = g.Input({1, 10, 9, 4});
  const ValueId blocks = g.Moved("SpaceToBatchND", x, {2, 3}, {3, 1, 4, 5});
  const ValueId conv = g.Conv2D(blocks, {8, 1, 3, 2}, 4);
  g.Output({g.Moved("BatchToSpaceND", conv, {2, 3}, {1, 0, 2, 4})});
  g.Rewrites(true);
  CHECK(g.Attr("dilations") == Ints{1, 2, 3, 1});
  CHECK(g.Attr("pads") == Ints{2, 1, 2, 1});
}

TEST_CASE("A convolution of one axis between ExpandDims and Squeeze") {
  for (const int64_t axis : {1, 2}) {
    Dilation g;
    const ValueId x = g.Input({2, 12, 3});
    const ValueId blocks = g.Moved("SpaceToBatchND", x, {4}, {8, 0});
    const ValueId wide = g.Op("Unsqueeze", "wide", {blocks});
    g.graph.producer(wide).attrs.Set("axes", AttrValue(Ints{axis}));
    const ValueId conv = g.Conv2D(wide, axis == 1 ? Shape{5, 3, 1, 3} : Shape{5, 3, 3, 1});
    const ValueId narrow = g.Op("Squeeze", "narrow", {conv});
    g.graph.producer(narrow).attrs.Set("axis", AttrValue(Ints{axis}));
    const ValueId bias = g.Op("Add", "bias", {narrow, g.Weights({5}, 9)});
    g.Output({g.Moved("BatchToSpaceND", bias, {4}, {0, 0})});
    g.Rewrites(true);
    CHECK(g.Attr("dilations") == (axis == 1 ? Ints{1, 1, 4, 1} : Ints{1, 4, 1, 1}));
    CHECK(g.graph.desc(g.graph.Find("wide")->outputs[0]).shape == (axis == 1 ? Shape{2, 1, 12, 3} : Shape{2, 12, 1, 3}));
  }
}

TEST_CASE("What is no dilated convolution stays") {
  SECTION("more is cut off than was padded") {
    Dilation g;
    const ValueId blocks = g.Moved("SpaceToBatchND", g.Input({1, 8, 8, 2}), {2, 2}, {0, 0, 0, 0});
    g.Output({g.Moved("BatchToSpaceND", g.Conv2D(blocks, {2, 2, 3, 3}), {2, 2}, {0, 1, 0, 0})});
    g.Rewrites(false);
  }
  SECTION("strides") {
    Dilation g;
    const ValueId blocks = g.Moved("SpaceToBatchND", g.Input({1, 8, 8, 2}), {2, 2}, {0, 0, 0, 0});
    g.Output({g.Moved("BatchToSpaceND", g.Conv2D(blocks, {2, 2, 1, 1}, 1, {1, 2, 2, 1}), {2, 2}, {0, 0, 0, 0})});
    g.Rewrites(false);
  }
  SECTION("another block size") {
    Dilation g;
    const ValueId blocks = g.Moved("SpaceToBatchND", g.Input({1, 8, 8, 2}), {2, 2}, {0, 0, 0, 0});
    g.Output({g.Moved("BatchToSpaceND", g.Conv2D(blocks, {2, 2, 1, 1}), {4, 1}, {0, 0, 0, 0})});
    g.Rewrites(false);
  }
  SECTION("another operand as large as the blocks") {
    Dilation g;
    const ValueId blocks = g.Moved("SpaceToBatchND", g.Input({1, 8, 8, 2}), {2, 2}, {0, 0, 0, 0});
    const ValueId sum = g.Op("Add", "sum", {g.Conv2D(blocks, {2, 2, 1, 1}), g.Weights({4, 4, 4, 2}, 5)});
    g.Output({g.Moved("BatchToSpaceND", sum, {2, 2}, {0, 0, 0, 0})});
    g.Rewrites(false);
  }
}

}  // namespace atc

#include "compiler/passes/pad_conv_fusion.h"

#include "test/compiler/passes/pad_fixture.h"

using namespace atc;
using test::PadFixture;

TEST_CASE("zeros around the plane become pads of the convolution") {
  PadFixture f;
  const std::string auto_pad = GENERATE("NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER");
  const ValueId padded = f.Pad("pad", f.Input({1, 3, 6, 7}), {0, 0, 0, 0, 1, 2, 0, 3});
  const ValueId y = f.Conv("conv", padded, f.Weights({4, 3, 3, 4}, 1));
  f.graph.producer(y).attrs.Set("auto_pad", auto_pad);
  f.graph.producer(y).attrs.Set("strides", std::vector<int64_t>{1, 1, 2, 1});
  f.Output({y});
  f.KeepsResults([&] { CHECK(PaddConv2dFusionPass(f.graph, f.context)); }, 0);
  InferShapes(f.graph);
  CHECK(f.Count("PadV3") == 0);
  const auto pads = f.graph.Find("conv")->Attr<std::vector<int64_t>>("pads");
  if (auto_pad == "NOTSET") CHECK(pads == std::vector<int64_t>{2, 3, 1, 4});  // and its own of 1 each
  if (auto_pad == "VALID") CHECK(pads == std::vector<int64_t>{1, 2, 0, 3});
}

TEST_CASE("a padding before an Unsqueeze, channels last, and one that others use") {
  PadFixture f;
  SECTION("a convolution along one axis") {
    Node& wide = f.graph.Add("Unsqueeze", "wide", {f.Pad("pad", f.Input({1, 3, 8}), {0, 0, 0, 0, 2, 1})}, 1);
    wide.attrs.Set("axes", std::vector<int64_t>{-1});
    const ValueId y = f.Conv("conv", wide.outputs[0], f.Weights({4, 3, 3, 1}, 1));
    f.graph.producer(y).attrs.Set("pads", std::vector<int64_t>{0, 0, 0, 0});
    f.Output({y});
    f.KeepsResults([&] { CHECK(PaddConv2dFusionPass(f.graph, f.context)); }, 0);
    CHECK(f.graph.desc(f.graph.Find("wide")->outputs[0]).origin_shape == Shape{1, 3, 8, 1});
    CHECK(f.Count("PadV3") == 0);
  }
  SECTION("channels last") {
    const ValueId y = f.Conv("conv", f.Pad("pad", f.Input({1, 6, 7, 3}), {0, 0, 1, 0, 0, 2, 0, 0}), f.Weights({4, 3, 3, 3}, 1));
    f.graph.producer(y).attrs.Set("data_format", "NHWC");
    f.Output({y});
    f.KeepsResults([&] { CHECK(PaddConv2dFusionPass(f.graph, f.context)); }, 0);
    CHECK(f.graph.Find("conv")->Attr<std::vector<int64_t>>("pads") == std::vector<int64_t>{2, 1, 1, 3});
  }
  SECTION("another user") {
    const ValueId padded = f.Pad("pad", f.Input({1, 3, 6, 7}), {0, 0, 0, 0, 1, 2, 0, 3});
    f.Output({f.Conv("conv", padded, f.Weights({4, 3, 3, 3}, 1)), f.Op("Exp", "exp", {padded})});
    f.KeepsResults([&] { CHECK(PaddConv2dFusionPass(f.graph, f.context)); }, 0);
    CHECK(f.Count("PadV3") == 1);
  }
}

TEST_CASE("other values, other axes, crops and mirrors stay") {
  PadFixture f;
  const ValueId x = f.Input({2, 3, 6, 7});
  ValueId padded = kNoId;
  SECTION("a value") { padded = f.Pad("pad", x, {0, 0, 0, 0, 1, 1, 1, 1}, 0.5f); }
  SECTION("channels") { padded = f.Pad("pad", x, {0, 0, 1, 0, 1, 1, 1, 1}); }
  SECTION("batch") { padded = f.Pad("pad", x, {0, 1, 0, 0, 1, 1, 1, 1}); }
  SECTION("a crop") { padded = f.Pad("pad", x, {0, 0, 0, 0, -1, 1, 1, 1}); }
  SECTION("a mirror") {
    padded = f.Pad("pad", x, {0, 0, 0, 0, 1, 1, 1, 1});
    f.graph.producer(padded).attrs.Set("mode", "reflect");
  }
  InferNode(f.graph, f.graph.producer(padded));
  f.Output({f.Conv("conv", padded, f.Weights({4, f.graph.desc(padded).origin_shape[1], 3, 3}, 1))});
  CHECK_FALSE(PaddConv2dFusionPass(f.graph, f.context));
}

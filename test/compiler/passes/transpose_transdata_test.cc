#include "compiler/passes/transpose_transdata.h"

#include "compiler/ir/device_slot.h"
#include "compiler/layout/choose_formats.h"
#include "compiler/layout/device_slots.h"
#include "compiler/passes/switch_transdata_and_cast.h"
#include "compiler/passes/trans_op_breadth_fusion.h"
#include "test/compiler/pass_fixture.h"

using namespace atc;
using test::PassFixture;

namespace {

ValueId Turned(PassFixture& f, const char* name, ValueId x, std::vector<int64_t> order) {
  return f.Op("Transpose", name, {x, f.graph.AddConst(std::string(name) + "_perm", Tensor::Ints(order))});
}

ValueId Convolve(PassFixture& f, const char* name, ValueId x, int64_t in, int64_t out) {
  return f.Conv(name, x, f.Weights({out, in, 3, 3}, 1));
}

const TensorDesc& Operand(const PassFixture& f, const Node& node) { return f.graph.desc(node.inputs[0]); }

}  // namespace

TEST_CASE("a model with channels last enters and leaves blocks of channels by one TransData each") {
  PassFixture f;
  const ValueId first = Turned(f, "first", f.Input({2, 6, 7, 5}), {0, 3, 1, 2});
  const ValueId y = Convolve(f, "conv", first, 5, 20);
  f.Output({Turned(f, "last", y, {0, 2, 3, 1})});
  ChooseFormats(f.graph, f.journal);
  CHECK(f.Count("Transpose") == 2);
  f.KeepsResults([&] { CHECK(TransposeTransDataPass(f.graph, f.context)); }, 0);
  CHECK(f.Count("Transpose") == 0);
  CHECK(f.Count("TransData") == 2);
  const Node& into = f.graph.producer(f.graph.Find("conv")->inputs[0]);
  CHECK(into.Attr<std::string>("src_format") == "NHWC");
  CHECK(into.Attr<std::string>("dst_format") == "NC1HWC0");
  CHECK(Operand(f, into).shape == Shape{2, 6, 7, 5});
  CHECK(f.graph.desc(into.outputs[0]).shape == Shape{2, 1, 6, 7, 16});
  CHECK(f.graph.desc(into.outputs[0]).origin_shape == Shape{2, 5, 6, 7});
  const Node& out_of = f.graph.producer(f.graph.NetOutput()->inputs[0]);
  CHECK(out_of.Attr<std::string>("src_format") == "NC1HWC0");
  CHECK(out_of.Attr<std::string>("dst_format") == "NHWC");
  CHECK(Operand(f, out_of).shape == Shape{2, 2, 6, 7, 16});
  CHECK(f.graph.desc(out_of.outputs[0]).shape == Shape{2, 6, 7, 20});
  CHECK(f.graph.origins().Flatten(out_of.origin) == std::vector<std::string>{"last"});
  ChooseDeviceSlots(f.graph);
  CHECK(KeepsSlot(f.graph, into));  // this device holds blocks of channels with channels last
  CHECK(KeepsSlot(f.graph, out_of));
  CHECK_FALSE(TransposeTransDataPass(f.graph, f.context));
}

TEST_CASE("a Cast between both goes to the other side of the Transpose") {
  PassFixture f;
  const auto cast = [&](const char* name, ValueId x, DataType to) {
    const ValueId y = f.Op("Cast", name, {x});
    f.graph.producer(y).attrs.Set("dst_type", static_cast<int64_t>(to));
    return y;
  };
  const ValueId first = cast("half", Turned(f, "first", f.Input({2, 6, 7, 5}), {0, 3, 1, 2}), DT_FLOAT16);
  const ValueId filter = f.graph.AddConst("w", Narrow(test::RandomFloats({32, 5, 3, 3}, 1), DT_FLOAT16));
  const ValueId wide = cast("wide", f.Conv("conv", first, filter), DT_FLOAT);
  f.Output({Turned(f, "last", wide, {0, 2, 3, 1})});
  ChooseFormats(f.graph, f.journal);
  SwitchTransDataAndCastPass(f.graph, f.context);
  f.KeepsResults([&] { CHECK(TransposeTransDataPass(f.graph, f.context)); }, 0);
  CHECK(f.Count("Transpose") == 0);
  CHECK(f.Count("TransData") == 2);
  const Node& half = *f.graph.Find("half");
  CHECK(f.graph.producer(half.inputs[0]).type() == "Data");
  CHECK(f.graph.desc(half.outputs[0]).shape == Shape{2, 6, 7, 5});
  const Node& into = f.graph.producer(f.graph.Find("conv")->inputs[0]);
  CHECK(f.graph.desc(into.outputs[0]).dtype == DT_FLOAT16);
  CHECK(into.inputs[0] == half.outputs[0]);
  const Node& last = f.graph.producer(f.graph.NetOutput()->inputs[0]);
  CHECK(last.name == "wide");
  CHECK(f.graph.desc(last.outputs[0]).dtype == DT_FLOAT);
  CHECK(f.graph.desc(last.outputs[0]).shape == Shape{2, 6, 7, 32});
  CHECK(f.graph.desc(last.inputs[0]).dtype == DT_FLOAT16);
}

TEST_CASE("volumes with channels last enter their blocks by one TransData, which moves them on this device") {
  PassFixture f;
  const ValueId x = Turned(f, "first", f.Input({1, 4, 5, 6, 3}), {0, 4, 1, 2, 3});
  const ValueId y = f.Op("Conv3D", "conv", {x, f.Weights({20, 3, 3, 3, 3}, 1)});
  Node& conv = f.graph.producer(y);
  conv.attrs.Set("strides", std::vector<int64_t>(5, 1));
  conv.attrs.Set("pads", std::vector<int64_t>(6, 1));
  conv.attrs.Set("data_format", "NCDHW");
  f.Output({y});
  ChooseFormats(f.graph, f.journal);
  f.KeepsResults([&] { CHECK(TransposeTransDataPass(f.graph, f.context)); }, 0);
  CHECK(f.Count("Transpose") == 0);
  const Node& into = f.graph.producer(f.graph.Find("conv")->inputs[0]);
  CHECK(into.Attr<std::string>("src_format") == "NDHWC");
  CHECK(into.Attr<std::string>("dst_format") == "NDC1HWC0");
  ChooseDeviceSlots(f.graph);
  CHECK_FALSE(KeepsSlot(f.graph, into));
}

TEST_CASE("a Transpose that others read too, or that turns other axes, stays") {
  struct Row {
    std::vector<int64_t> order;
    bool read_too;
    int fused;
  };
  for (const Row& row : {Row{{0, 3, 1, 2}, true, 0}, Row{{0, 3, 2, 1}, false, 0}, Row{{0, 3, 1, 2}, false, 1}}) {
    PassFixture f;
    const ValueId first = Turned(f, "first", f.Input({2, 6, 7, 5}), row.order);
    std::vector<ValueId> results = {Convolve(f, "conv", first, 5, 4)};
    if (row.read_too) results.push_back(f.Op("Exp", "exp", {first}));
    f.Output(results);
    ChooseFormats(f.graph, f.journal);
    f.KeepsResults([&] { CHECK(TransposeTransDataPass(f.graph, f.context) == (row.fused > 0)); }, 0);
    CHECK(f.Count("Transpose") == 1 - row.fused);
  }
}

TEST_CASE("blocks that are read as they were and turned are taken out of them for both") {
  PassFixture f;
  const ValueId y = Convolve(f, "conv", f.Input({2, 5, 6, 7}), 5, 20);
  f.Output({Turned(f, "last", y, {0, 2, 3, 1}), y});
  ChooseFormats(f.graph, f.journal);
  REQUIRE(TransOpBreadthFusionPass(f.graph, f.context));
  f.KeepsResults([&] { CHECK_FALSE(TransposeTransDataPass(f.graph, f.context)); }, 0);
  CHECK(f.Count("TransData") == 2);
}

TEST_CASE("nodes of different streams, and those that forbid the pass, are left alone") {
  for (const bool labelled : {false, true}) {
    PassFixture f;
    const ValueId first = Turned(f, "first", f.Input({2, 6, 7, 5}), {0, 3, 1, 2});
    f.Output({Convolve(f, "conv", first, 5, 4)});
    Node& transpose = *f.graph.Find("first");
    labelled ? transpose.attrs.Set("_stream_label", "own")
             : transpose.attrs.Set(kDisabledPassesAttr, std::vector<std::string>{"TransposeTransDataPass"});
    ChooseFormats(f.graph, f.journal);
    f.journal.EnterPass("TransposeTransDataPass");
    CHECK_FALSE(TransposeTransDataPass(f.graph, f.context));
  }
}

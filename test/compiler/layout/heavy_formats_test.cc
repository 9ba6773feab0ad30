// Formats of three dims and of products, of constants, and what is aliased on this device.
#include "compiler/ir/device_slot.h"
#include "compiler/layout/choose_formats.h"
#include "compiler/layout/device_slots.h"
#include "test/compiler/layout/laid_out.h"

using namespace atc;
using test::LayOut;
using test::PassFixture;

namespace {

std::string Because(const PassFixture& f, const char* node, const char* aspect) {
  for (const Reason& reason : f.graph.Find(node)->reasons) {
    if (reason.aspect == aspect) return reason.rule;
  }
  return "";
}

int Aliases(const PassFixture& f) {
  int count = 0;
  for (const NodeId id : f.graph.TopologicalOrder()) count += f.graph.node(id).attrs.Find(kDeviceAlias) != nullptr;
  return count;
}

ValueId Pointwise(PassFixture& f, const char* name, ValueId x, int64_t in, int64_t out) {
  const ValueId y = f.Conv(name, x, f.Weights({out, in, 1, 1}, 3));
  f.graph.producer(y).attrs.Set("pads", std::vector<int64_t>(4, 0));
  return y;
}

}  // namespace

TEST_CASE("a convolution over three dims takes NDC1HWC0 and FRACTAL_Z_3D; this device moves nothing for it") {
  PassFixture f;
  const ValueId x = f.Input({1, 3, 4, 5, 5});
  f.graph.desc(x).SetFormat(FORMAT_NCDHW);
  const ValueId y = f.Op("Conv3D", "conv", {x, f.Weights({20, 3, 3, 3, 3}, 1)});
  Node& conv = f.graph.producer(y);
  conv.attrs.Set("strides", std::vector<int64_t>(5, 1));
  conv.attrs.Set("pads", std::vector<int64_t>(6, 1));
  conv.attrs.Set("data_format", "NCDHW");
  f.Output({f.Op("Relu", "relu", {y})});
  f.KeepsResults([&] { LayOut(f); }, 0);
  CHECK(f.graph.desc(y).format == FORMAT_NDC1HWC0);
  CHECK(f.graph.desc(y).shape == Shape{1, 4, 2, 5, 5, 16});
  CHECK(f.graph.desc(f.graph.Find("relu")->outputs[0]).format == FORMAT_NDC1HWC0);
  CHECK(f.graph.desc(conv.inputs[0]).shape == Shape{1, 4, 1, 5, 5, 16});
  CHECK(InputDesc(f.graph, conv, 1).format == FORMAT_FRACTAL_Z_3D);
  CHECK(InputDesc(f.graph, conv, 1).shape == Shape{27, 2, 16, 16});
  CHECK(f.graph.desc(conv.inputs[1]).shape == Shape{20, 3, 3, 3, 3});  // the constant itself
  CHECK(f.Count("TransData") == 2);
  CHECK(Aliases(f) == 2);
}

TEST_CASE("filters are shown in FRACTAL_Z, with blocks of four for data of four channels; groups lie side by side") {
  PassFixture f;
  const ValueId first = f.Conv("first", f.Input({1, 3, 5, 5}), f.Weights({32, 3, 3, 3}, 1));
  const ValueId deep = f.Conv("deep", first, f.Weights({32, 1, 3, 3}, 2));
  f.graph.producer(deep).attrs.Set("groups", int64_t{32});
  f.Output({deep});
  f.KeepsResults([&] { LayOut(f, {true, false}); }, 0);
  const TensorDesc small = InputDesc(f.graph, *f.graph.Find("first"), 1);
  CHECK(FormatName(small.format) == "FRACTAL_Z_C04");
  CHECK(small.shape == Shape{3, 2, 16, 16});  // 4 * 9 / 16, rounded up
  CHECK(small.origin_format == FORMAT_NCHW);
  CHECK(InputDesc(f.graph, *f.graph.Find("deep"), 1).shape == Shape{18, 1, 16, 16});
  // What computes nothing of the kind, and data, are as their values say.
  CHECK(InputDesc(f.graph, *f.graph.Find("deep"), 0).format == FORMAT_NC1HWC0);
}

TEST_CASE("products take FRACTAL_NZ on chips that have nothing else, and it spreads through elementwise operators") {
  for (const bool fractal : {false, true}) {
    PassFixture f;
    const ValueId x = f.Input({5, 20});
    const ValueId product = f.Op("MatMulV2", "product", {x, f.Weights({20, 40}, 1), f.Weights({40}, 2)});
    const ValueId relu = f.Op("Relu", "relu", {product});
    const ValueId second = f.Op("MatMulV2", "second", {relu, f.Weights({40, 7}, 3)});
    f.Output({f.Op("SoftmaxV2", "softmax", {second})});
    f.KeepsResults([&] { LayOut(f, {false, fractal}); }, 0);
    CHECK(f.Count("TransData") == (fractal ? 2 : 0));
    CHECK(Aliases(f) == (fractal ? 2 : 0));
    if (!fractal) continue;
    CHECK(f.graph.desc(product).format == FORMAT_FRACTAL_NZ);
    CHECK(f.graph.desc(product).shape == Shape{3, 1, 16, 16});
    CHECK(f.graph.desc(relu).format == FORMAT_FRACTAL_NZ);
    CHECK(InputDesc(f.graph, *f.graph.Find("product"), 1).shape == Shape{3, 2, 16, 16});
    CHECK(f.graph.desc(f.graph.Find("product")->inputs[2]).format == FORMAT_ND);  // the bias
    CHECK(Because(f, "relu", "format") == "FRACTAL_NZ: spread from product");
    CHECK(Because(f, "softmax", "format") == "origin layout: no form of SoftmaxV2 in FRACTAL_NZ");
  }
}

TEST_CASE("both computed factors of a batched product take FRACTAL_NZ; what is broadcast over rows ends it") {
  PassFixture f;
  const ValueId a = f.Input({2, 3, 5, 20});
  const ValueId b = f.Input({2, 3, 20, 7});
  const ValueId product = f.Op("BatchMatMulV2", "product", {a, b});
  const ValueId scaled = f.Op("Mul", "scaled", {product, f.Weights({1}, 1)});
  f.Output({f.Op("Add", "shifted", {scaled, f.Weights({7}, 2)})});
  f.KeepsResults([&] { LayOut(f, {false, true}); }, 0);
  CHECK(f.Count("TransData") == 3);
  CHECK(f.graph.desc(scaled).format == FORMAT_FRACTAL_NZ);
  CHECK(f.graph.desc(f.graph.Find("shifted")->outputs[0]).format != FORMAT_FRACTAL_NZ);
}

TEST_CASE("channels are joined in blocks only where they fill them; else this device leaves them where they are") {
  struct Case {
    int64_t channels;
    int trans_data;
    const char* because;
  };
  for (const Case& c : {Case{16, 2, "NC1HWC0: follows a"},
                        Case{24, 5, "origin layout: joins 24 channels, which fill no blocks of 16"}}) {
    PassFixture f;
    const ValueId x = f.Input({1, 8, 6, 6});
    const ValueId a = Pointwise(f, "a", x, 8, c.channels);
    const ValueId b = Pointwise(f, "b", x, 8, c.channels);
    const ValueId joined = f.Op("ConcatD", "joined", {a, b});
    f.graph.producer(joined).attrs.Set("concat_dim", int64_t{1});
    const ValueId active = f.Op("Relu", "active", {joined});
    f.Output({Pointwise(f, "last", active, 2 * c.channels, 4)});
    f.KeepsResults([&] { LayOut(f); }, 0);
    INFO(c.channels);
    CHECK(f.Count("TransData") == c.trans_data);
    CHECK(Because(f, "joined", "format") == c.because);
    // Only the ends of the model move data here.
    CHECK(Aliases(f) == c.trans_data - 2);
    CHECK(HoldsChannelsLast(f.graph, joined));
    CHECK(HoldsChannelsLast(f.graph, active));
  }
}

TEST_CASE("what somebody needs as the origin view says is not left channels-last") {
  PassFixture f;
  const ValueId x = f.Input({1, 8, 6, 6});
  const ValueId a = Pointwise(f, "a", x, 8, 24);
  const ValueId joined = f.Op("ConcatD", "joined", {a, Pointwise(f, "b", x, 8, 24)});
  f.graph.producer(joined).attrs.Set("concat_dim", int64_t{1});
  const ValueId flat = f.Op("Reshape", "flat", {joined, f.graph.AddConst("dims", Tensor::Ints({1, -1}))});
  f.Output({Pointwise(f, "last", joined, 48, 4), flat});
  f.KeepsResults([&] { LayOut(f); }, 0);
  CHECK_FALSE(HoldsChannelsLast(f.graph, joined));
  CHECK(Aliases(f) == 0);
}

TEST_CASE("parts of channels are cut out in blocks only where they fill them") {
  for (const int64_t part : {16, 8}) {
    PassFixture f;
    const ValueId y = Pointwise(f, "conv", f.Input({1, 8, 6, 6}), 8, 2 * part);
    const std::vector<ValueId> ends = {f.graph.AddConst("begin", Tensor::Ints({0, part, 0, 0})),
                                       f.graph.AddConst("size", Tensor::Ints({1, part, 6, 6}))};
    const ValueId cut = f.Op("Slice", "cut", {y, ends[0], ends[1]});
    f.Output({Pointwise(f, "last", cut, part, 4)});
    f.KeepsResults([&] { LayOut(f); }, 0);
    CHECK((f.graph.desc(cut).format == FORMAT_NC1HWC0) == (part == 16));
    CHECK(f.Count("TransData") == (part == 16 ? 2 : 4));
    CHECK(Aliases(f) == (part == 16 ? 0 : 2));
  }
}

TEST_CASE("splits stay in blocks whichever of their inputs are the data, where the parts fill them") {
  for (const int64_t part : {16, 8}) {
    for (const bool sizes : {false, true}) {
      PassFixture f;
      const ValueId y = Pointwise(f, "conv", f.Input({1, 8, 6, 6}), 8, 2 * part);
      const ValueId axis = f.graph.AddConst("axis", Tensor::Ints({1}));
      const ValueId parts = f.graph.AddConst("sizes", Tensor::Ints({part, part}));
      Node& split = f.graph.Add(sizes ? "SplitV" : "Split", "split",
                                sizes ? std::vector<ValueId>{y, parts, axis} : std::vector<ValueId>{axis, y}, 2);
      split.attrs.Set("num_split", int64_t{2});
      const std::vector<ValueId> halves = split.outputs;
      f.Output({Pointwise(f, "a", halves[0], part, 4), Pointwise(f, "b", halves[1], part, 4)});
      f.KeepsResults([&] { LayOut(f); }, 0);
      INFO(part << (sizes ? " by sizes" : ""));
      CHECK((f.graph.desc(halves[1]).format == FORMAT_NC1HWC0) == (part == 16));
      CHECK(f.Count("TransData") == (part == 16 ? 3 : 6));
    }
  }
}

TEST_CASE(
    "reductions over rows and columns keep their blocks, those over channels and those that take dims away do not") {
  struct Row {
    std::vector<int64_t> axes;
    bool keep, blocked;
  };
  for (const Row& row :
       {Row{{2, 3}, true, true}, Row{{-1}, true, true}, Row{{2, 3}, false, false}, Row{{1}, true, false}}) {
    PassFixture f;
    const ValueId y = Pointwise(f, "conv", f.Input({1, 8, 6, 6}), 8, 20);
    const ValueId mean = f.Op("ReduceMean", "mean", {y, f.graph.AddConst("axes", Tensor::Ints(row.axes))});
    f.graph.producer(mean).attrs.Set("keep_dims", row.keep);
    f.Output({f.Op("Relu", "relu", {mean})});
    f.KeepsResults([&] { LayOut(f); }, 0);
    INFO(row.axes[0]);
    CHECK((f.graph.desc(mean).format == FORMAT_NC1HWC0) == row.blocked);
    CHECK(f.Count("TransData") == 2);
  }
}

TEST_CASE("a model with channels last keeps its interface, and nothing is moved at its ends") {
  PassFixture f;
  const ValueId x = f.Input({1, 5, 5, 3});
  f.graph.desc(x).SetFormat(FORMAT_NHWC);
  const ValueId y = f.Conv("conv", x, f.Weights({4, 3, 3, 3}, 1));
  f.graph.producer(y).attrs.Set("data_format", "NHWC");
  f.Output({y});
  f.KeepsResults([&] { LayOut(f); }, 0);
  CHECK(f.graph.desc(x).format == FORMAT_NHWC);
  CHECK(f.graph.desc(f.graph.NetOutput()->inputs[0]).format == FORMAT_NHWC);
  CHECK(f.graph.desc(f.graph.NetOutput()->inputs[0]).shape == Shape{1, 5, 5, 4});
  CHECK(f.Count("TransData") == 2);
  CHECK(Aliases(f) == 2);
  const TensorDesc filter = InputDesc(f.graph, *f.graph.Find("conv"), 1);
  CHECK(filter.origin_format == FORMAT_NCHW);
  CHECK(filter.shape == Shape{9, 1, 16, 16});
}

TEST_CASE("a Transpose to channels first before a convolution, and back behind it, move nothing here") {
  PassFixture f;
  const ValueId x = f.Input({1, 5, 5, 3});
  f.graph.desc(x).SetFormat(FORMAT_ND);
  const ValueId first = f.Op("Transpose", "first", {x, f.graph.AddConst("p", Tensor::Ints({0, 3, 1, 2}))});
  const ValueId y = f.Conv("conv", first, f.Weights({4, 3, 3, 3}, 1));
  f.Output({f.Op("Transpose", "last", {y, f.graph.AddConst("q", Tensor::Ints({0, 2, 3, 1}))})});
  f.KeepsResults([&] { LayOut(f); }, 0);
  CHECK(f.Count("TransData") == 2);
  CHECK(Aliases(f) == 4);
}

TEST_CASE("what is broadcast over places keeps its blocks, and one place or one channel lies the same either way") {
  PassFixture f;
  const ValueId x = Pointwise(f, "conv", f.Input({1, 8, 6, 6}), 8, 20);
  const ValueId mean = f.Op("GlobalAveragePool", "mean", {x});
  const ValueId gate = f.Op("Sigmoid", "gate", {Pointwise(f, "squeeze", mean, 20, 20)});
  const ValueId gated = f.Op("Mul", "gated", {x, gate});
  f.Output({f.Op("Reshape", "flat", {gate, f.graph.AddConst("dims", Tensor::Ints({1, 20}))}), gated});
  f.KeepsResults([&] { LayOut(f); }, 0);
  CHECK(f.Count("TransData") == 3);  // the input, the output, and the gate for its Reshape
  CHECK(Aliases(f) == 1);
  CHECK(f.graph.desc(f.graph.Find("gated")->inputs[1]).format == FORMAT_NC1HWC0);
}

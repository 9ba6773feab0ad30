#include "compiler/layout/choose_formats.h"

#include "test/compiler/layout/laid_out.h"

using namespace atc;
using test::LayOut;
using test::PassFixture;

TEST_CASE("the format spreads through agnostic operators, with one TransData at each end") {
  PassFixture f;
  const ValueId first = f.Conv("conv", f.Input({1, 3, 5, 5}), f.Weights({4, 3, 3, 3}, 1));
  const ValueId relu = f.Op("Relu", "relu", {first});
  const ValueId second = f.Conv("conv2", relu, f.Weights({4, 4, 3, 3}, 2));
  const ValueId sum = f.Op("Add", "add", {second, relu});
  f.Output({sum});
  f.KeepsResults([&] { LayOut(f); }, 0);
  CHECK(f.Count("TransData") == 2);
  CHECK(f.graph.desc(sum).format == FORMAT_NC1HWC0);
  CHECK(f.graph.desc(sum).shape == Shape{1, 1, 5, 5, 16});
  CHECK(f.graph.desc(sum).origin_shape == Shape{1, 4, 5, 5});
  CHECK(f.graph.desc(f.graph.NetOutput()->inputs[0]).format == FORMAT_NCHW);
}

TEST_CASE("a broadcast operand keeps its format") {
  PassFixture f;
  const ValueId y = f.Conv("conv", f.Input({1, 3, 5, 5}), f.Weights({4, 3, 3, 3}, 1));
  const ValueId scale = f.Input({1, 4, 1, 1});
  f.Output({f.Op("Mul", "mul", {y, scale})});
  f.KeepsResults([&] { LayOut(f); }, 0);
  CHECK(f.graph.desc(f.graph.Find("mul")->outputs[0]).format == FORMAT_NC1HWC0);
  CHECK(f.graph.desc(scale).format == FORMAT_NCHW);
  CHECK(f.Count("TransData") == 2);
}

TEST_CASE("data with channels last stay in blocks through paddings, means, joins and what is broadcast") {
  PassFixture f;
  const auto convolve = [&](const char* name, ValueId x, int64_t in, int64_t out) {
    const ValueId y = f.Conv(name, x, f.Weights({out, in, 1, 1}, 3));
    f.graph.producer(y).attrs.Set("data_format", "NHWC");
    f.graph.producer(y).attrs.Set("pads", std::vector<int64_t>(4, 0));
    return y;
  };
  const auto mean_of = [&](const char* name, ValueId x) {
    const ValueId mean =
        f.Op("ReduceMean", name, {x, f.graph.AddConst(std::string(name) + "_axes", Tensor::Ints({1, 2}))});
    f.graph.producer(mean).attrs.Set("keep_dims", true);
    return mean;
  };
  const ValueId first = convolve("first", f.Input({1, 5, 5, 3}), 3, 16);
  const ValueId gate = f.Op("Sigmoid", "gate", {convolve("squeeze", mean_of("mean", first), 16, 16)});
  const ValueId gated = f.Op("Mul", "gated", {first, gate});
  const ValueId pads = f.graph.AddConst("pads", Tensor::Ints({0, 0, 1, 1, 1, 1, 0, 0}).Reshaped({4, 2}));
  const ValueId padded = f.Op("PadV3", "padded", {gated, pads});
  const ValueId joined = f.Op("ConcatD", "joined", {padded, padded});
  f.graph.producer(joined).attrs.Set("concat_dim", int64_t{3});
  f.Output({convolve("last", joined, 32, 4)});
  f.KeepsResults([&] { LayOut(f); }, 0);
  CHECK(f.Count("TransData") == 2);
  CHECK(f.graph.desc(joined).shape == Shape{1, 2, 7, 7, 16});
}

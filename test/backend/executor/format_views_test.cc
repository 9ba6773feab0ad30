// Changes between storage formats that move nothing on this device: results are those of the reference evaluator.
#include "test/backend/executor/static_runner.h"
#include "test/compiler/pass_fixture.h"

using namespace atc;        // NOLINT
using namespace atc::test;  // NOLINT

namespace {

void RunsAsReference(PassFixture& f, int tasks_of_trans_data, int tasks_of_transpose, const char* soc = "Ascend910B3") {
  const std::vector<Tensor> expected = Evaluate(f.graph, f.inputs);
  StaticRunner runner(f.graph.Clone(), PrecisionMode::kKeepOrigin, 2, soc);
  CHECK(runner.Count("TransData") == tasks_of_trans_data);
  CHECK(runner.Count("Transpose") == tasks_of_transpose);
  for (int run = 0; run < 2; ++run) {
    const std::vector<Tensor> found = runner.Run(f.inputs);
    REQUIRE(found.size() == expected.size());
    for (size_t i = 0; i < found.size(); ++i) {
      const std::vector<double> x = ToDoubles(expected[i]), y = ToDoubles(found[i]);
      REQUIRE(x.size() == y.size());
      for (size_t e = 0; e < x.size(); ++e) REQUIRE(y[e] == Approx(x[e]).margin(2e-5).epsilon(2e-5));
    }
  }
}

ValueId Convolve(PassFixture& f, const char* name, ValueId x, int64_t in, int64_t out) {
  return f.Conv(name, x, f.Weights({out, in, 3, 3}, static_cast<uint32_t>(in), -0.3f, 0.3f));
}

}  // namespace

TEST_CASE("channels that fill no blocks are joined, combined and cut where they lie") {
  PassFixture f;
  const ValueId x = f.Input({2, 5, 6, 7});
  const ValueId joined = f.Op("ConcatD", "joined", {Convolve(f, "a", x, 5, 24), Convolve(f, "b", x, 5, 9)});
  f.graph.producer(joined).attrs.Set("concat_dim", int64_t{1});
  const ValueId active = f.Op("Neg", "active", {f.Op("Exp", "exp", {joined})});
  const ValueId cut = f.Op("Slice", "cut",
                           {active, f.graph.AddConst("begin", Tensor::Ints({0, 3, 1, 0})),
                            f.graph.AddConst("size", Tensor::Ints({2, 21, 5, 7}))});
  f.Output({Convolve(f, "last", cut, 21, 4)});
  RunsAsReference(f, 2, 0);
}

TEST_CASE("a model with channels last around a convolution with channels first has no task for its ends") {
  PassFixture f;
  const ValueId first =
      f.Op("Transpose", "first", {f.Input({2, 6, 7, 5}), f.graph.AddConst("p", Tensor::Ints({0, 3, 1, 2}))});
  const ValueId y = Convolve(f, "second", Convolve(f, "conv", first, 5, 8), 8, 6);
  f.Output({f.Op("Transpose", "last", {y, f.graph.AddConst("q", Tensor::Ints({0, 2, 3, 1}))})});
  RunsAsReference(f, 0, 0);
}

TEST_CASE("an input read in two layouts, and an output that is also data, keep their values") {
  PassFixture f;
  const ValueId x = f.Input({1, 6, 7, 5});
  const ValueId first = f.Op("Transpose", "first", {x, f.graph.AddConst("p", Tensor::Ints({0, 3, 1, 2}))});
  const ValueId y = Convolve(f, "conv", first, 5, 5);
  const ValueId back = f.Op("Transpose", "back", {y, f.graph.AddConst("q", Tensor::Ints({0, 2, 3, 1}))});
  f.Output({back, f.Op("Add", "sum", {back, x}), Convolve(f, "more", y, 5, 3)});
  RunsAsReference(f, 1, 0);
}

TEST_CASE("volumes with channels last are turned by the TransData into their blocks, and by the one out of them") {
  PassFixture f;
  const auto turned = [&](const char* name, ValueId x, std::vector<int64_t> order) {
    return f.Op("Transpose", name, {x, f.graph.AddConst("order", Tensor::Ints(order))});
  };
  const ValueId x = turned("first", f.Input({2, 4, 5, 6, 3}), {0, 4, 1, 2, 3});
  const ValueId y = f.Op("Conv3D", "conv", {x, f.Weights({20, 3, 3, 3, 3}, 1, -0.2f, 0.2f)});
  Node& conv = f.graph.producer(y);
  conv.attrs.Set("strides", std::vector<int64_t>(5, 1));
  conv.attrs.Set("pads", std::vector<int64_t>(6, 1));
  conv.attrs.Set("data_format", "NCDHW");
  f.Output({turned("last", y, {0, 2, 3, 4, 1})});
  RunsAsReference(f, 2, 0);
}

TEST_CASE("data of a convolution with channels last are turned by the TransData where the model has them first") {
  PassFixture f;
  const ValueId x =
      f.Op("Transpose", "first", {f.Input({2, 5, 6, 7}), f.graph.AddConst("p", Tensor::Ints({0, 2, 3, 1}))});
  const ValueId y = Convolve(f, "conv", x, 5, 8);
  f.graph.producer(y).attrs.Set("data_format", "NHWC");
  f.Output({f.Op("Transpose", "last", {y, f.graph.AddConst("q", Tensor::Ints({0, 3, 1, 2}))})});
  RunsAsReference(f, 2, 0);
}

TEST_CASE("volumes and products lie in their slots as the origin view says") {
  {
    PassFixture f;
    const ValueId y = f.Op("Conv3D", "conv", {f.Input({1, 3, 4, 5, 5}), f.Weights({20, 3, 3, 3, 3}, 1, -0.2f, 0.2f)});
    Node& conv = f.graph.producer(y);
    conv.attrs.Set("strides", std::vector<int64_t>(5, 1));
    conv.attrs.Set("pads", std::vector<int64_t>(6, 1));
    conv.attrs.Set("data_format", "NCDHW");
    f.Output({f.Op("Relu", "relu", {y})});
    RunsAsReference(f, 0, 0);
  }
  PassFixture f;
  const ValueId x = f.Input({5, 20});
  const ValueId product = f.Op("MatMulV2", "product", {x, f.Weights({20, 40}, 1, -0.3f, 0.3f), f.Weights({40}, 2)});
  const ValueId soft = f.Op("SoftmaxV2", "soft", {product});
  f.Output({f.Op("MatMulV2", "second", {soft, f.Weights({40, 7}, 3)}), product});
  RunsAsReference(f, 0, 0, "Ascend310P3");
}

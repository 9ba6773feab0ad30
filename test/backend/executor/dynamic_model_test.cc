// Models of unknown shapes on the device: plans by shape, found again, against the evaluator.
#include "backend/executor/dynamic_model.h"

#include <catch2/catch.hpp>
#include <cstring>

#include "backend/runtime/device.h"
#include "backend/runtime/memory.h"
#include "backend/runtime/stream.h"
#include "compiler/om/reader.h"
#include "compiler/om/writer.h"
#include "compiler/ops/evaluator.h"
#include "compiler/pipeline.h"
#include "test/compiler/pass_fixture.h"

using namespace atc;

namespace {

struct Runner {
  runtime::Memory memory{uint64_t{1} << 30};
  runtime::Device device{0, memory};
  runtime::Stream stream{device, 0};
  std::unique_ptr<Graph> source;  // as it was before compiling
  std::unique_ptr<DynamicModel> model;

  // `graph` is compiled in `mode` and read back from its om.
  Runner(std::unique_ptr<Graph> graph, PrecisionMode mode) : source(graph->Clone()) {
    CompileOptions options;
    options.output_path = "m";
    options.soc_version = "Ascend910B3";
    options.precision_mode = mode;
    Diagnostics diagnostics;
    CompileHooks hooks;
    hooks.verify = true;
    const std::string om = WriteOm(Compile(std::move(graph), options, &diagnostics, hooks).model);
    Buffer file = Buffer::Allocate(om.size());
    std::memcpy(file.data, om.data(), om.size());
    OmModel read = ReadOm(file, "m");
    REQUIRE(read.dynamic);
    LoadOptions load;
    load.device = &device;
    load.cores = 2;
    model = std::make_unique<DynamicModel>(std::move(read), load);
  }

  Tensor Run(const Tensor& input) {
    Tensor copy = input;
    const TensorView in{copy.MutableData<std::byte>(), copy.NumBytes(), copy.shape()};
    TensorView out;
    model->Execute({&in, 1}, {&out, 1}, stream);
    Tensor result = Tensor::Allocate(model->info().outputs[0].dtype, out.shape);
    if (result.NumBytes() > 0) std::memcpy(result.MutableData(), out.data, result.NumBytes());
    if (out.data != nullptr) device.Free(out.data);
    return result;
  }

  void Check(const Tensor& input, double tolerance) {
    const Tensor expected = Evaluate(*source, {input})[0];
    const Tensor found = Run(input);
    REQUIRE(found.shape() == expected.shape());
    const std::vector<double> x = ToDoubles(expected);
    const std::vector<double> y = ToDoubles(found);
    for (size_t i = 0; i < x.size(); ++i) REQUIRE(y[i] == Approx(x[i]).margin(tolerance));
  }
};

// conv, relu, global mean, flatten by a computed shape, product.
std::unique_ptr<Graph> Classifier() {
  auto graph = std::make_unique<Graph>("classifier");
  const ValueId x = graph->AddData("x", 0, TensorDesc(DT_FLOAT, {-1, 3, -1, -1}, FORMAT_NCHW));
  Node& conv = graph->Add("Conv2D", "conv", {x, graph->AddConst("w", test::RandomFloats({8, 3, 3, 3}, 1))});
  conv.attrs.Set("strides", std::vector<int64_t>{1, 1, 1, 1});
  conv.attrs.Set("pads", std::vector<int64_t>{1, 1, 1, 1});
  conv.attrs.Set("data_format", "NCHW");
  const ValueId relu = graph->Add("Relu", "relu", {conv.outputs[0]}).outputs[0];
  const ValueId mean = graph->Add("GlobalAveragePool", "mean", {relu}).outputs[0];
  const ValueId flat = graph->Add("Reshape", "flat", {mean, graph->AddConst("shape", Tensor::Ints({0, 8}))}).outputs[0];
  const ValueId y = graph->Add("MatMulV2", "fc", {flat, graph->AddConst("w2", test::RandomFloats({8, 5}, 2))}).outputs[0];
  graph->Add("NetOutput", "Node_Output", {y}, 0);
  return graph;
}

}  // namespace

TEST_CASE("a plan is made for each shape and found again") {
  Runner runner(Classifier(), PrecisionMode::kKeepOrigin);
  for (int round = 0; round < 2; ++round) {
    runner.Check(test::RandomFloats({1, 3, 8, 8}, 11), 1e-5);
    runner.Check(test::RandomFloats({4, 3, 5, 9}, 12), 1e-5);
    runner.Check(test::RandomFloats({2, 3, 1, 1}, 13), 1e-5);
    CHECK(runner.model->num_plans() == 3);
  }
}

TEST_CASE("in fp16 too") {
  Runner runner(Classifier(), PrecisionMode::kForceFp16);
  runner.Check(test::RandomFloats({3, 3, 8, 8}, 11), 2e-2);
  runner.Check(test::RandomFloats({1, 3, 8, 8}, 12), 2e-2);
}

TEST_CASE("with factors of fp16 and sums in float, which inference alone would not find") {
  Runner runner(Classifier(), PrecisionMode::kCubeFp16InFp32Out);
  runner.Check(test::RandomFloats({3, 3, 8, 8}, 11), 1e-2);
  runner.Check(test::RandomFloats({1, 3, 8, 8}, 12), 1e-2);
  CHECK(runner.model->num_plans() == 2);
}

TEST_CASE("the cache of plans is bounded") {
  Runner runner(Classifier(), PrecisionMode::kKeepOrigin);
  for (int64_t n = 1; n <= static_cast<int64_t>(DynamicModel::kMaxPlans) + 3; ++n) {
    runner.Check(test::RandomFloats({n, 3, 2, 2}, 20), 1e-5);
  }
  CHECK(runner.model->num_plans() == DynamicModel::kMaxPlans);
}

TEST_CASE("where shapes depend on data the model runs operator by operator") {
  auto graph = std::make_unique<Graph>("nonzero");
  const ValueId x = graph->AddData("x", 0, TensorDesc(DT_FLOAT, {-1}));
  Node& found = graph->Add("NonZero", "found", {graph->Add("Relu", "relu", {x}).outputs[0]});
  found.attrs.Set("transpose", AttrValue(true));
  graph->Add("NetOutput", "Node_Output", {found.outputs[0]}, 0);
  Runner runner(std::move(graph), PrecisionMode::kKeepOrigin);
  runner.Check(Tensor::From<float>(DT_FLOAT, {4}, {1, -1, 0, 2}), 0);
  runner.Check(Tensor::From<float>(DT_FLOAT, {3}, {-1, -2, -3}), 0);
}

TEST_CASE("dims outside the range that the model was converted for are refused, naming both") {
  auto graph = Classifier();
  TensorDesc& desc = graph->desc(graph->Find("x")->outputs[0]);
  desc.ranges = {{1, 4}, {3, 3}, {8, -1}, {8, 16}};
  Runner runner(std::move(graph), PrecisionMode::kKeepOrigin);
  runner.Check(test::RandomFloats({4, 3, 100, 16}, 11), 1e-5);
  for (const Shape& shape : {Shape{5, 3, 8, 8}, Shape{0, 3, 8, 8}, Shape{1, 3, 7, 8}, Shape{1, 3, 8, 17}, Shape{3, 8, 8}}) {
    try {
      runner.Run(test::RandomFloats(shape, 11));
      FAIL("no error");
    } catch (const Error& error) {
      CHECK(std::string(error.what()).find("[1~4,3,8~,8~16]") != std::string::npos);
    }
  }
}

TEST_CASE("a shape that the model cannot take names the node") {
  Runner runner(Classifier(), PrecisionMode::kKeepOrigin);
  CHECK_THROWS_AS(runner.Run(test::RandomFloats({1, 4, 8, 8}, 11)), Error);
}

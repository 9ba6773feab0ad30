// A model becomes one of several gears: the graph after the step, its plan, and what each copy computes.
#include "compiler/ir/gears.h"

#include <catch2/catch.hpp>

#include "compiler/clone_gears.h"
#include "compiler/ir/error.h"
#include "compiler/pipeline.h"
#include "compiler/plan/check_overlap.h"
#include "test/compiler/pass_fixture.h"

using namespace atc;
using test::RandomFloats;

namespace {

CompileOptions Options(const char* key, const char* gears, std::vector<InputShapeOption> shapes = {}) {
  CompileOptions options;
  options.output_path = "m";
  options.soc_version = "Ascend910B3";
  options.precision_mode = PrecisionMode::kKeepOrigin;
  options.ge_options[key] = gears;
  options.input_shapes = std::move(shapes);
  return options;
}

// Two inputs, of which the first is convolved, and one that nobody reads.
std::unique_ptr<Graph> Source(Shape x_shape, Shape y_shape) {
  auto graph = std::make_unique<Graph>("g");
  const ValueId x = graph->AddData("x", 0, TensorDesc(DT_FLOAT, std::move(x_shape), FORMAT_NCHW));
  const ValueId y = graph->AddData("y", 1, TensorDesc(DT_FLOAT, std::move(y_shape)));
  graph->AddData("unread", 2, TensorDesc(DT_FLOAT, {5}));
  Node& conv = graph->Add("Conv2D", "conv", {x, graph->AddConst("w", RandomFloats({4, 3, 3, 3}, 1))}, 1);
  conv.attrs.Set("strides", std::vector<int64_t>{1, 1, 1, 1});
  conv.attrs.Set("pads", std::vector<int64_t>{1, 1, 1, 1});
  conv.attrs.Set("data_format", "NCHW");
  Node& relu = graph->Add("Relu", "relu", {conv.outputs[0]}, 1);
  Node& sine = graph->Add("Sin", "sine", {y}, 1);
  graph->Add("NetOutput", "Node_Output", {relu.outputs[0], sine.outputs[0], relu.outputs[0]}, 0);
  return graph;
}

std::unique_ptr<Graph> Cloned(std::unique_ptr<Graph> graph, const CompileOptions& options) {
  Journal journal;
  CloneGears(*graph, options, journal);
  graph->Verify();
  return graph;
}

Shape InputShape(const Graph& graph, size_t input) {
  return graph.desc(graph.node(graph.Inputs()[input]).outputs[0]).origin_shape;
}

}  // namespace

TEST_CASE("a root of inputs, a MapIndex and a Case, and a copy for each gear") {
  const auto root = Cloned(Source({-1, 3, 8, 8}, {-1, 2}), Options("ge.dynamicBatchSize", "1,4,2,"));
  const Gears gears = GearsOf(*root);
  REQUIRE(gears.gears.size() == 3);
  CHECK(gears.kind == GearKind::kBatch);
  CHECK(root->num_nodes() == 8);  // 4 Data, Const, MapIndex, Case, NetOutput
  CHECK(InputShape(*root, 0) == Shape{4, 3, 8, 8});
  CHECK(InputShape(*root, 1) == Shape{4, 2});
  CHECK(root->node(root->Inputs()[3]).name == kGearData);
  CHECK(root->desc(root->node(root->Inputs()[3]).outputs[0]).dtype == DT_INT32);
  CHECK(InputShape(*root, 3) == Shape{1});
  CHECK(ToInts(*root->Constant(root->Find(kGearIndex)->inputs[1])) == std::vector<int64_t>{1, 4, 2});
  const Node& owner = root->node(gears.owner);
  CHECK(owner.Attr<int64_t>(kGearCount) == 3);
  CHECK(owner.Attr<int64_t>(kGearKind) == 1);
  CHECK(owner.Attr<std::vector<std::string>>(kGearOrder) == std::vector<std::string>{"x", "y"});
  CHECK(root->Find("x")->Attr<std::vector<int64_t>>(kGearDims) == std::vector<int64_t>{-1, 3, 8, 8});
  for (size_t i = 0; i < 3; ++i) {
    const Gears::Gear& gear = gears.gears[i];
    const std::string suffix = kGearSuffix + std::to_string(i);
    CHECK(gear.graph->name == "Batch_" + std::to_string(i));
    CHECK(owner.Attr<std::vector<int64_t>>(kGearSizes + std::to_string(i)) == gear.sizes);
    CHECK(InputShape(*gear.graph, 0) == Shape{gear.sizes[0], 3, 8, 8});
    CHECK(gear.graph->Find("conv" + suffix) != nullptr);
    CHECK(OuterInput(*gear.graph->Find("y" + suffix)) == 2);
    CHECK(NameWithoutGear(gear.graph->NetOutput()->name) == "Node_Output");
  }
}

TEST_CASE("image sizes stand for two dims of every input, dims for each by the order of the flag") {
  const auto image = Cloned(Source({1, 3, -1, -1}, {7}), Options("ge.dynamicImageSize", "8,6; 4,20"));
  CHECK(InputShape(*image, 0) == Shape{1, 3, 4, 20});
  CHECK(InputShape(*GearsOf(*image).gears[0].graph, 0) == Shape{1, 3, 8, 6});
  const auto dims =
      Cloned(Source({-1, 3, 8, -1}, {-1, 2}), Options("ge.dynamicDims", "5,1,6;2,3,4", {{"y", {}}, {"x", {}}}));
  // Each input is as large as in the gear where it is largest.
  CHECK(InputShape(*dims, 0) == Shape{3, 3, 8, 4});
  CHECK(InputShape(*dims, 1) == Shape{5, 2});
  CHECK(InputShape(*GearsOf(*dims).gears[0].graph, 0) == Shape{1, 3, 8, 6});
  const auto shapes = GearInputShapes(*dims, GearsOf(*dims));
  CHECK(shapes[1][0] == Shape{3, 3, 8, 4});
  CHECK(shapes[1][2] == Shape{5});
  try {
    Cloned(Source({-1, 3, 8, 8}, {2}), Options("ge.dynamicDims", "1,2;3,4"));
    FAIL("sizes without a dim");
  } catch (const Error& error) {
    CHECK(error.diagnostic().code == "E10001");
  }
}

TEST_CASE("compiled copies compute what the source does, overlay each other and end where the model ends") {
  const std::unique_ptr<Graph> source = Source({-1, 3, 8, 8}, {-1, 2});
  const CompileOptions options = Options("ge.dynamicBatchSize", "1,4,2,");
  Diagnostics diagnostics;
  CompileHooks hooks;
  hooks.verify = true;
  const CompileResult compiled = Compile(source->Clone(), options, &diagnostics, hooks);
  CHECK_FALSE(compiled.model.dynamic);
  const Graph& root = *compiled.model.graph;
  const Gears gears = GearsOf(root);
  InferShapes(*source);
  for (const int32_t batch : {1, 2, 4}) {
    const std::vector<Tensor> inputs = {RandomFloats({batch, 3, 8, 8}, 5), RandomFloats({batch, 2}, 6),
                                        RandomFloats({5}, 7)};
    std::vector<Tensor> given = inputs;
    given.push_back(Tensor::From<int32_t>(DT_INT32, {1}, {batch}));
    const std::vector<Tensor> found = Evaluate(root, given), wanted = Evaluate(*source, inputs);
    REQUIRE(found.size() == wanted.size());
    for (size_t i = 0; i < found.size(); ++i) {
      CHECK(found[i].shape() == wanted[i].shape());
      CHECK(ToDoubles(found[i]) == ToDoubles(wanted[i]));
    }
  }
  const Node& owner = root.node(gears.owner);
  CHECK(root.desc(owner.outputs[0]).origin_shape == Shape{4, 4, 8, 8});
  for (const Gears::Gear& gear : gears.gears) {
    CHECK(CheckOverlap(*gear.graph, compiled.model.memory_size) == std::vector<std::string>{});
    const Node* y = gear.graph->Find("y" + std::string(kGearSuffix) + gear.graph->name.substr(6));
    CHECK(gear.graph->value(y->outputs[0]).offset == root.value(root.Find("y")->outputs[0]).offset);
    CHECK(gear.graph->value(gear.graph->NetOutput()->inputs[1]).offset == root.value(owner.outputs[1]).offset);
    CHECK(gear.graph->node(gear.graph->Inputs()[0]).Attr<std::string>(kGearLabel) == gear.graph->name);
  }
  CompileOptions fixed = options;
  fixed.ge_options.clear();
  std::unique_ptr<Graph> largest = source->Clone();
  largest->desc(largest->Find("x")->outputs[0]).SetShape({4, 3, 8, 8});
  largest->desc(largest->Find("y")->outputs[0]).SetShape({4, 2});
  const CompileResult alone = Compile(std::move(largest), fixed, &diagnostics, hooks);
  // The result that leaves twice has a place for each, and the gear a few bytes.
  CHECK(compiled.model.memory_size <= alone.model.memory_size + 4608 + 2048);
}

TEST_CASE("a result of no known shape leaves the model to be planned when it runs") {
  auto graph = std::make_unique<Graph>("g");
  const ValueId x = graph->AddData("x", 0, TensorDesc(DT_FLOAT, {-1}));
  Node& where = graph->Add("NonZero", "where", {x}, 1);
  graph->Add("NetOutput", "Node_Output", {where.outputs[0]}, 0);
  Diagnostics diagnostics;
  const CompileResult compiled = Compile(std::move(graph), Options("ge.dynamicBatchSize", "2,3"), &diagnostics, {});
  CHECK(compiled.model.dynamic);
  const std::vector<Tensor> found =
      Evaluate(*compiled.model.graph, {RandomFloats({3}, 1, 1, 2), Tensor::From<int32_t>(DT_INT32, {1}, {3})});
  CHECK(found[0].NumElements() == 3);
}

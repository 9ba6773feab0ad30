// Graphs that nodes own, run as plans with streams of their own.
#include "backend/executor/nested_plans.h"

#include "compiler/ir/stream_label.h"
#include "compiler/ops/inference.h"
#include "test/backend/executor/static_runner.h"
#include "test/compiler/pass_fixture.h"

using namespace atc;

namespace {

ValueId Op(Graph& graph, const char* type, std::vector<ValueId> inputs, const char* label = nullptr) {
  Node& node = graph.Add(type, "", std::move(inputs), 1);
  node.origin = graph.origins().Leaf(node.name);
  if (label != nullptr) node.attrs.Set(kUserStreamLabel, label);
  return node.outputs[0];
}

// then: two products on streams of their own, added; else: the input's negative.
std::unique_ptr<Graph> Choice(const Shape& shape) {
  auto graph = std::make_unique<Graph>("choice");
  const ValueId condition = graph->AddData("condition", 0, TensorDesc(DT_BOOL, Shape{}, FORMAT_ND));
  const ValueId x = graph->AddData("x", 1, TensorDesc(DT_FLOAT, shape, FORMAT_ND));
  Node& choice = graph->Add("If", "choice", {condition, x}, 1);
  choice.origin = graph->origins().Leaf("choice");
  for (const bool truth : {true, false}) {
    Graph& branch = graph->AddSubgraph(choice, truth ? "then_branch" : "else_branch");
    const ValueId in = branch.AddData(truth ? "then_x" : "else_x", 0, TensorDesc(DT_FLOAT, shape, FORMAT_ND));
    branch.producer(in).attrs.Set("_parent_node_index", 1);
    ValueId out = kNoId;
    if (truth) {
      const auto side = [&](const char* label, uint32_t seed) {
        const ValueId w = branch.AddConst(label, test::RandomFloats({16, 16}, seed));
        return Op(branch, "SoftmaxV2", {Op(branch, "MatMulV2", {in, w}, label)}, label);
      };
      out = Op(branch, "Add", {side("left", 1), side("right", 2)}, "left");
    } else {
      out = Op(branch, "Neg", {in});
    }
    branch.Add("NetOutput", truth ? "then_end" : "else_end", {out}, 0);
  }
  const ValueId end = Op(*graph, "Tanh", {choice.outputs[0]});
  graph->Add("NetOutput", "Node_Output", {end}, 0);
  InferShapes(*graph);
  return graph;
}

}  // namespace

TEST_CASE("the branches of a choice run as plans on several streams, and give what the evaluator gives") {
  const Shape shape = {4, 16};
  const auto source = Choice(shape);
  CompileOptions compile;
  compile.output_path = "choice";
  compile.soc_version = "Ascend910B3";
  compile.precision_mode = PrecisionMode::kKeepOrigin;
  Diagnostics diagnostics;
  setenv("ENABLE_DYNAMIC_SHAPE_MULTI_STREAM", "1", 1);
  const std::string om = WriteOm(Compile(Choice(shape), compile, &diagnostics).model);
  unsetenv("ENABLE_DYNAMIC_SHAPE_MULTI_STREAM");
  runtime::Memory memory{uint64_t{1} << 30};
  runtime::Device device{0, memory};
  runtime::Stream stream{device, 0};
  LoadOptions load;
  load.device = &device;
  load.cores = 2;
  const auto model = LoadedModel::Load(std::as_bytes(std::span(om.data(), om.size())), load);
  CHECK(model->info().streams > 1);
  for (int run = 0; run < 6; ++run) {
    Tensor condition = Tensor::From<uint8_t>(DT_BOOL, Shape{}, {static_cast<uint8_t>(run % 2)});
    Tensor x = test::RandomFloats(shape, static_cast<uint32_t>(10 + run));
    const auto expected = Evaluate(*source, {condition, x});
    std::vector<TensorView> in = {{condition.MutableData<std::byte>(), 1, Shape{}},
                                  {x.MutableData<std::byte>(), x.NumBytes(), shape}};
    Tensor result = Tensor::Allocate(DT_FLOAT, shape);
    std::vector<TensorView> out = {{result.MutableData<std::byte>(), result.NumBytes(), shape}};
    model->Execute(in, out, stream);
    for (int64_t i = 0; i < 64; ++i) CHECK(result.Data<float>()[i] == Approx(expected[0].Data<float>()[i]).margin(1e-6));
  }
  // What the plans hold counts as memory of the model.
  CHECK(model->info().peak_bytes > model->info().weight_bytes);
}

TEST_CASE("a graph is planned for shapes that come again, and left alone where each is new") {
  runtime::Memory memory{uint64_t{1} << 30};
  runtime::Device device{0, memory};
  LoadOptions options;
  options.device = &device;
  OmModel model;
  model.stream_num = 1;
  model.graph = std::make_unique<Graph>("body");
  Graph& graph = *model.graph;
  const ValueId x = graph.AddData("x", 0, TensorDesc(DT_FLOAT, {kUnknownDim}, FORMAT_ND));
  Node& relu = graph.Add("Relu", "relu", {x}, 1);
  relu.stream = 0;
  graph.Add("NetOutput", "Node_Output", {relu.outputs[0]}, 0);
  InferShapes(graph);
  const auto input = [](int64_t size) { return test::RandomFloats({size}, 1, -1, 1); };

  NestedPlans plans(model, options);
  for (int run = 0; run < 5; ++run) {
    const auto results = plans.Run(graph, {input(64)});
    REQUIRE(results);
    for (int64_t i = 0; i < 64; ++i) {
      CHECK((*results)[0].Data<float>()[i] == std::max(0.0f, input(64).Data<float>()[i]));
    }
  }
  const uint64_t bytes = plans.bytes();
  CHECK(bytes > 0);
  CHECK(plans.Run(graph, {input(32)}));

  NestedPlans growing(model, options);
  int planned = 0;
  for (int64_t size = 1; size <= 40; ++size) planned += growing.Run(graph, {input(size)}).has_value();
  CHECK(planned == 2);
  CHECK(growing.Run(graph, {input(1)}));  // those that were made serve all the same
  CHECK_FALSE(growing.Run(graph, {Tensor()}));
}

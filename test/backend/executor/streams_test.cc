// Models of several streams, from a graph to the device: the plan is judged by the checkers, the numbers by the
// evaluator.
#include <catch2/catch.hpp>
#include <cmath>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "backend/executor/model.h"
#include "backend/runtime/device.h"
#include "backend/runtime/memory.h"
#include "backend/runtime/stream.h"
#include "compiler/ir/stream_label.h"
#include "compiler/om/writer.h"
#include "compiler/ops/evaluator.h"
#include "compiler/pipeline.h"
#include "compiler/plan/check_order.h"
#include "compiler/plan/check_overlap.h"
#include "test/compiler/pass_fixture.h"

using namespace atc;

namespace {

constexpr int kRuns = 200;

// Builds a graph whose nodes carry stream labels.
struct Labelled {
  std::unique_ptr<Graph> graph = std::make_unique<Graph>("streams");
  std::vector<Shape> inputs;

  ValueId Input(Shape shape) {
    inputs.push_back(shape);
    const auto index = static_cast<int64_t>(inputs.size()) - 1;
    return graph->AddData("x" + std::to_string(index), index, TensorDesc(DT_FLOAT, shape, FORMAT_NCHW));
  }
  ValueId Weights(Shape shape, uint32_t seed) {
    return graph->AddConst("w" + std::to_string(seed), test::RandomFloats(std::move(shape), seed, -0.2f, 0.2f));
  }
  ValueId Op(const char* type, std::vector<ValueId> in, const std::string& label) {
    Node& node = graph->Add(type, "", std::move(in), 1);
    node.origin = graph->origins().Leaf(node.name);
    if (!label.empty()) node.attrs.Set(kUserStreamLabel, label);
    return node.outputs[0];
  }
  ValueId Conv(ValueId x, ValueId w, const std::string& label) {
    const ValueId y = Op("Conv2D", {x, w}, label);
    Node& node = graph->producer(y);
    node.attrs.Set("strides", std::vector<int64_t>{1, 1, 1, 1});
    node.attrs.Set("pads", std::vector<int64_t>{1, 1, 1, 1});
    node.attrs.Set("data_format", "NCHW");
    return y;
  }
  void Output(std::vector<ValueId> values) { graph->Add("NetOutput", "Node_Output", std::move(values), 0); }
};

// Branches of matrix products that read each other's middle values, so that events go both ways between all streams.
Labelled Branches(int count) {
  Labelled g;
  const ValueId x = g.Input({24, 32});
  std::vector<ValueId> at;
  for (int b = 0; b < count; ++b) at.push_back(x);
  uint32_t seed = 1;
  for (int round = 0; round < 3; ++round) {
    std::vector<ValueId> next;
    for (int b = 0; b < count; ++b) {
      const std::string label = "branch_" + std::to_string(b);
      const ValueId product = g.Op("MatMulV2", {at[b], g.Weights({32, 32}, seed++)}, label);
      const ValueId crossed = g.Op("Add", {product, at[(b + 1) % count]}, label);
      next.push_back(g.Op("Tanh", {crossed}, label));
    }
    at = next;
  }
  ValueId sum = at[0];
  for (int b = 1; b < count; ++b) sum = g.Op("Mul", {sum, at[b]}, "join");
  g.Output({sum, at[count - 1]});
  return g;
}

// Two branches of convolutions that meet: blocked formats on both streams.
Labelled Convolutions() {
  Labelled g;
  const ValueId x = g.Input({1, 8, 12, 10});
  std::vector<ValueId> ends;
  for (const uint32_t b : {0u, 1u}) {
    const std::string label = b == 0 ? "left" : "right";
    const ValueId first = g.Op("Relu", {g.Conv(x, g.Weights({16, 8, 3, 3}, 10 + b), label)}, label);
    ends.push_back(g.Op("Sigmoid", {g.Conv(first, g.Weights({16, 16, 3, 3}, 20 + b), label)}, label));
  }
  g.Output({g.Op("Add", {ends[0], ends[1]}, "left")});
  return g;
}

// Four branches of convolutions from one input that meet, as in an Inception block.
Labelled Branching() {
  Labelled g;
  const ValueId x = g.Input({1, 8, 24, 24});
  std::vector<ValueId> ends;
  for (uint32_t b = 0; b < 4; ++b) {
    ValueId at = x;
    for (uint32_t i = 0; i < 5; ++i) at = g.Op("Softsign", {g.Conv(at, g.Weights({8, 8, 3, 3}, 100 + 10 * b + i), "")}, "");
    ends.push_back(at);
  }
  const ValueId sum = g.Op("Add", {g.Op("Add", {ends[0], ends[1]}, ""), g.Op("Add", {ends[2], ends[3]}, "")}, "");
  g.Output({sum});
  return g;
}

CompileOptions Options(PrecisionMode precision) {
  CompileOptions options;
  options.output_path = "streams";
  options.soc_version = "Ascend910B3";
  options.precision_mode = precision;
  return options;
}

std::vector<Tensor> RandomInputs(const Labelled& g, uint32_t seed) {
  std::vector<Tensor> inputs;
  for (const Shape& shape : g.inputs) inputs.push_back(test::RandomFloats(shape, seed + 100));
  return inputs;
}

CompileResult CompileAndCheck(Labelled& g, PrecisionMode precision) {
  Diagnostics diagnostics;
  CompileHooks hooks;
  hooks.verify = true;
  CompileResult result = Compile(std::move(g.graph), Options(precision), &diagnostics, hooks);
  CHECK(CheckOrder(*result.model.graph) == std::vector<std::string>{});
  CHECK(CheckOverlap(*result.model.graph, result.model.memory_size) == std::vector<std::string>{});
  return result;
}

// Runs the model again and again on inputs that change, and compares each output with the evaluator's on the source.
void RunsAsEvaluated(Labelled g, int64_t streams, int runs) {
  const std::unique_ptr<Graph> source = g.graph->Clone();
  const CompileResult result = CompileAndCheck(g, PrecisionMode::kKeepOrigin);
  REQUIRE(result.model.stream_num == streams);
  REQUIRE(result.model.event_num > 0);
  CHECK(result.cross_stream_edges >= result.model.event_num);

  const std::string om = WriteOm(result.model);
  runtime::Memory memory{uint64_t{1} << 30};
  runtime::Device device{0, memory};
  runtime::Stream stream{device, 0};
  LoadOptions options;
  options.device = &device;
  options.cores = 2;
  const auto model = LoadedModel::Load(std::as_bytes(std::span(om.data(), om.size())), options);
  REQUIRE(model->info().streams == streams);
  REQUIRE(model->info().events == static_cast<uint32_t>(result.model.event_num));

  constexpr uint32_t kSets = 4;  // of inputs: a value of the run before must not survive
  std::vector<std::vector<Tensor>> inputs, expected;
  for (uint32_t set = 0; set < kSets; ++set) {
    inputs.push_back(RandomInputs(g, set));
    expected.push_back(Evaluate(*source, inputs.back()));
  }
  double largest = 0;
  for (int run = 0; run < runs; ++run) {
    std::vector<TensorView> in, out;
    for (Tensor& tensor : inputs[run % kSets]) {
      in.push_back({tensor.MutableData<std::byte>(), tensor.NumBytes(), tensor.shape()});
    }
    std::vector<Tensor> found;
    for (const Tensor& tensor : expected[run % kSets]) {
      found.push_back(Tensor::Allocate(DT_FLOAT, tensor.shape()));
      out.push_back({found.back().MutableData<std::byte>(), found.back().NumBytes(), {}});
    }
    model->Execute(in, out, stream);
    for (size_t k = 0; k < found.size(); ++k) {
      REQUIRE(out[k].shape == found[k].shape());
      for (int64_t i = 0; i < found[k].NumElements(); ++i) {
        const double error = std::abs(found[k].Data<float>()[i] - expected[run % kSets][k].Data<float>()[i]);
        largest = std::isnan(error) ? INFINITY : std::max(largest, error);
      }
    }
    if (largest > 1e-5) FAIL("run " << run << ": largest error " << largest);
  }
}

}  // namespace

TEST_CASE("two branches of matrix products that read each other run on three streams") {
  RunsAsEvaluated(Branches(2), 3, kRuns);
}

// `side` stands still until `start` begins it, which comes after the first product; what begins it is no event.
TEST_CASE("a stream that a StreamActive starts sees what was there before") {
  Labelled g;
  const ValueId x = g.Input({24, 32});
  const ValueId first = g.Op("MatMulV2", {x, g.Weights({32, 32}, 1)}, "main");
  Node& start = g.graph->Add("StreamActive", "start", {}, 0);
  start.attrs.Set(kUserStreamLabel, std::string("main"));
  start.attrs.Set("active_label_list", std::vector<std::string>{"side"});
  g.graph->AddControl(g.graph->producer(first).id, start.id);
  const ValueId side = g.Op("Tanh", {g.Op("MatMulV2", {first, g.Weights({32, 32}, 2)}, "side")}, "side");
  g.graph->AddControl(start.id, g.graph->producer(g.graph->producer(side).inputs[0]).id);
  const ValueId main = g.Op("Sigmoid", {g.Op("MatMulV2", {first, g.Weights({32, 32}, 3)}, "main")}, "main");
  g.Output({g.Op("Add", {main, side}, "main")});
  RunsAsEvaluated(std::move(g), 2, kRuns);
}

TEST_CASE("five branches of matrix products run on six streams") { RunsAsEvaluated(Branches(5), 6, kRuns); }

TEST_CASE("two branches of convolutions in blocked formats run on their streams") {
  RunsAsEvaluated(Convolutions(), 2, kRuns);
}

TEST_CASE("a model may have more streams than are usual, one a task") {
  Labelled g;
  const ValueId x = g.Input({4, 8});
  std::vector<ValueId> all;
  for (int i = 0; i < 1500; ++i) all.push_back(g.Op("Tanh", {x}, "s" + std::to_string(i)));
  const auto joined = g.Op("ConcatD", all, "join");
  g.graph->producer(joined).attrs.Set("concat_dim", 0);
  g.graph->producer(joined).attrs.Set("N", static_cast<int64_t>(all.size()));
  g.Output({joined});
  RunsAsEvaluated(std::move(g), 1501, 4);
}

TEST_CASE("every task of a labelled model, casts and format changes included, is on a labelled stream") {
  Labelled g = Convolutions();
  const CompileResult result = CompileAndCheck(g, PrecisionMode::kForceFp16);
  CHECK(result.model.stream_num == 2);
  std::set<std::string> types;
  for (NodeId id = 0; id < result.model.graph->node_capacity(); ++id) {
    const Node& node = result.model.graph->node(id);
    if (!node.alive || node.stream < 0 || node.type() == "Send" || node.type() == "Recv") continue;
    INFO(node.name << " (" << node.type().str() << ")");
    CHECK(!StreamLabelOf(node).empty());
    types.insert(node.type().str());
  }
  CHECK(types.contains("Cast"));
  CHECK(types.contains("TransData"));
}

TEST_CASE("the automatic modes give the bits of a single stream, run after run") {
  const auto outputs = [](std::string_view text, const std::vector<Tensor>& inputs, int runs, int64_t* streams) {
    Labelled g = Branching();
    CompileOptions compile = Options(PrecisionMode::kForceFp16);
    compile.single_stream = runs == 1;
    compile.parallel_mode = *ParseParallelMode(text);
    if (runs > 1) compile.max_stream_tasks = 40;  // so that long streams are split too
    Diagnostics diagnostics;
    const CompileResult result = Compile(std::move(g.graph), compile, &diagnostics);
    CHECK(CheckOrder(*result.model.graph) == std::vector<std::string>{});
    CHECK(CheckOverlap(*result.model.graph, result.model.memory_size) == std::vector<std::string>{});
    *streams = result.model.stream_num;
    const std::string om = WriteOm(result.model);
    runtime::Memory memory{uint64_t{1} << 30};
    runtime::Device device{0, memory};
    runtime::Stream stream{device, 0};
    LoadOptions options;
    options.device = &device;
    options.cores = 2;
    const auto model = LoadedModel::Load(std::as_bytes(std::span(om.data(), om.size())), options);
    std::vector<std::string> found;
    for (int run = 0; run < runs; ++run) {
      std::vector<TensorView> in, out;
      std::vector<Buffer> buffers;
      for (const Tensor& tensor : inputs) in.push_back({const_cast<std::byte*>(tensor.Data<std::byte>()), tensor.NumBytes(), tensor.shape()});
      for (const TensorInfo& info : model->info().outputs) {
        buffers.push_back(Buffer::Allocate(info.bytes));
        out.push_back({buffers.back().data, info.bytes, {}});
      }
      model->Execute(in, out, stream);
      std::string bytes;
      for (size_t k = 0; k < out.size(); ++k) bytes.append(reinterpret_cast<const char*>(buffers[k].data), out[k].bytes);
      found.push_back(std::move(bytes));
    }
    return found;
  };
  const std::vector<Tensor> inputs = RandomInputs(Branching(), 3);
  int64_t streams = 0;
  const std::string expected = outputs("", inputs, 1, &streams)[0];
  CHECK(streams == 1);
  for (const char* mode : {"", "cv", "LoadBalance:2", "LoadBalance:4", "MainStream:3", "WeightedLoadBalance:4"}) {
    INFO(mode);
    for (const std::string& bytes : outputs(mode, inputs, 50, &streams)) REQUIRE((bytes == expected));
    CHECK(streams >= 2);
  }
}

TEST_CASE("a stream label and --enable_single_stream exclude each other, also when the labelled nodes are fused") {
  Labelled g;
  const ValueId x = g.Input({4, 4});
  g.Output({g.Op("Tanh", {g.Op("Relu", {x}, "a")}, "a")});
  CompileOptions options = Options(PrecisionMode::kKeepOrigin);
  options.single_stream = true;
  Diagnostics diagnostics;
  try {
    Compile(std::move(g.graph), options, &diagnostics);
    FAIL("compiled");
  } catch (const Error& error) {
    CHECK(error.diagnostic().code == "E10055");
  }
}

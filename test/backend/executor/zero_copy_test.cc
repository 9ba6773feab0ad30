// Inputs and outputs where the caller has them, parts that lie in their whole, and planned workspaces, on the device.
#include <cstring>

#include "compiler/plan/memory.h"
#include "compiler/plan/parts.h"
#include "test/backend/executor/static_runner.h"
#include "test/compiler/pass_fixture.h"

using namespace atc;

namespace {

ValueId Op(Graph& graph, const char* type, std::vector<ValueId> inputs) {
  Node& node = graph.Add(type, "", std::move(inputs), 1);
  node.origin = graph.origins().Leaf(node.name);
  return node.outputs[0];
}

// Two products whose results are joined, taken apart, and joined again: out = [tanh(b), relu(a)], and x as it is.
std::unique_ptr<Graph> Joined() {
  auto graph = std::make_unique<Graph>("joined");
  const ValueId x = graph->AddData("x", 0, TensorDesc(DT_FLOAT, {4, 16}, FORMAT_ND));
  const auto product = [&](const char* name, uint32_t seed) {
    return Op(*graph, "SoftmaxV2", {Op(*graph, "MatMulV2", {x, graph->AddConst(name, test::RandomFloats({16, 16}, seed))})});
  };
  const ValueId both = Op(*graph, "ConcatD", {product("v", 1), product("w", 2)});
  graph->producer(both).attrs.Set("concat_dim", 0);
  graph->producer(both).attrs.Set("N", 2);
  Node& split = graph->Add("SplitD", "split", {Op(*graph, "Tanh", {both})}, 2);
  split.origin = graph->origins().Leaf("split");
  split.attrs.Set("split_dim", 0);
  split.attrs.Set("num_split", 2);
  const ValueId again = Op(*graph, "ConcatD", {Op(*graph, "SoftmaxV2", {split.outputs[1]}), Op(*graph, "SoftmaxV2", {split.outputs[0]})});
  graph->producer(again).attrs.Set("concat_dim", 0);
  graph->producer(again).attrs.Set("N", 2);
  graph->Add("NetOutput", "Node_Output", {again, x}, 0);
  return graph;
}

TensorView View(Tensor& tensor) { return {tensor.MutableData<std::byte>(), tensor.NumBytes(), tensor.shape()}; }

}  // namespace

TEST_CASE("parts lie in their whole on the device: fewer tasks, the same bytes") {
  const Tensor x = test::RandomFloats({4, 16}, 3);
  const auto expected = Evaluate(*Joined(), {x});
  test::StaticRunner runner(Joined());
  int without_task = 0;
  for (NodeId id = 0; id < runner.compiled->node_capacity(); ++id) {
    without_task += runner.compiled->node(id).attrs.Get<bool>(kNoTaskFlag, false);
  }
  CHECK(without_task == 3);
  const auto tasks = runner.model->info().tasks;
  const auto results = runner.Run({x});
  for (size_t i = 0; i < 64; ++i) CHECK(results[0].Data<float>()[i] == Approx(expected[0].Data<float>()[i]).margin(1e-6));
  CHECK(test::SameBytes(results[1], x));

  // Each of the three keeps its task where it must not share bytes.
  auto stated = Joined();
  for (NodeId id = 0; id < stated->node_capacity(); ++id) {
    Node& node = stated->node(id);
    if (node.type() == "ConcatD" || node.type() == "SplitD") node.attrs.Set("no_reuse_mem_flag", true);
  }
  test::StaticRunner other(std::move(stated));
  CHECK(other.model->info().tasks == tasks + 3);
  CHECK(test::SameBytes(other.Run({x})[0], results[0]));
}

TEST_CASE("tasks read inputs and write outputs where the caller has them, and nothing else is touched") {
  test::StaticRunner runner(Joined());
  Tensor x = test::RandomFloats({4, 16}, 3);
  const auto expected = runner.Run({x});
  Tensor room = Tensor::Allocate(DT_FLOAT, {1024});
  auto* bytes = room.MutableData<std::byte>();
  const size_t size = 8 * 16 * sizeof(float);
  // By where the output begins: aligned, aligned enough, and not.
  for (const size_t at : {size_t{0}, size_t{32}, size_t{64}, size_t{4}}) {
    std::memset(bytes, 0x5a, 1024 * sizeof(float));
    Tensor second = Tensor::Allocate(DT_FLOAT, {4, 16});
    std::vector<TensorView> in = {View(x)};
    std::vector<TensorView> out = {{bytes + at, size, {}}, View(second)};
    runner.model->Execute(in, out, runner.stream);
    CHECK(std::memcmp(bytes + at, expected[0].Data(), size) == 0);
    CHECK(test::SameBytes(second, x));
    CHECK(out[0].shape == Shape{8, 16});
    for (size_t i = 0; i < 1024 * sizeof(float); ++i) {
      if ((i < at || i >= at + size) && bytes[i] != std::byte{0x5a}) FAIL("byte " << i << " was written");
    }
  }
  CHECK(test::SameBytes(x, test::RandomFloats({4, 16}, 3)));
}

TEST_CASE("an output in the memory of an input or of another output is right all the same") {
  test::StaticRunner runner(Joined());
  Tensor x = test::RandomFloats({4, 16}, 3);
  const auto expected = runner.Run({x});
  Tensor room = Tensor::Allocate(DT_FLOAT, {8, 16});
  std::memcpy(room.MutableData(), x.Data(), x.NumBytes());
  Tensor second = Tensor::Allocate(DT_FLOAT, {4, 16});
  std::vector<TensorView> in = {{room.MutableData<std::byte>(), x.NumBytes(), x.shape()}};
  std::vector<TensorView> out = {View(room), View(second)};
  runner.model->Execute(in, out, runner.stream);
  CHECK(test::SameBytes(room, expected[0]));
  // Runs after that, with memory of their own, are right too.
  CHECK(test::SameBytes(runner.Run({x})[0], expected[0]));
}

TEST_CASE("a workspace is planned, kept in the om, and used by what needs one") {
  auto graph = Joined();
  for (NodeId id = 0; id < graph->node_capacity(); ++id) {
    if (graph->node(id).type() == "MatMulV2") graph->node(id).attrs.Set(kWorkspaceBytes, std::vector<int64_t>{1 << 16, 100});
  }
  const Tensor x = test::RandomFloats({4, 16}, 3);
  test::StaticRunner with(std::move(graph), PrecisionMode::kForceFp16);
  test::StaticRunner without(Joined(), PrecisionMode::kForceFp16);
  int asked = 0;
  for (NodeId id = 0; id < with.compiled->node_capacity(); ++id) {
    const Node& node = with.compiled->node(id);
    if (node.workspace_bytes.empty()) continue;
    ++asked;
    CHECK(node.workspace_bytes == std::vector<int64_t>{1 << 16, 100});
    CHECK(node.workspace_offset.size() == 2);
  }
  CHECK(asked > 0);
  CHECK(with.model->info().arena_bytes >= without.model->info().arena_bytes + (1 << 16) + 512);
  CHECK(test::SameBytes(with.Run({x})[0], without.Run({x})[0]));
}

TEST_CASE("a constant that is made by a task and seen under another shape is written where it is planned") {
  auto graph = std::make_unique<Graph>("constants");
  const ValueId x = graph->AddData("x", 0, TensorDesc(DT_FLOAT, {600, 600}, FORMAT_ND));
  const ValueId dims = graph->AddConst("dims", Tensor::Ints({360000}));
  const ValueId two = graph->AddConst("two", Tensor::From<float>(DT_FLOAT, {1}, {2}));
  const ValueId shape = graph->AddConst("shape", Tensor::Ints({600, 600}));
  const ValueId filled = Op(*graph, "Fill", {dims, two});
  const ValueId seen = Op(*graph, "Reshape", {filled, shape});
  graph->Add("NetOutput", "Node_Output", {Op(*graph, "SoftmaxV2", {Op(*graph, "Add", {x, seen})}), Op(*graph, "Mul", {seen, x})}, 0);
  const Tensor input = test::RandomFloats({600, 600}, 5);
  test::StaticRunner runner(std::move(graph));
  for (int run = 0; run < 2; ++run) {
    const auto results = runner.Run({input});
    for (size_t i = 0; i < 360000; i += 999) CHECK(results[1].Data<float>()[i] == 2 * input.Data<float>()[i]);
  }
}

#include "compiler/plan/memory.h"

#include <catch2/catch.hpp>
#include <string_view>

#include "compiler/plan/check_overlap.h"
#include "compiler/streams/logical_streams.h"
#include "test/compiler/graph_families.h"
#include "test/compiler/random_graph.h"

using namespace atc;

TEST_CASE("a tensor takes its bytes plus 32, rounded up to 32") {
  CHECK(PaddedTensorBytes(TensorDesc(DT_FLOAT, {0})) == 32);
  CHECK(PaddedTensorBytes(TensorDesc(DT_FLOAT, {1})) == 64);
  CHECK(PaddedTensorBytes(TensorDesc(DT_FLOAT, {8})) == 64);
  CHECK(PaddedTensorBytes(TensorDesc(DT_FLOAT16, {17})) == 96);
}

TEST_CASE("no two values that are needed at once share bytes, on random graphs and streams") {
  for (uint32_t seed = 0; seed < 200; ++seed) {
    const auto graph = test::RandomGraph(seed, 20, 1 + static_cast<int>(seed % 4));
    const MemoryPlan plan = PlanMemory(*graph, true);
    INFO("seed " << seed);
    CHECK(CheckOverlap(*graph, plan.memory_size) == std::vector<std::string>{});
    CHECK(plan.memory_size <= plan.without_reuse);
    CHECK(plan.memory_size >= plan.lower_bound);
  }
}

TEST_CASE("a chain of elementwise tasks on one stream needs one buffer besides its interface") {
  Graph graph("chain");
  ValueId value = graph.AddData("data", 0, TensorDesc(DT_FLOAT, {120}));  // 512 bytes with padding
  for (int i = 0; i < 6; ++i) {
    Node& node = graph.Add("Relu", "relu" + std::to_string(i), {value}, 1);
    node.stream = 0;
    graph.desc(node.outputs[0]) = TensorDesc(DT_FLOAT, {120});
    value = node.outputs[0];
  }
  graph.Add("NetOutput", "Node_Output", {value}, 0);
  const MemoryPlan plan = PlanMemory(graph, true);
  CHECK(plan.memory_size == 3 * 512);
  CHECK(plan.without_reuse == 7 * 512);
  CHECK(plan.zero_copy_memory_size == 2 * 512);
  CHECK(PlanMemory(graph, false).memory_size == 7 * 512);
}

namespace {

// data -> a -> b, c -> d -> output; c is on `stream` of c.
struct Diamond {
  Graph graph{"diamond"};
  ValueId data = graph.AddData("data", 0, TensorDesc(DT_FLOAT, {120}));
  ValueId a, b, c, d;

  ValueId Op(const char* type, const char* name, std::vector<ValueId> inputs, int32_t stream) {
    Node& node = graph.Add(type, name, std::move(inputs), 1);
    node.stream = stream;
    graph.desc(node.outputs[0]) = TensorDesc(DT_FLOAT, {120});
    return node.outputs[0];
  }
  explicit Diamond(int32_t stream_of_c) {
    a = Op("Relu", "a", {data}, 0);
    b = Op("Relu", "b", {a}, 0);
    c = Op("Relu", "c", {a}, stream_of_c);
    d = Op("Add", "d", {b, c}, 0);
    graph.Add("NetOutput", "Node_Output", {Op("Relu", "e", {d}, 0)}, 0);
  }
  int64_t At(ValueId value) const { return graph.value(value).offset; }
};

}  // namespace

TEST_CASE("a task writes over an input when all who use it are over by happens-before") {
  Diamond one(0);
  const MemoryPlan plan = PlanMemory(one.graph, true);
  CHECK(CheckOverlap(one.graph, plan.memory_size) == std::vector<std::string>{});
  CHECK(one.At(one.b) != one.At(one.a));  // c still reads it
  CHECK(one.At(one.c) == one.At(one.a));
  CHECK(one.At(one.d) == one.At(one.b));
  CHECK(one.At(one.a) != one.At(one.data));
  CHECK(plan.memory_size == 4 * 512);

  // Nothing says who of b and c is first.
  Diamond two(1);
  const MemoryPlan other = PlanMemory(two.graph, true);
  CHECK(CheckOverlap(two.graph, other.memory_size) == std::vector<std::string>{});
  CHECK(two.At(two.b) != two.At(two.a));
  CHECK(two.At(two.c) != two.At(two.a));
  two.graph.value(two.c).offset = two.At(two.a);
  CHECK_FALSE(CheckOverlap(two.graph, other.memory_size).empty());
}

TEST_CASE("nothing writes over an input of another shape or type, or that is read at other places") {
  Diamond shape(0);
  shape.graph.desc(shape.data).SetShape({1});
  shape.graph.desc(shape.a).SetShape({1});
  shape.graph.desc(shape.b).SetShape({1});
  shape.graph.desc(shape.c).SetShape({120});
  const MemoryPlan plan = PlanMemory(shape.graph, true);
  CHECK(shape.At(shape.b) != shape.At(shape.a));
  CHECK(shape.At(shape.c) != shape.At(shape.a));
  CHECK(shape.At(shape.d) == shape.At(shape.c));
  CHECK(CheckOverlap(shape.graph, plan.memory_size) == std::vector<std::string>{});
  // A task that is not elementwise in the place of one that is: it reads what it has overwritten.
  Diamond softmax(0);
  const MemoryPlan planned = PlanMemory(softmax.graph, true);
  softmax.graph.producer(softmax.c).def = OpRegistry::Get().Find("SoftmaxV2");
  CHECK_FALSE(CheckOverlap(softmax.graph, planned.memory_size).empty());
}

TEST_CASE("many streams that know little of each other share memory all the same") {
  // Too many buffers for a look at all pairs; what is wasted does not grow with the graph.
  for (const test::GraphFamily& family : test::kGraphFamilies) {
    if (std::string_view(family.name) != "labelled") continue;
    const auto graph = family.make(1, 30000, test::Nodes::kTasks);
    PlaceOnEngines(*graph, EngineTable::Default(), false);
    CHECK(AssignLogicalStreams(*graph, {}) == 300);
    const MemoryPlan plan = PlanMemory(*graph, true);
    CHECK(CheckOverlap(*graph, plan.memory_size) == std::vector<std::string>{});
    CHECK_FALSE(plan.lower_bound_exact);
    CHECK(plan.memory_size >= plan.lower_bound);
    CHECK(plan.memory_size <= plan.lower_bound * 5 / 4);
    // The heaviest set of the whole has 3,750,400 bytes, found once without a limit; one launch needs a third of it.
    CHECK(plan.lower_bound > 3'000'000);
    CHECK(plan.lower_bound <= 3'750'400);
  }
}

TEST_CASE("the checker sees two live values in one place") {
  const auto graph = test::RandomGraph(1, 12, 2);
  const MemoryPlan plan = PlanMemory(*graph, true);
  graph->value(graph->Find("node11")->outputs[0]).offset = graph->value(graph->Find("data")->outputs[0]).offset;
  CHECK_FALSE(CheckOverlap(*graph, plan.memory_size).empty());
}

TEST_CASE("outputs of nodes that are named, by name or type of any version, share memory with nothing") {
  for (const char* entry : {"node3", "FusedElementwise"}) {
    const auto graph = test::RandomGraph(5, 30, 2);
    const MemoryPlan plan = PlanMemory(*graph, true, {entry});
    INFO(entry);
    CHECK(CheckOverlap(*graph, plan.memory_size) == std::vector<std::string>{});
    const Value& kept = graph->value(graph->Find("node3")->outputs[0]);
    for (ValueId id = 0; id < graph->value_capacity(); ++id) {
      const Value& other = graph->value(id);
      if (&other == &kept) continue;
      CHECK((other.offset + other.size <= kept.offset || other.offset >= kept.offset + kept.size));
    }
    if (std::string(entry) != "node3") CHECK(plan.memory_size == plan.without_reuse);
  }
  Graph graph("versions");
  const ValueId data = graph.AddData("data", 0, TensorDesc(DT_FLOAT, {120}));
  ValueId at = data;
  for (int i = 0; i < 4; ++i) {
    Node& node = graph.Add("MatMulV2", "m" + std::to_string(i), {at, data}, 1);
    node.stream = 0;
    graph.desc(node.outputs[0]) = TensorDesc(DT_FLOAT, {120});
    at = node.outputs[0];
  }
  graph.Add("NetOutput", "Node_Output", {at}, 0);
  CHECK(PlanMemory(graph, true).memory_size == 4 * 512);
  CHECK(PlanMemory(graph, true, {"MatMul"}).memory_size == 5 * 512);
}

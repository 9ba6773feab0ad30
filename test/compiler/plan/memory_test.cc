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

TEST_CASE("a chain on one stream needs two buffers besides its interface") {
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
  CHECK(plan.memory_size == 4 * 512);
  CHECK(plan.zero_copy_memory_size == 2 * 512);
  CHECK(PlanMemory(graph, false).memory_size == 7 * 512);
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

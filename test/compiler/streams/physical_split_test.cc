#include "compiler/streams/physical_split.h"

#include <catch2/catch.hpp>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "compiler/plan/check_order.h"
#include "compiler/streams/events.h"
#include "test/compiler/random_graph.h"

using namespace atc;

namespace {

std::unique_ptr<Graph> Chain(int tasks) {
  auto graph = std::make_unique<Graph>("chain");
  ValueId at = graph->AddData("data", 0, TensorDesc(DT_FLOAT, {4}));
  for (int i = 0; i < tasks; ++i) {
    Node& node = graph->Add("Tanh", "t" + std::to_string(i), {at}, 1);
    node.stream = 0;
    graph->desc(node.outputs[0]) = TensorDesc(DT_FLOAT, {4});
    at = node.outputs[0];
  }
  graph->Add("NetOutput", "Node_Output", {at}, 0);
  return graph;
}

}  // namespace

TEST_CASE("a chain goes on on a new stream where the limit and its reserve are reached") {
  const auto graph = Chain(7);
  // 4 tasks fit beside the reserve; the later parts begin with a wait, which counts two.
  const SplitCounts counts = SplitStreams(*graph, kReservedTasks + 4, {1, 0});
  CHECK(counts.streams == 3);
  CHECK(counts.events == 2);
  const int32_t expected[] = {0, 0, 0, 0, 1, 1, 2};
  for (int i = 0; i < 7; ++i) CHECK(graph->Find("t" + std::to_string(i))->stream == expected[i]);
  CHECK(graph->attrs.Get<std::string>(kSplitStreams, "") == "1:0,2:0");
  CHECK(CheckOrder(*graph) == std::vector<std::string>{});
}

TEST_CASE("nothing is split without a limit, or below it") {
  for (const int32_t limit : {0, kReservedTasks + 7}) {
    const auto graph = Chain(7);
    const SplitCounts counts = SplitStreams(*graph, limit, {1, 0});
    CHECK(counts.streams == 1);
    CHECK(counts.events == 0);
    CHECK_FALSE(graph->attrs.Has(kSplitStreams));
  }
}

TEST_CASE("a single stream is a huge one where its tasks exceed a normal stream") {
  const auto graph = Chain(7);
  CHECK(NeedsHugeStream(*graph, kReservedTasks + 6));
  CHECK_FALSE(NeedsHugeStream(*graph, kReservedTasks + 7));
  CHECK_FALSE(NeedsHugeStream(*graph, 0));
}

TEST_CASE("nodes count for what they stand for, and neither runs of one label nor owners of graphs are parted") {
  // 4 tasks fit beside the reserve.
  const auto split = [](const std::function<void(Graph&)>& prepare) {
    const auto graph = Chain(6);
    prepare(*graph);
    SplitStreams(*graph, kReservedTasks + 4, {1, 0});
    std::vector<int32_t> streams;
    for (int i = 0; i < 6; ++i) streams.push_back(graph->Find("t" + std::to_string(i))->stream);
    return streams;
  };
  using Streams = std::vector<int32_t>;
  CHECK(split([](Graph&) {}) == Streams{0, 0, 0, 0, 1, 1});
  CHECK(split([](Graph& g) { g.Find("t1")->attrs.Set(kSqeNum, 3); }) == Streams{0, 0, 1, 1, 2, 2});
  CHECK(split([](Graph& g) { g.Find("t1")->attrs.Set(kSqeNum, 0); }) == Streams{0, 0, 0, 0, 1, 1});
  CHECK(split([](Graph& g) {
          for (const char* name : {"t3", "t4"}) g.Find(name)->attrs.Set(kContinuousLabel, "run");
        }) == Streams{0, 0, 0, 0, 0, 1});
  CHECK(split([](Graph& g) {
          g.AddSubgraph(*g.Find("t4"), "body").Add("NetOutput", "", {}, 0);
        }) == Streams{0, 0, 0, 0, 0, 1});
}

TEST_CASE("split random graphs keep their order and the limit") {
  for (uint32_t seed = 0; seed < 200; ++seed) {
    const int32_t streams = 1 + static_cast<int32_t>(seed % 3);
    const auto graph = test::RandomGraph(seed, 30, streams);
    const EventCounts events = InsertEvents(*graph);
    const int32_t room = 5 + static_cast<int32_t>(seed % 7);
    const SplitCounts counts = SplitStreams(*graph, kReservedTasks + room, {streams, events.events});
    INFO("seed " << seed);
    graph->Verify();
    CHECK(CheckOrder(*graph) == std::vector<std::string>{});
    std::map<int32_t, int> tasks;
    for (NodeId id = 0; id < graph->node_capacity(); ++id) {
      const Node& node = graph->node(id);
      if (node.stream < 0) continue;
      CHECK(node.stream < counts.streams);
      tasks[node.stream] += node.type() == "Recv" ? 2 : 1;
    }
    for (const auto& [stream, count] : tasks) CHECK(count <= room + 1);  // the Send at its end is of the reserve
  }
}

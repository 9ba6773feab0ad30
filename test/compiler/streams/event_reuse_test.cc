#include "compiler/streams/event_reuse.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "compiler/plan/check_order.h"
#include "compiler/streams/events.h"
#include "test/compiler/random_graph.h"

using namespace atc;

namespace {

// a and b by turns, each after the one before it: an event at every step.
std::unique_ptr<Graph> PingPong(int tasks) {
  auto graph = std::make_unique<Graph>("g");
  ValueId at = graph->AddData("data", 0, TensorDesc(DT_FLOAT, {4}));
  for (int i = 0; i < tasks; ++i) {
    Node& node = graph->Add("FusedElementwise", "t" + std::to_string(i), {at}, 1);
    node.stream = i % 2;
    graph->desc(node.outputs[0]) = TensorDesc(DT_FLOAT, {4});
    at = node.outputs[0];
  }
  graph->Add("NetOutput", "Node_Output", {at}, 0);
  return graph;
}

std::vector<std::string> Names(const Graph& graph) {
  std::vector<std::string> names;
  for (NodeId id = 0; id < graph.node_capacity(); ++id) {
    const Node& node = graph.node(id);
    if (node.type() == "Send" || node.type() == "Recv") names.push_back(node.name + "=" + std::to_string(node.Attr<int64_t>("event_id")));
  }
  return names;
}

}  // namespace

TEST_CASE("a number serves its two streams again once the answer to it has come") {
  const auto graph = PingPong(6);
  const EventCounts counts = InsertEvents(*graph);
  CHECK(counts.events == 5);
  CHECK(ReuseEvents(*graph, counts.events, 0) == 5);  // not asked for
  graph->attrs.Set(kEventMultiplexing, true);
  CHECK(ReuseEvents(*graph, counts.events) == 5);  // not needed
  CHECK(ReuseEvents(*graph, counts.events, 4) == 2);
  CHECK(Names(*graph) == std::vector<std::string>{"g_Send_0=0", "g_Recv_0=0", "g_Send_1=1", "g_Recv_1=1",
                                                  "g_Send_0_Reuse_1=0", "g_Recv_0_Reuse_1=0", "g_Send_1_Reuse_1=1",
                                                  "g_Recv_1_Reuse_1=1", "g_Send_0_Reuse_2=0", "g_Recv_0_Reuse_2=0"});
  graph->Verify();
  CHECK(CheckOrder(*graph) == std::vector<std::string>{});
}

TEST_CASE("the checker of order sees a number that is used again too early") {
  const auto graph = PingPong(4);
  InsertEvents(*graph);
  const auto number = [&](const char* name, int64_t event) { graph->Find(name)->attrs.Set("event_id", event); };
  number("g_Send_2", 0);  // of t2, whereas t1 waited for 0
  number("g_Recv_2", 0);
  CHECK(CheckOrder(*graph) == std::vector<std::string>{});  // t2 is after t1
  number("g_Send_1", 0);  // waited for by t2, which might take what t0 records for t1
  number("g_Recv_1", 0);
  CHECK(CheckOrder(*graph).size() == 2);
  const auto apart = test::RandomGraph(3, 30, 3);
  InsertEvents(*apart);
  bool seen = false;
  for (NodeId id = 0; id < apart->node_capacity(); ++id) {
    Node& node = apart->node(id);
    if (node.type() == "Send" || node.type() == "Recv") node.attrs.Set("event_id", node.Attr<int64_t>("event_id") % 2);
  }
  for (const std::string& fault : CheckOrder(*apart)) seen |= fault.find("_Send_") != std::string::npos;
  CHECK(seen);
}

TEST_CASE("numbers that are used again keep the order of random graphs") {
  int saved = 0;
  for (uint32_t seed = 0; seed < 200; ++seed) {
    const auto graph = test::RandomGraph(seed, 40, 2 + static_cast<int>(seed % 4));
    graph->attrs.Set(kEventMultiplexing, true);
    const EventCounts counts = InsertEvents(*graph);
    const int32_t numbers = ReuseEvents(*graph, counts.events, 0);
    INFO("seed " << seed);
    graph->Verify();
    CHECK(CheckOrder(*graph) == std::vector<std::string>{});
    CHECK(numbers <= counts.events);
    saved += counts.events - numbers;
  }
  CHECK(saved > 200);
}

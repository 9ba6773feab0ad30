#include "compiler/streams/events.h"

#include <catch2/catch.hpp>

#include "compiler/plan/check_order.h"
#include "test/compiler/random_graph.h"

using namespace atc;

namespace {

// Whether the graph is still in order without the event of one Send.
bool InOrderWithout(const Graph& graph, NodeId send) {
  const auto copy = graph.Clone();
  const auto event = copy->node(send).Attr<int64_t>("event_id");
  for (NodeId id = 0; id < copy->node_capacity(); ++id) {
    Node& node = copy->node(id);
    if (node.alive && (node.type() == "Send" || node.type() == "Recv") && node.Attr<int64_t>("event_id") == event) {
      copy->Remove(id);
    }
  }
  return CheckOrder(*copy).empty();
}

}  // namespace

TEST_CASE("events keep every dependency, and none can be left out, on random graphs and streams") {
  for (uint32_t seed = 0; seed < 300; ++seed) {
    const auto graph = test::RandomGraph(seed, 12, 2 + static_cast<int>(seed % 3));
    const EventCounts counts = InsertEvents(*graph);
    INFO("seed " << seed);
    graph->Verify();
    CHECK(CheckOrder(*graph) == std::vector<std::string>{});
    CHECK(counts.events <= counts.edges);
    for (NodeId id = 0; id < graph->node_capacity(); ++id) {
      if (graph->node(id).type() == "Send") CHECK_FALSE(InOrderWithout(*graph, id));
    }
  }
}

TEST_CASE("a wait that two others imply is not inserted") {
  // a on stream 0, b on 1 after a, c on 2 after b and after a: the wait of c for a comes with the one for b.
  Graph graph("implied");
  const ValueId data = graph.AddData("data", 0, TensorDesc(DT_FLOAT, {4}));
  const auto add = [&](const char* name, std::vector<ValueId> inputs, int32_t stream) {
    Node& node = graph.Add("FusedElementwise", name, std::move(inputs), 1);
    node.stream = stream;
    graph.desc(node.outputs[0]) = TensorDesc(DT_FLOAT, {4});
    return node.outputs[0];
  };
  const ValueId a = add("a", {data}, 0);
  const ValueId b = add("b", {a}, 1);
  const ValueId c = add("c", {b, a}, 2);
  graph.Add("NetOutput", "Node_Output", {c}, 0);
  const EventCounts counts = InsertEvents(graph);
  CHECK(counts.edges == 3);
  CHECK(counts.events == 2);
  CHECK(CheckOrder(graph).empty());
}

TEST_CASE("the checker of order sees a missing event") {
  Graph graph("missing");
  const ValueId data = graph.AddData("data", 0, TensorDesc(DT_FLOAT, {4}));
  Node& a = graph.Add("Relu", "a", {data}, 1);
  a.stream = 0;
  Node& b = graph.Add("Relu", "b", {a.outputs[0]}, 1);
  b.stream = 1;
  graph.Add("NetOutput", "Node_Output", {b.outputs[0]}, 0);
  CHECK(CheckOrder(graph).size() == 1);
}

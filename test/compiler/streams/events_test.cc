#include "compiler/streams/events.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <utility>
#include <vector>

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

using Pairs = std::vector<std::pair<int, int>>;  // sender, receiver: numbers of tasks in launch order

// What each task must wait for, as bits, from stream order and `waits`.
std::vector<uint32_t> Ordered(const std::vector<int32_t>& streams, const Pairs& waits) {
  std::vector<uint32_t> before(streams.size(), 0);
  for (size_t i = 0; i < streams.size(); ++i) {
    for (size_t j = i; j-- > 0;) {
      if (streams[j] != streams[i]) continue;
      before[i] |= before[j] | 1u << j;
      break;
    }
    for (const auto& [from, to] : waits) {
      if (to == static_cast<int>(i)) before[i] |= before[from] | 1u << from;
    }
  }
  return before;
}

// Whether some `count` of `edges` order all of them; tries every choice.
bool Suffices(const std::vector<int32_t>& streams, const Pairs& edges, size_t count, size_t from, Pairs* chosen) {
  if (chosen->size() == count) {
    const auto before = Ordered(streams, *chosen);
    return std::all_of(edges.begin(), edges.end(), [&](const auto& edge) { return before[edge.second] >> edge.first & 1; });
  }
  for (size_t i = from; i + (count - chosen->size()) <= edges.size(); ++i) {
    chosen->push_back(edges[i]);
    if (Suffices(streams, edges, count, i + 1, chosen)) return true;
    chosen->pop_back();
  }
  return false;
}

// A node of `inputs` on `stream`.
ValueId Task(Graph& graph, const std::string& name, std::vector<ValueId> inputs, int32_t stream) {
  Node& node = graph.Add("FusedElementwise", name, std::move(inputs), 1);
  node.stream = stream;
  node.engine = "AIcoreEngine";
  graph.desc(node.outputs[0]) = TensorDesc(DT_FLOAT, {4});
  return node.outputs[0];
}

// "a>b" for each event, in order of its number.
std::vector<std::string> Events(const Graph& graph) {
  std::map<int64_t, std::pair<std::string, std::string>> events;
  for (NodeId id = 0; id < graph.node_capacity(); ++id) {
    const Node& node = graph.node(id);
    if (node.type() == "Send") events[node.Attr<int64_t>("event_id")].first = graph.node(node.control_in[0]).name;
    if (node.type() == "Recv") events[node.Attr<int64_t>("event_id")].second = graph.node(node.control_out[0]).name;
  }
  std::vector<std::string> found;
  for (const auto& [id, ends] : events) found.push_back(ends.first + ">" + ends.second);
  return found;
}

}  // namespace

TEST_CASE("no smaller number of events keeps the order, by trying all, on 1000 random graphs") {
  for (uint32_t seed = 0; seed < 1000; ++seed) {
    const auto graph = test::RandomGraph(seed, 6 + static_cast<int>(seed % 7), 2 + static_cast<int>(seed % 3));
    std::vector<int32_t> streams;
    std::map<NodeId, int> number;
    Pairs edges;
    for (const NodeId id : graph->TopologicalOrder()) {
      const Node& node = graph->node(id);
      if (node.stream < 0) continue;
      number[id] = static_cast<int>(streams.size());
      streams.push_back(node.stream);
      for (const ValueId input : node.inputs) {
        const Node& before = graph->producer(input);
        if (before.stream >= 0 && before.stream != node.stream) edges.push_back({number[before.id], number[id]});
      }
    }
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    const EventCounts counts = InsertEvents(*graph);
    INFO("seed " << seed);
    Pairs chosen;
    // What suffices still does with one more, so that one less than ours settles it.
    CHECK((counts.events == 0 || !Suffices(streams, edges, static_cast<size_t>(counts.events) - 1, 0, &chosen)));
    chosen.clear();
    CHECK(Suffices(streams, edges, static_cast<size_t>(counts.events), 0, &chosen));
  }
}

TEST_CASE("GE's rule keeps the earliest receiver and the latest sender of each pair of streams, and all order") {
  Graph graph("ge");
  const ValueId data = graph.AddData("data", 0, TensorDesc(DT_FLOAT, {4}));
  const ValueId a = Task(graph, "a", {data}, 0);
  const ValueId b = Task(graph, "b", {a}, 0);
  const ValueId c = Task(graph, "c", {a, b}, 1);  // of a and b the latest
  const ValueId d = Task(graph, "d", {b, c}, 1);  // b is received by c already
  const ValueId e = Task(graph, "e", {a, c}, 2);  // a comes with c, which GE does not see
  const ValueId f = Task(graph, "f", {d, e}, 0);
  graph.Add("NetOutput", "Node_Output", {f}, 0);
  const auto reduced = graph.Clone();
  const EventCounts ge = InsertEvents(graph, EventRule::kGe);
  CHECK(Events(graph) == std::vector<std::string>{"b>c", "a>e", "c>e", "d>f", "e>f"});
  CHECK(CheckOrder(graph).empty());
  CHECK(ge.edges == 7);
  CHECK(ge.ge == 5);
  CHECK(ge.events == 5);
  const EventCounts ours = InsertEvents(*reduced);
  CHECK(Events(*reduced) == std::vector<std::string>{"b>c", "c>e", "d>f", "e>f"});
  CHECK(ours.ge == 5);
  CHECK(ours.events == 4);
}

TEST_CASE("GE's rule keeps every dependency on random graphs, with no fewer events than ours") {
  for (uint32_t seed = 0; seed < 300; ++seed) {
    const auto graph = test::RandomGraph(seed, 20, 2 + static_cast<int>(seed % 4));
    const auto reduced = graph->Clone();
    const EventCounts ge = InsertEvents(*graph, EventRule::kGe);
    const EventCounts ours = InsertEvents(*reduced);
    INFO("seed " << seed);
    CHECK(CheckOrder(*graph) == std::vector<std::string>{});
    CHECK(ge.events == ge.ge);
    CHECK(ours.ge == ge.ge);
    CHECK(ours.events <= ge.events);
    CHECK(ge.events <= ge.edges);
  }
}

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

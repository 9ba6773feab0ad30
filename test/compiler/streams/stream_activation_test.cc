#include "compiler/streams/stream_activation.h"

#include "compiler/plan/check_order.h"
#include "compiler/streams/events.h"
#include "compiler/streams/physical_split.h"
#include "test/compiler/streams/stream_graph.h"

using namespace atc;
using namespace atc::test;

namespace {

// a, start on stream 0; b, c on stream 1, which `start` starts; d back on stream 0.
struct Started : StreamGraph {
  Started() {
    const ValueId a = Op("a", {data}, kCore);
    Node& start = graph.Add("StreamActive", "start", {}, 0);
    graph.AddControl(node("a").id, start.id);
    const ValueId c = Op("c", {Op("b", {a}, kCore)}, kCore);
    Output({Op("d", {a, c}, kCore)});
    for (const auto& [name, stream] : Ids{{"a", 0}, {"start", 0}, {"b", 1}, {"c", 1}, {"d", 0}}) node(name).stream = stream;
  }
  std::vector<std::string> Recvs() {
    std::vector<std::string> held;
    for (NodeId id = 0; id < graph.node_capacity(); ++id) {
      const Node& recv = graph.node(id);
      if (recv.type() == "Recv") held.push_back(graph.node(recv.control_out[0]).name);
    }
    return held;
  }
};

}  // namespace

TEST_CASE("labels become streams; what a stream starts follows, and heads are listed") {
  Started g;
  g.node("b").attrs.Set(kUserStreamLabel, "side");
  g.node("start").attrs.Set(kActiveLabels, std::vector<std::string>{"side", "nowhere"});
  g.node("start").attrs.Set(kActiveStreams, std::vector<int64_t>{0, 9});
  ActivateStreams(g.graph);
  CHECK(g.node("start").attrs.Get<std::vector<int64_t>>(kActiveStreams, {}) == std::vector<int64_t>{1});
  CHECK(g.node("b").control_in == std::vector<NodeId>{g.node("start").id});
  CHECK(g.graph.attrs.Get<std::vector<int64_t>>(kHeadStreams, {}) == std::vector<int64_t>{0});
}

TEST_CASE("no event is needed for what came up to the start of a stream") {
  for (const EventRule rule : {EventRule::kReduced, EventRule::kGe}) {
    Started g;
    g.node("start").attrs.Set(kActiveStreams, std::vector<int64_t>{1});
    ActivateStreams(g.graph);
    const EventCounts counts = InsertEvents(g.graph, rule);
    CHECK(counts.edges == 2);  // a to b, c to d
    CHECK(counts.ge == 1);
    CHECK(counts.events == 1);
    CHECK(g.Recvs() == std::vector<std::string>{"d"});
    CHECK(CheckOrder(g.graph) == std::vector<std::string>{});
  }
  Started without;
  CHECK(InsertEvents(without.graph).events == 2);
}

TEST_CASE("a start is what the checker of order relies on") {
  Started g;
  g.node("start").attrs.Set(kActiveStreams, std::vector<int64_t>{1});
  ActivateStreams(g.graph);
  InsertEvents(g.graph);
  g.node("start").attrs.Set(kActiveStreams, std::vector<int64_t>{});
  CHECK_FALSE(CheckOrder(g.graph).empty());
}

TEST_CASE("a stream that began before is not started") {
  StreamGraph g;
  const ValueId a = g.Op("a", {g.data}, kCore);
  Node& start = g.graph.Add("StreamActive", "start", {}, 0);
  g.graph.AddControl(g.node("a").id, start.id);
  g.Output({g.Op("b", {a}, kCore)});
  for (const auto& [name, stream] : Ids{{"a", 1}, {"start", 0}, {"b", 1}}) g.node(name).stream = stream;
  g.node("start").attrs.Set(kActiveStreams, std::vector<int64_t>{1});
  ActivateStreams(g.graph);
  CHECK(g.node("start").attrs.Get<std::vector<int64_t>>(kActiveStreams, {}).empty());
}

TEST_CASE("what starts a stream starts its later parts too") {
  StreamGraph g;
  const ValueId a = g.Op("a", {g.data}, kCore);
  Node& start = g.graph.Add("StreamActive", "start", {}, 0);
  g.graph.AddControl(g.node("a").id, start.id);
  ValueId at = a;
  for (int i = 0; i < 8; ++i) at = g.Op("b" + std::to_string(i), {at}, kCore);
  g.Output({at});
  for (const auto& [name, stream] : Ids{{"a", 0}, {"start", 0}}) g.node(name).stream = stream;
  for (int i = 0; i < 8; ++i) g.node("b" + std::to_string(i)).stream = 1;
  g.node("start").attrs.Set(kActiveStreams, std::vector<int64_t>{1});
  ActivateStreams(g.graph);
  const EventCounts counts = InsertEvents(g.graph);
  CHECK(counts.events == 0);
  // Room for five tasks: b0 to b4 on stream 1, the wait (2) and b5 to b7 on stream 2.
  const SplitCounts split = SplitStreams(g.graph, kReservedTasks + 5, {2, counts.events});
  CHECK(split.streams == 3);
  CHECK(split.events == 1);
  CHECK(g.node("b4").stream == 1);
  CHECK(g.node("b5").stream == 2);
  CHECK(g.node("start").attrs.Get<std::vector<int64_t>>(kActiveStreams, {}) == std::vector<int64_t>{1, 2});
}

TEST_CASE("splits count the tasks of a node and keep runs together") {
  const auto chain = [](auto&& set_up) {
    auto g = std::make_unique<StreamGraph>();
    ValueId at = g->data;
    for (int i = 0; i < 6; ++i) at = g->Op("n" + std::to_string(i), {at}, kCore);
    g->Output({at});
    for (int i = 0; i < 6; ++i) g->node("n" + std::to_string(i)).stream = 0;
    set_up(*g);
    SplitStreams(g->graph, kReservedTasks + 4, {1, 0});
    std::vector<int32_t> streams;
    for (int i = 0; i < 6; ++i) streams.push_back(g->node("n" + std::to_string(i)).stream);
    return streams;
  };
  using Streams = std::vector<int32_t>;
  CHECK(chain([](StreamGraph&) {}) == Streams{0, 0, 0, 0, 1, 1});
  CHECK(chain([](StreamGraph& g) { g.node("n1").attrs.Set(kSqeNum, int64_t{3}); }) == Streams{0, 0, 1, 1, 2, 2});
  CHECK(chain([](StreamGraph& g) { g.node("n1").attrs.Set(kSqeNum, int64_t{0}); }) == Streams{0, 0, 0, 0, 1, 1});
  CHECK(chain([](StreamGraph& g) {
          for (const char* name : {"n3", "n4"}) g.node(name).attrs.Set(kContinuousLabel, "run");
        }) == Streams{0, 0, 0, 0, 0, 1});
}

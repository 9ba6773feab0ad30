#include "compiler/streams/attached_streams.h"

#include "compiler/plan/check_order.h"
#include "compiler/streams/events.h"
#include "test/compiler/streams/stream_graph.h"

using namespace atc;
using namespace atc::test;

namespace {

// "sender@stream>receiver@stream" of each event, in order of its number.
std::vector<std::string> Waits(const Graph& graph) {
  std::map<int64_t, std::pair<std::string, std::string>> events;
  for (NodeId id = 0; id < graph.node_capacity(); ++id) {
    const Node& node = graph.node(id);
    if (node.type() != "Send" && node.type() != "Recv") continue;
    const bool send = node.type() == "Send";
    std::string name = node.attrs.Get<std::string>(kAttachedNode, "");
    if (name.empty()) name = graph.node(send ? node.control_in.at(0) : node.control_out.at(0)).name;
    auto& ends = events[node.Attr<int64_t>("event_id")];
    (send ? ends.first : ends.second) = name + "@" + std::to_string(node.stream);
  }
  std::vector<std::string> waits;
  for (const auto& [id, ends] : events) waits.push_back(ends.first + ">" + ends.second);
  return waits;
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("an attached stream waits before its node and is waited for after it") {
  for (const EventRule rule : {EventRule::kReduced, EventRule::kGe}) {
    StreamGraph g;
    const ValueId a = g.Op("a", {g.data}, kCore);
    const ValueId b = g.Op("b", {a}, kCore);
    g.Output({g.Op("c", {b}, kCore)});
    g.node("b").attrs.Set(kAttachedStreamKeys, Texts{"tiling"});
    g.Assign();
    const EventCounts counts = InsertEvents(g.graph, rule);
    CHECK(Waits(g.graph) == Texts{"a@0>b@1", "b@1>c@0"});
    CHECK(counts.events == 2);
    CHECK(counts.edges == 3);  // with the one that joins the streams at the end
    g.graph.Verify();
    CHECK(CheckOrder(g.graph) == Texts{});
    CHECK(g.graph.Find("b_attached") == nullptr);
  }
}

TEST_CASE("attached streams that feed nobody else join the stream of the outputs") {
  StreamGraph g;
  const ValueId a = g.Op("a", {g.data}, kCore);
  const ValueId b = g.Op("b", {a}, kCore);
  g.Output({b});
  g.node("a").attrs.Set(kAttachedStreamKeys, Texts{"copy"});
  g.node("b").attrs.Set(kAttachedStreamKeys, Texts{"copy", "tiling"});
  g.Assign();
  InsertEvents(g.graph);
  // a's share of "copy" (stream 1) comes before b's by the stream itself, and b's join at the end.
  CHECK(Waits(g.graph) == Texts{"a@1>b@0", "a@0>b@1", "a@0>b@2", "a@1>b@2", "b@1>Node_Output@0", "b@2>Node_Output@0"});
  g.graph.Verify();
  CHECK(CheckOrder(g.graph) == Texts{});
}

TEST_CASE("a wait that comes with another one is not repeated for an attached stream") {
  // c on stream 2 waits for b's share; d after it, on stream 0 again, has that from c.
  StreamGraph g;
  const ValueId a = g.Op("a", {g.data}, kCore);
  const ValueId b = g.Op("b", {a}, kCore);
  const ValueId c = g.Op("c", {b}, kCore, "l");
  g.Output({g.Op("d", {b, c}, kCore)});
  g.node("b").attrs.Set(kAttachedStreamKeys, Texts{"tiling"});
  CHECK(g.Assign() == Ids{{"c", 0}, {"a", 1}, {"b", 1}, {"d", 1}});
  const EventCounts counts = InsertEvents(g.graph);
  CHECK(Waits(g.graph) == Texts{"a@1>b@2", "b@1>c@0", "b@2>c@0", "c@0>d@1"});
  CHECK(counts.ge == 5);  // and b@2>d@1
  CHECK(CheckOrder(g.graph) == Texts{});
}

#include "compiler/streams/notifies.h"

#include <catch2/catch.hpp>

#include "compiler/ir/error.h"
#include "compiler/streams/events.h"
#include "test/compiler/random_graph.h"

using namespace atc;

TEST_CASE("notifies are numbered as the events that they stand for, up to the 1024 of a device") {
  const auto graph = test::RandomGraph(1, 20, 3);
  const EventCounts counts = InsertEvents(*graph);
  REQUIRE(counts.events > 0);
  CHECK(NumberNotifies(*graph, counts.events) == counts.events);
  for (NodeId id = 0; id < graph->node_capacity(); ++id) {
    const Node& node = graph->node(id);
    const bool event = node.type() == "Send" || node.type() == "Recv";
    CHECK(node.attrs.Get<int64_t>(kNotifyId, -1) == (event ? node.Attr<int64_t>("event_id") : -1));
  }
  CHECK(NumberNotifies(*graph, kMostNotifies) == kMostNotifies);
  CHECK_THROWS_AS(NumberNotifies(*graph, kMostNotifies + 1), Error);
}

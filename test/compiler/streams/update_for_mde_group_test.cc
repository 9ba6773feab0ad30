#include "compiler/ir/error.h"
#include "test/compiler/streams/stream_graph.h"

using namespace atc;
using namespace atc::test;

TEST_CASE("stated streams come first, in the order of their numbers, and outdo labels") {
  StreamGraph g;
  const ValueId a = g.Op("a", {g.data}, kCore);
  const ValueId b = g.Op("b", {a}, kCore);
  const ValueId c = g.Op("c", {a}, kCore, "side");
  const ValueId d = g.Op("d", {b, c}, kCore);
  g.Output({d});
  g.node("b").attrs.Set(kNewStreamId, 7);
  g.node("c").attrs.Set(kNewStreamId, 3);
  CHECK(g.Assign() == Ids{{"a", 2}, {"b", 1}, {"c", 0}, {"d", 2}});
  CHECK(g.Rule("b") == "UpdateForMdeGroup: NewStreamId 7");
}

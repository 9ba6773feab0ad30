#include "compiler/ir/error.h"
#include "test/compiler/streams/stream_graph.h"

using namespace atc;
using namespace atc::test;

TEST_CASE("each label has a stream, the same label the same one, before all other streams") {
  StreamGraph g;
  const ValueId a = g.Op("a", {g.data}, kCore);
  const ValueId b = g.Op("b", {a}, kCore, "left");
  const ValueId c = g.Op("c", {a}, kCpu, "right");
  const ValueId d = g.Op("d", {b, c}, kCore);
  const ValueId e = g.Op("e", {d}, kCore, "left");
  g.Output({e});
  CHECK(g.Assign() == Ids{{"a", 2}, {"b", 0}, {"c", 1}, {"d", 2}, {"e", 0}});
  CHECK(g.count == 3);
  CHECK(g.Rule("c") == "AssignByLabel: right");
}

TEST_CASE("the user's label outdoes the other one") {
  StreamGraph g;
  const ValueId a = g.Op("a", {g.data}, kCore, "mine");
  const ValueId b = g.Op("b", {a}, kCore, "mine");
  g.Output({b});
  g.node("b").attrs.Set(kStreamLabel, "other");
  CHECK(g.Assign() == Ids{{"a", 0}, {"b", 0}});
}

#include "compiler/ir/error.h"
#include "test/compiler/streams/stream_graph.h"

using namespace atc;
using namespace atc::test;

TEST_CASE("a parallel group has one new stream for each old one") {
  StreamGraph g;
  const ValueId a = g.Op("a", {g.data}, kCore);
  const ValueId b = g.Op("b", {a}, kCore);
  const ValueId c = g.Op("c", {a}, kCore);
  const ValueId d = g.Op("d", {b, c}, kCore);
  const ValueId r = g.Op("reduce", {d}, kHccl);
  g.Output({r});
  for (const char* name : {"b", "reduce"}) g.node(name).attrs.Set(kParallelGroup, "1");
  g.node("c").attrs.Set(kParallelGroup, "2");
  // Streams 0 (communication, left by its only node) and 1 become groups 2, 3 and 4.
  CHECK(g.Assign() == Ids{{"a", 0}, {"b", 1}, {"c", 2}, {"d", 0}, {"reduce", 3}});
}

TEST_CASE("group -1 follows the producer of its only input, and a user's label outdoes groups") {
  StreamGraph g;
  const ValueId a = g.Op("a", {g.data}, kCore);
  const ValueId b = g.Op("b", {a}, kCore);
  const ValueId c = g.Op("c", {b}, kCore);
  const ValueId d = g.Op("d", {a}, kCore, "mine");
  const ValueId e = g.Op("e", {c, d}, kCore);
  g.Output({e});
  g.node("b").attrs.Set(kParallelGroup, "1");
  g.node("c").attrs.Set(kParallelGroup, "-1");
  g.node("d").attrs.Set(kParallelGroup, "1");
  CHECK(g.Assign() == Ids{{"a", 1}, {"b", 2}, {"c", 2}, {"d", 0}, {"e", 1}});
}

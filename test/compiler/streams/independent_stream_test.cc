#include "compiler/ir/error.h"
#include "test/compiler/streams/stream_graph.h"

using namespace atc;
using namespace atc::test;

TEST_CASE("an independent engine has one stream for all its clusters, between labels and the others") {
  StreamGraph g;
  const ValueId a = g.Op("a", {g.data}, kCore);
  const ValueId r1 = g.Op("reduce1", {a}, kHccl);
  const ValueId b = g.Op("b", {a}, kCore, "side");
  const ValueId c = g.Op("c", {r1, b}, kCore);
  const ValueId r2 = g.Op("reduce2", {c}, kHccl);
  const ValueId d = g.Op("d", {r2}, kCpu);
  g.Output({d});
  // d attaches, but not to an independent engine.
  CHECK(g.Assign() == Ids{{"a", 2}, {"b", 0}, {"c", 2}, {"d", 3}, {"reduce1", 1}, {"reduce2", 1}});
}

TEST_CASE("labels of an independent engine part its stream") {
  StreamGraph g;
  const ValueId r1 = g.Op("reduce1", {g.data}, kHccl, "one");
  const ValueId r2 = g.Op("reduce2", {g.data}, kHccl);
  g.Output({r1, r2});
  CHECK(g.Assign() == Ids{{"reduce1", 0}, {"reduce2", 1}});
}

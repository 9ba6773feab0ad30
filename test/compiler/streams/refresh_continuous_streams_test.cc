#include "compiler/ir/error.h"
#include "test/compiler/streams/stream_graph.h"

using namespace atc;
using namespace atc::test;

TEST_CASE("streams without nodes are closed up, the others keep their order") {
  StreamGraph g;
  const ValueId a = g.Op("a", {g.data}, kCore, "left");
  const ValueId b = g.Op("b", {a}, kCore);
  g.Output({b});
  // The only node of the label's stream is called away, so that its number falls free.
  g.node("a").attrs.Set(kRtsLabelNode, true);
  CHECK(g.Assign() == Ids{{"a", 0}, {"b", 0}});
  CHECK(g.count == 1);
}

TEST_CASE("a graph without tasks has one stream") {
  StreamGraph g;
  g.Output({g.data});
  CHECK(g.Assign() == Ids{});
  CHECK(g.count == 1);
}

#include "compiler/ir/error.h"
#include "test/compiler/streams/stream_graph.h"

using namespace atc;
using namespace atc::test;

TEST_CASE("labels of the runtime go to the default stream, which is the first that a dependency asked for") {
  StreamGraph g;
  const ValueId a = g.Op("a", {g.data}, kCore, "side");
  const ValueId b = g.Op("b", {a}, kCore);
  g.Output({b});
  g.node("a").attrs.Set(kRtsLabelNode, true);
  CHECK(g.Assign() == Ids{{"a", 0}, {"b", 0}});
  CHECK(g.Rule("a") == "NodeStreamUpdate: label of the runtime");
}

#include "compiler/ir/error.h"
#include "test/compiler/streams/stream_graph.h"

using namespace atc;
using namespace atc::test;

TEST_CASE("what aliases its input has no stream") {
  StreamGraph g;
  const ValueId a = g.Op("a", {g.data}, kCore);
  Node& view = g.graph.Add("Flatten", "view", {a}, 1);
  g.graph.desc(view.outputs[0]) = TensorDesc(DT_FLOAT, {4});
  g.Output({g.Op("b", {view.outputs[0]}, kCore)});
  CHECK(g.Assign() == Ids{{"a", 0}, {"b", 0}});
  CHECK(g.node("view").engine == kLocal);
  CHECK(g.node("view").stream == -1);
}

TEST_CASE("a task of a skipped engine joins its neighbours if they share a stream") {
  StreamGraph g;
  const ValueId a = g.Op("a", {g.data}, kCore, "side");
  const ValueId local = g.Op("local", {a}, kLocal);
  g.Output({g.Op("b", {local}, kCore, "side")});
  CHECK(g.Assign() == Ids{{"a", 0}, {"b", 0}, {"local", 0}});
  CHECK(g.Rule("local") == "UpdateForSkippedEngine");
}

TEST_CASE("a task of a skipped engine that waits for nothing runs where it is needed first") {
  StreamGraph g;
  const ValueId local = g.Op("local", {g.data}, kLocal);
  const ValueId a = g.Op("a", {local}, kCore, "one");
  const ValueId b = g.Op("b", {local}, kCore, "two");
  g.Output({a, b});
  CHECK(g.Assign() == Ids{{"a", 0}, {"b", 1}, {"local", 0}});
}

#include "compiler/ir/error.h"
#include "test/compiler/streams/stream_graph.h"

using namespace atc;
using namespace atc::test;

TEST_CASE("a node alone between two of one stream that wait for it moves there") {
  StreamGraph g;
  const ValueId a = g.Op("a", {g.data}, kCore);
  const ValueId x = g.Op("x", {a}, kCpu);
  g.Output({g.Op("b", {x, a}, kCore)});
  CHECK(g.Assign() == Ids{{"a", 0}, {"b", 0}, {"x", 0}});
  CHECK(g.Rule("x") == "OptimizeIneffectiveMultiStream");
}

TEST_CASE("it stays where the other stream works meanwhile") {
  StreamGraph g;
  const ValueId a = g.Op("a", {g.data}, kCore);
  const ValueId x = g.Op("x", {a}, kCpu);
  const ValueId y = g.Op("y", {a}, kCore);
  g.Output({g.Op("b", {x, y}, kCore)});
  CHECK(g.Assign() == Ids{{"a", 0}, {"b", 0}, {"x", 1}, {"y", 0}});
}

TEST_CASE("it stays where the neighbours' stream was asked for, or its own") {
  StreamGraph g;
  const ValueId a = g.Op("a", {g.data}, kCore, "side");
  const ValueId x = g.Op("x", {a}, kCore);
  const ValueId b = g.Op("b", {x}, kCore, "side");
  const ValueId y = g.Op("y", {b}, kCore, "apart");
  g.Output({y});
  CHECK(g.Assign() == Ids{{"a", 0}, {"b", 0}, {"x", 2}, {"y", 1}});
}

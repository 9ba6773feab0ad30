#include "compiler/ir/error.h"
#include "test/compiler/streams/stream_graph.h"

using namespace atc;
using namespace atc::test;

TEST_CASE("an inference graph of one engine and attached ones has one stream") {
  StreamGraph g;
  const ValueId a = g.Op("core", {g.data}, kCore);
  const ValueId b = g.Op("cpu", {a}, kCpu);
  const ValueId c = g.Op("core2", {b}, kCore);
  g.Output({c});
  CHECK(g.Assign() == Ids{{"core", 0}, {"core2", 0}, {"cpu", 0}});
  // core2's engine is the one of what cpu follows.
  CHECK(g.Rule("core2") == "AssignByDependency: follows cpu");
  CHECK(g.node("data").stream == -1);
  CHECK(g.node("Node_Output").stream == -1);
}

TEST_CASE("an engine that does not attach has a stream of its own, and each engine's lie side by side by name") {
  StreamGraph g;
  const ValueId a = g.Op("vector", {g.Op("vector0", {g.data}, kVector)}, kVector);
  const ValueId b = g.Op("core", {g.Op("core0", {a}, kCore)}, kCore);
  const ValueId c = g.Op("vector2", {b}, kVector);
  g.Output({g.Op("vector3", {c}, kVector)});
  // vector2 may not follow core, whose engine is another, and which follows nobody; the engine has one stream.
  CHECK(g.Assign() == Ids{{"core", 0}, {"core0", 0}, {"vector", 1}, {"vector0", 1}, {"vector2", 1}, {"vector3", 1}});
}

TEST_CASE("who has a consumer of its own engine is not followed by others") {
  StreamGraph g;
  const ValueId a = g.Op("a", {g.data}, kCore);
  const ValueId x = g.Op("x", {a}, kCpu);
  const ValueId y = g.Op("y", {x}, kCpu, "apart");
  const ValueId b = g.Op("b", {a, y}, kCore);
  g.Output({b});
  // a and b are two clusters, as a second path leads over x and y.
  CHECK(g.Assign() == Ids{{"a", 1}, {"b", 1}, {"x", 2}, {"y", 0}});
}

TEST_CASE("clusters that can follow none take the streams of their engine in turn") {
  for (const int32_t most : {1, 2, 3}) {
    StreamGraph g;
    g.options.max_parallel_of_engine[kCore] = most;
    std::vector<ValueId> ends;
    for (int i = 0; i < 3; ++i) ends.push_back(g.Op("tower" + std::to_string(i), {g.data}, kCore));
    const ValueId join = g.Op("join", ends, kHccl);
    g.Output({join});
    INFO("streamMaxParallelNum " << most);
    CHECK(g.Assign() == Ids{{"join", 0}, {"tower0", 1}, {"tower1", 1 + 1 % most}, {"tower2", 1 + 2 % most}});
  }
}

TEST_CASE("the cheapest engine is followed") {
  StreamGraph g;
  const ValueId v = g.Op("vector", {g.data}, kVector);
  const ValueId c = g.Op("core", {g.data}, kCore);
  g.Output({g.Op("cpu", {v, c}, kCpu)});
  CHECK(g.Assign() == Ids{{"core", 0}, {"cpu", 0}, {"vector", 1}});
}

// ENABLE_DYNAMIC_SHAPE_MULTI_STREAM.
#include "test/compiler/streams/stream_graph.h"

using namespace atc;
using namespace atc::test;

namespace {

struct DynamicGraph : StreamGraph {
  DynamicGraph() {
    options.unknown_shapes = true;
    options.dynamic_multi_stream = true;
  }
};

}  // namespace

TEST_CASE("unknown shapes have one stream unless more are asked for, whatever labels and modes say") {
  DynamicGraph g;
  g.options.dynamic_multi_stream = false;
  g.options.parallel_mode = *ParseParallelMode("LoadBalance:4");
  g.Output({g.Op("b", {g.Op("a", {g.data}, kVector, "l")}, kCore)});
  CHECK(g.Assign() == Ids{{"a", 0}, {"b", 0}});
}

TEST_CASE("each engine has its stream, what attaches rides along") {
  DynamicGraph g;
  const ValueId core = g.Op("core", {g.data}, kCore);
  const ValueId vector = g.Op("vector", {core}, kVector);
  const ValueId cpu = g.Op("cpu", {vector}, kCpu);
  const ValueId hccl = g.Op("hccl", {cpu}, kHccl);
  g.Output({g.Op("core2", {hccl}, kCore)});
  CHECK(g.Assign() == Ids{{"core", 0}, {"core2", 0}, {"cpu", 1}, {"hccl", 2}, {"vector", 1}});
  CHECK(g.Rule("cpu") == "DynamicStreams: follows vector");
}

TEST_CASE("AI CPU operators in parallel have a stream of their own") {
  DynamicGraph g;
  g.options.parallel_ai_cpu = true;
  g.Output({g.Op("core2", {g.Op("cpu", {g.Op("core", {g.data}, kCore)}, kCpu)}, kCore)});
  CHECK(g.Assign() == Ids{{"core", 0}, {"core2", 0}, {"cpu", 1}});
}

TEST_CASE("labels move nodes, but not those that own graphs") {
  DynamicGraph g;
  const ValueId a = g.Op("a", {g.data}, kCore, "l");
  const ValueId owner = g.Op("owner", {a}, kCore, "l");
  g.graph.AddSubgraph(g.node("owner"), "body").Add("NetOutput", "", {}, 0);
  g.Output({g.Op("b", {owner}, kCore, "l")});
  CHECK(g.Assign() == Ids{{"a", 1}, {"b", 1}, {"owner", 0}});
}

TEST_CASE("an automatic mode spreads all but the owners of graphs, stream 0 among its streams") {
  DynamicGraph g;
  g.options.parallel_mode = *ParseParallelMode("LoadBalance:2");
  std::vector<ValueId> ends;
  for (int i = 0; i < 4; ++i) ends.push_back(g.Op("branch" + std::to_string(i), {g.data}, kCore));
  const ValueId owner = g.Op("owner", ends, kCore);
  g.graph.AddSubgraph(g.node("owner"), "body").Add("NetOutput", "", {}, 0);
  g.Output({owner});
  const Ids ids = g.Assign();
  CHECK(g.count == 2);
  CHECK(ids.at("owner") == 0);
  int32_t on_first = 0;
  for (int i = 0; i < 4; ++i) on_first += ids.at("branch" + std::to_string(i)) == 0;
  CHECK(on_first == 2);
}

TEST_CASE("stream passes of users run last, on these streams or on the only one") {
  const bool several = GENERATE(false, true);
  DynamicGraph g;
  g.options.dynamic_multi_stream = several;
  g.Output({g.Op("b", {g.Op("a", {g.data}, kCore)}, kCore)});
  int32_t given = 0;
  g.options.user_passes = [&](Graph&, int32_t streams) {
    given = streams;
    g.node("b").stream = streams;
    return streams + 1;
  };
  CHECK(g.Assign() == Ids{{"a", 0}, {"b", 1}});
  CHECK(given == 1);
}

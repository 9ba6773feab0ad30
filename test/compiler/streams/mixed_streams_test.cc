#include "compiler/streams/mixed_streams.h"

#include "compiler/ir/error.h"
#include "compiler/plan/check_order.h"
#include "compiler/streams/events.h"
#include "test/compiler/streams/stream_graph.h"

using namespace atc;
using namespace atc::test;

namespace {

// known: a0 -> {a1, a2 of another engine} -> a3; then u of unknown shapes; then b0 -> {b1, b2} -> b3 of known ones.
struct MixedGraph : StreamGraph {
  ValueId open = graph.AddData("open", 1, TensorDesc(DT_FLOAT, {-1}));
  std::vector<std::pair<std::string, int32_t>> seen;  // graphs that user passes were called with, and their streams

  MixedGraph() {
    options.unknown_shapes = true;
    const ValueId u = Op("u", {Diamond("a", data), open}, kCore);
    graph.desc(u) = TensorDesc(DT_FLOAT, {-1});
    Output({Diamond("b", Op("count", {u}, kCore))});
    options.user_passes = [this](Graph& which, int32_t streams) {
      seen.emplace_back(which.name, streams);
      return streams;
    };
  }
  ValueId Diamond(const std::string& name, ValueId from) {
    const ValueId top = Op(name + "0", {from}, kCore);
    return Op(name + "3", {Op(name + "1", {top}, kCore), Op(name + "2", {top}, kVector)}, kCore);
  }
  Ids AssignMixed() {
    PlaceOnEngines(graph);
    const auto split = SplitStaticParts(graph, FindStaticParts(graph, kLeastStaticOps));
    count = AssignMixedStreams(graph, *split, options);
    Ids ids;
    for (NodeId id = 0; id < graph.node_capacity(); ++id) {
      if (graph.node(id).stream >= 0) ids[graph.node(id).name] = graph.node(id).stream;
    }
    return ids;
  }
};

}  // namespace

TEST_CASE("parts have streams of their own by the rules of known shapes, the rest runs on one") {
  MixedGraph g;
  CHECK(g.AssignMixed() == Ids{{"a0", 0}, {"a1", 0}, {"a2", 1}, {"a3", 0}, {"u", 0}, {"count", 0},
                               {"b0", 0}, {"b1", 0}, {"b2", 1}, {"b3", 0}});
  CHECK(g.count == 2);
  CHECK(g.Rule("a2").starts_with("part g_sub_0_know: AssignByDependency"));
  CHECK(g.Rule("u") == "SingleStream");
  CHECK(g.seen == std::vector<std::pair<std::string, int32_t>>{{"g", 1}, {"g_sub_0_know", 2}, {"g_sub_1_know", 2}});
  CHECK(InsertEvents(g.graph).events == 4);
  CHECK(CheckOrder(g.graph) == std::vector<std::string>{});
}

TEST_CASE("with several streams for unknown shapes those of parts come behind the root's") {
  MixedGraph g;
  g.options.dynamic_multi_stream = true;
  g.node("u").attrs.Set(kUserStreamLabel, "l");
  CHECK(g.AssignMixed() == Ids{{"a0", 0}, {"a1", 0}, {"a2", 2}, {"a3", 0}, {"u", 1}, {"count", 0},
                               {"b0", 0}, {"b1", 0}, {"b2", 2}, {"b3", 0}});
  CHECK(g.count == 3);
  CHECK(g.seen == std::vector<std::pair<std::string, int32_t>>{{"g", 2}, {"g_sub_0_know", 2}, {"g_sub_1_know", 2}});
}

TEST_CASE("what user passes choose for the root, a part's node and within a part takes effect") {
  MixedGraph g;
  g.options.dynamic_multi_stream = true;
  g.options.user_passes = [](Graph& which, int32_t streams) {
    if (which.name == "g") {
      which.Find("PartitionedCall_1")->stream = streams;  // the second part as a whole
      return streams + 1;
    }
    if (which.name == "g_sub_1_know") {
      which.Find("b1")->stream = streams;
      return streams + 1;
    }
    return streams;
  };
  CHECK(g.AssignMixed() == Ids{{"a0", 0}, {"a1", 0}, {"a2", 2}, {"a3", 0}, {"u", 0}, {"count", 0},
                               {"b0", 1}, {"b1", 3}, {"b2", 2}, {"b3", 1}});
  CHECK(g.count == 4);
  InsertEvents(g.graph);
  CHECK(CheckOrder(g.graph) == std::vector<std::string>{});
}

TEST_CASE("an automatic mode spreads the tasks of each part") {
  MixedGraph g;
  g.options.parallel_mode = *ParseParallelMode("LoadBalance:2");
  const Ids ids = g.AssignMixed();
  CHECK(g.count == 2);
  CHECK(ids.at("u") == 0);
  CHECK(ids.at("a1") != ids.at("a2"));
  CHECK(ids.at("b1") != ids.at("b2"));
}

TEST_CASE("attached streams of a part are numbered with its others") {
  MixedGraph g;
  g.node("a1").attrs.Set(kAttachedStreamKeys, std::vector<std::string>{"tiling"});
  g.AssignMixed();
  CHECK(g.count == 3);
  CHECK(g.node("a1").Attr<std::vector<int64_t>>(kAttachedStreamIds) == std::vector<int64_t>{2});
}

TEST_CASE("streams of parts count against what the device has") {
  MixedGraph g;
  g.options.max_streams = 1;
  CHECK_THROWS_AS(g.AssignMixed(), Error);
}

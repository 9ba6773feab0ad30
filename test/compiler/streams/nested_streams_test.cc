// Streams and events of graphs that nodes own.
#include "compiler/ir/error.h"
#include "compiler/plan/check_order.h"
#include "compiler/streams/events.h"
#include "test/compiler/streams/stream_graph.h"

using namespace atc;
using namespace atc::test;

namespace {

// A nested graph of `owner` with one input.
struct Body {
  Graph& graph;
  ValueId data;

  Body(StreamGraph& g, const std::string& owner, const std::string& name)
      : graph(g.graph.AddSubgraph(g.node(owner), Name(name))), data(graph.AddData(name + "_data", 0, TensorDesc(DT_FLOAT, {4}))) {}
  ValueId Op(const std::string& name, std::vector<ValueId> inputs, const char* engine, const std::string& label = "") {
    Node& node = graph.Add("FusedElementwise", name, std::move(inputs), 1);
    node.engine = engine;
    if (!label.empty()) node.attrs.Set(kUserStreamLabel, label);
    graph.desc(node.outputs[0]) = TensorDesc(DT_FLOAT, {4});
    return node.outputs[0];
  }
  int32_t Stream(const std::string& name) { return graph.Find(name)->stream; }
};

}  // namespace

TEST_CASE("what starts in a nested graph takes the stream of the node that owns it") {
  StreamGraph g;
  const ValueId apart = g.Op("apart", {g.data}, kCore, "l");
  const ValueId owner = g.Op("owner", {g.Op("core", {apart}, kCore)}, kCore);
  g.Output({owner, apart});
  Body body(g, "owner", "then_branch");
  body.graph.Add("NetOutput", "", {body.Op("inner2", {body.Op("inner", {body.data}, kCore)}, kCore)}, 0);
  CHECK(g.Assign() == Ids{{"apart", 0}, {"core", 1}, {"owner", 1}});
  CHECK(body.Stream("inner") == 1);
  CHECK(body.Stream("inner2") == 1);
  CHECK(g.count == 2);
}

TEST_CASE("another engine of a nested graph has a new stream, a label the one that it has outside") {
  StreamGraph g;
  const ValueId labelled = g.Op("labelled", {g.data}, kCore, "l");
  g.Output({g.Op("owner", {labelled}, kCore)});
  Body body(g, "owner", "body");
  const ValueId inner = body.Op("inner", {body.data}, kCore);
  const ValueId side = body.Op("side", {body.data}, kVector);
  const ValueId same = body.Op("same", {body.data}, kCore, "l");
  body.graph.Add("NetOutput", "", {inner, side, same}, 0);
  CHECK(g.Assign() == Ids{{"labelled", 0}, {"owner", 1}});
  CHECK(body.Stream("inner") == 1);
  CHECK(body.Stream("same") == 0);
  CHECK(body.Stream("side") == 2);
  CHECK(g.count == 3);
}

TEST_CASE("an automatic mode spreads nested graphs over the same streams") {
  StreamGraph g;
  g.options.parallel_mode = *ParseParallelMode("LoadBalance:2");
  g.Output({g.Op("owner", {g.data}, kCore)});
  Body body(g, "owner", "body");
  std::vector<ValueId> ends;
  for (int i = 0; i < 4; ++i) ends.push_back(body.Op("branch" + std::to_string(i), {body.data}, kCore));
  body.graph.Add("NetOutput", "", ends, 0);
  g.Assign();
  CHECK(g.count == 2);
  int32_t on_first = 0;
  for (int i = 0; i < 4; ++i) on_first += body.Stream("branch" + std::to_string(i)) == 0;
  CHECK(on_first == 2);
}

TEST_CASE("one stream holds for nested graphs, and so does its quarrel with labels") {
  StreamGraph g;
  g.options.single_stream = true;
  g.Output({g.Op("owner", {g.data}, kCore)});
  Body body(g, "owner", "body");
  body.graph.Add("NetOutput", "", {body.Op("inner", {body.Op("vector", {body.data}, kVector)}, kCore)}, 0);
  g.Assign();
  CHECK(g.count == 1);
  CHECK(body.Stream("inner") == 0);
  CHECK(body.Stream("vector") == 0);
  body.graph.Find("inner")->attrs.Set(kUserStreamLabel, "l");
  CHECK_THROWS_AS(g.Assign(), Error);
}

TEST_CASE("events of nested graphs are numbered on and order their tasks") {
  StreamGraph g;
  const ValueId a = g.Op("a", {g.data}, kCore);
  g.Output({g.Op("owner", {a, g.Op("v", {a}, kCore, "outside")}, kCore)});
  Body body(g, "owner", "body");
  const ValueId x = body.Op("x", {body.data}, kCore);
  const ValueId y = body.Op("y", {x}, kCore, "inside");
  body.graph.Add("NetOutput", "", {body.Op("z", {y}, kCore)}, 0);
  g.Assign();
  const EventCounts counts = InsertEvents(g.graph);
  CHECK(counts.events == 4);  // a to v, v to owner; x to y, y to z
  CHECK(counts.edges == 4);
  CHECK(counts.ge == 4);
  Graph& nested = *g.node("owner").subgraphs[0].graph;
  CHECK(CheckOrder(nested) == std::vector<std::string>{});
  std::vector<int64_t> ids;
  for (NodeId id = 0; id < nested.node_capacity(); ++id) {
    if (nested.node(id).type() == "Send") ids.push_back(nested.node(id).Attr<int64_t>("event_id"));
  }
  CHECK(ids == std::vector<int64_t>{2, 3});
}

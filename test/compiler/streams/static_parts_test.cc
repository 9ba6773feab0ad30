#include "compiler/streams/static_parts.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "compiler/streams/engines.h"
#include "test/compiler/random_graph.h"

using namespace atc;

namespace {

const TensorDesc kKnown(DT_FLOAT, {4});
const TensorDesc kUnknown(DT_FLOAT, {-1});

struct PartGraph {
  Graph graph{"g"};
  ValueId known = graph.AddData("known", 0, kKnown);
  ValueId open = graph.AddData("open", 1, kUnknown);

  ValueId Op(const std::string& name, std::vector<ValueId> inputs, const TensorDesc& desc = kKnown) {
    Node& node = graph.Add("FusedElementwise", name, std::move(inputs), 1);
    node.engine = "AIcoreEngine";
    graph.desc(node.outputs[0]) = desc;
    return node.outputs[0];
  }
  ValueId Chain(const std::string& name, ValueId at, int count, const TensorDesc& desc = kKnown) {
    for (int i = 0; i < count; ++i) at = Op(name + std::to_string(i), {at}, desc);
    return at;
  }
  void Output(std::vector<ValueId> values) { graph.Add("NetOutput", "Node_Output", std::move(values), 0); }
  std::vector<std::vector<std::string>> Parts(int32_t least = kLeastStaticOps) {
    std::vector<std::vector<std::string>> names;
    for (const auto& part : FindStaticParts(graph, least)) {
      names.emplace_back();
      for (const NodeId id : part) names.back().push_back(graph.node(id).name);
    }
    return names;
  }
};

using Names = std::vector<std::vector<std::string>>;

}  // namespace

TEST_CASE("operators of known shapes around an unknown one are parts of their own") {
  PartGraph g;
  const ValueId a = g.Chain("a", g.known, 4);
  const ValueId unknown = g.Op("u", {a, g.open}, kUnknown);
  const ValueId counted = g.Op("count", {unknown}, kKnown);  // its input is unknown
  g.Output({g.Chain("b", counted, 4)});
  CHECK(g.Parts() == Names{{"a0", "a1", "a2", "a3"}, {"b0", "b1", "b2", "b3"}});
}

TEST_CASE("a part that goes on beside an unknown operator does not wait for itself") {
  // a0 a1 -> u -> b0 b1, and a1 -> b0 directly: one part with all of them would wait for u, which waits for it.
  PartGraph g;
  const ValueId a = g.Chain("a", g.known, 2);
  const ValueId size = g.Op("size", {g.Op("u", {a, g.open}, kUnknown)}, kKnown);
  const ValueId b = g.Op("b0", {a, size});
  g.Output({g.Op("b1", {b})});
  CHECK(g.Parts(2) == Names{{"a0", "a1"}, {"b0", "b1"}});
}

TEST_CASE("small parts count as unknown, from the limit that is given; constants do not count") {
  PartGraph g;
  const ValueId weight = g.graph.AddConst("w", Tensor::From<float>(DT_FLOAT, {4}, {1, 2, 3, 4}));
  const ValueId a = g.Op("a1", {g.Op("a0", {g.known, weight})});
  const ValueId u = g.Op("u", {a, g.open, weight}, kUnknown);
  g.Output({g.Op("v", {u, g.graph.AddConst("c", Tensor::From<float>(DT_FLOAT, {1}, {1}))}, kUnknown)});
  CHECK(g.Parts(3).empty());
  CHECK(g.Parts(2) == Names{{"a0", "a1"}});
  CHECK(g.Parts(-1).empty());
}

TEST_CASE("owners of graphs, strings, the host and whatever is said to be unknown belong to no part") {
  PartGraph g;
  ValueId at = g.Chain("a", g.known, 6);
  g.graph.AddSubgraph(*g.graph.Find("a1"), "body").Add("NetOutput", "", {}, 0);
  g.graph.Find("a3")->engine = "DNN_VM_HOST_CPU";
  g.graph.Find("a5")->attrs.Set(kForceUnknownShape, true);
  at = g.Op("text", {at}, TensorDesc(DT_STRING, {4}));
  g.Output({g.Op("after", {at}), g.open});
  CHECK(g.Parts(1) == Names{{"a0"}, {"a2"}, {"a4"}});
}

TEST_CASE("a split graph has each part as a node that owns it, and is whole") {
  PartGraph g;
  const ValueId weight = g.graph.AddConst("w", Tensor::From<float>(DT_FLOAT, {4}, {1, 2, 3, 4}));
  const ValueId own = g.graph.AddConst("own", Tensor::From<float>(DT_FLOAT, {4}, {1, 2, 3, 4}));
  const ValueId a = g.Op("a1", {g.Op("a0", {g.known, weight}), own});
  const ValueId u = g.Op("u", {a, g.open, weight}, kUnknown);
  g.graph.AddControl(g.graph.producer(a).id, g.graph.Find("u")->id);
  g.Output({u, a});
  const auto split = SplitStaticParts(g.graph, FindStaticParts(g.graph, 2));
  split->Verify(true);
  CHECK(split->attrs.Get<bool>(kDynamicShapePartitioned, false));
  CHECK(split->Find("a0") == nullptr);
  CHECK(split->Find("own") == nullptr);
  REQUIRE(split->Find("w") != nullptr);  // u takes it too
  CHECK(split->Find("u")->id == g.graph.Find("u")->id);
  const Node* call = split->Find("PartitionedCall_0");
  REQUIRE(call != nullptr);
  CHECK(call->type() == kPartCall);
  CHECK(call->engine == "AIcoreEngine");
  CHECK(call->inputs == std::vector<ValueId>{g.known});
  CHECK(call->control_out == std::vector<NodeId>{split->Find("u")->id});
  const Graph& part = *call->subgraphs.at(0).graph;
  CHECK(part.name == "g_sub_0_know");
  CHECK(part.parent_node == call->id);
  CHECK(part.node(part.Inputs().at(0)).attrs.Get<int64_t>("_parent_node_index", -1) == 0);
  CHECK(part.Find("a0")->inputs.size() == 2);
  CHECK(part.ConstantInput(*part.Find("a0"), 1) != nullptr);  // a copy of w
  CHECK(part.ConstantInput(*part.Find("a1"), 1) != nullptr);
  CHECK(part.NetOutput()->inputs == part.Find("a1")->outputs);
  CHECK(g.graph.Find("a0") != nullptr);  // the graph itself is as it was
}

TEST_CASE("split random graphs are whole, whatever is unknown in them") {
  size_t parts = 0;
  for (uint32_t seed = 0; seed < 300; ++seed) {
    const auto graph = test::RandomGraph(seed, 40, 3);
    uint32_t random = seed + 1;
    for (NodeId id = 0; id < graph->node_capacity(); ++id) {
      random = random * 1664525 + 1013904223;
      graph->node(id).stream = -1;
      if (random >> 28 == 0) graph->node(id).attrs.Set(kForceUnknownShape, true);
    }
    const auto found = FindStaticParts(*graph, 2);
    parts += found.size();
    const auto split = SplitStaticParts(*graph, found);
    INFO("seed " << seed);
    split->Verify();  // no cycle among other things
    size_t inside = 0;
    for (const auto& part : found) inside += part.size();
    CHECK(split->num_nodes() + inside == graph->num_nodes() + found.size());
  }
  CHECK(parts > 300);
}

#include "compiler/streams/clusters.h"

#include "test/compiler/streams/stream_graph.h"

using namespace atc;
using namespace atc::test;

namespace {

std::vector<std::vector<std::string>> Names(StreamGraph& g) {
  PlaceOnEngines(g.graph);
  const Clusters clusters = MakeClusters(g.graph, g.graph.TopologicalOrder(), EngineTable::Default());
  std::vector<std::vector<std::string>> names;
  for (const Cluster& cluster : clusters.all) {
    for (const uint32_t before : cluster.before) CHECK(before < names.size());
    std::vector<std::string>& list = names.emplace_back();
    for (const NodeId id : cluster.nodes) list.push_back(g.graph.node(id).name);
  }
  return names;
}

using Lists = std::vector<std::vector<std::string>>;

}  // namespace

TEST_CASE("branches of one engine are one cluster") {
  StreamGraph g;
  const ValueId a = g.Op("a", {g.data}, kCore);
  const ValueId b = g.Op("b", {a}, kCore);
  const ValueId c = g.Op("c", {a}, kCore);
  g.Op("d", {b, c}, kCore);
  CHECK(Names(g) == Lists{{"a", "b", "c", "d"}});
}

TEST_CASE("a cluster never waits for itself") {
  StreamGraph g;
  const ValueId a = g.Op("a", {g.data}, kCore);
  const ValueId b = g.Op("b", {a}, kCpu);
  const ValueId c = g.Op("c", {a, b}, kCore);
  g.Op("d", {c}, kCore);
  CHECK(Names(g) == Lists{{"a"}, {"b"}, {"c", "d"}});
}

TEST_CASE("clusters come in order of dependency even where their first nodes do not") {
  StreamGraph g;
  const ValueId a = g.Op("a", {g.data}, kCore);
  const ValueId x = g.Op("x", {g.data}, kCpu);
  g.Op("c", {a, x}, kCore);
  CHECK(Names(g) == Lists{{"x"}, {"a", "c"}});
}

TEST_CASE("labels part clusters") {
  StreamGraph g;
  const ValueId a = g.Op("a", {g.data}, kCore);
  g.Op("b", {a}, kCore, "side");
  CHECK(Names(g) == Lists{{"a"}, {"b"}});
}

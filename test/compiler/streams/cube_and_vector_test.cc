// --multi_stream_parallel_mode=cv: operators of the cube unit and of the vector unit have a stream each.
#include "compiler/plan/check_order.h"
#include "compiler/streams/events.h"
#include "test/compiler/streams/stream_graph.h"

using namespace atc;
using namespace atc::test;

namespace {

// product1 -> soft1 -> product2, and product1 -> soft2 beside them; all meet in join.
struct CubeAndVector : StreamGraph {
  ValueId Op(const char* type, const std::string& name, std::vector<ValueId> inputs) {
    Node& node = graph.Add(type, name, std::move(inputs), 1);
    graph.desc(node.outputs[0]) = TensorDesc(DT_FLOAT, {4, 4});
    return node.outputs[0];
  }
  CubeAndVector() {
    const ValueId product1 = Op("MatMulV2", "product1", {data, data});
    const ValueId soft1 = Op("SoftmaxV2", "soft1", {product1});
    const ValueId soft2 = Op("SoftmaxV2", "soft2", {product1});
    const ValueId product2 = Op("MatMulV2", "product2", {soft1, product1});
    Output({Op("Add", "join", {product2, soft2})});
  }
  Ids Streams(const char* mode) {
    options.parallel_mode = *ParseParallelMode(mode);
    PlaceOnEngines(graph, EngineTable::Default(), options.parallel_mode.kind == ParallelMode::kCv);
    return Assign();
  }
};

}  // namespace

TEST_CASE("without cv both units are one engine on one stream") {
  CubeAndVector g;
  CHECK(g.Streams("") == Ids{{"join", 0}, {"product1", 0}, {"product2", 0}, {"soft1", 0}, {"soft2", 0}});
  CHECK(g.node("soft1").engine == kCore);
}

TEST_CASE("cv parts cube from vector, but for what would only go there and back") {
  CubeAndVector g;
  // soft1 stands between two products that have nothing to do meanwhile: two streams would not help it
  // (OptimizeIneffectiveMultiStream). soft2 runs beside it.
  CHECK(g.Streams("cv") == Ids{{"join", 1}, {"product1", 0}, {"product2", 0}, {"soft1", 0}, {"soft2", 1}});
  CHECK(g.node("product1").engine == kCore);
  CHECK(g.node("soft1").engine == kVector);
  CHECK(InsertEvents(g.graph).events == 2);
  std::vector<std::string> waits;
  for (NodeId id = 0; id < g.graph.node_capacity(); ++id) {
    const Node& node = g.graph.node(id);
    if (node.type() == "Send") waits.push_back("after " + g.graph.node(node.control_in[0]).name);
    if (node.type() == "Recv") waits.push_back("before " + g.graph.node(node.control_out[0]).name);
  }
  CHECK(waits == std::vector<std::string>{"after product1", "before soft2", "after product2", "before join"});
  CHECK(CheckOrder(g.graph) == std::vector<std::string>{});
}

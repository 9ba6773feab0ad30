#include "compiler/passes/topological_sort.h"

#include <catch2/catch.hpp>

#include "test/compiler/pass_fixture.h"

using namespace atc;
using test::PassFixture;

namespace {

std::vector<std::string> Order(const Graph& graph, TopoSortingMode mode) {
  std::vector<std::string> names;
  for (const NodeId id : SortedNodes(graph, mode)) names.push_back(graph.node(id).name);
  return names;
}

using Names = std::vector<std::string>;

// Two branches of two from `split`, which join; and a second output off the first branch. Written across the branches:
//   x -> split -> a1 -> a2 -> join -> NetOutput
//              -> b1 -> b2 ->
//                 a1 -> side -------> NetOutput
struct Branches : PassFixture {
  Branches() {
    const ValueId x = Input({4});
    graph.Rename(graph.producer(x), "x");
    const auto named = [&](const char* type, const char* name, std::vector<ValueId> inputs) {
      const ValueId value = Op(type, name, std::move(inputs));
      graph.producer(value).origin = graph.origins().Leaf(name);
      return value;
    };
    const ValueId split = named("Relu", "split", {x});
    const ValueId b1 = named("Relu", "b1", {split});
    const ValueId a1 = named("Relu", "a1", {split});
    const ValueId side = named("Relu", "side", {a1});
    const ValueId two = Weights({4}, 1);
    graph.Rename(graph.producer(two), "two");
    const ValueId a2 = named("Add", "a2", {a1, two});
    const ValueId b2 = named("Relu", "b2", {b1});
    Output({named("Add", "join", {a2, b2}), side});
    // What the compiler adds has the largest id, whomever it serves.
    const ValueId added = Op("Relu", "added", {graph.Find("b1")->outputs[0]});
    graph.producer(added).origin = graph.Find("b2")->origin;
    graph.SetInput(*graph.Find("b2"), 0, added);
    graph.Rename(*graph.NetOutput(), "end");
    InferShapes(graph);
  }
};

}  // namespace

TEST_CASE("breadth first: what is ready first comes first") {
  Branches f;
  CHECK(Order(f.graph, TopoSortingMode::kBreadthFirst) ==
        Names{"x", "split", "b1", "a1", "added", "side", "two", "a2", "b2", "join", "end"});
}

TEST_CASE("depth first: what a node makes ready comes right behind it") {
  Branches f;
  CHECK(Order(f.graph, TopoSortingMode::kDepthFirst) ==
        Names{"x", "split", "b1", "added", "b2", "a1", "side", "two", "a2", "join", "end"});
}

TEST_CASE("reverse depth first: what an operand needs comes right before it, in the order of the operands") {
  Branches f;
  CHECK(Order(f.graph, TopoSortingMode::kReverseDepthFirst) ==
        Names{"x", "split", "a1", "two", "a2", "b1", "added", "b2", "join", "side", "end"});
}

TEST_CASE("stable: the model's order stays, what is added comes right before its reader") {
  Branches f;
  CHECK(Order(f.graph, TopoSortingMode::kStable) ==
        Names{"x", "split", "b1", "a1", "side", "two", "a2", "added", "b2", "join", "end"});
}

TEST_CASE("control edges order nodes in every mode, and inputs come by their index") {
  PassFixture f;
  const ValueId second = f.graph.AddData("second", 1, TensorDesc(DT_FLOAT, {4}));
  const ValueId first = f.graph.AddData("first", 0, TensorDesc(DT_FLOAT, {4}));
  const ValueId early = f.Op("Relu", "early", {second});
  const ValueId late = f.Op("Relu", "late", {first});
  f.graph.AddControl(f.graph.producer(late).id, f.graph.producer(early).id);
  f.Output({early, late});
  f.graph.Rename(*f.graph.NetOutput(), "end");
  for (const int mode : {0, 1, 2, 3}) {
    CHECK(Order(f.graph, static_cast<TopoSortingMode>(mode)) == Names{"first", "second", "late", "early", "end"});
  }
}

TEST_CASE("sorting numbers the nodes in that order and keeps what the graph computes") {
  for (const int mode : {0, 1, 2, 3}) {
    Branches f;
    f.KeepsResults([&] { SortTopologically(f.graph, static_cast<TopoSortingMode>(mode)); }, 0);
    f.graph.Verify();
    const std::vector<NodeId> order = f.graph.TopologicalOrder();
    CHECK(order == SortedNodes(f.graph, static_cast<TopoSortingMode>(mode)));
    CHECK(std::is_sorted(order.begin(), order.end()));
  }
}

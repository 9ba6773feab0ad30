// Which rewrite made what a pass has not told of.
#include "compiler/ir/journal.h"

#include <catch2/catch.hpp>

namespace atc {
namespace {

using Names = std::vector<std::string>;

TEST_CASE("constants that a pass has added go to the rewrite of their readers") {
  Graph graph("g");
  const ValueId x = graph.AddData("x", 0, TensorDesc(DT_FLOAT, {4}));
  Node& first = graph.Add("Relu", "first", {x}, 1);
  Node& second = graph.Add("Relu", "second", {x}, 1);
  Journal journal;
  journal.EnterPass("P");
  const auto size = static_cast<NodeId>(graph.node_capacity());
  REQUIRE(journal.Allow("one", {&first}));
  const ValueId a = graph.AddConst("a", Tensor::From<float>(DT_FLOAT, {4}, {1, 2, 3, 4}));
  journal.Made(graph.Add("Add", "sum", {x, graph.Add("Neg", "between", {a}, 1).outputs[0]}, 1));
  REQUIRE(journal.Allow("two", {&second}));
  const ValueId b = graph.AddConst("b", Tensor::From<float>(DT_FLOAT, {4}, {1, 2, 3, 4}));
  journal.Made(graph.Add("Mul", "product", {x, b}, 1));
  journal.MadeAlong(graph, size, 0);
  CHECK(journal.entries()[0].after == Names{"sum", "between", "a"});
  CHECK(journal.entries()[1].after == Names{"product", "b"});
  // A pass that rewrote nothing has made nothing.
  journal.MadeAlong(graph, size, 2);
  CHECK(journal.entries()[1].after.size() == 2);
}

}  // namespace
}  // namespace atc

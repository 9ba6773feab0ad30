#include "compiler/passes/expand_remove.h"

#include "test/compiler/pass_fixture.h"

using namespace atc;
using test::PassFixture;

namespace {

struct ExpandFixture : PassFixture {
  ValueId Expand(ValueId x, std::vector<int64_t> to, const char* type = "Expand") {
    return Op(type, "expand", {x, graph.AddConst("to", Tensor::Ints(to))});
  }
};

}  // namespace

TEST_CASE("what is repeated before operators that broadcast is read as it is") {
  const int way = GENERATE(0, 1, 2, 3);
  ExpandFixture f;
  const ValueId other = f.Input({2, 3, 4});
  if (way == 0) f.Output({f.Op("Add", "sum", {other, f.Expand(f.Input({3, 1}), {2, 3, 4})})});
  if (way == 1) f.Output({f.Op("Mul", "product", {f.Expand(f.Input({1, 3, 1}), {2, 1, 4}), other})});
  if (way == 2) f.Output({f.Op("Sub", "difference", {f.Expand(f.Input({2, 1, 4}), {1, 3, 1}, "Tile"), other})});
  if (way == 3) {
    const ValueId y = f.Expand(f.Input({4}), {3, 4}, "BroadcastTo");
    f.Output({f.Op("Maximum", "a", {y, other}), f.Op("Add", "b", {f.Op("Mul", "c", {y, f.Input({3, 4})}), other})});
  }
  f.KeepsResults([&] { CHECK(ExpandRemovePass(f.graph, f.context)); }, 0);
  CHECK(f.graph.Find("expand") == nullptr);
}

TEST_CASE("repeats that the result needs, or that others read, stay") {
  const int way = GENERATE(0, 1, 2, 3, 4, 5);
  ExpandFixture f;
  const ValueId x = f.Input({3, 1}), y = f.Expand(x, {2, 3, 4});
  if (way == 0) f.Output({f.Op("Add", "sum", {f.Input({3, 4}), y})});  // the first axis is made by it alone
  if (way == 1) f.Output({f.Op("Add", "sum", {f.Input({2, 3, 4}), y}), y});
  if (way == 2) f.Output({f.Op("Add", "sum", {f.Input({2, 3, 4}), y}), f.Op("Relu", "", {y})});
  if (way == 3) f.Output({f.Op("Mul", "square", {y, y})});
  if (way == 4) f.Output({f.Op("BatchMatMulV2", "product", {y, f.Input({2, 4, 3})})});
  if (way == 5) f.Output({f.Op("Mul", "scaled", {f.Op("Relu", "", {f.Expand(x, {1, 3, 4})}), y})});
  CHECK_FALSE(ExpandRemovePass(f.graph, f.context));
}

TEST_CASE("with an unknown batch the repeated axis decides") {
  const bool batch = GENERATE(false, true);
  ExpandFixture f;
  const ValueId other = f.Input({2, 3, 4});
  f.Output({f.Op(
      "Add", "sum",
      {other, f.Expand(f.Input({1, 3, 1}), batch ? std::vector<int64_t>{2, 3, 1} : std::vector<int64_t>{1, 3, 4})})});
  f.graph.desc(other).SetShape({-1, 3, 4});
  InferShapes(f.graph);
  f.KeepsResults([&] { CHECK(ExpandRemovePass(f.graph, f.context) == !batch); }, 0);
}

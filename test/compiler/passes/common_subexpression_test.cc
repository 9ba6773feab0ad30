#include "compiler/passes/common_subexpression.h"

#include "test/compiler/pass_fixture.h"

using namespace atc;
using test::PassFixture;

TEST_CASE("equal nodes on equal inputs become one, which tells of both") {
  PassFixture f;
  const ValueId x = f.Input({2, 3});
  const ValueId a = f.Op("Add", "a", {f.Op("Exp", "e1", {x}), f.Weights({3}, 5)});
  const ValueId b = f.Op("Add", "b", {f.Op("Exp", "e2", {x}), f.Weights({3}, 5)});
  f.Output({f.Op("Mul", "product", {a, b})});
  f.KeepsResults([&] { CHECK(ConstantFuseSamePass(f.graph, f.context)); }, 0);
  CHECK(f.Count("Const") == 1);
  CHECK(f.Count("Exp") == 2);
  CHECK_FALSE(ConstantFuseSamePass(f.graph, f.context));
  f.KeepsResults([&] { CHECK(CommonSubexpressionEliminationPass(f.graph, f.context)); }, 0);
  CHECK(f.Count("Exp") == 1);
  CHECK(f.Count("Add") == 1);
  CHECK(f.graph.origins().Flatten(f.graph.Find("a")->origin) == std::vector<std::string>{"a", "b"});
  CHECK_FALSE(CommonSubexpressionEliminationPass(f.graph, f.context));
}

TEST_CASE("other attributes, inputs or constants are no common subexpression, nor are random numbers") {
  PassFixture f;
  const ValueId x = f.Input({2, 3});
  const auto softmax = [&](const char* name, int64_t axis) {
    const ValueId y = f.Op("SoftmaxV2", name, {x});
    f.graph.producer(y).attrs.Set("axes", std::vector<int64_t>{axis});
    return y;
  };
  const ValueId difference = f.Op("Sub", "s1", {x, f.Weights({3}, 1)});
  f.Output({softmax("rows", 1), softmax("columns", 0), difference, f.Op("Sub", "s2", {x, f.Weights({3}, 2)}),
            f.Op("Sub", "s3", {difference, x}), f.Op("Sub", "s4", {x, difference})});
  CHECK_FALSE(ConstantFuseSamePass(f.graph, f.context));
  CHECK_FALSE(CommonSubexpressionEliminationPass(f.graph, f.context));
}

TEST_CASE("constants of equal bytes but other types, shapes or signs of zero are not the same") {
  PassFixture f;
  const ValueId x = f.Input({2, 2});
  const auto constant = [&](DataType dtype, Shape shape, std::vector<int32_t> bits) {
    Tensor tensor = Tensor::Allocate(dtype, std::move(shape));
    std::copy(bits.begin(), bits.end(), tensor.MutableData<int32_t>());
    return f.graph.AddConst("bits", tensor);
  };
  const ValueId ints = constant(DT_INT32, {2}, {0, 0});
  f.Output({f.Op("Add", "a", {x, constant(DT_FLOAT, {2}, {0, 0})}), f.Op("Add", "b", {x, constant(DT_FLOAT, {2, 1}, {0, 0})}),
            f.Op("Add", "c", {x, constant(DT_FLOAT, {2}, {INT32_MIN, INT32_MIN})}), f.Op("Add", "d", {ints, ints})});
  CHECK_FALSE(ConstantFuseSamePass(f.graph, f.context));
  CHECK(f.Count("Const") == 4);
}

#include "compiler/passes/matmul_transpose_fusion.h"

#include "test/compiler/pass_fixture.h"

using namespace atc;
using test::PassFixture;

namespace {

ValueId Transpose(PassFixture& f, const char* name, ValueId x, std::vector<int64_t> perm) {
  return f.Op("Transpose", name, {x, f.graph.AddConst("perm", Tensor::Ints(std::move(perm)))});
}

}  // namespace

TEST_CASE("operands that are transposed are so by the flags") {
  PassFixture f;
  const ValueId a = Transpose(f, "a", f.Input({2, 4, 3}), {0, 2, 1});
  const ValueId b = Transpose(f, "b", f.Input({2, 5, 4}), {0, 2, 1});
  const ValueId y = f.Op("BatchMatMulV2", "product", {a, b});
  f.Output({y, f.Op("Exp", "exp", {b})});  // b is still used
  f.KeepsResults([&] { CHECK(MatMulTransposeFusionPass(f.graph, f.context)); }, 1e-6);
  CHECK(f.graph.Find("a") == nullptr);
  CHECK(f.graph.Find("b") != nullptr);
  const Node& product = *f.graph.Find("product");
  CHECK(product.Attr<bool>("adj_x1"));
  CHECK(product.Attr<bool>("adj_x2"));
}

TEST_CASE("a flag that is set is cleared") {
  PassFixture f;
  const ValueId y = f.Op("MatMulV2", "product", {Transpose(f, "a", f.Input({4, 3}), {1, 0}), f.Weights({3, 5}, 1)});
  f.graph.producer(y).attrs.Set("transpose_x1", true);
  f.Output({y});
  f.KeepsResults([&] { CHECK(MatMulTransposeFusionPass(f.graph, f.context)); }, 1e-6);
  CHECK_FALSE(f.graph.Find("product")->Attr<bool>("transpose_x1"));
}

TEST_CASE("a result that is transposed is the product of the transposed operands") {
  PassFixture f;
  const ValueId y = f.Op("BatchMatMulV2", "product", {f.Input({2, 1, 3, 4}), f.Input({5, 6, 4})});
  f.graph.producer(y).attrs.Set("adj_x2", true);
  f.Output({Transpose(f, "turn", y, {0, 1, 3, 2})});
  f.KeepsResults([&] { CHECK(MatMulTransposeFusionPass(f.graph, f.context)); }, 1e-6);
  CHECK(f.Count("Transpose") == 0);
  const Node& product = *f.graph.Find("product");
  CHECK_FALSE(product.Attr<bool>("adj_x1"));
  CHECK(product.Attr<bool>("adj_x2"));
}

TEST_CASE("other orders, biases and results of several users stay") {
  PassFixture f;
  SECTION("an order that moves the batch") {
    f.Output({f.Op("BatchMatMulV2", "product", {Transpose(f, "a", f.Input({4, 2, 3}), {1, 2, 0}), f.Weights({4, 5}, 1)})});
  }
  SECTION("a bias runs along rows") {
    f.Output({Transpose(f, "turn", f.Op("MatMulV2", "product", {f.Input({3, 4}), f.Weights({4, 5}, 1), f.Weights({5}, 2)}), {1, 0})});
  }
  SECTION("another user") {
    const ValueId y = f.Op("MatMulV2", "product", {f.Input({3, 4}), f.Weights({4, 5}, 1)});
    f.Output({Transpose(f, "turn", y, {1, 0}), f.Op("Exp", "exp", {y})});
  }
  CHECK_FALSE(MatMulTransposeFusionPass(f.graph, f.context));
}

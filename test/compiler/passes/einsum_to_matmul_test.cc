#include "compiler/passes/einsum_to_matmul.h"

#include "compiler/passes/attention_fusion.h"
#include "test/compiler/passes/attention_fixture.h"

using namespace atc;
using test::AttentionFixture;

namespace {

ValueId Einsum(AttentionFixture& f, ValueId a, ValueId b, const char* equation) {
  const ValueId y = f.Op("Einsum", equation, {a, b});
  f.graph.producer(y).attrs.Set("equation", equation);
  f.graph.producer(y).attrs.Set("N", 2);
  return y;
}

}  // namespace

TEST_CASE("einsums that are products become products") {
  struct Case {
    const char* equation;
    Shape a, b;
    bool weights;
    int reshapes, transposes;
  };
  const Case c = GENERATE(Case{"abc,cd->abd", {2, 3, 4}, {4, 5}, true, 0, 0}, Case{"abc,dc->abd", {2, 3, 4}, {5, 4}, false, 0, 0},
                          Case{"abc,cde->abde", {2, 3, 4}, {4, 5, 6}, true, 2, 0}, Case{"abcd, cde -> abe", {2, 3, 4, 5}, {4, 5, 6}, true, 2, 0},
                          Case{"bij,bjk->bik", {2, 3, 4}, {2, 4, 5}, false, 0, 0}, Case{"bji,bkj->bik", {2, 4, 3}, {2, 5, 4}, false, 0, 0},
                          Case{"abc,dec->abed", {2, 3, 4}, {5, 6, 4}, true, 2, 1}, Case{"Bhij,Bhjk->Bhik", {2, 2, 3, 4}, {2, 2, 4, 5}, false, 0, 0});
  AttentionFixture f;
  const ValueId a = f.Input(c.a), b = c.weights ? f.Weights(c.b, 3) : f.Input(c.b);
  f.Output({Einsum(f, a, b, c.equation)});
  f.KeepsResults([&] { CHECK(EinsumToMatMulPass(f.graph, f.context)); }, 1e-6);
  InferShapes(f.graph);
  CHECK(f.Count("BatchMatMulV2") == 1);
  CHECK(f.Count("Reshape") == c.reshapes);
  CHECK(f.Count("Transpose") == c.transposes);
  CHECK(f.graph.Find(c.equation) != nullptr);
}

TEST_CASE("einsums that would need a transpose of data, or are no product, stay") {
  struct Case {
    const char* equation;
    Shape a, b;
  };
  const Case c = GENERATE(Case{"abc,bd->acd", {2, 3, 4}, {3, 5}}, Case{"ab,cd->abcd", {2, 3}, {4, 5}}, Case{"aab,bc->ac", {3, 3, 4}, {4, 5}},
                          Case{"abc,cd->ad", {2, 3, 4}, {4, 5}}, Case{"ab,bc->ca", {2, 3}, {3, 4}}, Case{"ab,bc->ac", {2, 1}, {3, 4}});
  AttentionFixture f;
  f.Output({Einsum(f, f.Input(c.a), f.Input(c.b), c.equation)});
  CHECK_FALSE(EinsumToMatMulPass(f.graph, f.context));
}

TEST_CASE("attention by einsums over heads behind the length becomes one operator") {
  AttentionFixture f;
  const ValueId q = f.Input({2, 5, 3, 4}), k = f.Input({2, 7, 3, 4}), v = f.Input({2, 7, 3, 4});
  const ValueId scores = f.Op("Mul", "", {Einsum(f, q, k, "btnh,bsnh->bnts"), f.Scalar(0.5f)});
  f.Output({Einsum(f, f.Softmax(scores), v, "bnts,bsnh->btnh")});
  f.KeepsResults(
      [&] {
        CHECK(EinsumToMatMulPass(f.graph, f.context));
        CHECK(AttentionFusionPass(f.graph, f.context));
      },
      1e-6);
  CHECK(f.CountTasks() == 1);
}

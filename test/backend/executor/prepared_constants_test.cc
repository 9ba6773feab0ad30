// Constants that kernels bring into layouts of their own are prepared once for a model.
#include <catch2/catch.hpp>
#include <cmath>

#include "test/backend/executor/static_runner.h"
#include "test/compiler/pass_fixture.h"

using namespace atc;
using namespace atc::test;

namespace {

// x times w, `products` times, with the weights numbered modulo `weights`.
std::unique_ptr<Graph> Products(int products, int weights) {
  auto graph = std::make_unique<Graph>("products");
  ValueId at = graph->AddData("x", 0, TensorDesc(DT_FLOAT, {4, 32}));
  std::vector<ValueId> w;
  for (int i = 0; i < weights; ++i) {
    w.push_back(graph->AddConst("w" + std::to_string(i), RandomFloats({32, 32}, static_cast<uint32_t>(i), -0.2f, 0.2f)));
  }
  for (int i = 0; i < products; ++i) {
    at = graph->Add("MatMulV2", "product" + std::to_string(i), {at, w[static_cast<size_t>(i % weights)]}, 1).outputs[0];
  }
  graph->Add("NetOutput", "Node_Output", {at}, 0);
  return graph;
}

uint64_t PreparedBytes(int products, int weights) {
  // Half weights are widened, whatever layout the processor likes.
  return StaticRunner(Products(products, weights), PrecisionMode::kForceFp16).model->info().prepared_weight_bytes;
}

}  // namespace

TEST_CASE("products with one constant share its prepared form") {
  const uint64_t one = PreparedBytes(1, 1);
  CHECK(one >= 32 * 32 * sizeof(float));
  CHECK(PreparedBytes(5, 1) == one);
  CHECK(PreparedBytes(5, 2) == 2 * one);
}

TEST_CASE("what is shared gives the same products") {
  const Tensor x = RandomFloats({4, 32}, 7);
  const Tensor found = StaticRunner(Products(3, 1)).Run({x})[0];
  const Tensor expected = Evaluate(*Products(3, 1), {x})[0];
  for (int64_t i = 0; i < found.NumElements(); ++i) {
    CHECK(std::abs(found.Data<float>()[i] - expected.Data<float>()[i]) <= 1e-5f);
  }
}

#include "compiler/passes/same_input_matmul_fusion.h"
#include "compiler/passes/attention_fusion.h"
#include "test/compiler/passes/attention_fixture.h"

using namespace atc;
using test::AttentionFixture;

TEST_CASE("the products that make queries, keys and values become one, out of which the attention reads") {
  const bool transposed = GENERATE(false, true);
  const bool crossed = GENERATE(false, true);  // queries come from elsewhere
  AttentionFixture f;
  const ValueId x = f.Input({2, 5, 12}), other = crossed ? f.Input({2, 7, 12}) : x;
  const auto projection = [&](ValueId from, uint32_t seed, bool bias) {
    std::vector<ValueId> inputs = {from, f.Weights({12, 12}, seed)};
    if (bias) inputs.push_back(f.Weights({12}, seed + 10));
    const ValueId y = f.Op("BatchMatMulV2", "", inputs);
    f.graph.producer(y).attrs.Set("adj_x2", transposed);
    return y;
  };
  const ValueId q = projection(other, 1, true), k = projection(x, 2, false), v = projection(x, 3, true);
  InferShapes(f.graph);
  const ValueId scores = f.Product(f.Heads(q, 3), f.Transpose(f.Heads(k, 3), {0, 1, 3, 2}));
  f.Output({f.Product(f.Softmax(scores), f.Heads(v, 3))});
  f.KeepsResults([&] { CHECK(SameInputMatMulFusionPass(f.graph, f.context)); }, 1e-6);
  CHECK(f.Count("SplitV") == 1);
  CHECK_FALSE(SameInputMatMulFusionPass(f.graph, f.context));
  f.KeepsResults([&] { CHECK(AttentionFusionPass(f.graph, f.context)); }, 1e-6);
  CHECK(f.CountTasks() == (crossed ? 3 : 2));  // the split is read through
}

TEST_CASE("a product that others read, or of another input, stays by itself") {
  const bool read = GENERATE(false, true);
  AttentionFixture f;
  const ValueId x = f.Input({1, 5, 4}), y = f.Input({1, 5, 4}), z = f.Input({1, 5, 4});
  const auto projection = [&](ValueId from, uint32_t seed) { return f.Product(from, f.Weights({4, 4}, seed)); };
  const ValueId k = projection(x, 1), v = projection(read ? x : y, 2);
  std::vector<ValueId> outputs = {f.Product(f.Softmax(f.Product(z, f.Transpose(k, {0, 2, 1}))), v)};
  if (read) outputs.push_back(k);
  f.Output(outputs);
  CHECK_FALSE(SameInputMatMulFusionPass(f.graph, f.context));
}

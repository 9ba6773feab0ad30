#include "compiler/passes/attention_fusion.h"
#include "test/compiler/passes/attention_fixture.h"

using namespace atc;
using test::AttentionFixture;

TEST_CASE("attention over heads with its reshapes, transposes, factor and mask becomes one operator") {
  const int mask = GENERATE(0, 1, 2, 3);
  const bool before = GENERATE(false, true);  // the factor, of queries and keys or of scores
  AttentionFixture f;
  const ValueId q = f.Input({2, 5, 12}), k = f.Input({2, 7, 12}), v = f.Input({2, 7, 12});
  ValueId queries = f.Heads(q, 3), keys = f.Transpose(f.Reshape(k, {2, 7, 3, 4}), {0, 2, 3, 1});
  if (before) {
    queries = f.Op("Mul", "", {queries, f.Scalar(0.7f)});
    keys = f.Op("Mul", "", {keys, f.Scalar(0.7f)});
  }
  ValueId scores = f.Product(queries, keys);
  if (!before) scores = f.Op("RealDiv", "", {scores, f.Scalar(2)});
  if (mask == 1) scores = f.Op("Add", "", {scores, f.Mask({2, 1, 1, 7}, -1e9f)});
  if (mask == 2) scores = f.Op("Add", "", {f.Mask({5, 7}, -10000), scores});
  if (mask == 3) scores = f.Select(f.Flags({5, 7}), scores, -std::numeric_limits<float>::infinity());
  const ValueId y = f.Product(f.Softmax(scores), f.Heads(v, 3));
  f.Output({f.Reshape(f.Transpose(y, {0, 2, 1, 3}), {2, 5, 12})});
  f.KeepsResults([&] { CHECK(AttentionFusionPass(f.graph, f.context)); }, 1e-6);
  CHECK(f.Count("FusedAttention") == 1);
  CHECK(f.CountTasks() == 2);  // the last reshape moves nothing
  CHECK_FALSE(AttentionFusionPass(f.graph, f.context));
}

TEST_CASE("queries, keys and values are read out of one tensor, and shared heads where they lie") {
  const bool packed = GENERATE(false, true);
  AttentionFixture f;
  ValueId queries, keys, values;
  if (packed) {  // [length, batch, 3 * width]
    const ValueId all = f.Transpose(f.Op("Unsqueeze", "", {f.Reshape(f.Input({5, 2, 36}), {5, 2, 3, 12})}), {3, 1, 2, 0, 4});
    f.graph.producer(f.graph.producer(all).inputs[0]).attrs.Set("axes", std::vector<int64_t>{0});
    const ValueId parts = f.Op("Squeeze", "", {all});
    f.graph.producer(parts).attrs.Set("axis", std::vector<int64_t>{3});
    const auto part = [&](int64_t i) {
      const ValueId index = f.graph.AddConst("index", Tensor::Scalar(i)), axis = f.graph.AddConst("axis", Tensor::Scalar(int64_t{0}));
      return f.Transpose(f.Reshape(f.Op("GatherV2", "", {parts, index, axis}), {5, 6, 4}), {1, 0, 2});
    };
    queries = part(0);
    keys = f.Transpose(part(1), {0, 2, 1});
    values = part(2);
  } else {  // two heads of keys for four of queries
    const auto repeated = [&](ValueId x) {
      const ValueId heads = f.Op("Unsqueeze", "", {f.Heads(x, 2)});
      f.graph.producer(heads).attrs.Set("axes", std::vector<int64_t>{2});
      return f.Reshape(f.Op("Expand", "", {heads, f.Ints({2, 2, 2, 5, 6})}), {2, 4, 5, 6});
    };
    queries = f.Heads(f.Input({2, 3, 24}), 4);
    keys = f.Transpose(repeated(f.Input({2, 5, 12})), {0, 1, 3, 2});
    values = repeated(f.Input({2, 5, 12}));
  }
  f.Output({f.Product(f.Softmax(f.Product(queries, keys)), values)});
  f.KeepsResults([&] { CHECK(AttentionFusionPass(f.graph, f.context)); }, 1e-6);
  CHECK(f.CountTasks() == 1);
  const Node& fused = f.graph.producer(f.graph.NetOutput()->inputs[0]);
  CHECK(fused.inputs[0] == f.graph.node(f.graph.Inputs()[0]).outputs[0]);
}

TEST_CASE("attention of unknown batch and length is one operator with the transposes beside its products") {
  AttentionFixture f;
  const ValueId q = f.Input({2, 5, 3, 4}), k = f.Input({2, 7, 3, 4}), v = f.Input({2, 7, 3, 4});
  const ValueId scores = f.Product(f.Transpose(q, {0, 2, 1, 3}), f.Transpose(k, {0, 2, 3, 1}));
  const ValueId y = f.Product(f.Softmax(f.Op("Add", "", {scores, f.Input({2, 1, 1, 7})})), f.Transpose(v, {0, 2, 1, 3}));
  f.Output({f.Transpose(y, {0, 2, 1, 3})});
  for (const NodeId id : f.graph.Inputs()) {
    TensorDesc& desc = f.graph.desc(f.graph.node(id).outputs[0]);
    desc.SetShape(desc.origin_shape[1] == 1 ? Shape{-1, 1, 1, -1} : Shape{-1, -1, 3, 4});
  }
  InferShapes(f.graph);
  f.KeepsResults([&] { CHECK(AttentionFusionPass(f.graph, f.context)); }, 1e-6);
  CHECK(f.CountTasks() == 1);
}

TEST_CASE("attention of a half model whose softmax is in float is one operator of half tensors") {
  AttentionFixture f;
  const auto half = [&](Shape shape) { return f.Cast(f.Input(std::move(shape)), DT_FLOAT16); };
  const ValueId scores = f.Cast(f.Product(half({2, 5, 4}), half({2, 4, 7})), DT_FLOAT);
  const ValueId weights = f.Cast(f.Softmax(f.Op("Add", "", {scores, f.Mask({5, 7}, -10000)})), DT_FLOAT16);
  f.Output({f.Cast(f.Product(weights, half({2, 7, 4})), DT_FLOAT)});
  f.KeepsResults([&] { CHECK(AttentionFusionPass(f.graph, f.context)); }, 3e-3);
  REQUIRE(f.Count("FusedAttention") == 1);
  CHECK(f.CountTasks() == 5);  // with the Casts around it
}

TEST_CASE("weights that others read, or a softmax over another axis, are no attention") {
  const bool axis = GENERATE(false, true);
  AttentionFixture f;
  const ValueId weights = f.Softmax(f.Product(f.Input({2, 5, 4}), f.Input({2, 4, 5})));
  if (axis) f.graph.producer(weights).attrs.Set("axes", std::vector<int64_t>{1});
  std::vector<ValueId> outputs = {f.Product(weights, f.Input({2, 5, 4}))};
  if (!axis) outputs.push_back(weights);
  f.Output(outputs);
  CHECK_FALSE(AttentionFusionPass(f.graph, f.context));
}

TEST_CASE("values times the transpose of the weights are attention too") {
  const bool taken = GENERATE(false, true);  // the transpose into the product
  AttentionFixture f;
  const ValueId q = f.Input({2, 5, 4}), k = f.Input({2, 4, 7}), v = f.Input({2, 6, 7});
  const ValueId weights = f.Softmax(f.Product(q, k));
  ValueId y = kNoId;
  if (taken) {
    y = f.Product(v, weights);
    f.graph.producer(y).attrs.Set("adj_x2", AttrValue(true));
  } else {
    y = f.Product(v, f.Transpose(weights, {0, 2, 1}));
  }
  f.Output({y});
  f.KeepsResults([&] { CHECK(AttentionFusionPass(f.graph, f.context) == taken); }, 1e-6);
}

TEST_CASE("zero for rows of which all scores are masked, a least score and a factor by head are part of attention") {
  AttentionFixture f;
  const ValueId q = f.Input({1, 2, 5, 4}), k = f.Input({1, 2, 4, 7}), v = f.Input({1, 2, 7, 4});
  ValueId scores = f.Op("Mul", "", {f.Product(q, k), f.Weights({2, 1, 1}, 8)});
  scores = f.Op("Maximum", "", {scores, f.Scalar(-0.1f)});
  Tensor mask = test::RandomFloats({5, 7}, 5);
  for (int64_t i = 0; i < 35; ++i) mask.MutableData<float>()[i] = i / 7 == 2 || i % 3 == 0 ? -std::numeric_limits<float>::infinity() : 0;
  const ValueId weights = f.Softmax(f.Op("Add", "", {scores, f.graph.AddConst("mask", mask)}));
  const ValueId kept = f.Op("SelectV2", "", {f.Op("IsNan", "", {weights}), f.Scalar(0), weights});
  f.Output({f.Product(kept, v)});
  f.KeepsResults([&] { CHECK(AttentionFusionPass(f.graph, f.context)); }, 1e-6);
  CHECK(f.CountTasks() == 1);
}

// Fused attention, masked softmax and rotary embeddings, judged by the graphs that they stand for.
#include "compiler/passes/attention_fusion.h"
#include "compiler/passes/masked_softmax_fusion.h"
#include "test/backend/kernels/kernel_fixture.h"
#include "test/compiler/passes/attention_fixture.h"

using namespace atc;
using namespace atc::test;

namespace {

// The only node of the graph that owns one, on inputs of type `dtype`.
void CheckFusedNode(AttentionFixture& f, DataType dtype, int threads, double tolerance) {
  const Node* fused = nullptr;
  for (NodeId id = 0; id < f.graph.node_capacity(); ++id) {
    if (f.graph.node(id).alive && f.graph.node(id).fused) fused = &f.graph.node(id);
  }
  REQUIRE(fused != nullptr);
  KernelCase c;
  c.type = fused->type().str().c_str();
  c.threads = threads;
  for (const ValueId input : fused->inputs) {
    const Node& source = f.graph.producer(input);
    const Tensor* constant = f.graph.Constant(input);
    const Tensor value = constant != nullptr ? *constant : f.inputs[static_cast<size_t>(source.Attr<int64_t>("index"))];
    c.inputs.push_back(value.dtype() == DT_FLOAT ? Narrow(value, dtype) : value);
    c.constant.push_back(constant != nullptr);
  }
  const std::vector<Tensor> expected = RunReferenceKernel(*fused, c.inputs, {}, {dtype});
  ForEachTarget([&] {
    const std::vector<Tensor> found = RunFast(c, f.graph, *fused, expected);
    REQUIRE(found.size() == 1);
    const std::vector<double> x = ToDoubles(found[0]), y = ToDoubles(expected[0]);
    REQUIRE(x.size() == y.size());
    for (size_t i = 0; i < x.size(); ++i) {
      if (std::isnan(y[i])) {
        REQUIRE(std::isnan(x[i]));
      } else {
        REQUIRE(std::abs(x[i] - y[i]) <= tolerance * (1 + std::abs(y[i])));
      }
    }
  });
}

double Tolerance(DataType dtype) { return dtype == DT_FLOAT ? 4e-6 : dtype == DT_FLOAT16 ? 2e-3 : 1.6e-2; }

}  // namespace

TEST_CASE("attention of all shapes, types, masks and teams is that of its graph") {
  const DataType dtype = GENERATE(DT_FLOAT, DT_FLOAT16, DT_BF16);
  const int mask = GENERATE(0, 1, 2, 3);
  const Shape sizes = GENERATE(Shape{1, 1, 1, 1, 2}, Shape{2, 5, 7, 3, 4}, Shape{1, 33, 40, 2, 16}, Shape{1, 1, 70, 3, 48}, Shape{1, 4, 37, 2, 33}, Shape{2, 300, 301, 1, 8});
  const int threads = sizes[1] > 30 ? 3 : 1;
  AttentionFixture f;
  const int64_t batch = sizes[0], queries = sizes[1], keys = sizes[2], heads = sizes[3], size = sizes[4];
  const ValueId q = f.Heads(f.Input({batch, queries, heads * size}), heads);
  const ValueId k = f.Transpose(f.Heads(f.Input({batch, keys, heads * size}), heads), {0, 1, 3, 2});
  const ValueId v = f.Heads(f.Input({batch, keys, heads * size}), heads);
  ValueId scores = f.Op("Mul", "", {f.Product(q, k), f.Scalar(0.5f)});
  if (mask == 1) scores = f.Op("Add", "", {scores, f.Mask({batch, 1, 1, keys}, -10000)});
  if (mask == 2) scores = f.Op("Add", "", {f.Input({1, heads, queries, keys}), scores});
  if (mask == 3) scores = f.Select(f.Flags({queries, keys}), scores, -10000);
  f.Output({f.Transpose(f.Product(f.Softmax(scores), v), {0, 2, 1, 3})});
  REQUIRE(AttentionFusionPass(f.graph, f.context));
  CheckFusedNode(f, dtype, threads, Tolerance(dtype));
}

TEST_CASE("attention with its result transposed, rows that see nothing, least scores and factors is that of its graph") {
  const DataType dtype = GENERATE(DT_FLOAT, DT_FLOAT16);
  const int way = GENERATE(0, 1, 2);
  const int64_t queries = GENERATE(3, 33), keys = GENERATE(7, 40);
  AttentionFixture f;
  const ValueId q = f.Input({2, queries, 4}), k = f.Input({2, 4, keys});
  ValueId scores = f.Product(q, k);
  if (way == 0) {
    const ValueId y = f.Product(f.Input({2, 6, keys}), f.Softmax(scores));
    f.graph.producer(y).attrs.Set("adj_x2", AttrValue(true));
    f.Output({y});
  } else {
    if (way == 1) {
      const ValueId mask = f.Mask({queries, keys}, -std::numeric_limits<float>::infinity());
      Tensor closed = *f.graph.Constant(mask);
      for (int64_t i = 0; i < keys; ++i) closed.MutableData<float>()[keys + i] = -std::numeric_limits<float>::infinity();
      scores = f.Op("Add", "", {scores, f.graph.AddConst("closed", closed)});
    } else {
      scores = f.Op("Mul", "", {scores, f.Weights({2, 1, 1}, 8)});
      scores = f.Op("Mul", "", {scores, f.Weights({queries, keys}, 9)});
      scores = f.Op("Maximum", "", {scores, f.Scalar(-0.25f)});
    }
    ValueId weights = f.Softmax(scores);
    if (way == 1) weights = f.Op("SelectV2", "", {f.Op("IsNan", "", {weights}), f.Scalar(0), weights});
    f.Output({f.Product(weights, f.Input({2, keys, 6}))});
  }
  REQUIRE(AttentionFusionPass(f.graph, f.context));
  CheckFusedNode(f, dtype, 1, Tolerance(dtype));
}

TEST_CASE("attention over keys that lie as columns, in one tensor or shared by heads is that of its graph") {
  const DataType dtype = GENERATE(DT_FLOAT, DT_FLOAT16);
  const int way = GENERATE(0, 1, 2);
  AttentionFixture f;
  if (way == 0) {  // keys are given as [size, keys], values as columns
    f.Output({f.Product(f.Softmax(f.Product(f.Input({2, 3, 9, 8}), f.Input({2, 3, 8, 21}))),
                        f.Transpose(f.Input({2, 3, 5, 21}), {0, 1, 3, 2}))});
  } else if (way == 1) {
    const ValueId all = f.Transpose(f.Reshape(f.Input({2, 17, 3 * 24}), {2, 17, 3, 4, 6}), {2, 0, 3, 1, 4});
    const auto part = [&](int64_t i) {
      return f.Op("GatherV2", "", {all, f.graph.AddConst("index", Tensor::Scalar(i)), f.graph.AddConst("axis", Tensor::Scalar(int64_t{0}))});
    };
    const ValueId q = part(0), k = f.Transpose(part(1), {0, 1, 3, 2}), v = part(2);
    f.Output({f.Reshape(f.Transpose(f.Product(f.Softmax(f.Product(q, k)), v), {0, 2, 1, 3}), {2, 17, 24})});
  } else {
    const auto repeated = [&](ValueId x) { return f.Op("Expand", "", {x, f.Ints({2, 4, 19, 8})}); };
    const ValueId k = f.Transpose(repeated(f.Input({2, 1, 19, 8})), {0, 1, 3, 2}), v = repeated(f.Input({2, 1, 19, 8}));
    f.Output({f.Product(f.Softmax(f.Product(f.Input({2, 4, 11, 8}), k)), v)});
  }
  REQUIRE(AttentionFusionPass(f.graph, f.context));
  CheckFusedNode(f, dtype, 2, Tolerance(dtype));
}

TEST_CASE("a row of scores that are all forbidden is NaN, as its softmax is") {
  AttentionFixture f;
  const ValueId scores = f.Op("Add", "", {f.Input({3, 20}), f.Mask({1, 20}, 0)});
  const ValueId forbidden = f.Select(f.graph.AddConst("flags", Tensor::From<uint8_t>(DT_BOOL, {3, 1}, {1, 0, 1})), scores,
                                     -std::numeric_limits<float>::infinity());
  f.Output({f.Softmax(forbidden)});
  REQUIRE(MaskedSoftmaxFusionPass(f.graph, f.context));
  CheckFusedNode(f, DT_FLOAT, 1, 1e-6);
}

TEST_CASE("masked softmax of all widths, types and masks is that of its graph") {
  const DataType dtype = GENERATE(DT_FLOAT, DT_FLOAT16, DT_BF16);
  const int64_t keys = GENERATE(1, 3, 16, 33, 100, 1025);
  const int mask = GENERATE(0, 1, 2, 3);
  AttentionFixture f;
  ValueId x = f.Op("Mul", "", {f.Input({2, 3, 9, keys}), f.Scalar(3)});
  if (mask == 0) x = f.Op("Add", "", {x, f.Mask({2, 1, 1, keys}, -10000)});
  if (mask == 1) x = f.Op("Add", "", {x, f.Input({3, 9, 1})});
  if (mask == 2) x = f.Op("SelectV2", "", {f.Flags({2, 1, 1, keys}), f.Scalar(-5), x});
  if (mask == 3) x = f.Select(f.Flags({9, 1}), f.Op("Add", "", {x, f.Input({2, 3, 9, keys})}), -10000);
  f.Output({f.Softmax(x)});
  REQUIRE(MaskedSoftmaxFusionPass(f.graph, f.context));
  CheckFusedNode(f, dtype, keys > 50 ? 2 : 1, Tolerance(dtype));
}

TEST_CASE("softmax of rows of all widths and types is that of the reference") {
  const int64_t keys = GENERATE(1, 3, 8, 10, 16, 33, 100, 1025);
  const DataType dtype = GENERATE(DT_FLOAT, DT_FLOAT16, DT_BF16);
  const bool inner = GENERATE(false, true);
  KernelCase c;
  c.type = "SoftmaxV2";
  c.set_attrs = [=](Node& node) { node.attrs.Set("axes", std::vector<int64_t>{inner ? 1 : -1}); };
  c.inputs = {Narrow(RandomFloats(inner ? Shape{9, keys, 1, 1} : Shape{2, 9, keys}, 1), dtype)};
  c.threads = keys > 1000 ? 2 : 1;
  CheckAgainstReference(c, Tolerance(dtype));
}

TEST_CASE("softmax of a row with NaN is NaN, and that of a row with far lower scores zero there") {
  const float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();
  std::vector<float> scores(3 * 21, 1.0f);
  for (size_t i = 0; i < 21; i += 2) scores[i] = i % 4 == 0 ? nan : -nan;
  for (size_t i = 21; i < 42; i += 2) scores[i] = i % 4 == 1 ? -infinity : -1e30f;
  KernelCase c;
  c.type = "SoftmaxV2";
  c.set_attrs = [](Node& node) { node.attrs.Set("axes", std::vector<int64_t>{-1}); };
  c.inputs = {Tensor::From<float>(DT_FLOAT, {3, 21}, scores)};
  CheckAgainstReference(c, 1e-6);
}

TEST_CASE("rotary embeddings of all widths and types are those of the reference") {
  const int64_t size = GENERATE(2, 6, 32, 64, 130);
  const DataType dtype = GENERATE(DT_FLOAT, DT_FLOAT16, DT_BF16);
  const int mode = GENERATE(0, 1);
  KernelCase c;
  c.type = "RotaryPositionEmbedding";
  c.set_attrs = [mode](Node& node) { node.attrs.Set("mode", mode); };
  c.inputs = {RandomFloats({2, 4, 70, size}, 1), RandomFloats({70, size}, 2), RandomFloats({2, 1, 70, size}, 3)};
  for (Tensor& input : c.inputs) input = Narrow(input, dtype);
  c.threads = 2;
  CheckAgainstReference(c, Tolerance(dtype));
}

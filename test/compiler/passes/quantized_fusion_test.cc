#include "compiler/passes/quantized_fusion.h"

#include "compiler/passes/dequantize_folding.h"
#include "test/compiler/passes/quantize_fixture.h"

using namespace atc;
using test::QuantizeFixture;

TEST_CASE("a concatenation quantises each of its inputs where they differ") {
  QuantizeFixture f;
  const ValueId a = f.Dequantize("a", f.Bytes({1, 2, 3}), 0.1f, 7), b = f.Dequantize("b", f.Bytes({1, 4, 3}), 0.3f, 90);
  const ValueId joined = f.Op("ConcatD", "join", {a, b});
  f.graph.producer(joined).attrs.Set("concat_dim", int64_t{1});
  f.Output({f.Quantize("q", joined, 0.1f, 7)});
  f.KeepsResults(
      [&] {
        f.RaiseAndCancel();
        QuantizedElementwiseFusionPass(f.graph, f.context);
      },
      0);
  // The first goes straight in, the second by way of one operator.
  CHECK(f.Count("onnx::QuantizeLinear") == 0);
  CHECK(f.Count("FusedElementwise") == 1);
}

TEST_CASE("a product takes in what dequantises, follows and quantises, and leaves what others use") {
  QuantizeFixture f;
  const ValueId x = f.Dequantize("dx", f.Bytes({3, 8}), 0.1f, 7);
  const ValueId w = f.Op("onnx::DequantizeLinear", "dw",
                         {f.ByteConst({8, 5}), f.graph.AddConst("scales", test::RandomFloats({5}, 3, 0.01f, 0.2f))});
  f.graph.producer(w).attrs.Set("axis", int64_t{1});
  const ValueId product = f.Op("MatMulV2", "product", {x, w});
  f.Output({f.Quantize("q", f.Op("Relu", "relu", {product}), 0.9f, 3), f.Op("Exp", "other", {x})});
  f.KeepsResults([&] { CHECK(QuantizedProductFusionPass(f.graph, f.context)); }, 0);
  const Node& fused = *f.graph.Find("product");
  REQUIRE(fused.fused);
  CHECK(fused.type() == "MatMulV2");
  CHECK(f.graph.desc(fused.outputs[0]).dtype == DT_UINT8);
  CHECK(f.graph.Find("dx") != nullptr);
  CHECK(f.graph.Find("dw") == nullptr);
  CHECK(f.graph.origins().Flatten(fused.origin) == std::vector<std::string>{"dx", "dw", "product", "relu", "q"});
}

TEST_CASE("a product takes in a change of scale behind it, unless others read what it quantises") {
  const bool others = GENERATE(false, true);
  QuantizeFixture f;
  const ValueId product =
      f.Op("MatMulV2", "product",
           {f.Dequantize("dx", f.Bytes({3, 8}), 0.1f, 7), f.Dequantize("dw", f.ByteConst({8, 5}), 0.02f, 0, DT_INT8)});
  const ValueId first = f.Quantize("first", f.Op("Relu", "relu", {product}), 0.3f, 3);
  std::vector<ValueId> outputs{f.Quantize("second", f.Dequantize("between", first, 0.3f, 3), 0.4f, 11)};
  if (others) outputs.push_back(first);
  f.Output(outputs);
  f.KeepsResults([&] { CHECK(QuantizedProductFusionPass(f.graph, f.context)); }, 0);
  CHECK((f.graph.Find("second") == nullptr) == !others);
  CHECK((f.graph.Find("between") == nullptr) == !others);
  CHECK(f.graph.desc(f.graph.Find("product")->outputs[0]).dtype == DT_UINT8);
}

TEST_CASE("a product whose scales run along its sums stays in float") {
  QuantizeFixture f;
  const ValueId w = f.Op("onnx::DequantizeLinear", "dw",
                         {f.ByteConst({8, 5}), f.graph.AddConst("scales", test::RandomFloats({8}, 3, 0.01f, 0.2f))});
  f.graph.producer(w).attrs.Set("axis", int64_t{0});
  f.Output({f.Op("MatMulV2", "product", {f.Dequantize("dx", f.Bytes({3, 8}), 0.1f, 7), w})});
  CHECK_FALSE(QuantizedProductFusionPass(f.graph, f.context));
  f.KeepsResults([&] { CHECK(FoldDequantizePass(f.graph, f.context)); }, 0);
  CHECK(f.graph.Find("dw") == nullptr);
  CHECK(f.graph.Find("dx") != nullptr);
}

TEST_CASE("a product takes in a table behind it: elementwise operators with numbers between 8 bits and 8 bits") {
  const bool varies = GENERATE(false, true);
  QuantizeFixture f;
  const ValueId product =
      f.Op("MatMulV2", "product",
           {f.Dequantize("dx", f.Bytes({3, 8}), 0.1f, 7), f.Dequantize("dw", f.ByteConst({8, 5}), 0.02f, 0, DT_INT8)});
  const ValueId real = f.Dequantize("between", f.Quantize("first", product, 0.3f, 100), 0.3f, 100);
  const ValueId other = varies ? f.Input({3, 5}) : f.Scale(0.7f);
  const ValueId y = f.Op("Sub", "sub", {other, f.Op("Sigmoid", "sigmoid", {real})});
  f.Output({f.Quantize("second", y, 0.01f, 90)});
  f.KeepsResults([&] { CHECK(QuantizedProductFusionPass(f.graph, f.context)); }, 0);
  CHECK((f.graph.Find("sigmoid") == nullptr) == !varies);
  CHECK(f.graph.desc(f.graph.Find("product")->outputs[0]).dtype == DT_UINT8);
}

TEST_CASE("a product that quantises by itself takes in a table, unless others read what it quantises") {
  const bool others = GENERATE(false, true);
  QuantizeFixture f;
  // The scale of the result is that of the weights, too: one input of the fused node.
  const ValueId scale = f.Scale(0.3f);
  const ValueId product = f.Op(
      "onnx::QLinearMatMul", "product",
      {f.Bytes({3, 8}), f.Scale(0.02f), f.Zero(7), f.ByteConst({8, 5}), scale, f.Zero(0, DT_INT8), scale, f.Zero(100)});
  std::vector<ValueId> outputs{f.Quantize("q", f.Op("Relu", "relu", {f.Dequantize("d", product, 0.3f, 100)}), 0.2f, 3)};
  if (others) outputs.push_back(product);
  f.Output(outputs);
  f.KeepsResults([&] { CHECK(QuantizedProductFusionPass(f.graph, f.context) == !others); }, 0);
  CHECK((f.graph.Find("relu") == nullptr) == !others);
  const Node& kept = *f.graph.Find("product");
  CHECK(kept.type() == "onnx::QLinearMatMul");
  CHECK((kept.fused != nullptr) == !others);
}

TEST_CASE("a softmax between 8-bit tensors becomes one operator") {
  const bool quantised = GENERATE(true, false);
  QuantizeFixture f;
  const ValueId y = f.Op("SoftmaxV2", "softmax", {f.Dequantize("d", f.Bytes({3, 8, 2}), 0.1f, 7)});
  f.graph.producer(y).attrs.Set("axes", std::vector<int64_t>{1});
  f.Output({quantised ? f.Quantize("q", y, 1.0f / 256, 0) : y});
  f.KeepsResults([&] { CHECK(QuantizedSoftmaxFusionPass(f.graph, f.context) == quantised); }, 0);
  CHECK(f.Count("SoftmaxV2") == 1);
  CHECK(f.Count("onnx::DequantizeLinear") == (quantised ? 0 : 1));
  CHECK(f.Count("onnx::QuantizeLinear") == 0);
}

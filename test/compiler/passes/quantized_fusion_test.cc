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
  const ValueId w = f.Op("onnx::DequantizeLinear", "dw", {f.ByteConst({8, 5}), f.graph.AddConst("scales", test::RandomFloats({5}, 3, 0.01f, 0.2f))});
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
  const ValueId product = f.Op("MatMulV2", "product", {f.Dequantize("dx", f.Bytes({3, 8}), 0.1f, 7), f.Dequantize("dw", f.ByteConst({8, 5}), 0.02f, 0, DT_INT8)});
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
  const ValueId w = f.Op("onnx::DequantizeLinear", "dw", {f.ByteConst({8, 5}), f.graph.AddConst("scales", test::RandomFloats({8}, 3, 0.01f, 0.2f))});
  f.graph.producer(w).attrs.Set("axis", int64_t{0});
  f.Output({f.Op("MatMulV2", "product", {f.Dequantize("dx", f.Bytes({3, 8}), 0.1f, 7), w})});
  CHECK_FALSE(QuantizedProductFusionPass(f.graph, f.context));
  f.KeepsResults([&] { CHECK(FoldDequantizePass(f.graph, f.context)); }, 0);
  CHECK(f.graph.Find("dw") == nullptr);
  CHECK(f.graph.Find("dx") != nullptr);
}

#include "compiler/passes/quantized_fusion.h"

#include "compiler/passes/dead_code.h"
#include "compiler/passes/dequantize_folding.h"
#include "compiler/passes/quantize_raising.h"
#include "test/compiler/pass_fixture.h"

using namespace atc;
using test::PassFixture;

namespace {

struct QuantizeFixture : PassFixture {
  ValueId Bytes(Shape shape, DataType dtype = DT_UINT8) {
    Tensor tensor = Tensor::Allocate(dtype, shape);
    for (int64_t i = 0; i < tensor.NumElements(); ++i) tensor.MutableData<uint8_t>()[i] = static_cast<uint8_t>(i * 37 + 11);
    inputs.push_back(tensor);
    return graph.AddData("", static_cast<int64_t>(inputs.size()) - 1, TensorDesc(dtype, shape, FORMAT_NCHW));
  }
  ValueId ByteConst(Shape shape, DataType dtype = DT_INT8) {
    Tensor tensor = Tensor::Allocate(dtype, std::move(shape));
    for (int64_t i = 0; i < tensor.NumElements(); ++i) tensor.MutableData<uint8_t>()[i] = static_cast<uint8_t>(i * 53 + 7);
    return graph.AddConst("bytes", tensor);
  }
  ValueId Scale(float scale) { return graph.AddConst("scale", Tensor::Scalar(scale)); }
  ValueId Zero(int zero, DataType dtype = DT_UINT8) {
    Tensor tensor = Tensor::Allocate(dtype, {});
    tensor.MutableData<uint8_t>()[0] = static_cast<uint8_t>(zero);
    return graph.AddConst("zero", tensor);
  }
  ValueId Dequantize(std::string name, ValueId x, float scale, int zero, DataType dtype = DT_UINT8) {
    return Op("onnx::DequantizeLinear", std::move(name), {x, Scale(scale), Zero(zero, dtype)});
  }
  ValueId Quantize(std::string name, ValueId x, float scale, int zero) {
    return Op("onnx::QuantizeLinear", std::move(name), {x, Scale(scale), Zero(zero)});
  }
  int RaiseAndCancel() {
    for (int round = 0; round < 8; ++round) {
      const bool raised = RaiseQuantizePass(graph, context);
      const bool cancelled = CancelQuantizePass(graph, context);
      PrunePass(graph, context);
      if (!raised && !cancelled) return round;
    }
    return 8;
  }
};

}  // namespace

TEST_CASE("operators that move elements work on bytes where their ends are quantised alike") {
  QuantizeFixture f;
  const ValueId x = f.Dequantize("d", f.Bytes({2, 3, 4, 4}), 0.1f, 7);
  const ValueId pooled = f.Op("MaxPoolV3", "pool", {x});
  Node& pool = f.graph.producer(pooled);
  for (const char* list : {"ksize", "strides"}) pool.attrs.Set(list, std::vector<int64_t>{1, 1, 2, 2});
  pool.attrs.Set("pads", std::vector<int64_t>(4, 0));
  const ValueId turned = f.Op("Transpose", "turn", {pooled, f.graph.AddConst("perm", Tensor::Ints({0, 2, 3, 1}))});
  f.Output({f.Op("Cast", "out", {f.Quantize("q", f.Op("Reshape", "flat", {turned, f.graph.AddConst("s", Tensor::Ints({2, -1}))}), 0.1f, 7)})});
  f.graph.Find("out")->attrs.Set("dst_type", static_cast<int>(DT_INT32));
  InferShapes(f.graph);
  f.KeepsResults([&] { f.RaiseAndCancel(); }, 0);
  CHECK(f.Count("onnx::QuantizeLinear") == 0);
  CHECK(f.Count("onnx::DequantizeLinear") == 0);
  CHECK(f.graph.desc(f.graph.Find("flat")->outputs[0]).dtype == DT_UINT8);
}

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

TEST_CASE("what has another user stays in float, and a pooling maximum wants a scale above zero") {
  QuantizeFixture f;
  const ValueId x = f.Dequantize("d", f.Bytes({4, 6}), 0.1f, 7);
  const ValueId flat = f.Op("Reshape", "flat", {x, f.graph.AddConst("s", Tensor::Ints({24}))});
  const ValueId pooled = f.Op("onnx::GlobalMaxPool", "pool", {f.Dequantize("e", f.Bytes({1, 2, 3}), 0.1f, 7)});
  f.Output({f.Quantize("q", flat, 0.1f, 7), f.Op("Relu", "relu", {flat}), f.Quantize("r", pooled, -0.1f, 7)});
  CHECK_FALSE(RaiseQuantizePass(f.graph, f.context));
  CHECK_FALSE(CancelQuantizePass(f.graph, f.context));
}

TEST_CASE("a pair of different scales is not cancelled") {
  QuantizeFixture f;
  f.Output({f.Op("Identity", "i", {f.Quantize("q", f.Dequantize("d", f.Bytes({9}), 0.1f, 7), 0.1f, 8)})});
  CHECK_FALSE(CancelQuantizePass(f.graph, f.context));
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

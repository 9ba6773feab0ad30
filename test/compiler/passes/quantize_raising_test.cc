#include "compiler/passes/quantize_raising.h"

#include "test/compiler/passes/quantize_fixture.h"

using namespace atc;
using test::QuantizeFixture;

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

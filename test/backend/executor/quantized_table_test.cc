// 8-bit products with a table behind them, and softmax between 8-bit tensors, against plain loops over their definition.
#include <cmath>

#include "test/backend/executor/quantized_graph.h"
#include "test/backend/executor/static_runner.h"

using namespace atc;        // NOLINT
using namespace atc::test;  // NOLINT

namespace {

Tensor One(float value) { return Tensor::Scalar(value); }

double Clamped(double value, double low, double high) { return std::clamp(std::nearbyint(value), low, high); }

}  // namespace

TEST_CASE("QLinearMatMul and what follows it up to 8 bits are one task, exactly", "[quantized]") {
  constexpr int64_t kM = 5, kK = 40, kN = 21;
  const Tensor x = RandomBytes(DT_UINT8, {kM, kK}, 5), w = RandomBytes(DT_INT8, {kK, kN}, 6);
  QuantizedGraph g;
  // The numbers of the result are those of the data: one operand of the task serves as both.
  const ValueId scale = g.Const(One(0.5f)), zero = g.Const(ByteOf(DT_UINT8, 111));
  const ValueId product = g.Op("onnx::QLinearMatMul", {g.Input(DT_UINT8, {kM, kK}), scale, zero, g.Const(w),
                                                       g.Const(One(0.01f)), g.Const(ByteOf(DT_INT8, -2)), scale, zero});
  const ValueId real = g.Op("LeakyRelu", {g.Dequantize(product, One(0.5f), ByteOf(DT_UINT8, 111))});
  g.graph->producer(real).attrs.Set("negative_slope", 0.25f);
  StaticRunner runner(g.Finish(g.Quantize(real, One(0.75f), ByteOf(DT_INT8, -90))));
  REQUIRE(runner.Count("onnx::QLinearMatMul") == 1);
  REQUIRE(runner.Count("onnx::QuantizeLinear") + runner.Count("FusedElementwise") == 0);
  const Tensor found = runner.Run({x})[0];
  for (int64_t i = 0; i < kM; ++i) {
    for (int64_t j = 0; j < kN; ++j) {
      int32_t sum = 0;
      for (int64_t k = 0; k < kK; ++k) sum += (ByteAt(x, i * kK + k) - 111) * (ByteAt(w, k * kN + j) + 2);
      const double byte = Clamped(std::nearbyint(sum * static_cast<double>(0.01f)) + 111, 0, 255);
      const float value = static_cast<float>(byte - 111) * 0.5f;
      REQUIRE(ByteAt(found, i * kN + j) ==
              Clamped(std::nearbyint((value < 0 ? value * 0.25f : value) / 0.75f) - 90, -128, 127));
    }
  }
}

TEST_CASE("softmax between 8-bit tensors is one task, along any axis", "[quantized]") {
  const Shape shape{3, 50, 7};
  const int64_t axis = GENERATE(0, 1, 2);
  const DataType type = GENERATE(DT_UINT8, DT_INT8);
  const Tensor x = RandomBytes(type, shape, 9);
  QuantizedGraph g;
  const ValueId y = g.Op("SoftmaxV2", {g.Dequantize(g.Input(type, shape), One(0.04f), ByteOf(type, 3))});
  g.graph->producer(y).attrs.Set("axes", std::vector<int64_t>{axis});
  StaticRunner runner(g.Finish(g.Quantize(y, One(1.0f / 256), ByteOf(DT_UINT8, 1))));
  REQUIRE(runner.Count("SoftmaxV2") == 1);
  REQUIRE(runner.Count("onnx::QuantizeLinear") + runner.Count("onnx::DequantizeLinear") == 0);
  const Tensor found = runner.Run({x})[0];
  const int64_t keys = shape[static_cast<size_t>(axis)], inner = shape.Strides()[static_cast<size_t>(axis)];
  for (int64_t i = 0; i < x.NumElements(); ++i) {
    const int64_t begin = i - i / inner % keys * inner;
    double sum = 0;
    for (int64_t k = 0; k < keys; ++k) sum += std::exp(0.04 * (ByteAt(x, begin + k * inner) - ByteAt(x, i)));
    const double wanted = 256 / sum + 1;
    // As near as rounding allows, but for the error of a float before it.
    REQUIRE(std::abs(ByteAt(found, i) - std::min(wanted, 255.0)) <= 0.5 + 1e-3);
  }
}

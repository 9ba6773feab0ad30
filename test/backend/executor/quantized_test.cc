// 8-bit operators on the device: bit for bit what plain loops over their definition give, and what the reference
// evaluator gives.
#include <cmath>

#include "test/backend/executor/quantized_graph.h"
#include "test/backend/executor/static_runner.h"

using namespace atc;        // NOLINT
using namespace atc::test;  // NOLINT
using Ints = std::vector<int64_t>;

namespace {

struct ConvCase {
  const char* name;
  Shape x;
  int64_t out_channels, kernel, stride, pad, dilation, groups;
  DataType x_type, w_type, y_type;
  int x_zero, w_zero, y_zero;
  bool per_channel, bias, extreme;
};

constexpr DataType kU8 = DT_UINT8, kS8 = DT_INT8;

const ConvCase kConvs[] = {
    {"plain", {1, 16, 9, 9}, 24, 3, 1, 1, 1, 1, kU8, kS8, kU8, 128, 0, 3, true, true, false},
    {"first layer, stride 2", {2, 3, 17, 17}, 20, 3, 2, 1, 1, 1, kU8, kS8, kS8, 114, 0, -7, true, true, false},
    {"depthwise", {1, 32, 11, 11}, 32, 3, 1, 1, 1, 32, kU8, kS8, kU8, 7, 0, 0, true, true, false},
    {"depthwise, stride 2, int8", {1, 9, 12, 12}, 9, 5, 2, 2, 1, 9, kS8, kS8, kS8, -11, 0, 5, false, false, false},
    {"depthwise, int8 to uint8", {1, 72, 9, 7}, 72, 3, 1, 1, 1, 72, kS8, kS8, kU8, -11, 0, 128, true, true, false},
    {"depthwise, stride 2, window of 5",
     {2, 33, 12, 12},
     33,
     5,
     2,
     2,
     1,
     33,
     kU8,
     kS8,
     kS8,
     131,
     0,
     5,
     false,
     true,
     false},
    {"depthwise, uint8 weights", {1, 80, 6, 6}, 80, 3, 1, 1, 1, 80, kU8, kU8, kU8, 90, 131, 4, false, true, false},
    {"depthwise, largest products", {1, 64, 5, 5}, 64, 5, 1, 2, 1, 64, kU8, kS8, kU8, 0, 0, 128, true, true, true},
    {"groups of 4", {1, 16, 8, 8}, 8, 3, 1, 1, 1, 4, kS8, kS8, kU8, 13, 0, 100, true, true, false},
    {"dilated", {1, 8, 14, 14}, 8, 3, 1, 2, 2, 1, kU8, kS8, kU8, 200, 0, 128, false, true, false},
    {"pointwise", {1, 40, 7, 7}, 17, 1, 1, 0, 1, 1, kU8, kS8, kU8, 0, 0, 60, true, false, false},
    {"asymmetric weights of either sign",
     {1, 12, 6, 6},
     10,
     3,
     1,
     1,
     1,
     1,
     kU8,
     kS8,
     kU8,
     90,
     -100,
     4,
     false,
     true,
     false},
    {"uint8 weights", {1, 12, 6, 6}, 10, 3, 1, 1, 1, 1, kU8, kU8, kU8, 90, 131, 4, false, true, false},
    {"int8 tensor, uint8 weights", {1, 5, 6, 6}, 7, 3, 2, 1, 1, 1, kS8, kU8, kS8, 3, 10, 4, false, true, false},
    {"largest products", {1, 64, 5, 5}, 16, 3, 1, 1, 1, 1, kU8, kS8, kU8, 0, 0, 128, true, true, true},
    {"largest products of int8", {1, 64, 5, 5}, 16, 3, 1, 0, 1, 1, kS8, kS8, kS8, 127, 0, 0, true, true, true},
};

Tensor Scales(int64_t count, float from) {
  std::vector<float> values;
  for (int64_t i = 0; i < count; ++i) values.push_back(from * (1.0f + 0.37f * static_cast<float>(i % 5)));
  return Tensor::From<float>(DT_FLOAT, {count}, values);
}

Tensor Zeros(DataType dtype, int64_t count, int value) {
  Tensor tensor = Tensor::Allocate(dtype, {count});
  std::fill_n(tensor.MutableData<uint8_t>(), count, static_cast<uint8_t>(value));
  return tensor;
}

uint8_t Rounded(double value, const ConvCase& c) {
  const double low = c.y_type == kU8 ? 0 : -128, high = c.y_type == kU8 ? 255 : 127;
  return static_cast<uint8_t>(static_cast<int>(std::clamp(std::nearbyint(value) + c.y_zero, low, high)));
}

struct Convolved {
  Tensor x, w, bias, scale_w;
  float scale_x = 0.013f, scale_y = 0;
  Shape shape;
  std::vector<int32_t> sums;  // of (x - zero) * (w - zero), by output element

  explicit Convolved(const ConvCase& c) {
    const int64_t channels = c.x[1] / c.groups;
    x = RandomBytes(c.x_type, c.x, 1, c.extreme);
    w = RandomBytes(c.w_type, {c.out_channels, channels, c.kernel, c.kernel}, 2, c.extreme);
    scale_w = Scales(c.per_channel ? c.out_channels : 1, 0.004f);
    bias = Tensor::Allocate(DT_INT32, {c.out_channels});
    for (int64_t m = 0; m < c.out_channels; ++m) bias.MutableData<int32_t>()[m] = static_cast<int32_t>(m * 977 % 4001 - 2000);
    scale_y = 0.013f * 0.004f * std::sqrt(static_cast<float>(channels * c.kernel * c.kernel)) * 40;
    const int64_t extent = (c.kernel - 1) * c.dilation + 1;
    shape = {c.x[0], c.out_channels, (c.x[2] + 2 * c.pad - extent) / c.stride + 1, (c.x[3] + 2 * c.pad - extent) / c.stride + 1};
    const int64_t rows = c.out_channels / c.groups;
    for (int64_t n = 0; n < shape[0]; ++n) {
      for (int64_t m = 0; m < shape[1]; ++m) {
        for (int64_t i = 0; i < shape[2]; ++i) {
          for (int64_t j = 0; j < shape[3]; ++j) {
            int32_t sum = 0;
            for (int64_t k = 0; k < channels; ++k) {
              for (int64_t r = 0; r < c.kernel; ++r) {
                for (int64_t s = 0; s < c.kernel; ++s) {
                  const int64_t row = i * c.stride - c.pad + r * c.dilation, column = j * c.stride - c.pad + s * c.dilation;
                  if (row < 0 || row >= c.x[2] || column < 0 || column >= c.x[3]) continue;
                  const int64_t at = ((n * c.x[1] + m / rows * channels + k) * c.x[2] + row) * c.x[3] + column;
                  sum += (ByteAt(x, at) - c.x_zero) *
                         (ByteAt(w, ((m * channels + k) * c.kernel + r) * c.kernel + s) - c.w_zero);
                }
              }
            }
            sums.push_back(sum);
          }
        }
      }
    }
  }

  float ScaleW(int64_t m) const { return scale_w.Data<float>()[scale_w.NumElements() == 1 ? 0 : m]; }
  int64_t ChannelOf(size_t i) const { return static_cast<int64_t>(i) / (shape[2] * shape[3]) % shape[1]; }

  // The float result, with the bias of scale scale_x * scale_w.
  float Real(size_t i, bool with_bias) const {
    const int64_t m = ChannelOf(i);
    const double bias_value = with_bias ? static_cast<float>(bias.Data<int32_t>()[m] * static_cast<double>(BiasScale(m))) : 0.0f;
    return static_cast<float>(sums[i] * (static_cast<double>(scale_x) * ScaleW(m)) + bias_value);
  }
  float BiasScale(int64_t m) const { return scale_x * ScaleW(m); }
  Tensor BiasScales() const {
    Tensor scales = Tensor::Allocate(DT_FLOAT, {bias.NumElements()});
    for (int64_t m = 0; m < bias.NumElements(); ++m) scales.MutableData<float>()[m] = BiasScale(m);
    return scales;
  }
};

Tensor One(float value) { return Tensor::Scalar(value); }

ValueId AddConv(QuantizedGraph& g, const ConvCase& c, const Convolved& data, ValueId x) {
  const int64_t per_channel = c.per_channel ? c.out_channels : 1;
  const Tensor w_zero = c.per_channel ? Zeros(c.w_type, per_channel, c.w_zero) : ByteOf(c.w_type, c.w_zero);
  const Tensor w_scale = c.per_channel ? data.scale_w : data.scale_w.Reshaped({});
  std::vector<ValueId> inputs{g.Dequantize(x, One(data.scale_x), ByteOf(c.x_type, c.x_zero)),
                              g.Dequantize(g.Const(data.w), w_scale, w_zero)};
  if (c.bias) inputs.push_back(g.Dequantize(g.Const(data.bias), data.BiasScales()));
  const ValueId y = g.Op("Conv2D", inputs);
  Node& node = g.graph->producer(y);
  node.attrs.Set("strides", Ints{1, 1, c.stride, c.stride});
  node.attrs.Set("dilations", Ints{1, 1, c.dilation, c.dilation});
  node.attrs.Set("pads", Ints(4, c.pad));
  node.attrs.Set("groups", c.groups);
  node.attrs.Set("data_format", "NCHW");
  return y;
}

// Compares with the expected bytes and with the reference evaluation of the compiled graph.
void CheckBytes(StaticRunner& runner, const std::vector<Tensor>& inputs, const std::vector<uint8_t>& expected) {
  const Tensor found = runner.Run(inputs)[0];
  REQUIRE(found.NumBytes() == expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    INFO("element " << i);
    REQUIRE(int{found.Data<uint8_t>()[i]} == int{expected[i]});
  }
  CHECK(SameBytes(found, Evaluate(*runner.compiled, inputs)[0]));
}

}  // namespace

TEST_CASE("a quantised convolution is exact", "[quantized]") {
  for (const ConvCase& c : kConvs) {
    INFO(c.name);
    const Convolved data(c);
    QuantizedGraph g;
    const ValueId y = AddConv(g, c, data, g.Input(c.x_type, c.x));
    StaticRunner runner(g.Finish(g.Quantize(y, One(data.scale_y), ByteOf(c.y_type, c.y_zero))));
    REQUIRE(runner.Count("Conv2D") == 1);
    REQUIRE(runner.Count("onnx::DequantizeLinear") == 0);
    std::vector<uint8_t> expected;
    for (size_t i = 0; i < data.sums.size(); ++i) expected.push_back(Rounded(data.Real(i, c.bias) / data.scale_y, c));
    CheckBytes(runner, {data.x}, expected);
  }
}

TEST_CASE("clamps go into the rounding of a quantised convolution", "[quantized]") {
  for (const auto& [which, high] : {std::pair(0, 0.7f), {0, -0.2f}, {2, 0.7f}, {2, -0.2f}, {4, 0.7f}}) {
    const ConvCase& c = kConvs[which];
    INFO(c.name);
    const Convolved data(c);
    QuantizedGraph g;
    const ValueId conv = AddConv(g, c, data, g.Input(c.x_type, c.x));
    const ValueId clipped = g.Op("ClipByValue", {conv, g.Const(One(-0.3f)), g.Const(One(high))});
    const ValueId y = g.Op("Maximum", {g.Const(One(-0.25f)), clipped});
    StaticRunner runner(g.Finish(g.Quantize(y, One(data.scale_y), ByteOf(c.y_type, c.y_zero))));
    REQUIRE(runner.Count("Conv2D") == 1);
    std::vector<uint8_t> expected;
    for (size_t i = 0; i < data.sums.size(); ++i) {
      const float real = std::max(std::min(std::max(data.Real(i, c.bias), -0.3f), high), -0.25f);
      expected.push_back(Rounded(real / data.scale_y, c));
    }
    CheckBytes(runner, {data.x}, expected);
  }
}

TEST_CASE("other operators follow a quantised convolution in float", "[quantized]") {
  for (const int which : {1, 4}) {
    const ConvCase& c = kConvs[which];
    INFO(c.name);
    const Convolved data(c);
    QuantizedGraph g;
    const ValueId conv = AddConv(g, c, data, g.Input(c.x_type, c.x));
    const ValueId other = g.Input(kU8, data.shape);
    const ValueId scaled = g.Op("Mul", {conv, g.Const(One(-0.3f))});
    const ValueId sum = g.Op("Add", {scaled, g.Dequantize(other, One(0.02f), ByteOf(kU8, 99))});
    StaticRunner runner(g.Finish(g.Quantize(g.Op("Relu", {sum}), One(data.scale_y), ByteOf(c.y_type, c.y_zero))));
    REQUIRE(runner.Count("Conv2D") == 1);
    REQUIRE(runner.Count("FusedElementwise") == 0);
    const Tensor added = RandomBytes(kU8, data.shape, 9);
    std::vector<uint8_t> expected;
    for (size_t i = 0; i < data.sums.size(); ++i) {
      const float right = static_cast<float>(ByteAt(added, static_cast<int64_t>(i)) - 99) * 0.02f;
      const float real = std::max(data.Real(i, c.bias) * -0.3f + right, 0.0f);
      expected.push_back(Rounded(real / data.scale_y, c));
    }
    CheckBytes(runner, {data.x, added}, expected);
  }
}

TEST_CASE("a quantised convolution may give floats, in every precision mode", "[quantized]") {
  for (const int which : {4, 8}) {
    const ConvCase& c = kConvs[which];
    INFO(c.name);
    const Convolved data(c);
    for (const PrecisionMode mode : {PrecisionMode::kKeepOrigin, PrecisionMode::kForceFp16}) {
      QuantizedGraph g;
      const ValueId y = AddConv(g, c, data, g.Input(c.x_type, c.x));
      StaticRunner runner(g.Finish(y), mode);
      const Tensor found = runner.Run({data.x})[0];
      REQUIRE(found.dtype() == DT_FLOAT);
      for (size_t i = 0; i < data.sums.size(); ++i) REQUIRE(found.Data<float>()[i] == data.Real(i, c.bias));
    }
  }
}

TEST_CASE("ConvInteger and QLinearConv are exact", "[quantized]") {
  for (const ConvCase& c : kConvs) {
    INFO(c.name);
    const Convolved data(c);
    for (const bool linear : {false, true}) {
      QuantizedGraph g;
      const ValueId x = g.Input(c.x_type, c.x), x_zero = g.Const(ByteOf(c.x_type, c.x_zero)),
                    w = g.Const(data.w), w_zero = g.Const(ByteOf(c.w_type, c.w_zero));
      std::vector<ValueId> inputs{x, w, x_zero, w_zero};
      if (linear) {
        inputs = {x, g.Const(One(data.scale_x)), x_zero, w, g.Const(c.per_channel ? data.scale_w : data.scale_w.Reshaped({})),
                  w_zero, g.Const(One(data.scale_y)), g.Const(ByteOf(c.y_type, c.y_zero))};
        if (c.bias) inputs.push_back(g.Const(data.bias));
      }
      const ValueId y = g.Op(linear ? "onnx::QLinearConv" : "onnx::ConvInteger", inputs);
      Node& node = g.graph->producer(y);
      node.attrs.Set("strides", Ints(2, c.stride));
      node.attrs.Set("dilations", Ints(2, c.dilation));
      node.attrs.Set("pads", Ints(4, c.pad));
      node.attrs.Set("group", c.groups);
      StaticRunner runner(g.Finish(y));
      if (!linear) {
        const Tensor found = runner.Run({data.x})[0];
        REQUIRE(std::equal(data.sums.begin(), data.sums.end(), found.Data<int32_t>()));
        continue;
      }
      std::vector<uint8_t> expected;
      for (size_t i = 0; i < data.sums.size(); ++i) {
        const int64_t m = data.ChannelOf(i);
        const int32_t sum = data.sums[i] + (c.bias ? data.bias.Data<int32_t>()[m] : 0);
        expected.push_back(Rounded(sum * (static_cast<double>(data.scale_x) * data.ScaleW(m)) / data.scale_y, c));
      }
      CheckBytes(runner, {data.x}, expected);
    }
  }
}

TEST_CASE("quantised matrix products are exact, ties to even", "[quantized]") {
  // Scales of powers of two, so that many results lie in the middle between two numbers.
  constexpr int64_t kM = 7, kK = 33, kN = 19;
  int ties = 0;
  for (const DataType x_type : {kU8, kS8}) {
    for (const DataType w_type : {kU8, kS8}) {
      for (const bool transpose : {false, true}) {
        const Tensor x = RandomBytes(x_type, {kM, kK}, 3);
        const Tensor w = RandomBytes(w_type, transpose ? Shape{kN, kK} : Shape{kK, kN}, 4);
        const int x_zero = 17, w_zero = -3 + (w_type == kU8 ? 130 : 0);
        QuantizedGraph g;
        const ValueId a = g.Dequantize(g.Input(x_type, {kM, kK}), One(0.5f), ByteOf(x_type, x_zero));
        const ValueId b = g.Dequantize(g.Const(w), One(0.25f), ByteOf(w_type, w_zero));
        Tensor bias = Tensor::Allocate(DT_FLOAT, {kN});
        for (int64_t j = 0; j < kN; ++j) bias.MutableData<float>()[j] = 0.5f * static_cast<float>(j % 5);
        const ValueId product = g.Op("MatMulV2", {a, b, g.Const(bias)});
        g.graph->producer(product).attrs.Set("transpose_x2", AttrValue(transpose));
        StaticRunner runner(g.Finish(g.Quantize(product, One(32.0f), ByteOf(kU8, 100))));
        REQUIRE(runner.Count("MatMulV2") == 1);
        std::vector<uint8_t> expected;
        for (int64_t i = 0; i < kM; ++i) {
          for (int64_t j = 0; j < kN; ++j) {
            int32_t sum = 0;
            for (int64_t k = 0; k < kK; ++k) {
              sum += (ByteAt(x, i * kK + k) - x_zero) * (ByteAt(w, transpose ? j * kK + k : k * kN + j) - w_zero);
            }
            const float real = static_cast<float>(sum * 0.125 + bias.Data<float>()[j]);
            const float quotient = real / 32.0f;
            ties += std::abs(quotient - std::floor(quotient) - 0.5f) == 0;
            expected.push_back(static_cast<uint8_t>(std::clamp(std::nearbyint(quotient) + 100.0f, 0.0f, 255.0f)));
          }
        }
        CheckBytes(runner, {x}, expected);
      }
    }
  }
  CHECK(ties > 0);
}

TEST_CASE("MatMulInteger and QLinearMatMul are exact, with a zero point that varies", "[quantized]") {
  constexpr int64_t kM = 5, kK = 40, kN = 21;
  const Tensor x = RandomBytes(kU8, {2, kM, kK}, 5), w = RandomBytes(kS8, {kK, kN}, 6);
  std::vector<int32_t> sums;
  for (int64_t i = 0; i < 2 * kM; ++i) {
    for (int64_t j = 0; j < kN; ++j) {
      int32_t sum = 0;
      for (int64_t k = 0; k < kK; ++k) sum += (ByteAt(x, i * kK + k) - 111) * (ByteAt(w, k * kN + j) + 2);
      sums.push_back(sum);
    }
  }
  QuantizedGraph g;
  const ValueId y = g.Op("onnx::MatMulInteger", {g.Input(kU8, {2, kM, kK}), g.Const(w), g.Input(kU8, {}), g.Const(ByteOf(kS8, -2))});
  StaticRunner runner(g.Finish(y));
  for (int round = 0; round < 2; ++round) {
    const Tensor found = runner.Run({x, ByteOf(kU8, 111)})[0];
    REQUIRE(std::equal(sums.begin(), sums.end(), found.Data<int32_t>()));
    runner.Run({x, ByteOf(kU8, 0)});
  }
  QuantizedGraph h;
  const Tensor scales = Scales(kN, 0.01f);
  const ValueId z = h.Op("onnx::QLinearMatMul",
                         {h.Input(kU8, {2, kM, kK}), h.Const(One(0.02f)), h.Const(ByteOf(kU8, 111)), h.Const(w),
                          h.Const(scales), h.Const(ByteOf(kS8, -2)), h.Const(One(0.6f)), h.Const(ByteOf(kS8, 4))});
  StaticRunner linear(h.Finish(z));
  std::vector<uint8_t> expected;
  for (size_t i = 0; i < sums.size(); ++i) {
    const double scale = static_cast<double>(0.02f) * scales.Data<float>()[i % kN];
    expected.push_back(static_cast<uint8_t>(static_cast<int>(std::clamp(std::nearbyint(sums[i] * scale / 0.6f) + 4, -128.0, 127.0))));
  }
  CheckBytes(linear, {x}, expected);
}

TEST_CASE("elementwise operators between 8-bit tensors are exact", "[quantized]") {
  const Shape shape{2, 6, 5, 7};
  const Tensor a = RandomBytes(kU8, shape, 7), b = RandomBytes(kS8, {6, 1, 1}, 8);
  QuantizedGraph g;
  const ValueId left = g.Dequantize(g.Input(kU8, shape), One(0.03f), ByteOf(kU8, 120));
  const ValueId right = g.Dequantize(g.Input(kS8, {6, 1, 1}), One(0.05f), ByteOf(kS8, -20));
  const ValueId y = g.Op("Mul", {g.Op("Add", {left, right}), left});
  StaticRunner runner(g.Finish(g.Quantize(y, One(0.11f), ByteOf(kU8, 90))));
  REQUIRE(runner.Count("FusedElementwise") == 1);
  std::vector<uint8_t> expected;
  for (int64_t i = 0; i < a.NumElements(); ++i) {
    const float x = static_cast<float>(ByteAt(a, i) - 120) * 0.03f;
    const float z = static_cast<float>(ByteAt(b, i / 35 % 6) + 20) * 0.05f;
    const float quotient = ((x + z) * x) / 0.11f;
    expected.push_back(static_cast<uint8_t>(std::clamp(std::nearbyint(quotient) + 90.0f, 0.0f, 255.0f)));
  }
  CheckBytes(runner, {a, b}, expected);
}

TEST_CASE("a chain over one 8-bit tensor is a table; pooling sums bytes", "[quantized]") {
  const Shape shape{1, 5, 6, 6};
  const Tensor x = RandomBytes(kU8, shape, 10);
  QuantizedGraph g;
  const ValueId real = g.Dequantize(g.Input(kU8, shape), One(0.04f), ByteOf(kU8, 130));
  const ValueId swish = g.Op("Mul", {real, g.Op("Sigmoid", {real})});
  StaticRunner runner(g.Finish(g.Quantize(swish, One(0.02f), ByteOf(kS8, -100))));
  std::vector<uint8_t> expected;
  for (int64_t i = 0; i < x.NumElements(); ++i) {
    const float v = static_cast<float>(ByteAt(x, i) - 130) * 0.04f;
    const float gate = static_cast<float>(1.0 / (1.0 + std::exp(-static_cast<double>(v))));
    expected.push_back(static_cast<uint8_t>(static_cast<int>(std::clamp(std::nearbyint(v * gate / 0.02f) - 100.0f, -128.0f, 127.0f))));
  }
  CheckBytes(runner, {x}, expected);

  QuantizedGraph h;
  const ValueId pooled = h.Op("GlobalAveragePool", {h.Dequantize(h.Input(kU8, shape), One(0.04f), ByteOf(kU8, 130))});
  StaticRunner pooling(h.Finish(h.Quantize(h.Op("Relu", {pooled}), One(0.003f), ByteOf(kU8, 11))));
  REQUIRE(pooling.Count("GlobalAveragePool") == 1);
  REQUIRE(pooling.Count("onnx::QuantizeLinear") == 0);
  expected.clear();
  for (int64_t c = 0; c < 5; ++c) {
    double sum = 0;
    for (int64_t i = 0; i < 36; ++i) sum += static_cast<float>(ByteAt(x, c * 36 + i) - 130) * 0.04f;
    const float mean = std::max(static_cast<float>(sum / 36), 0.0f);
    expected.push_back(static_cast<uint8_t>(std::clamp(std::nearbyint(mean / 0.003f) + 11.0f, 0.0f, 255.0f)));
  }
  CheckBytes(pooling, {x}, expected);
}

// Operators kept from ONNX, in the cases that the ONNX backend suites do not have, against direct NumPy evaluations of
// their definitions.
#include <catch2/catch.hpp>

#include "compiler/ir/error.h"
#include "test/compiler/ops/run_op.h"

using namespace atc;        // NOLINT
using namespace atc::test;  // NOLINT
using Ints = std::vector<int64_t>;
using Strings = std::vector<std::string>;

TEST_CASE("LSTM with both directions, lengths, peepholes, clipping and the batch first") {
  const auto out = RunOp("onnx::LSTM",
                         {Ramp({2, 3, 2}, 7, -0.3f), Ramp({2, 8, 2}, 5, -0.2f), Ramp({2, 8, 2}, 9, -0.4f),
                          Ramp({2, 16}, 11, -0.5f), Tensor::From<int32_t>(DT_INT32, {2}, {3, 2}),
                          Ramp({2, 2, 2}, 3, -0.1f), Ramp({2, 2, 2}, 4, -0.2f), Ramp({2, 6}, 6, -0.2f)},
                         {{"direction", std::string("bidirectional")},
                          {"hidden_size", int64_t{2}},
                          {"layout", int64_t{1}},
                          {"clip", 0.5f}},
                         3);
  CheckClose(out[0],
             {-0.07000491, -0.003550446, -0.1008819,  0.03519113, -0.0501122,  0.01217752, -0.0675037,  0.02004368,
              -0.03732397, 0.01988572,   -0.03415316, 0.02202761, -0.07695697, 0.02840114, -0.07660857, 0.02538052,
              -0.05364024, 0.02734596,   -0.04737705, 0.05186101, 0,           0,          0,           0});
  CheckClose(out[1],
             {-0.03732397, 0.01988572, -0.1008819, 0.03519113, -0.05364024, 0.02734596, -0.07660857, 0.02538052});
  CheckClose(out[2], {-0.0685689, 0.05272051, -0.1863084, 0.06164961, -0.0986359, 0.07255888, -0.1488212, 0.04459904});
}

TEST_CASE("GRU in reverse with lengths and an activation that has a parameter") {
  const std::vector<Tensor> inputs{Ramp({3, 2, 2}, 7, -0.3f), Ramp({1, 6, 2}, 5, -0.2f), Ramp({1, 6, 2}, 9, -0.4f),
                                   Ramp({1, 12}, 11, -0.5f), Tensor::From<int32_t>(DT_INT32, {2}, {3, 2})};
  std::vector<std::pair<const char*, AttrValue>> attrs{{"direction", std::string("reverse")},
                                                       {"activations", Strings{"Sigmoid", "LeakyRelu"}},
                                                       {"activation_alpha", std::vector<float>{0.3f}}};
  auto out = RunOp("onnx::GRU", inputs, attrs, 2);
  CheckClose(out[0], {0.4208323, -0.1338845, 0.3640889, -0.1234553, 0.3961658, -0.126778, 0.2241733, -0.08860241,
                      0.2111823, -0.07456157, 0, 0});
  CheckClose(out[1], {0.4208323, -0.1338845, 0.3640889, -0.1234553});
  attrs.emplace_back("linear_before_reset", int64_t{1});
  out = RunOp("onnx::GRU", inputs, attrs, 2);
  CheckClose(out[0], {0.1360651, -0.06733195, 0.1303398, -0.06634475, 0.1571675, -0.06959608, 0.08178206, -0.05035275,
                      0.06306144, -0.03767673, 0, 0});
}

TEST_CASE("A recurrent cell refuses lengths beyond the sequence and unknown activations") {
  const std::vector<Tensor> inputs{Ramp({3, 2, 2}, 7), Ramp({1, 2, 2}, 5), Ramp({1, 2, 2}, 9), Tensor(),
                                   Tensor::From<int32_t>(DT_INT32, {2}, {4, 2})};
  CHECK_THROWS_AS(RunOp("onnx::RNN", inputs, {}), Error);
  CHECK_THROWS_AS(RunOp("onnx::RNN", {inputs[0], inputs[1], inputs[2]}, {{"activations", Strings{"Sinus"}}}), Error);
}

TEST_CASE("MaxRoiPool") {
  const auto y = RunOp("onnx::MaxRoiPool", {Ramp({1, 1, 4, 6}, 17), Floats({2, 5}, {0, 0, 0, 8, 6, 0, 6, 2, 30, 4})},
                       {{"pooled_shape", Ints{2, 2}}, {"spatial_scale", 0.5f}});
  CheckClose(y[0], {0.8, 1, 1.4, 1.6, 1.1, 0, 1.6, 0});
}

TEST_CASE("LRN of an even size reaches further up") {
  const auto y = RunOp("onnx::LRN", {Ramp({1, 5, 1, 2}, 7, -0.3f)}, {{"size", int64_t{4}}, {"alpha", 0.5f}});
  CheckClose(y[0], {-0.296943, -0.198513, -0.09816511, 0, 0.09861643, 0.1974145, 0.2961219, -0.2961219, -0.1975967,
                    -0.09907265});
}

TEST_CASE("QLinearConv with groups and one scale and zero point a channel") {
  std::vector<uint8_t> x(18);
  for (int i = 0; i < 18; ++i) x[i] = static_cast<uint8_t>(i * 13 % 256);
  std::vector<int8_t> w(8);
  for (int i = 0; i < 8; ++i) w[i] = static_cast<int8_t>(i * 37 % 256 - 128);
  const auto byte = [](uint8_t v) { return Tensor::From<uint8_t>(DT_UINT8, {}, {v}); };
  const auto y = RunOp("onnx::QLinearConv",
                       {Tensor::From<uint8_t>(DT_UINT8, {1, 2, 3, 3}, x), Floats({}, {0.1f}), byte(120),
                        Tensor::From<int8_t>(DT_INT8, {2, 1, 2, 2}, w), Floats({2}, {0.02f, 0.05f}),
                        Tensor::From<int8_t>(DT_INT8, {2}, {3, -5}), Floats({}, {0.7f}), byte(128),
                        Tensor::From<int32_t>(DT_INT32, {2}, {100, -200})},
                       {{"group", int64_t{2}}});
  CheckClose(y[0], {219, 208, 185, 174, 114, 120, 132, 138});
}

TEST_CASE("DFT from a one-sided spectrum gives the real signal") {
  const auto y = RunOp("onnx::DFT",
                       {Floats({1, 4, 2}, {-0.3f, 0, -0.3f, 0.5196153f, -0.3f, 0.1732051f, -0.3f, 0}), Tensor(),
                        Tensor::Scalar(int64_t{1})},
                       {{"inverse", int64_t{1}}, {"onesided", int64_t{1}}, {"opset", int64_t{20}}});
  CHECK(y[0].shape() == Shape{1, 6, 1});
  CheckClose(y[0], {-0.3, -0.2, -0.1, 0, 0.1, 0.2});
}

TEST_CASE("Resize by AscendIR's operator: whole numbers are cut, not rounded") {
  const auto y =
      RunOp("Resize",
            {Tensor::From<uint8_t>(DT_UINT8, {1, 1, 1, 2}, {0, 10}), Tensor(), Tensor(), Tensor::Ints({1, 1, 1, 4})},
            {{"mode", std::string("linear")}});
  CheckClose(y[0], {0, 2, 7, 10});  // 0, 2.5, 7.5, 10
}

TEST_CASE("Random numbers are those of the seed") {
  const auto draw = [](float seed) {
    return ToDoubles(RunOp("onnx::RandomNormal", {}, {{"shape", Ints{4000}}, {"seed", seed}, {"mean", 2.0f}})[0]);
  };
  const std::vector<double> a = draw(1), b = draw(1), c = draw(2);
  CHECK(a == b);
  CHECK(a != c);
  double mean = 0, square = 0;
  for (const double v : a) mean += v / 4000;
  for (const double v : a) square += (v - mean) * (v - mean) / 4000;
  CHECK(mean == Approx(2).margin(0.06));
  CHECK(square == Approx(1).margin(0.1));
}

// Convolution, products, pooling and normalisation against values from direct NumPy loops over the definitions.
#include <catch2/catch.hpp>

#include "compiler/ir/error.h"
#include "compiler/ir/error_catalogue.h"
#include "test/compiler/ops/run_op.h"

using namespace atc;        // NOLINT
using namespace atc::test;  // NOLINT
using Ints = std::vector<int64_t>;

TEST_CASE("Conv2D with groups, stride, dilation, uneven padding and bias") {
  const auto y = RunOp("Conv2D",
                       {Ramp({1, 4, 5, 6}, 7, -0.3f), Ramp({4, 2, 3, 2}, 5, -0.2f), Floats({4}, {0.5f, -1, 0, 2})},
                       {{"strides", Ints{1, 1, 2, 1}},
                        {"pads", Ints{1, 0, 0, 1}},
                        {"dilations", Ints{1, 1, 1, 2}},
                        {"groups", int64_t{2}},
                        {"data_format", std::string("NCHW")}});
  CHECK(y[0].shape() == Shape{1, 4, 2, 5});
  CheckClose(y[0], {0.64,  0.51,  0.52,  0.39,  0.49,  0.32,  0.71,  0.68,  0.51,  0.45,  -1.06, -1.02, -1.05, -1.01,
                    -1.04, -0.9,  -0.89, -1.02, -0.94, -1,    0.11,  0.14,  -0.11, -0.01, -0.03, -0.07, -0.14, 0.28,
                    0.28,  -0.11, 2.13,  1.84,  1.97,  1.89,  2.05,  1.98,  2.11,  2.1,   1.81,  2.01});
}

TEST_CASE("Conv3D") {
  const auto y = RunOp("Conv3D", {Ramp({2, 1, 3, 3, 3}, 7, -0.3f), Ramp({2, 1, 2, 2, 2}, 5, -0.2f)},
                       {{"strides", Ints{1, 1, 1, 1, 2}},
                        {"pads", Ints{0, 0, 1, 0, 0, 1}},
                        {"data_format", std::string("NCDHW")}});
  CHECK(y[0].shape() == Shape{2, 2, 2, 3, 2});
  CheckClose(y[0], {-0.01, -0.01, 0.05,  0.07,  -0.04, -0.1,  -0.01, -0.03, 0.06, 0.05,  -0.1, 0.02,
                    0.06,  0.04,  -0.1,  -0.11, 0,     0.06,  0,     0.04,  -0.08, 0.05, 0.09, 0.01,
                    -0.01, 0,     -0.06, 0.01,  0.06,  0.05,  -0.01, -0.02, 0.02, 0.06,  0.07, -0.11,
                    -0.05, 0.04,  -0.04, 0.02,  -0.08, 0.05,  0.03,  0.04,  0.05, -0.1,  0.08, 0.07});
}

TEST_CASE("Conv with SAME_UPPER puts the odd padding at the end") {
  const auto y = RunOp("onnx::Conv", {Ramp({1, 1, 4, 5}, 7, -0.3f), Ramp({1, 1, 2, 2}, 5, -0.2f)},
                       {{"strides", Ints{2, 2}}, {"auto_pad", std::string("SAME_UPPER")}});
  CheckClose(y[0], {0.11, 0, -0.02, -0.02, -0.06, 0.06});
}

TEST_CASE("Conv2D refuses channels that do not fit") {
  CHECK_THROWS_AS(RunOp("Conv2D", {Ramp({1, 3, 5, 5}, 7), Ramp({4, 2, 3, 3}, 5)},
                        {{"strides", Ints{1, 1, 1, 1}}, {"pads", Ints(4, 0)}, {"data_format", std::string("NCHW")}}),
                  Error);
}

TEST_CASE("Conv2DTranspose with groups, dilation, padding and output_padding") {
  const auto y = RunOp("Conv2DTranspose",
                       {Tensor::Ints({0, 0, 0, 0}), Ramp({1, 2, 2, 3}, 7, -0.3f), Ramp({2, 1, 3, 2}, 5, -0.2f)},
                       {{"strides", Ints{1, 1, 2, 1}},
                        {"pads", Ints{1, 1, 0, 1}},
                        {"dilations", Ints{1, 1, 1, 2}},
                        {"groups", int64_t{2}},
                        {"output_padding", Ints{0, 0, 1, 0}},
                        {"data_format", std::string("NCHW")}});
  CHECK(y[0].shape() == Shape{1, 2, 4, 4});
  CheckClose(y[0], {0,    0,     -0.03, -0.02, -0.06, -0.06, 0,    0.03, 0,     0, 0,     0.01, 0,    0.02, 0.04,  -0.02,
                    0.03, -0.03, 0.04,  -0.06, -0.05, 0.06,  0,    0.03, -0.01, 0, -0.01, 0,    0.02, 0,    -0.01, 0});
}

TEST_CASE("BatchMatMulV2 broadcasts batches and takes vectors") {
  const Tensor a = Ramp({2, 1, 3, 4}, 7, -0.3f), b = Ramp({2, 4, 2}, 5, -0.2f);
  const auto y = RunOp("BatchMatMulV2", {a, b}, {});
  CHECK(y[0].shape() == Shape{2, 2, 3, 2});
  CheckClose(y[0], {0.04,  0.03, 0.07, -0.05, 0.03,  0.01,  0.01,  -0.05, -0.09, 0.09,  0.02, -0.05,
                    -0.08, 0.07, 0.02, -0.01, -0.09, -0.02, -0.08, 0.02,  0.03,  -0.05, 0.07, 0.09});
  const auto dot = RunOp("BatchMatMulV2", {Floats({3}, {1, 2, 3}), Floats({3}, {4, 5, 6})}, {});
  CHECK(dot[0].shape() == Shape{});
  CheckClose(dot[0], {32});
}

TEST_CASE("MatMulV2 transposes and adds a bias") {
  const auto y = RunOp("MatMulV2", {Floats({2, 1}, {2, 3}), Floats({3, 2}, {1, 2, 3, 4, 5, 6}), Floats({3}, {1, 0, -1})},
                       {{"transpose_x1", true}, {"transpose_x2", true}});
  CheckClose(y[0], {9, 18, 27});
}

TEST_CASE("Integer products wrap") {
  const auto y = RunOp("MatMulV2", {Tensor::From<int32_t>(DT_INT32, {1, 2}, {1 << 30, 1}),
                                    Tensor::From<int32_t>(DT_INT32, {2, 1}, {4, -7})},
                       {});
  CHECK(y[0].Data<int32_t>()[0] == -7);
}

TEST_CASE("Pooling over the border") {
  const Tensor x = Ramp({1, 2, 4, 4}, 7, -0.3f);
  const std::vector<std::pair<const char*, AttrValue>> window = {
      {"ksize", Ints{1, 1, 3, 3}}, {"strides", Ints{1, 1, 2, 2}}, {"pads", Ints{1, 1, 1, 1}}};
  CheckClose(RunOp("MaxPoolV3", {x}, window)[0], {0.2, 0.3, 0.3, 0.3, 0.3, 0.2, 0.3, 0.3});
  CheckClose(RunOp("AvgPoolV2", {x}, window)[0],
             {-0.05, -0.01666667, 0.08333333, 0, -0.025, -0.05, -0.06666667, -0.03333334});
  auto inclusive = window;
  inclusive.emplace_back("exclusive", false);
  CheckClose(RunOp("AvgPoolV2", {x}, inclusive)[0],
             {-0.02222223, -0.01111112, 0.05555555, 0, -0.01111111, -0.03333334, -0.04444445, -0.03333334});
}

TEST_CASE("SoftmaxV2 over two axes together") {
  const auto y = RunOp("SoftmaxV2", {Ramp({1, 2, 4, 4}, 7, -0.3f)}, {{"axes", Ints{1, -1}}});
  CheckClose(y[0], {0.0962627, 0.1063867, 0.1175755, 0.1299411, 0.1342612, 0.1483816, 0.1639871, 0.08999801,
                    0.0962627, 0.1063867, 0.1175755, 0.129941,  0.1608125, 0.1777253, 0.09753772, 0.1077959,
                    0.1175755, 0.1299411, 0.1436071, 0.1587104, 0.1639871, 0.08999801, 0.09946318, 0.1099238,
                    0.1175755, 0.129941,  0.1436071, 0.1587104, 0.09753772, 0.1077959, 0.1191328, 0.1316622});
}

TEST_CASE("BatchNorm with given statistics") {
  const auto y = RunOp("BatchNorm", {Ramp({1, 2, 4, 4}, 7, -0.3f), Floats({2}, {2, 0.5f}), Floats({2}, {1, -1}),
                                     Floats({2}, {0.1f, 0.2f}), Floats({2}, {0.25f, 4})},
                       {{"epsilon", 1e-3f}, {"is_training", false}, {"data_format", std::string("NCHW")}});
  CheckClose(y[0], {-0.5968096, -0.1976072, 0.2015952, 0.6007976,  1,          1.399202,   1.798405,   -0.5968096,
                    -0.1976072, 0.2015952,  0.6007976, 1,          1.399202,   1.798405,   -0.5968096, -0.1976072,
                    -1.074991,  -1.049994,  -1.024997, -1,         -0.9750031, -1.124984,  -1.099988,  -1.074991,
                    -1.049994,  -1.024997,  -1,        -0.9750031, -1.124984,  -1.099988,  -1.074991,  -1.049994});
}

TEST_CASE("Pooling over a kernel of no size is an error") {
  const Tensor x = Ramp({1, 2, 4, 4}, 7);
  for (const int64_t size : {-1, 0}) {
    CHECK_THROWS_AS(RunOp("MaxPoolV3", {x}, {{"ksize", Ints{1, 1, size, size}}, {"strides", Ints{1, 1, 1, 1}}}), Error);
  }
}

TEST_CASE("A loss whose targets are no integers is an error that names the node") {
  try {
    RunOp("onnx::NegativeLogLikelihoodLoss", {Ramp({2, 3}, 5), Tensor::Allocate(DT_DOUBLE, {2})},
          {{"reduction", std::string("mean")}});
    FAIL("no error");
  } catch (const Error& error) {
    const std::string text = MessageText(error.diagnostic());
    CHECK_THAT(text, Catch::Contains("'node'"));
    CHECK_THAT(text, Catch::Contains("onnx::NegativeLogLikelihoodLoss") && Catch::Contains("wanted integers"));
  }
}

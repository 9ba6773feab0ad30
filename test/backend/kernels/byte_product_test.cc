// 8-bit convolutions whose sums are cut into pieces: those of the reference, bit for bit, in one thread and in two.
#include "test/backend/kernels/kernel_fixture.h"

using namespace atc;        // NOLINT
using namespace atc::test;  // NOLINT
using Ints = std::vector<int64_t>;

namespace {

struct ConvCase {
  const char* name;
  Shape x;
  int64_t out_channels, kernel, stride, dilation, groups;
  Ints pads;  // top, left, bottom, right
};

const ConvCase kCases[] = {
    {"pointwise", {1, 16, 60, 61}, 40, 1, 1, 1, 1, {0, 0, 0, 0}},
    {"pointwise, of several images", {3, 8, 40, 41}, 32, 1, 1, 1, 1, {0, 0, 0, 0}},
    {"window", {1, 12, 70, 41}, 48, 3, 1, 1, 1, {1, 1, 1, 1}},
    {"window, of several images", {2, 5, 63, 41}, 24, 3, 1, 1, 1, {1, 1, 1, 1}},
    {"first layer", {1, 3, 129, 127}, 32, 3, 2, 1, 1, {1, 1, 0, 1}},
    {"dilated, uneven padding", {1, 8, 71, 40}, 40, 3, 1, 2, 1, {3, 0, 4, 2}},
    {"pointwise, stride 2", {1, 32, 150, 63}, 48, 1, 2, 1, 1, {0, 0, 0, 0}},
    {"depthwise", {1, 96, 40, 41}, 96, 3, 1, 1, 96, {1, 1, 1, 1}},
    {"groups", {1, 32, 50, 41}, 64, 3, 1, 1, 4, {1, 1, 1, 1}},
    {"padding higher than a piece", {1, 8, 6, 301}, 64, 3, 1, 1, 1, {9, 1, 9, 1}},
};

Tensor Bytes(DataType dtype, const Shape& shape, uint32_t seed) {
  std::mt19937 random(seed);
  Tensor tensor = Tensor::Allocate(dtype, shape);
  for (int64_t i = 0; i < tensor.NumElements(); ++i) tensor.MutableData<uint8_t>()[i] = static_cast<uint8_t>(random());
  return tensor;
}

Tensor Byte(DataType dtype, int value) {
  Tensor tensor = Tensor::Allocate(dtype, {});
  tensor.MutableData<uint8_t>()[0] = static_cast<uint8_t>(value);
  return tensor;
}

}  // namespace

namespace {

// Of a QLinearConv; `w_zero` 0: weights are int8, else uint8 less that.
void CheckConvolution(const ConvCase& given, DataType type, int w_zero, bool with_bias,
                      std::initializer_list<bool> layouts) {
  INFO(given.name << (type == DT_INT8 ? ", int8" : ", uint8") << ", zero point of the weights " << w_zero);
  const DataType w_type = w_zero == 0 ? DT_INT8 : DT_UINT8;
  KernelCase c;
  c.type = "onnx::QLinearConv";
  c.inputs = {Bytes(type, given.x, 1),
              Tensor::Scalar(0.02f),
              Byte(type, 11),
              Bytes(w_type, {given.out_channels, given.x[1] / given.groups, given.kernel, given.kernel}, 2),
              Tensor::Scalar(0.01f),
              Byte(w_type, w_zero),
              Tensor::Scalar(1.1f),
              Byte(type, 100)};
  c.constant = {false, true, true, true, true, true, true, true};
  if (with_bias) {
    Tensor bias = Tensor::Allocate(DT_INT32, {given.out_channels});
    for (int64_t i = 0; i < given.out_channels; ++i)
      bias.MutableData<int32_t>()[i] = static_cast<int32_t>(997 * i % 3001 - 1500);
    c.inputs.push_back(bias);
    c.constant.push_back(true);
  }
  c.set_attrs = [&](Node& node) {
    node.attrs.Set("kernel_shape", Ints{given.kernel, given.kernel});
    node.attrs.Set("strides", Ints{given.stride, given.stride});
    node.attrs.Set("dilations", Ints{given.dilation, given.dilation});
    node.attrs.Set("pads", given.pads);
    node.attrs.Set("group", given.groups);
    node.attrs.Set("auto_pad", "NOTSET");
  };
  for (const bool last : layouts) {
    c.channels_last = std::vector<bool>(c.inputs.size() + 1, false);
    c.channels_last.front() = c.channels_last.back() = last;
    for (const int threads : {1, 2}) {
      c.threads = threads;
      CheckAgainstReference(c, 0);
    }
  }
}

}  // namespace

TEST_CASE("a convolution of bytes cut into pieces is that of the reference") {
  for (const ConvCase& given : kCases) {
    CheckConvolution(given, given.stride == 2 ? DT_INT8 : DT_UINT8, 0, false, {false, true});
  }
}

TEST_CASE("a convolution of bytes with short rows is that of the reference") {
  for (const int64_t channels : {16, 24, 32, 40, 96, 144, 203}) {
    const ConvCase cases[] = {
        {"pointwise", {1, 16, 7, 9}, channels, 1, 1, 1, 1, {0, 0, 0, 0}},
        {"pointwise, rows that are no fours", {2, 27, 5, 3}, channels, 1, 1, 1, 1, {0, 0, 0, 0}},
        {"pointwise, stride 2, long", {2, 128, 5, 7}, channels, 1, 2, 1, 1, {0, 0, 0, 0}},
        {"first layer", {1, 3, 11, 10}, channels, 3, 2, 1, 1, {1, 0, 1, 1}},
        {"dilated", {1, 5, 9, 9}, channels, 3, 1, 2, 1, {2, 3, 2, 0}},
        {"two pixels wide", {1, 4, 1, 2}, channels, 5, 1, 1, 1, {2, 2, 2, 2}},
    };
    for (const ConvCase& given : cases) {
      INFO(channels << " channels");
      CheckConvolution(given, DT_UINT8, 0, true, {true});
      CheckConvolution(given, DT_INT8, 0, false, {true});
      CheckConvolution(given, DT_INT8, 131, true, {true});
    }
  }
  CheckConvolution({"shared out", {1, 64, 40, 41}, 144, 1, 1, 1, 1, {0, 0, 0, 0}}, DT_INT8, 0, true, {true});
}

TEST_CASE("a convolution of bytes of one channel a filter is that of the reference") {
  // Blocks of 64, 32 and 16 channels, and last ones that overlap; fewer than 16 are others' work.
  for (const int64_t channels : {8, 16, 17, 24, 32, 40, 64, 72, 96, 144, 203}) {
    const ConvCase cases[] = {
        {"window of 3", {1, channels, 9, 10}, channels, 3, 1, 1, channels, {1, 1, 1, 1}},
        {"stride 2, uneven padding", {2, channels, 11, 8}, channels, 3, 2, 1, channels, {0, 1, 1, 0}},
        {"window of 5, dilated", {1, channels, 13, 14}, channels, 5, 1, 2, channels, {4, 3, 4, 5}},
        {"window wider than the image", {1, channels, 3, 2}, channels, 7, 3, 1, channels, {3, 3, 3, 3}},
        {"one tap", {1, channels, 5, 6}, channels, 1, 2, 1, channels, {0, 0, 0, 0}},
        {"padding beyond the window", {1, channels, 4, 4}, channels, 2, 3, 1, channels, {4, 5, 3, 4}},
    };
    for (const ConvCase& given : cases) {
      INFO(channels << " channels");
      CheckConvolution(given, DT_UINT8, 0, true, {true});
      CheckConvolution(given, DT_INT8, 0, false, {true});
      CheckConvolution(given, DT_INT8, 131, true, {true});  // differences that are no bytes
    }
  }
  CheckConvolution({"shared out", {1, 96, 40, 41}, 96, 3, 1, 1, 96, {1, 1, 1, 1}}, DT_INT8, 131, true, {true});
}

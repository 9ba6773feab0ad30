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

TEST_CASE("a convolution of bytes cut into pieces is that of the reference") {
  for (const ConvCase& given : kCases) {
    INFO(given.name);
    const DataType type = given.stride == 2 ? DT_INT8 : DT_UINT8;
    KernelCase c;
    c.type = "onnx::QLinearConv";
    c.inputs = {Bytes(type, given.x, 1), Tensor::Scalar(0.02f), Byte(type, 11),
                Bytes(DT_INT8, {given.out_channels, given.x[1] / given.groups, given.kernel, given.kernel}, 2),
                Tensor::Scalar(0.01f), Byte(DT_INT8, 0), Tensor::Scalar(1.1f), Byte(type, 100)};
    c.constant = {false, true, true, true, true, true, true, true};
    c.set_attrs = [&](Node& node) {
      node.attrs.Set("kernel_shape", Ints{given.kernel, given.kernel});
      node.attrs.Set("strides", Ints{given.stride, given.stride});
      node.attrs.Set("dilations", Ints{given.dilation, given.dilation});
      node.attrs.Set("pads", given.pads);
      node.attrs.Set("group", given.groups);
      node.attrs.Set("auto_pad", "NOTSET");
    };
    for (const bool last : {false, true}) {
      c.channels_last = {last, false, false, false, false, false, false, false, last};
      for (const int threads : {1, 2}) {
        c.threads = threads;
        CheckAgainstReference(c, 0);
      }
    }
  }
}

// Kernels over planes and channels.
#include "test/backend/kernels/kernel_fixture.h"

using namespace atc;
using namespace atc::test;

namespace {

void CheckBothWays(KernelCase c, double tolerance) {
  for (const int threads : {1, 2}) {
    c.threads = threads;
    CheckAgainstReference(c, tolerance);
  }
  for (Tensor& input : c.inputs) {
    if (input.defined() && input.dtype() == DT_FLOAT) input = Narrow(input, DT_FLOAT16);
  }
  CheckAgainstReference(c, 1e-3);
}

}  // namespace

TEST_CASE("reductions are those of the reference") {
  const char* type = GENERATE("ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin");
  const std::vector<int64_t> axes = GENERATE(std::vector<int64_t>{-1}, std::vector<int64_t>{1}, std::vector<int64_t>{2, 3},
                                             std::vector<int64_t>{0, 1, 2, 3});
  KernelCase c;
  c.type = type;
  c.inputs = {RandomFloats({2, 19, 9, 67}, 1), Tensor::Ints(axes)};
  c.constant = {false, true};
  c.set_attrs = [](Node& node) { node.attrs.Set("keep_dims", AttrValue(true)); };
  CheckBothWays(c, 1e-5);
}

TEST_CASE("a mean over the plane is that of the reference in either layout") {
  const bool last = GENERATE(false, true);
  KernelCase c;
  c.type = "GlobalAveragePool";
  c.inputs = {RandomFloats({2, 35, 7, 9}, 1)};
  c.channels_last = {last, last};
  CheckBothWays(c, 1e-5);
}

TEST_CASE("a batch norm by constant statistics is that of the reference in either layout") {
  const bool last = GENERATE(false, true);
  KernelCase c;
  c.type = "BatchNorm";
  c.inputs = {RandomFloats({2, 35, 7, 9}, 1), RandomFloats({35}, 2), RandomFloats({35}, 3), RandomFloats({35}, 4),
              RandomFloats({35}, 5, 0.5f, 2.0f)};
  c.constant = {false, true, true, true, true};
  c.channels_last = {last, false, false, false, false, last};
  c.set_attrs = [](Node& node) {
    node.attrs.Set("epsilon", 1e-5f);
    node.attrs.Set("data_format", "NCHW");
    node.attrs.Set("is_training", AttrValue(false));
  };
  for (const int threads : {1, 2}) {
    c.threads = threads;
    CheckAgainstReference(c, 1e-5);
  }
}

TEST_CASE("local response norms are those of the reference in either layout") {
  const bool last = GENERATE(false, true);
  const float beta = GENERATE(0.75f, 0.6f);
  const int64_t size = GENERATE(1, 4, 5);
  const int64_t channels = GENERATE(2, 35);
  KernelCase c;
  c.type = "onnx::LRN";
  c.inputs = {RandomFloats({2, channels, 7, 9}, 1, -20, 20)};
  c.channels_last = {last, last};
  c.set_attrs = [=](Node& node) {
    node.attrs.Set("size", size);
    node.attrs.Set("alpha", 0.3f);
    node.attrs.Set("beta", beta);
    node.attrs.Set("bias", 1.5f);
  };
  CheckBothWays(c, 1e-5);
}

TEST_CASE("resized planes are those of the reference in either layout") {
  const bool last = GENERATE(false, true);
  const char* mode = GENERATE("nearest", "linear", "cubic");
  const char* coordinates = GENERATE("half_pixel", "align_corners", "asymmetric");
  const bool sizes = GENERATE(false, true);
  KernelCase c;
  c.type = "Resize";
  c.inputs = {RandomFloats({2, 19, 6, 9}, 1), Tensor(),
              sizes ? Tensor() : Tensor::From<float>(DT_FLOAT, {4}, {1, 1, 2, 1.5f}), sizes ? Tensor::Ints({2, 19, 13, 5}) : Tensor()};
  c.constant = {false, true, true, true};
  c.channels_last = {last, false, false, false, last};
  c.set_attrs = [=](Node& node) {
    node.attrs.Set("mode", mode);
    node.attrs.Set("coordinate_transformation_mode", coordinates);
  };
  for (const int threads : {1, 2}) {
    c.threads = threads;
    CheckAgainstReference(c, 1e-5);
  }
}

// Convolutions by tiles against the reference, and their transforms by themselves.
#include "backend/kernels/winograd_tiles.h"
#include "compiler/passes/elementwise_fusion.h"
#include "test/compiler/passes/heavy_fixture.h"
#include "test/backend/kernels/kernel_fixture.h"

using namespace atc;
using namespace atc::test;

namespace {

KernelCase Convolution(int64_t batch, int64_t in, int64_t out, int64_t height, int64_t width, std::vector<int64_t> pads,
                       int64_t dilation, bool bias) {
  KernelCase c;
  c.type = "Conv2D";
  c.inputs = {RandomFloats({batch, in, height, width}, 1), RandomFloats({out, in, 3, 3}, 2),
              bias ? RandomFloats({out}, 3) : Tensor()};
  c.constant = {false, true, true};
  c.channels_last = {true, false, false, true};
  c.set_attrs = [=](Node& node) {
    node.attrs.Set("strides", std::vector<int64_t>{1, 1, 1, 1});
    node.attrs.Set("pads", pads);
    node.attrs.Set("data_format", "NCHW");
    node.attrs.Set("dilations", std::vector<int64_t>{1, 1, dilation, dilation});
  };
  return c;
}

}  // namespace

TEST_CASE("a tile of a convolution is what the direct sums are") {
  const int64_t channels = GENERATE(1, 3, 16, 37), out = GENERATE(2, 4);
  const int64_t in = kernels::TileIn(out), products = kernels::TileTaps(out);
  const Tensor d = RandomFloats({in, in, channels}, 1), g = RandomFloats({9, channels}, 2), b = RandomFloats({channels}, 3);
  const Tensor more = RandomFloats({out * out, channels}, 4);
  const bool ends = GENERATE(false, true);  // more is added, and the sum clipped
  ForEachTarget([&] {
    std::vector<float> image(static_cast<size_t>(products * channels)), filter(image.size());
    std::vector<float> y(static_cast<size_t>(out * out * channels));
    std::vector<const float*> pixels;
    std::vector<float*> taps;
    std::vector<int64_t> places;
    for (int64_t k = 0; k < products; ++k) {
      pixels.push_back(d.Data<float>() + k * channels);
      taps.push_back(filter.data() + k * channels);
    }
    const int64_t left_out = out + 1;  // each so-manieth result is beyond an edge
    for (int64_t k = 0; k < out * out; ++k) places.push_back(k % left_out == out ? -1 : k * channels);
    kernels::TransformInput(out, pixels.data(), channels, image.data(), channels);
    kernels::TransformFilters(out, g.Data<float>(), channels, taps.data());
    for (size_t i = 0; i < image.size(); ++i) image[i] *= filter[i];
    kernels::TileEnd end{b.Data<float>()};
    if (ends) end = {b.Data<float>(), more.Data<float>(), {-0.5f, 0.75f}};
    kernels::TransformOutput(out, image.data(), channels, channels, end, y.data(), places.data());
    for (int64_t k = 0; k < out * out; ++k) {
      for (int64_t c = 0; c < channels; ++c) {
        double sum = b.Data<float>()[c];
        for (int64_t p = 0; p < 9; ++p) {
          sum += double{g.Data<float>()[p * channels + c]} * d.Data<float>()[((k / out + p / 3) * in + k % out + p % 3) * channels + c];
        }
        if (ends) sum = std::clamp(sum + double{more.Data<float>()[k * channels + c]}, -0.5, 0.75);
        CHECK(y[static_cast<size_t>(k * channels + c)] == Approx(k % left_out == out ? 0.0 : sum).margin(2e-6));
      }
    }
  });
}

TEST_CASE("convolutions by tiles are those of the reference") {
  struct Size {
    int64_t batch, in, out, height, width, dilation;
    std::vector<int64_t> pads;  // top, bottom, left, right
  };
  const Size size = GENERATE(values<Size>({{1, 64, 64, 16, 16, 1, {1, 1, 1, 1}},
                                           {2, 35, 77, 13, 18, 1, {1, 1, 1, 1}},
                                           {1, 48, 200, 11, 9, 1, {0, 0, 0, 0}},
                                           {1, 64, 96, 14, 14, 1, {0, 2, 2, 0}},
                                           {2, 67, 100, 10, 10, 1, {1, 1, 1, 1}},  // small tiles reach less beyond
                                           {1, 64, 80, 6, 14, 1, {1, 1, 1, 1}},
                                           {1, 64, 64, 25, 27, 2, {2, 2, 2, 2}},
                                           {1, 32, 40, 40, 24, 3, {3, 0, 1, 3}}}));
  const bool bias = GENERATE(false, true);
  KernelCase c = Convolution(size.batch, size.in, size.out, size.height, size.width, size.pads, size.dilation, bias);
  for (const int threads : {1, 2, 3}) {
    c.threads = threads;
    CheckAgainstReference(c, 6e-5);  // of sums of some hundred products
  }
  for (Tensor& input : c.inputs) {
    if (input.defined()) input = Narrow(input, DT_FLOAT16);
  }
  CheckAgainstReference(c, 1e-3);
}

TEST_CASE("convolutions of one tap are those of the reference") {
  struct Size {
    int64_t batch, in, out, height, width, stride;
  };
  const Size size = GENERATE(values<Size>({{1, 16, 96, 20, 20, 1},   // many pixels
                                           {2, 37, 77, 5, 9, 1},     // odd numbers of all
                                           {1, 300, 520, 5, 4, 1},   // a large matrix
                                           {1, 8, 24, 1, 9, 1},
                                           {2, 40, 30, 9, 7, 2}}));
  KernelCase c = Convolution(size.batch, size.in, size.out, size.height, size.width, {0, 0, 0, 0}, 1, size.batch == 1);
  c.inputs[1] = RandomFloats({size.out, size.in, 1, 1}, 2);
  const auto set_attrs = c.set_attrs;
  c.set_attrs = [=](Node& node) {
    set_attrs(node);
    node.attrs.Set("strides", std::vector<int64_t>{1, 1, size.stride, size.stride});
  };
  for (const int threads : {1, 2, 3}) {
    c.threads = threads;
    CheckAgainstReference(c, 2e-5);
  }
  for (Tensor& input : c.inputs) {
    if (input.defined()) input = Narrow(input, DT_FLOAT16);
  }
  CheckAgainstReference(c, 2e-3);
}

TEST_CASE("grouped convolutions of one tap are those of the reference") {
  struct Size {
    int64_t groups, in, out;  // of a group
  };
  const Size size = GENERATE(values<Size>({{4, 17, 34}, {3, 6, 28}, {2, 20, 72}, {5, 16, 12}, {6, 3, 1}}));
  const int64_t in = size.groups * size.in, out = size.groups * size.out;
  KernelCase c = Convolution(2, in, out, 9, 7, {0, 0, 0, 0}, 1, true);
  c.inputs[1] = RandomFloats({out, size.in, 1, 1}, 2);
  const auto set_attrs = c.set_attrs;
  c.set_attrs = [=](Node& node) {
    set_attrs(node);
    node.attrs.Set("groups", size.groups);
  };
  for (const int threads : {1, 2, 3}) {
    c.threads = threads;
    CheckAgainstReference(c, 2e-5);
  }
}

TEST_CASE("convolutions of few pixels are those of the reference in either layout") {
  const bool last = GENERATE(false, true);
  const int64_t stride = GENERATE(1, 2), batch = GENERATE(1, 2), dilation = GENERATE(1, 2);
  KernelCase c = Convolution(batch, 37, 70, 1, 5, {0, 0, 2, 1}, dilation, batch == 1);
  c.inputs[1] = RandomFloats({70, 37, 1, 3}, 2);
  c.channels_last = {last, false, false, last};
  const auto set_attrs = c.set_attrs;
  c.set_attrs = [=](Node& node) {
    set_attrs(node);
    node.attrs.Set("strides", std::vector<int64_t>{1, 1, 1, stride});
  };
  for (const int threads : {1, 2}) {
    c.threads = threads;
    CheckAgainstReference(c, 1e-5);
  }
  for (Tensor& input : c.inputs) {
    if (input.defined()) input = Narrow(input, DT_FLOAT16);
  }
  CheckAgainstReference(c, 1e-3);
}

TEST_CASE("products of few rows are those of the reference") {
  const bool batched = GENERATE(false, true), turned = GENERATE(false, true);
  const int64_t outputs = GENERATE(64, 150), rows = GENERATE(1, 3);
  KernelCase c;
  c.type = batched ? "BatchMatMulV2" : "MatMulV2";
  c.inputs = {RandomFloats(batched ? Shape{2, rows, 90} : Shape{rows, 90}, 1),
              RandomFloats(turned ? Shape{outputs, 90} : Shape{90, outputs}, 2), RandomFloats({outputs}, 3)};
  c.constant = {false, true, true};
  c.set_attrs = [=](Node& node) { node.attrs.Set(batched ? "adj_x2" : "transpose_x2", AttrValue(turned)); };
  for (const int threads : {1, 2}) {
    c.threads = threads;
    CheckAgainstReference(c, 1e-5);
  }
}

TEST_CASE("convolutions with three spatial axes are those of the reference") {
  const int64_t groups = GENERATE(1, 2, 4), stride = GENERATE(1, 2), channels = GENERATE(4, 16);
  const bool bias = GENERATE(false, true);
  KernelCase c;
  c.type = "Conv3D";
  c.inputs = {RandomFloats({2, channels, 5, 6, 7}, 1), RandomFloats({12, channels / groups, 3, 2, 3}, 2), bias ? RandomFloats({12}, 3) : Tensor()};
  c.constant = {false, true, true};
  c.set_attrs = [=](Node& node) {
    node.attrs.Set("strides", std::vector<int64_t>{1, 1, stride, 1, stride});
    node.attrs.Set("pads", std::vector<int64_t>{1, 1, 0, 1, 2, 0});
    node.attrs.Set("dilations", std::vector<int64_t>{1, 1, 1, 2, 1});
    node.attrs.Set("groups", groups);
    node.attrs.Set("data_format", "NCDHW");
  };
  CheckAgainstReference(c, 1e-5);
}

TEST_CASE("transposed convolutions are those of the reference in either layout") {
  const bool last = GENERATE(false, true), bias = GENERATE(false, true);
  const int64_t groups = GENERATE(1, 2), stride = GENERATE(1, 2, 3), dilation = GENERATE(1, 2), more = GENERATE(0, 1);
  if (more >= stride) return;  // what is beyond the last stride is left to the reference kernel
  const bool deep = !last && GENERATE(false, true);
  KernelCase c;
  c.type = deep ? "Conv3DTranspose" : "Conv2DTranspose";
  std::vector<int64_t> x = {2, 6, 5, 7}, w = {6, 8 / groups, 3, 4}, ones = {1, 1}, padding = {0, 0};
  std::vector<int64_t> pads = {1, 0, 2, 1};
  if (deep) x.insert(x.begin() + 2, 3), w.insert(w.begin() + 2, 2), pads.insert(pads.begin(), {0, 1});
  std::vector<int64_t> strides = ones, dilations = ones;
  for (size_t i = 2; i < x.size(); ++i) {
    strides.push_back(stride);
    dilations.push_back(dilation);
    padding.push_back(more);
  }
  c.inputs = {Tensor::Ints(std::vector<int64_t>(x.size(), 0)), RandomFloats(Shape(x), 1), RandomFloats(Shape(w), 2),
              bias ? RandomFloats({8}, 3) : Tensor()};
  c.constant = {true, false, true, true};
  c.channels_last = {false, last, false, false, last};
  c.set_attrs = [=](Node& node) {
    node.attrs.Set("strides", strides);
    node.attrs.Set("pads", pads);
    node.attrs.Set("dilations", dilations);
    node.attrs.Set("output_padding", padding);
    node.attrs.Set("groups", groups);
    node.attrs.Set("data_format", deep ? "NCDHW" : "NCHW");
  };
  CheckAgainstReference(c, 1e-5);
}

TEST_CASE("convolutions of channels first by way of channels last are those of the reference") {
  const int64_t dilation = GENERATE(1, 2);
  KernelCase c = Convolution(2, 24, 40, 13, 18, {1, 1, 1, 1}, dilation, true);
  c.channels_last = {};
  for (const int threads : {1, 2}) {
    c.threads = threads;
    CheckAgainstReference(c, 6e-5);
  }
  for (Tensor& input : c.inputs) input = Narrow(input, DT_FLOAT16);
  CheckAgainstReference(c, 1e-3);
}

TEST_CASE("convolutions of channels first add whole operands as these lie") {
  const int64_t groups = GENERATE(1, 16);
  HeavyFixture f;
  const ValueId x = f.Input({1, 16, 5, 5}), other = f.Input({1, 16, 5, 5});
  f.Output({f.Op("Add", "sum", {f.Convolution("Conv2D", x, {16, 16 / groups, 3, 3}, 16, true, "NCHW", groups), other})});
  REQUIRE(HeavyElementwiseFusionPass(f.graph, f.context));
  const Node& fused = f.graph.producer(f.graph.NetOutput()->inputs[0]);
  KernelCase c;
  c.type = "Conv2D";
  for (const ValueId input : fused.inputs) {
    const Tensor* constant = f.graph.Constant(input);
    c.inputs.push_back(constant != nullptr ? *constant : f.inputs[static_cast<size_t>(f.graph.producer(input).Attr<int64_t>("index"))]);
    c.constant.push_back(constant != nullptr);
  }
  const std::vector<Tensor> expected = RunReferenceKernel(fused, c.inputs, {}, {DT_FLOAT});
  const std::vector<Tensor> found = RunFast(c, f.graph, fused, expected);
  REQUIRE(found.size() == 1);
  const std::vector<double> a = ToDoubles(found[0]), b = ToDoubles(expected[0]);
  for (size_t i = 0; i < a.size(); ++i) REQUIRE(std::abs(a[i] - b[i]) <= 1e-5 * (1 + std::abs(b[i])));
}

// Convolutions and products by constants of every kind, for the passes that put what follows into their constants.
#pragma once

#include <functional>

#include "test/compiler/pass_fixture.h"

namespace atc::test {

struct HeavyFixture;

struct Heavy {
  const char* name;
  std::function<ValueId(HeavyFixture&, bool biased)> build;  // gives the node "heavy"
  int64_t channels;
  Shape per_channel;  // a constant with one value a channel, as it is broadcast to the output
  const char* data_format;
  bool takes_norm = true;  // a batch norm's channels are the output's
};

struct HeavyFixture : PassFixture {
  ValueId Norm(const char* name, ValueId x, int64_t channels, const char* data_format) {
    const ValueId y = Op("BatchNorm", name, {x, Weights({channels}, 2), Weights({channels}, 3), Weights({channels}, 4),
                                             Weights({channels}, 5, 0.5f, 2.0f)});
    graph.producer(y).attrs.Set("epsilon", 1e-5f);
    graph.producer(y).attrs.Set("data_format", data_format);
    graph.producer(y).attrs.Set("is_training", AttrValue(false));
    return y;
  }
  ValueId Norm(const char* name, ValueId x, const Heavy& heavy) { return Norm(name, x, heavy.channels, heavy.data_format); }

  ValueId Convolution(const char* type, ValueId x, Shape filter, int64_t channels, bool biased, const char* format,
                      int64_t groups = 1) {
    const bool transposed = std::string_view(type).ends_with("Transpose");
    const size_t spatial = filter.rank() - 2;
    std::vector<ValueId> in = {x, Weights(filter, 7)};
    if (transposed) in.insert(in.begin(), graph.AddConst("size", Tensor::Ints(std::vector<int64_t>(spatial + 2, 0))));
    if (biased) in.push_back(Weights({channels}, 9));
    const ValueId y = Op(type, "heavy", in);
    Node& node = graph.producer(y);
    node.attrs.Set("strides", std::vector<int64_t>(spatial + 2, 1));
    node.attrs.Set("dilations", std::vector<int64_t>(spatial + 2, 1));
    node.attrs.Set("pads", std::vector<int64_t>(2 * spatial, 1));
    node.attrs.Set("data_format", format);
    node.attrs.Set("groups", groups);
    return y;
  }
  ValueId Product(const char* type, ValueId x, Shape matrix, bool biased, const char* flag, int64_t columns) {
    std::vector<ValueId> in = {x, Weights(matrix, 7)};
    if (biased) in.push_back(Weights({columns}, 9));
    const ValueId y = Op(type, "heavy", in);
    if (flag != nullptr) graph.producer(y).attrs.Set(flag, true);
    return y;
  }
};

inline const std::vector<Heavy>& Heavies() {
  using F = HeavyFixture;
  static const std::vector<Heavy> heavies = {
      {"Conv2D", [](F& f, bool b) { return f.Convolution("Conv2D", f.Input({2, 3, 5, 5}), {4, 3, 3, 3}, 4, b, "NCHW"); }, 4, {4, 1, 1}, "NCHW"},
      {"Conv2D channels last", [](F& f, bool b) { return f.Convolution("Conv2D", f.Input({2, 5, 5, 3}), {4, 3, 3, 3}, 4, b, "NHWC"); }, 4, {4}, "NHWC"},
      {"Conv2D in groups", [](F& f, bool b) { return f.Convolution("Conv2D", f.Input({2, 4, 5, 5}), {6, 2, 3, 3}, 6, b, "NCHW", 2); }, 6, {1, 6, 1, 1}, "NCHW"},
      {"Conv3D", [](F& f, bool b) { return f.Convolution("Conv3D", f.Input({1, 2, 4, 4, 4}), {3, 2, 3, 3, 3}, 3, b, "NCDHW"); }, 3, {3, 1, 1, 1}, "NCDHW"},
      {"Conv2DTranspose", [](F& f, bool b) { return f.Convolution("Conv2DTranspose", f.Input({2, 3, 5, 5}), {3, 4, 3, 3}, 4, b, "NCHW"); }, 4, {4, 1, 1}, "NCHW"},
      {"Conv2DTranspose in groups", [](F& f, bool b) { return f.Convolution("Conv2DTranspose", f.Input({2, 4, 5, 5}), {4, 3, 3, 3}, 6, b, "NCHW", 2); }, 6, {6, 1, 1}, "NCHW"},
      {"Conv3DTranspose", [](F& f, bool b) { return f.Convolution("Conv3DTranspose", f.Input({1, 2, 3, 3, 3}), {2, 3, 3, 3, 3}, 3, b, "NCDHW"); }, 3, {3, 1, 1, 1}, "NCDHW"},
      {"MatMulV2", [](F& f, bool b) { return f.Product("MatMulV2", f.Input({3, 5}), {5, 4}, b, nullptr, 4); }, 4, {4}, "NCHW"},
      {"MatMulV2 of a transposed matrix", [](F& f, bool b) { return f.Product("MatMulV2", f.Input({3, 5}), {4, 5}, b, "transpose_x2", 4); }, 4, {1, 4}, "NCHW"},
      {"BatchMatMulV2", [](F& f, bool b) { return f.Product("BatchMatMulV2", f.Input({2, 3, 5}), {5, 4}, b, nullptr, 4); }, 4, {4}, "NHWC"},
      {"BatchMatMulV2 of matrices", [](F& f, bool b) { return f.Product("BatchMatMulV2", f.Input({2, 3, 5}), {2, 4, 5}, b, "adj_x2", 4); }, 4, {1, 1, 4}, "NHWC"},
      // The norm's channels are the middle axis, those of the product the last one.
      {"BatchMatMulV2 channels first", [](F& f, bool b) { return f.Product("BatchMatMulV2", f.Input({2, 4, 5}), {5, 4}, b, nullptr, 4); }, 4, {4}, "NCHW", false},
  };
  return heavies;
}

}  // namespace atc::test

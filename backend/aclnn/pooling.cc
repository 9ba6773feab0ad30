// Poolings.
#include "backend/aclnn/recipes.h"
#include "backend/aclnn/type_rules.h"

namespace atc::aclnn {
namespace {

using Ints = std::vector<int64_t>;

Ints PerAxis(Builder& b, std::string_view name, size_t axes, const Ints& fallback) {
  Ints values = b.Ints(name);
  if (values.empty()) return fallback;
  if (values.size() == 1) values.assign(axes, values[0]);
  if (values.size() != axes) {
    b.Refuse("argument " + std::string(name) + " has " + std::to_string(values.size()) + " numbers for " + std::to_string(axes) + " axes");
  }
  return values;
}

// The operand with a batch; images without one get a batch of 1.
Value Batched(Builder& b, size_t spatial) {
  const Value x = b.Wide("self");
  if (ClassOf(b.TypeOf(x)) != TypeClass::kFloat) b.Refuse("argument self must be a float");
  if (b.Rank(x) != spatial + 1 && b.Rank(x) != spatial + 2) {
    b.Refuse("argument self has shape " + ToString(b.ShapeOf(x)) + "; " + std::to_string(spatial + 1) + " or " + std::to_string(spatial + 2) + " dims are wanted");
  }
  if (b.Rank(x) == spatial + 2) return x;
  Ints dims = b.ShapeOf(x).dims();
  dims.insert(dims.begin(), 1);
  return b.Reshape(x, dims);
}

Value Unbatched(Builder& b, Value y, size_t spatial) {
  if (b.ViewOf("self").shape.rank() == spatial + 2) return y;
  Ints dims = b.ShapeOf(y).dims();
  dims.erase(dims.begin());
  return b.Reshape(y, dims);
}

void MaxPool(Builder& b) {
  const Value x = Batched(b, 2);
  if (b.Int("autoPad") != 0) b.Refuse("argument autoPad is 0, not " + std::to_string(b.Int("autoPad")));
  for (const int64_t dilation : b.Ints("dilations")) {
    if (dilation != 1) b.Refuse("argument dilations holds " + std::to_string(dilation) + "; only 1 is offered");
  }
  const Ints kernel = PerAxis(b, "kernelShape", 2, {});
  if (kernel.empty()) b.Refuse("argument kernelShape is empty");
  Ints pads = b.Ints("pads");
  if (pads.empty()) pads = {0, 0, 0, 0};
  if (pads.size() == 1) pads.assign(4, pads[0]);
  if (pads.size() == 2) pads = {pads[0], pads[1], pads[0], pads[1]};
  if (pads.size() != 4) b.Refuse("argument pads has 0, 1, 2 or 4 numbers");
  const Value y = b.Op("onnx::MaxPool", {x}, {{"kernel_shape", kernel}, {"strides", PerAxis(b, "strides", 2, {1, 1})}, {"pads", pads}, {"ceil_mode", b.Int("ceilMode") != 0 ? 1 : 0}, {"opset", 12}});
  b.Out(Unbatched(b, y, 2));
}

// Places count from the start of each plane.
void MaxPool2dWithIndices(Builder& b) {
  const Value x = Batched(b, 2);
  const Ints kernel = PerAxis(b, "kernelSize", 2, {});
  if (kernel.empty()) b.Refuse("argument kernelSize is empty");
  const Ints pads = PerAxis(b, "padding", 2, {0, 0});
  for (size_t i = 0; i < 2; ++i) {
    if (pads[i] < 0 || pads[i] > kernel[i] / 2) b.Refuse("argument padding must be 0 to half of the kernel");
  }
  const auto found = b.Ops("onnx::MaxPool", {x},
                           {{"kernel_shape", kernel}, {"strides", PerAxis(b, "stride", 2, kernel)}, {"pads", Ints{pads[0], pads[1], pads[0], pads[1]}},
                            {"dilations", PerAxis(b, "dilation", 2, {1, 1})}, {"ceil_mode", b.Flag("ceilMode") ? 1 : 0}, {"opset", 12}}, 2);
  b.Out("out", Unbatched(b, found[0], 2));
  const Value plane = b.Number(static_cast<double>(b.ShapeOf(x)[2] * b.ShapeOf(x)[3]), DT_INT64);
  b.WantType("indices", {DT_INT32, DT_INT64});
  b.Out("indices", b.Cast(Unbatched(b, b.Op("FloorMod", {found[1], plane}), 2), b.ViewOf("indices").dtype));
}

void AvgPool2d(Builder& b) {
  const Value x = Batched(b, 2);
  const Ints kernel = PerAxis(b, "kernelSize", 2, {});
  if (kernel.empty()) b.Refuse("argument kernelSize is empty");
  const Ints stride = PerAxis(b, "strides", 2, kernel);
  Ints pads = b.Ints("paddings");
  if (pads.empty()) pads = {0, 0};
  if (pads.size() == 1) pads.assign(2, pads[0]);
  if (pads.size() == 2) pads = {pads[0], pads[0], pads[1], pads[1]};
  if (pads.size() != 4) b.Refuse("argument paddings has 0, 1, 2 or 4 numbers");
  const Value y = b.Op("AvgPoolV2", {x}, {{"ksize", Ints{1, 1, kernel[0], kernel[1]}}, {"strides", Ints{1, 1, stride[0], stride[1]}}, {"pads", pads}, {"ceil_mode", b.Flag("ceilMode")}, {"exclusive", !b.Flag("countIncludePad")}, {"divisor_override", b.Int("divisorOverride")}, {"data_format", "NCHW"}});
  b.Out(Unbatched(b, y, 2));
}

void AvgPool3d(Builder& b) {
  const Value x = Batched(b, 3);
  const Ints kernel = PerAxis(b, "kernelSize", 3, {});
  if (kernel.empty()) b.Refuse("argument kernelSize is empty");
  const Ints stride = PerAxis(b, "stride", 3, kernel);
  const Ints pads = PerAxis(b, "padding", 3, {0, 0, 0});
  const Value y = b.Op("AvgPool3D", {x}, {{"ksize", Ints{1, 1, kernel[0], kernel[1], kernel[2]}}, {"strides", Ints{1, 1, stride[0], stride[1], stride[2]}},
                                          {"pads", Ints{pads[0], pads[0], pads[1], pads[1], pads[2], pads[2]}}, {"ceil_mode", b.Flag("ceilMode")},
                                          {"count_include_pad", b.Flag("countIncludePad")}, {"divisor_override", b.Int("divisorOverride")}, {"data_format", "NCDHW"}});
  b.Out(Unbatched(b, y, 3));
}

void GlobalPool(Builder& b) {
  const Value x = b.Wide("self");
  if (b.Rank(x) < 3) b.Refuse("argument self has shape " + ToString(b.ShapeOf(x)) + "; 3 dims or more are wanted");
  b.Out(b.Op(b.detail(), {x}));
}

// Row i of the matrix holds the weights of result i: a mean over elements floor(i n / m) to ceil((i + 1) n / m).
atc::Tensor Averages(int64_t results, int64_t count) {
  atc::Tensor matrix = atc::Tensor::Allocate(DT_FLOAT, {results, count});
  for (int64_t i = 0; i < results; ++i) {
    const int64_t begin = i * count / results;
    const int64_t end = ((i + 1) * count + results - 1) / results;
    for (int64_t j = begin; j < end; ++j) matrix.MutableData<float>()[i * count + j] = 1.0f / static_cast<float>(end - begin);
  }
  return matrix;
}

// A mean over rectangles is one over rows of one over columns: two products with matrices of weights.
void AdaptiveAvgPool2d(Builder& b) {
  const Value x = Batched(b, 2);
  const Ints size = PerAxis(b, "outputSize", 2, {});
  if (size.size() != 2 || size[0] < 1 || size[1] < 1) b.Refuse("argument outputSize holds 2 numbers above 0");
  const Shape& shape = b.ShapeOf(x);
  const Value rows = b.Op("BatchMatMulV2", {b.Const(Averages(size[0], shape[2])), b.Cast(x, DT_FLOAT)});
  const Value columns = b.Op("BatchMatMulV2", {rows, b.Const(Averages(size[1], shape[3]))}, {{"adj_x2", true}});
  b.Out(Unbatched(b, columns, 2));
}

}  // namespace

std::vector<Recipe> PoolingRecipes() {
  return {
      {"AdaptiveAvgPool2d", AdaptiveAvgPool2d},
      {"AvgPool2d", AvgPool2d},
      {"AvgPool3d", AvgPool3d},
      {"GlobalAveragePool", GlobalPool, "GlobalAveragePool"},
      {"GlobalMaxPool", GlobalPool, "onnx::GlobalMaxPool"},
      {"MaxPool", MaxPool},
      {"MaxPool2dWithIndices", MaxPool2dWithIndices},
  };
}

}  // namespace atc::aclnn

// Convolutions.
#include "backend/aclnn/recipes.h"
#include "backend/aclnn/type_rules.h"

namespace atc::aclnn {
namespace {

using Ints = std::vector<int64_t>;

// One number for each spatial axis; a single one stands for all.
Ints PerAxis(Builder& b, std::string_view name, size_t spatial) {
  Ints values = b.Ints(name);
  if (values.size() == 1) values.assign(spatial, values[0]);
  if (values.size() != spatial) {
    b.Refuse("argument " + std::string(name) + " has " + std::to_string(values.size()) + " numbers for " + std::to_string(spatial) + " axes");
  }
  return values;
}

void CheckRange(Builder& b, std::string_view name, const Ints& values, int64_t least, int64_t most) {
  for (const int64_t value : values) {
    if (value < least || value > most) {
      b.Refuse("argument " + std::string(name) + " holds " + std::to_string(value) + ", beyond " + std::to_string(least) + " to " + std::to_string(most));
    }
  }
}

void CheckFormat(Builder& b, std::string_view name, size_t rank) {
  constexpr aclFormat kFormats[] = {ACL_FORMAT_NCL, ACL_FORMAT_NCHW, ACL_FORMAT_NCDHW};
  if (b.ViewOf(name).format != kFormats[rank - 3]) {
    b.Refuse("argument " + std::string(name) + " has format " + std::to_string(b.ViewOf(name).format) + "; a convolution of " +
             std::to_string(rank) + " dims wants NCL, NCHW or NCDHW");
  }
}

void Convolution(Builder& b) {
  const size_t rank = b.ViewOf("input").shape.rank();
  if (rank < 3 || rank > 5 || b.ViewOf("weight").shape.rank() != rank) {
    b.Refuse("arguments input and weight must both have 3, 4 or 5 dims");
  }
  for (const char* name : {"input", "weight", "output"}) CheckFormat(b, name, rank);
  if (b.Int("cubeMathType") < 0 || b.Int("cubeMathType") > 4) b.Refuse("argument cubeMathType is 0 to 4");
  const size_t spatial = rank - 2;
  const Ints stride = PerAxis(b, "stride", spatial);
  const Ints dilation = PerAxis(b, "dilation", spatial);
  CheckRange(b, "stride", stride, 1, 63);
  CheckRange(b, "dilation", dilation, 1, 255);
  Ints pads = b.Ints("padding");
  CheckRange(b, "padding", pads, 0, 255);
  if (pads.size() == 1) pads.assign(spatial, pads[0]);
  if (pads.size() == spatial) pads.insert(pads.end(), pads.begin(), pads.end());
  else if (spatial == 2 && pads.size() == 4) pads = {pads[0], pads[2], pads[1], pads[3]};  // top, bottom, left, right
  if (pads.size() != 2 * spatial) b.Refuse("argument padding does not fit " + std::to_string(spatial) + " axes");
  if (b.Int("groups") < 1) b.Refuse("argument groups is " + std::to_string(b.Int("groups")));
  Value x = b.Wide("input");
  Value w = b.Wide("weight");
  Value bias = b.Wide("bias");
  const DataType dtype = b.Common(x, w);
  if (ClassOf(dtype) != TypeClass::kFloat) b.Refuse("a convolution takes floats");
  std::vector<Value> inputs = {x, w};
  if (bias) inputs.push_back(b.Reshape(b.Cast(bias, dtype), {b.ShapeOf(bias).NumElements()}));
  if (b.Flag("transposed")) {
    const Ints more = PerAxis(b, "outputPadding", spatial);
    for (size_t i = 0; i < spatial; ++i) {
      if (more[i] < 0 || more[i] >= std::max(stride[i], dilation[i])) b.Refuse("argument outputPadding must be below the stride");
    }
    return b.Out("output", b.Op("onnx::ConvTranspose", inputs,
                                {{"strides", stride}, {"dilations", dilation}, {"pads", pads}, {"output_padding", more}, {"group", b.Int("groups")}, {"opset", 11}}));
  }
  if (spatial == 2) {
    const Ints around{pads[0], pads[2], pads[1], pads[3]};
    return b.Out("output", b.Op("Conv2D", inputs, {{"strides", Ints{1, 1, stride[0], stride[1]}}, {"pads", around},
                                                   {"dilations", Ints{1, 1, dilation[0], dilation[1]}}, {"groups", b.Int("groups")}, {"data_format", "NCHW"}}));
  }
  b.Out("output", b.Op("onnx::Conv", inputs, {{"strides", stride}, {"dilations", dilation}, {"pads", pads}, {"group", b.Int("groups")}, {"opset", 11}}));
}

}  // namespace

std::vector<Recipe> ConvolutionRecipes() { return {{"Convolution", Convolution}}; }

}  // namespace atc::aclnn

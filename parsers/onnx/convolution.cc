// Conv: Conv2D, Conv3D, and Conv2D between Unsqueeze and Squeeze for one spatial axis; ConvTranspose likewise. Kept as
// they are when the number of spatial axes is another one or cannot be told from the model.
#include "parsers/onnx/families.h"
#include "parsers/onnx/window_attrs.h"

namespace atc::onnx_parser {
namespace {

using Ints = std::vector<int64_t>;

constexpr int64_t kUnitAxis = 2;  // H of a convolution along W alone

// The window attributes that Conv and ConvTranspose share; with one axis, the unit axis H stands before it.
void SetWindow(NodeContext& ctx, Node& node, size_t spatial) {
  Ints strides = WithChannels(ctx, "strides", spatial, 1), dilations = WithChannels(ctx, "dilations", spatial, 1);
  Ints pads = InterleavedPads(ctx, spatial);
  if (spatial == 1) {
    strides = WithUnitAxis(strides, 2, {1});
    dilations = WithUnitAxis(dilations, 2, {1});
    pads = WithUnitAxis(pads, 0, {0, 0});
  }
  node.attrs.Set("strides", strides);
  node.attrs.Set("dilations", dilations);
  node.attrs.Set("pads", pads);
  node.attrs.Set("groups", ctx.Int("group", 1));
  node.attrs.Set("data_format", spatial == 3 ? "NCDHW" : "NCHW");
  if (const std::string mode = ctx.String("auto_pad", "NOTSET"); mode != "NOTSET") node.attrs.Set("auto_pad", mode);
}

void Conv(NodeContext& ctx) {
  const size_t spatial = SpatialAxes(ctx, true);
  CheckKernelShape(ctx);
  if (spatial < 1 || spatial > 3) {
    ctx.Keep();
    return;
  }
  std::vector<ValueId> inputs = ctx.Inputs();
  if (spatial == 1 && inputs.size() >= 2) {
    inputs[0] = Unsqueezed(ctx, inputs[0], kUnitAxis, "x");
    inputs[1] = Unsqueezed(ctx, inputs[1], kUnitAxis, "filter");
  }
  Node& node = ctx.Emit(spatial == 3 ? "Conv3D" : "Conv2D", inputs, 1, spatial == 1 ? "conv" : "");
  SetWindow(ctx, node, spatial);
  if (spatial == 1) {
    SetSqueezed(ctx, node.outputs[0], kUnitAxis);
  } else {
    ctx.SetOutput(0, node.outputs[0]);
  }
}

void ConvTranspose(NodeContext& ctx) {
  const size_t spatial = SpatialAxes(ctx, true);
  CheckKernelShape(ctx);
  if (spatial < 1 || spatial > 3) {
    ctx.Keep();
    return;
  }
  std::vector<ValueId> inputs = ctx.Inputs();
  if (spatial == 1 && inputs.size() >= 2) {
    inputs[0] = Unsqueezed(ctx, inputs[0], kUnitAxis, "x");
    inputs[1] = Unsqueezed(ctx, inputs[1], kUnitAxis, "filter");
  }
  const size_t rank = spatial == 3 ? 5 : 4;
  inputs.insert(inputs.begin(), ctx.ConstInts(Ints(rank, 0), "input_size"));  // zeros: the size is computed
  Node& node = ctx.Emit(spatial == 3 ? "Conv3DTranspose" : "Conv2DTranspose", inputs, 1, spatial == 1 ? "conv" : "");
  SetWindow(ctx, node, spatial);
  Ints output_padding = WithChannels(ctx, "output_padding", spatial, 0);
  Ints output_shape = ctx.Ints("output_shape");
  if (output_shape.size() == spatial + 2) output_shape.erase(output_shape.begin(), output_shape.begin() + 2);
  if (!output_shape.empty() && output_shape.size() != spatial) {
    ctx.Fail("output_shape has " + std::to_string(output_shape.size()) + " entries, wanted " +
             std::to_string(spatial));
  }
  if (spatial == 1) {
    output_padding = WithUnitAxis(output_padding, 2, {0});
    if (!output_shape.empty()) output_shape = WithUnitAxis(output_shape, 0, {1});
  }
  node.attrs.Set("output_padding", output_padding);
  if (!output_shape.empty()) node.attrs.Set("output_shape", output_shape);
  if (spatial == 1) {
    SetSqueezed(ctx, node.outputs[0], kUnitAxis);
  } else {
    ctx.SetOutput(0, node.outputs[0]);
  }
}

}  // namespace

void RegisterConvolutionConverters(ConverterRegistry& registry) {
  registry.Add("Conv", 1, Conv);
  registry.Add("ConvTranspose", 1, ConvTranspose);
}

}  // namespace atc::onnx_parser

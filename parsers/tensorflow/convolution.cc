// Convolutions: AscendIR's operators in the data's own layout, filters as [out, in, spatial...].
#include "parsers/tensorflow/convolution.h"

#include "parsers/tensorflow/data_format.h"
#include "parsers/tensorflow/families.h"

namespace atc::tf_parser {

Node& EmitConv(NodeContext& ctx, size_t spatial, std::string_view suffix) {
  const std::string format = DataFormat(ctx, spatial);
  const ValueId filter = Permuted(ctx, ctx.In(1), FilterPerm(spatial), "filter");
  Node& node = ctx.Emit(spatial == 3 ? "Conv3D" : "Conv2D", {ctx.In(0), filter}, 1, suffix);
  SetWindow(ctx, node, format, "dilations");
  // The filter has the input channels of one group.
  const Shape& x = ctx.Desc(0).origin_shape;
  const Shape& w = ctx.Desc(1).origin_shape;
  if (ctx.Rank(0) == static_cast<int64_t>(format.size()) && ctx.Rank(1) == static_cast<int64_t>(format.size())) {
    const int64_t channels = x[ChannelsLast(format) ? format.size() - 1 : 1], of_group = w[spatial];
    if (channels > 0 && of_group > 0 && channels % of_group == 0) node.attrs.Set("groups", channels / of_group);
  }
  return node;
}

// [H, W, C, M] becomes [C * M, 1, H, W]: one group a channel.
Node& EmitDepthwiseConv(NodeContext& ctx, std::string_view suffix) {
  const std::string format = DataFormat(ctx, 2);
  Shape w = ctx.Desc(1).origin_shape;
  // A computed filter may leave open what the data tells: its channels.
  if (ctx.Rank(1) == 4 && ctx.Rank(0) == 4 && w[2] < 0) w[2] = ctx.Desc(0).origin_shape[ChannelsLast(format) ? 3 : 1];
  if (ctx.Rank(1) != 4 || w[2] < 1 || w[0] < 1 || w[1] < 1 || w[3] < 1) {
    ctx.Fail("the filter must have four known dims, it has shape " + ToString(w) + "; the data has shape " +
             ToString(ctx.Desc(0).origin_shape));
  }
  const std::vector<int64_t> target = {w[2] * w[3], 1, w[0], w[1]};
  const int64_t groups = w[2];
  ValueId filter = Permuted(ctx, ctx.In(1), {2, 3, 0, 1}, "filter");
  if (const Tensor* constant = ctx.graph().Constant(filter)) {
    filter = ctx.Const(constant->Reshaped(Shape(target)), "filter_of_groups");
  } else {
    filter = ctx.Emit("Reshape", {filter, ctx.ConstInts(target, "filter_shape")}, 1, "filter_of_groups").outputs[0];
  }
  Node& node = ctx.Emit("Conv2D", {ctx.In(0), filter}, 1, suffix);
  SetWindow(ctx, node, format, "dilations");
  node.attrs.Set("groups", groups);
  return node;
}

namespace {

// The gradient of a convolution for its input is the transposed convolution, of the size that input 0 gives.
void ConvertBackpropInput(NodeContext& ctx, size_t spatial) {
  const std::string format = DataFormat(ctx, spatial);
  const ValueId filter = Permuted(ctx, ctx.In(1), FilterPerm(spatial), "filter");
  Node& node = ctx.Emit(spatial == 3 ? "Conv3DTranspose" : "Conv2DTranspose", {ctx.In(0), ctx.In(2), filter});
  SetWindow(ctx, node, format, "dilations");
  ctx.SetOutput(0, node.outputs[0]);
}

}  // namespace

void RegisterConvolutionConverters(ConverterRegistry& registry) {
  registry.Add("Conv2D", [](NodeContext& ctx) { ctx.SetOutput(0, EmitConv(ctx, 2, "").outputs[0]); });
  registry.Add("Conv2DBackpropInput", [](NodeContext& ctx) { ConvertBackpropInput(ctx, 2); });
  registry.Add("Conv3D", [](NodeContext& ctx) { ctx.SetOutput(0, EmitConv(ctx, 3, "").outputs[0]); });
  registry.Add("Conv3DBackpropInputV2", [](NodeContext& ctx) { ConvertBackpropInput(ctx, 3); });
  registry.Add("DepthwiseConv2dNative",
               [](NodeContext& ctx) { ctx.SetOutput(0, EmitDepthwiseConv(ctx, "").outputs[0]); });
}

}  // namespace atc::tf_parser

// Max and average pooling: AscendIR's 2-D and 3-D operators, 1-D between Unsqueeze and Squeeze. What they cannot say
// (indices, dilations, SAME_LOWER, another number of axes) is kept as it is, as are the p-norm poolings.
#include <algorithm>

#include "parsers/onnx/families.h"
#include "parsers/onnx/window_attrs.h"

namespace atc::onnx_parser {
namespace {

using Ints = std::vector<int64_t>;

constexpr int64_t kUnitAxis = 3;  // W of a pooling along H alone

// ONNX's auto_pad in AscendIR's words; empty when there is no word for it.
std::string PaddingMode(const NodeContext& ctx) {
  const std::string mode = ctx.String("auto_pad", "NOTSET");
  if (mode == "NOTSET" || mode.empty()) return "CALCULATED";
  if (mode == "SAME_UPPER") return "SAME";
  return mode == "VALID" ? "VALID" : "";
}

bool HasDilation(const NodeContext& ctx) {
  const Ints dilations = ctx.Ints("dilations");
  return std::any_of(dilations.begin(), dilations.end(), [](int64_t d) { return d != 1; });
}

// ksize, strides and pads of a 2-D operator; with one axis, the unit axis W stands after it.
void SetWindow2D(NodeContext& ctx, Node& node, size_t spatial) {
  Ints ksize = WithChannels(ctx, "kernel_shape", spatial, 1), strides = WithChannels(ctx, "strides", spatial, 1);
  Ints pads = InterleavedPads(ctx, spatial);
  if (spatial == 1) {
    ksize.push_back(1);
    strides.push_back(1);
    pads = WithUnitAxis(pads, 2, {0, 0});
  }
  node.attrs.Set("ksize", ksize);
  node.attrs.Set("strides", strides);
  node.attrs.Set("pads", pads);
  node.attrs.Set("padding_mode", PaddingMode(ctx));
  node.attrs.Set("ceil_mode", ctx.Int("ceil_mode", 0) != 0);
  node.attrs.Set("data_format", "NCHW");
}

// Emits a 2-D operator around which one-axis poolings are unsqueezed and squeezed; `finish` sets what is its own.
template <typename Finish>
void Pool2D(NodeContext& ctx, Name type, size_t spatial, Finish finish) {
  const ValueId x = spatial == 1 ? Unsqueezed(ctx, ctx.In(0), kUnitAxis, "x") : ctx.In(0);
  Node& node = ctx.Emit(type, {x}, 1, spatial == 1 ? "pool" : "");
  SetWindow2D(ctx, node, spatial);
  finish(node);
  if (spatial == 1) {
    SetSqueezed(ctx, node.outputs[0], kUnitAxis);
  } else {
    ctx.SetOutput(0, node.outputs[0]);
  }
}

void RequireKernel(const NodeContext& ctx) {
  if (ctx.Ints("kernel_shape").empty()) ctx.Fail("attribute kernel_shape is missing");
}

void MaxPool(NodeContext& ctx) {
  RequireKernel(ctx);
  const size_t spatial = ctx.Ints("kernel_shape").size();
  const std::string mode = PaddingMode(ctx);
  if (ctx.WantsOutput(1) || mode.empty() || spatial > 3 || (spatial < 3 && HasDilation(ctx))) {
    ctx.Keep();
    return;
  }
  if (spatial < 3) return Pool2D(ctx, "MaxPoolV3", spatial, [](Node&) {});
  Node& node = ctx.Emit("MaxPool3D", {ctx.In(0)});
  node.attrs.Set("ksize", WithChannels(ctx, "kernel_shape", spatial, 1));
  node.attrs.Set("strides", WithChannels(ctx, "strides", spatial, 1));
  node.attrs.Set("dilation", WithChannels(ctx, "dilations", spatial, 1));
  node.attrs.Set("pads", InterleavedPads(ctx, spatial));
  node.attrs.Set("padding", mode);
  node.attrs.Set("ceil_mode", ctx.Int("ceil_mode", 0));
  node.attrs.Set("data_format", "NCDHW");
  ctx.SetOutput(0, node.outputs[0]);
}

void AveragePool(NodeContext& ctx) {
  RequireKernel(ctx);
  const size_t spatial = ctx.Ints("kernel_shape").size();
  const std::string mode = PaddingMode(ctx);
  const bool with_padding = ctx.Int("count_include_pad", 0) != 0;
  if (mode.empty() || spatial > 3 || HasDilation(ctx)) {
    ctx.Keep();
    return;
  }
  if (spatial < 3) {
    return Pool2D(ctx, "AvgPoolV2", spatial, [&](Node& node) { node.attrs.Set("exclusive", !with_padding); });
  }
  Node& node = ctx.Emit("AvgPool3D", {ctx.In(0)});
  node.attrs.Set("ksize", WithChannels(ctx, "kernel_shape", spatial, 1));
  node.attrs.Set("strides", WithChannels(ctx, "strides", spatial, 1));
  node.attrs.Set("pads", InterleavedPads(ctx, spatial));
  node.attrs.Set("ceil_mode", ctx.Int("ceil_mode", 0) != 0);
  node.attrs.Set("count_include_pad", with_padding);
  node.attrs.Set("data_format", "NCDHW");
  if (const std::string pad = ctx.String("auto_pad", "NOTSET"); pad != "NOTSET") node.attrs.Set("auto_pad", pad);
  ctx.SetOutput(0, node.outputs[0]);
}

// ReduceMax over the spatial axes; kept while their number is unknown.
void GlobalMaxPool(NodeContext& ctx) {
  const TensorDesc& x = ctx.Desc(0);
  if (x.dtype == DT_UNDEFINED || !x.origin_shape.HasRank() || x.origin_shape.rank() < 3) {
    ctx.Keep();
    return;
  }
  Ints axes;
  for (size_t d = 2; d < x.origin_shape.rank(); ++d) axes.push_back(static_cast<int64_t>(d));
  Node& node = ctx.Emit("ReduceMax", {ctx.In(0), ctx.ConstInts(axes, "axes")});
  node.attrs.Set("keep_dims", true);
  ctx.SetOutput(0, node.outputs[0]);
}

void GlobalLpPool(NodeContext& ctx) {
  Node& node = ctx.Pass("GlobalLpPool");
  // A float in opset 1, an int since 2.
  node.attrs.Set("p", ctx.opset() < 2 ? ctx.Float("p", 2) : static_cast<float>(ctx.Int("p", 2)));
}

void LpPoolOfFloatP(NodeContext& ctx) {
  const float p = ctx.Float("p", 2);
  if (!(p >= 1 && p < 1e6f) || p != static_cast<float>(static_cast<int64_t>(p))) {
    ctx.Fail("p is " + std::to_string(p) + ", wanted a whole number of at least 1");
  }
  Node& node = ctx.Pass("onnx::LpPool");
  for (const char* list : {"kernel_shape", "strides", "pads"}) node.attrs.Set(list, ctx.Ints(list));
  node.attrs.Set("auto_pad", ctx.String("auto_pad", "NOTSET"));
  node.attrs.Set("p", static_cast<int64_t>(p));
  node.attrs.Set("opset", ctx.opset());
}

}  // namespace

void RegisterPoolingConverters(ConverterRegistry& registry) {
  registry.Add("AveragePool", 1, AveragePool);
  registry.Add("GlobalAveragePool", 1, [](NodeContext& ctx) { ctx.Pass("GlobalAveragePool"); });
  registry.Add("GlobalLpPool", 1, GlobalLpPool);
  registry.Add("GlobalMaxPool", 1, GlobalMaxPool);
  registry.Add("LpPool", 1, LpPoolOfFloatP);
  registry.AddKeep("LpPool", 2);
  registry.Add("MaxPool", 1, MaxPool);
  registry.AddKeep("MaxUnpool", 9);
}

}  // namespace atc::onnx_parser

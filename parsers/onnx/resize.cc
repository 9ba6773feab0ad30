// Resize and its forerunner Upsample, as AscendIR's Resize, which has the operands and attributes of opsets 11 to 17;
// what opset 18 added is kept as onnx::Resize when a node uses it.
#include "parsers/onnx/families.h"

namespace atc::onnx_parser {
namespace {

// Opsets up to 10 had one rule: an output position divided by the scale; for nearest, rounded down where the axis grows
// and up where it shrinks (as the tests of opset 10 have it). Resize knows one way of rounding for all axes.
std::string OldRounding(const Tensor* scales) {
  if (scales == nullptr) return "by_scale";
  bool grows = false, shrinks = false;
  for (const double scale : ToDoubles(scales->Materialized())) {
    grows |= scale > 1;
    shrinks |= scale < 1;
  }
  return grows && shrinks ? "by_scale" : shrinks ? "ceil" : "floor";
}

void EmitOld(NodeContext& ctx, ValueId scales) {
  std::string mode = ctx.String("mode", "nearest");
  if (mode == "bilinear") mode = "linear";
  const std::string rounding = mode == "nearest" ? OldRounding(ctx.graph().Constant(scales)) : "floor";
  Node& node = ctx.Emit(rounding == "by_scale" ? "onnx::Resize" : "Resize", {ctx.In(0), kNoId, scales});
  node.attrs.Set("mode", mode);
  node.attrs.Set("coordinate_transformation_mode", "asymmetric");
  node.attrs.Set("nearest_mode", rounding);
  ctx.SetOutput(0, node.outputs[0]);
}

ValueId ConstScales(NodeContext& ctx, const std::vector<float>& scales) {
  return ctx.Const(Tensor::From<float>(DT_FLOAT, {static_cast<int64_t>(scales.size())}, scales), "scales");
}

// Opset 1 scales the last two of four axes; 7 has a list; 9 an operand.
void Upsample1(NodeContext& ctx) {
  EmitOld(ctx, ConstScales(ctx, {1, 1, ctx.Float("height_scale", 1), ctx.Float("width_scale", 1)}));
}
void Upsample7(NodeContext& ctx) { EmitOld(ctx, ConstScales(ctx, ctx.Floats("scales"))); }
void Upsample9(NodeContext& ctx) { EmitOld(ctx, ctx.In(1)); }

void Resize11(NodeContext& ctx) { ctx.CopyAttrs(ctx.Pass("Resize")); }

void Resize18(NodeContext& ctx) {
  const bool plain = ctx.Int("antialias", 0) == 0 && ctx.Ints("axes").empty() &&
                     ctx.String("keep_aspect_ratio_policy", "stretch") == "stretch";
  if (!plain) {
    ctx.Keep();
    return;
  }
  Node& node = ctx.Pass("Resize");
  ctx.CopyAttrs(node);
  for (const char* unused : {"antialias", "axes", "keep_aspect_ratio_policy"}) node.attrs.Erase(unused);
}

}  // namespace

void RegisterResizeConverters(ConverterRegistry& registry) {
  registry.Add("Resize", 10, Upsample9);
  registry.Add("Resize", 11, Resize11);
  registry.Add("Resize", 18, Resize18);
  registry.Add("Upsample", 1, Upsample1);
  registry.Add("Upsample", 7, Upsample7);
  registry.Add("Upsample", 9, Upsample9);
}

}  // namespace atc::onnx_parser

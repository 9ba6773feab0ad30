// Shape, Size, Reshape, Flatten, Squeeze, Unsqueeze.
#include "parsers/onnx/families.h"

namespace atc::onnx_parser {
namespace {

void ConvertSize(NodeContext& ctx) {
  Node& node = ctx.Emit("Size", {ctx.In(0)});
  node.attrs.Set("dtype", static_cast<int64_t>(DT_INT64));
  ctx.SetOutput(0, node.outputs[0]);
}

// Since opset 15 a part of the shape may be taken.
void ConvertShape(NodeContext& ctx) {
  const int64_t start = ctx.Int("start", 0);
  const bool part = start != 0 || ctx.HasAttr("end");
  Node& shape = ctx.Emit("Shape", {ctx.In(0)}, 1, part ? "shape" : "");
  shape.attrs.Set("dtype", static_cast<int64_t>(DT_INT64));
  ValueId result = shape.outputs[0];
  if (part) {
    const ValueId begin = ctx.ConstInts({start}, "start");
    const ValueId end = ctx.ConstInts({ctx.Int("end", INT64_MAX)}, "end");
    result = ctx.Emit("StridedSliceV2", {result, begin, end}).outputs[0];
  }
  ctx.SetOutput(0, result);
}

// Opset 1 has the shape as an attribute.
void ConvertReshape(NodeContext& ctx) {
  const ValueId shape = ctx.HasAttr("shape") ? ctx.ConstInts(ctx.Ints("shape"), "shape") : ctx.In(1);
  Node& node = ctx.Emit("Reshape", {ctx.In(0), shape});
  if (ctx.Int("allowzero", 0) != 0) node.attrs.Set("allowzero", 1);
  ctx.SetOutput(0, node.outputs[0]);
}

void ConvertFlatten(NodeContext& ctx) {
  Node& node = ctx.Emit("Flatten", {ctx.In(0)});
  node.attrs.Set("axis", ctx.Int("axis", 1));
  ctx.SetOutput(0, node.outputs[0]);
}

// The form with an attribute, when the axes are known; else the one with an input.
void EmitWithAxes(NodeContext& ctx, Name type, Name attr, Name input_form) {
  std::vector<int64_t> axes = ctx.Ints("axes");
  const bool computed = ctx.HasInput(1) && !ctx.ConstantInts(1, &axes);
  Node& node = computed ? ctx.Emit(input_form, {ctx.In(0), ctx.In(1)}) : ctx.Emit(type, {ctx.In(0)});
  if (!computed) node.attrs.Set(attr, axes);
  ctx.SetOutput(0, node.outputs[0]);
}

void ConvertSqueeze(NodeContext& ctx) {
  std::vector<int64_t> axes;
  if (ctx.HasInput(1) && ctx.ConstantInts(1, &axes) && axes.empty()) {
    // An empty list of axes removes nothing; an empty attribute would mean all dims of size 1.
    ctx.SetOutput(0, ctx.Emit("Identity", {ctx.In(0)}).outputs[0]);
    return;
  }
  EmitWithAxes(ctx, "Squeeze", "axis", "SqueezeV3");
}

void ConvertUnsqueeze(NodeContext& ctx) { EmitWithAxes(ctx, "Unsqueeze", "axes", "UnsqueezeV3"); }

}  // namespace

void RegisterShapeConverters(ConverterRegistry& registry) {
  registry.Add("Flatten", 1, ConvertFlatten);
  registry.Add("Reshape", 1, ConvertReshape);
  registry.Add("Shape", 1, ConvertShape);
  registry.Add("Size", 1, ConvertSize);
  registry.Add("Squeeze", 1, ConvertSqueeze);
  registry.Add("Unsqueeze", 1, ConvertUnsqueeze);
}

}  // namespace atc::onnx_parser

// Padding: an attribute up to opset 10, an input since 11, for chosen axes since 18.
#include "compiler/ops/scalar.h"
#include "parsers/onnx/families.h"

namespace atc::onnx_parser {
namespace {

void EmitPad(NodeContext& ctx, ValueId pads, ValueId value) {
  std::string mode = ctx.String("mode", "constant");
  if (mode != "constant" && mode != "reflect" && mode != "edge" && mode != "wrap") {
    ctx.Fail("attribute mode is '" + mode + "', it must be constant, reflect, edge or wrap");
  }
  Node& node = ctx.Emit("PadV3", {ctx.In(0), pads, value});
  node.attrs.Set("mode", AttrValue(mode == "wrap" ? std::string("circular") : mode));
  node.attrs.Set("paddings_contiguous", AttrValue(false));  // all begins, then all ends
  ctx.SetOutput(0, node.outputs[0]);
}

void ConvertPadWithAttributes(NodeContext& ctx) {
  const ValueId pads = ctx.ConstInts(ctx.Ints(ctx.HasAttr("pads") ? "pads" : "paddings"), "paddings");
  const float value = ctx.Float("value", 0.0f);
  if (value == 0.0f) return EmitPad(ctx, pads, kNoId);
  const Tensor constant = ScalarOf(ctx.Desc(0).dtype, value);
  if (constant.defined()) return EmitPad(ctx, pads, ctx.Const(constant, "value"));
  ctx.Keep();  // the constant waits as an attribute until the element type is known
}

// AscendIR pads every axis: a list for some of them is spread over all, where it and the rank are known.
void ConvertPad(NodeContext& ctx) {
  if (!ctx.HasInput(3)) return EmitPad(ctx, ctx.In(1), ctx.In(2));
  std::vector<int64_t> pads, axes;
  const Shape& shape = ctx.Desc(0).origin_shape;
  if (!ctx.ConstantInts(1, &pads) || !ctx.ConstantInts(3, &axes) || ctx.Desc(0).dtype == DT_UNDEFINED ||
      !shape.HasRank() || pads.size() != 2 * axes.size()) {
    ctx.Keep();
    return;
  }
  const auto rank = static_cast<int64_t>(shape.rank());
  std::vector<int64_t> all(2 * rank, 0);
  for (size_t i = 0; i < axes.size(); ++i) {
    const int64_t axis = axes[i] < 0 ? axes[i] + rank : axes[i];
    if (axis < 0 || axis >= rank) {
      ctx.Fail("axis " + std::to_string(axes[i]) + " is outside the rank of input " + ToString(shape));
    }
    all[axis] = pads[i];
    all[axis + rank] = pads[i + axes.size()];
  }
  EmitPad(ctx, ctx.ConstInts(all, "paddings"), ctx.In(2));
}

}  // namespace

void RegisterPadConverters(ConverterRegistry& registry) {
  registry.Add("Pad", 1, ConvertPadWithAttributes);
  registry.Add("Pad", 11, ConvertPad);
}

}  // namespace atc::onnx_parser

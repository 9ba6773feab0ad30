// Reductions: axes are an attribute up to opset 17 (ReduceSum: 12) and an input since.
#include <numeric>

#include "parsers/onnx/elementwise.h"
#include "parsers/onnx/families.h"

namespace atc::onnx_parser {
namespace {

struct Axes {
  bool computed = false;      // an input that is no constant
  bool none = false;          // not given, or an empty list
  std::vector<int64_t> list;  // when neither
  bool noop = false;          // what `none` means: nothing is reduced rather than everything
};

Axes ReadAxes(NodeContext& ctx) {
  Axes axes;
  axes.noop = ctx.Int("noop_with_empty_axes", 0) != 0;
  if (ctx.HasInput(1)) {
    axes.computed = !ctx.ConstantInts(1, &axes.list);
  } else {
    axes.list = ctx.Ints("axes");
  }
  axes.none = !axes.computed && axes.list.empty();
  // All axes written out, where their number is known.
  if (axes.none && !axes.noop && ctx.Desc(0).dtype != DT_UNDEFINED && ctx.Desc(0).origin_shape.HasRank() &&
      ctx.Desc(0).origin_shape.rank() > 0) {
    axes.list.resize(ctx.Desc(0).origin_shape.rank());
    std::iota(axes.list.begin(), axes.list.end(), 0);
    axes.none = false;
  }
  return axes;
}

// Axes as a second input; an empty list of them means all of them only with noop_with_empty_axes false, so that is written
// always (AscendIR's default is true).
void EmitWithAxesInput(NodeContext& ctx, Name type, const Axes& axes) {
  const ValueId list = axes.computed ? ctx.In(1) : ctx.ConstInts(axes.list, "axes");
  Node& node = ctx.Emit(type, {ctx.In(0), list});
  node.attrs.Set("keep_dims", AttrValue(ctx.Int("keepdims", 1) != 0));
  node.attrs.Set("noop_with_empty_axes", AttrValue(axes.noop && (axes.computed || axes.none)));
  ctx.SetOutput(0, node.outputs[0]);
}

void ConvertReduce(NodeContext& ctx, Name type) {
  const Axes axes = ReadAxes(ctx);
  if (axes.none && axes.noop && type != "ReduceLogSumExp") {
    ctx.SetOutput(0, ctx.Emit("Identity", {ctx.In(0)}).outputs[0]);
    return;
  }
  EmitWithAxesInput(ctx, type, axes);
}

// AscendIR's norms are for real numbers and have their axes as an attribute.
bool FitsAxesAttribute(NodeContext& ctx, const Axes& axes) {
  return IsFloating(ctx.Desc(0).dtype) && !axes.computed && !axes.none;
}

void ConvertNorm(NodeContext& ctx, float p) {
  const Axes axes = ReadAxes(ctx);
  if (!FitsAxesAttribute(ctx, axes)) {
    ctx.Keep();
    return;
  }
  Node& node = ctx.Emit("LpNormV2", {ctx.In(0)});
  node.attrs.Set("p", AttrValue(p));
  node.attrs.Set("axes", AttrValue(axes.list));
  node.attrs.Set("keepdim", AttrValue(ctx.Int("keepdims", 1) != 0));
  node.attrs.Set("epsilon", AttrValue(0.0f));  // the default would raise small norms
  ctx.SetOutput(0, node.outputs[0]);
}

void ConvertSumSquare(NodeContext& ctx) {
  const Axes axes = ReadAxes(ctx);
  if (!FitsAxesAttribute(ctx, axes)) {
    ctx.Keep();
    return;
  }
  Node& node = ctx.Emit("SquareSumV1", {ctx.In(0)});
  node.attrs.Set("axis", AttrValue(axes.list));
  node.attrs.Set("keep_dims", AttrValue(ctx.Int("keepdims", 1) != 0));
  ctx.SetOutput(0, node.outputs[0]);
}

}  // namespace

void RegisterReductionConverters(ConverterRegistry& registry) {
  for (const char* type : {"ReduceLogSumExp", "ReduceMax", "ReduceMean", "ReduceMin", "ReduceProd", "ReduceSum"}) {
    registry.Add(type, 1, [name = Name(type)](NodeContext& ctx) { ConvertReduce(ctx, name); });
  }
  registry.Add("ReduceL1", 1, [](NodeContext& ctx) { ConvertNorm(ctx, 1.0f); });
  registry.Add("ReduceL2", 1, [](NodeContext& ctx) { ConvertNorm(ctx, 2.0f); });
  // As one operator, so that the sum is not rounded (or, in fp16, overflown) before its logarithm.
  registry.AddKeep("ReduceLogSum", 1);
  registry.Add("ReduceSumSquare", 1, ConvertSumSquare);
}

}  // namespace atc::onnx_parser

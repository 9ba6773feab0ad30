// ArgMax, ArgMin, TopK and running sums.
#include "parsers/onnx/families.h"

namespace atc::onnx_parser {
namespace {

// AscendIR drops the dim and lets the first of equal elements win.
void ConvertArg(NodeContext& ctx, Name type) {
  if (ctx.Int("select_last_index", 0) != 0) {
    ctx.Keep();
    return;
  }
  const int64_t axis = ctx.Int("axis", 0);
  const bool keep = ctx.Int("keepdims", 1) != 0;
  const ValueId dimension = ctx.Const(Tensor::Scalar(axis), "dimension");
  Node& arg = ctx.Emit(type, {ctx.In(0), dimension}, 1, keep ? "index" : "");
  arg.attrs.Set("dtype", AttrValue(DT_INT64));
  if (!keep) return ctx.SetOutput(0, arg.outputs[0]);
  Node& unsqueeze = ctx.Emit("Unsqueeze", {arg.outputs[0]});
  unsqueeze.attrs.Set("axes", AttrValue(std::vector<int64_t>{axis}));
  ctx.SetOutput(0, unsqueeze.outputs[0]);
}

// Up to opset 9 k is an attribute, up to 10 the largest are meant and sorted.
void ConvertTopK(NodeContext& ctx) {
  const ValueId k = ctx.opset() < 10 ? ctx.Const(Tensor::Scalar(ctx.Int("k", 0)), "k") : ctx.In(1);
  Node& node = ctx.Emit("TopKV2", {ctx.In(0), k}, ctx.num_outputs());
  node.attrs.Set("dim", AttrValue(ctx.Int("axis", -1)));
  node.attrs.Set("largest", AttrValue(ctx.Int("largest", 1) != 0));
  node.attrs.Set("sorted", AttrValue(ctx.Int("sorted", 1) != 0));
  node.attrs.Set("indices_dtype", AttrValue(static_cast<int64_t>(DT_INT64)));
  for (size_t i = 0; i < ctx.num_outputs(); ++i) ctx.SetOutput(i, node.outputs[i]);
}

void ConvertCumulative(NodeContext& ctx, Name type) {
  Node& node = ctx.Pass(type);
  node.attrs.Set("exclusive", AttrValue(ctx.Int("exclusive", 0) != 0));
  node.attrs.Set("reverse", AttrValue(ctx.Int("reverse", 0) != 0));
}

}  // namespace

void RegisterArgConverters(ConverterRegistry& registry) {
  registry.Add("ArgMax", 1, [](NodeContext& ctx) { ConvertArg(ctx, "ArgMaxV2"); });
  registry.Add("ArgMin", 1, [](NodeContext& ctx) { ConvertArg(ctx, "ArgMin"); });
  registry.Add("CumProd", 26, [](NodeContext& ctx) { ConvertCumulative(ctx, "Cumprod"); });
  registry.Add("CumSum", 11, [](NodeContext& ctx) { ConvertCumulative(ctx, "Cumsum"); });
  registry.Add("TopK", 1, ConvertTopK);
}

}  // namespace atc::onnx_parser

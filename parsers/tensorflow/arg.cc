// Indices of extremes, and the k largest elements.
#include "parsers/tensorflow/families.h"

namespace atc::tf_parser {
namespace {

void EmitArg(NodeContext& ctx, Name type) {
  ctx.Pass(type).attrs.Set("dtype", AttrValue(ctx.Type("output_type", DT_INT64)));
}

void EmitTopK(NodeContext& ctx, ValueId k) {
  Node& node = ctx.Emit("TopKV2", {ctx.In(0), k}, 2);
  node.attrs.Set("sorted", ctx.Bool("sorted", true));
  node.attrs.Set("indices_dtype", static_cast<int64_t>(ctx.Type("index_type", DT_INT32)));
  ctx.SetOutput(0, node.outputs[0]);
  ctx.SetOutput(1, node.outputs[1]);
}

}  // namespace

void RegisterArgConverters(ConverterRegistry& registry) {
  registry.Add("ArgMax", [](NodeContext& ctx) { EmitArg(ctx, "ArgMaxV2"); });
  registry.Add("ArgMin", [](NodeContext& ctx) { EmitArg(ctx, "ArgMin"); });
  registry.Add("TopK", [](NodeContext& ctx) { EmitTopK(ctx, ctx.ConstInts({ctx.Int("k")}, "k")); });
  registry.Add("TopKV2", [](NodeContext& ctx) { EmitTopK(ctx, ctx.In(1)); });
}

}  // namespace atc::tf_parser

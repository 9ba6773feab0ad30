// Choosing elements: Select, Where, OneHot, distinct elements, and what is among the best.
#include "parsers/tensorflow/families.h"

namespace atc::tf_parser {
namespace {

// The first version takes a vector of conditions for the rows of its operands.
void ConvertSelect(NodeContext& ctx) {
  ValueId condition = ctx.In(0);
  const int64_t rank = ctx.Rank(0);
  if (rank == 1 && ctx.Rank(1) != 1) {
    Node& align = ctx.Emit("onnx::AlignToAxis", {condition, ctx.In(1)}, 1, "align");
    align.attrs.Set("axis", 0);
    condition = align.outputs[0];
  }
  ctx.SetOutput(0, ctx.Emit("SelectV2", {condition, ctx.In(1), ctx.In(2)}).outputs[0]);
}

void ConvertWhere(NodeContext& ctx) {
  if (ctx.num_inputs() == 3) return ConvertSelect(ctx);
  ctx.Pass("NonZero").attrs.Set("dtype", AttrValue(DT_INT64));
}

void ConvertOneHot(NodeContext& ctx) { ctx.Pass("OneHot").attrs.Set("axis", ctx.Int("axis", -1)); }

// The second version takes an axis, which must be the only one.
void ConvertUnique(NodeContext& ctx, Name type, size_t outputs) {
  if (ctx.op().ends_with("V2")) {
    const std::vector<int64_t> axis = ctx.RequiredInts(1, "axis");
    const int64_t rank = ctx.Rank(0);
    if (!axis.empty() && rank != 1) ctx.Fail("it looks for distinct slices along an axis; only vectors are supported");
  }
  Node& node = ctx.Emit(type, {ctx.In(0)}, outputs);
  node.attrs.Set("out_idx", AttrValue(ctx.Type("out_idx", DT_INT32)));
  for (size_t i = 0; i < outputs; ++i) ctx.SetOutput(i, node.outputs[i]);
}

void ConvertInTopK(NodeContext& ctx) {
  const ValueId k = ctx.op() == "InTopK" ? ctx.ConstInts({ctx.Int("k")}, "k") : ctx.In(2);
  ctx.SetOutput(0, ctx.Emit("InTopK", {ctx.In(0), ctx.In(1), k}).outputs[0]);
}

}  // namespace

void RegisterSelectionConverters(ConverterRegistry& registry) {
  registry.Add("Bucketize", [](NodeContext& ctx) {
    ctx.Pass("Bucketize").attrs.Set("boundaries", AttrValue(ctx.Floats("boundaries")));
  });
  for (const char* op : {"InTopK", "InTopKV2"}) registry.Add(op, ConvertInTopK);
  registry.AddPassWithAttrs("ListDiff", "ListDiff", 2);
  for (const char* op : {"LowerBound", "UpperBound"}) registry.AddPassWithAttrs(op, op);
  for (const char* op : {"Unique", "UniqueV2"}) {
    registry.Add(op, [](NodeContext& ctx) { ConvertUnique(ctx, "Unique", 2); });
  }
  for (const char* op : {"UniqueWithCounts", "UniqueWithCountsV2"}) {
    registry.Add(op, [](NodeContext& ctx) { ConvertUnique(ctx, "UniqueWithCounts", 3); });
  }
  registry.Add("OneHot", ConvertOneHot);
  registry.Add("Select", ConvertSelect);
  registry.AddPass("SelectV2", "SelectV2");
  registry.Add("Where", ConvertWhere);
}

}  // namespace atc::tf_parser

// Choosing elements: Select, Where, OneHot.
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

}  // namespace

void RegisterSelectionConverters(ConverterRegistry& registry) {
  registry.Add("OneHot", ConvertOneHot);
  registry.Add("Select", ConvertSelect);
  registry.AddPass("SelectV2", "SelectV2");
  registry.Add("Where", ConvertWhere);
}

}  // namespace atc::tf_parser

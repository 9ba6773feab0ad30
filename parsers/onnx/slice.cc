// Slice: its numbers are attributes up to opset 9 and inputs since.
#include "parsers/onnx/families.h"

namespace atc::onnx_parser {
namespace {

void ConvertWithAttributes(NodeContext& ctx) {
  std::vector<ValueId> inputs = {ctx.In(0), ctx.ConstInts(ctx.Ints("starts"), "begin"),
                                 ctx.ConstInts(ctx.Ints("ends"), "end")};
  if (ctx.HasAttr("axes")) inputs.push_back(ctx.ConstInts(ctx.Ints("axes"), "axes"));
  ctx.SetOutput(0, ctx.Emit("StridedSliceV2", inputs).outputs[0]);
}

}  // namespace

void RegisterSliceConverters(ConverterRegistry& registry) {
  registry.Add("Slice", 1, ConvertWithAttributes);
  registry.AddPass("Slice", 10, "StridedSliceV2");
}

}  // namespace atc::onnx_parser

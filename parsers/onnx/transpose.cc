// Transpose. Without perm the axes are reversed, which takes a known rank to write down.
#include <algorithm>
#include <numeric>

#include "parsers/onnx/families.h"

namespace atc::onnx_parser {
namespace {

void ConvertTranspose(NodeContext& ctx) {
  std::vector<int64_t> perm = ctx.Ints("perm");
  if (!ctx.HasAttr("perm")) {
    const TensorDesc& desc = ctx.Desc(0);
    if (desc.dtype == DT_UNDEFINED || !desc.origin_shape.HasRank()) {
      ctx.Keep();
      return;
    }
    perm.resize(desc.origin_shape.rank());
    std::iota(perm.rbegin(), perm.rend(), 0);
  }
  ctx.SetOutput(0, ctx.Emit("Transpose", {ctx.In(0), ctx.ConstInts(perm, "perm")}).outputs[0]);
}

}  // namespace

void RegisterTransposeConverters(ConverterRegistry& registry) { registry.Add("Transpose", 1, ConvertTranspose); }

}  // namespace atc::onnx_parser

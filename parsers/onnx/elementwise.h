// What the converters of elementwise operators share.
#pragma once

#include "parsers/onnx/convert.h"

namespace atc::onnx_parser {

// Input 1 as numpy's broadcasting needs it: before opset 7 the attribute `axis` says on which dim of input 0 it starts.
inline ValueId AlignedSecondInput(NodeContext& ctx) {
  if (ctx.opset() >= 7 || !ctx.HasAttr("axis")) return ctx.In(1);
  Node& align = ctx.Emit("onnx::AlignToAxis", {ctx.In(1), ctx.In(0)}, 1, "align");
  align.attrs.Set("axis", ctx.Int("axis", 0));
  return align.outputs[0];
}

// The binary operator `type` on the two inputs, broadcast as the opset says.
inline Node& EmitBinary(NodeContext& ctx, Name type) {
  Node& node = ctx.Emit(type, {ctx.In(0), AlignedSecondInput(ctx)});
  ctx.SetOutput(0, node.outputs[0]);
  return node;
}

struct Renamed {
  const char* onnx;
  const char* ascend;
};

}  // namespace atc::onnx_parser

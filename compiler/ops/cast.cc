// Cast and CastLike between all element types.
#include "compiler/ops/cast.h"

#include "compiler/ir/infer_context.h"
#include "compiler/ir/kernel_context.h"
#include "compiler/ops/families.h"

namespace atc {
namespace {

// Integers that survive the change of type stay known.
void PassInts(InferContext& ctx, DataType to) {
  const auto ints = ctx.Ints(0);
  if (!ints || !(to == DT_INT64 || to == DT_INT32)) return;
  for (const auto& element : ints->elements) {
    if (element && to == DT_INT32 && (*element > INT32_MAX || *element < INT32_MIN)) return;
  }
  ctx.SetInts(0, *ints);
}

DataType Target(const Node& node) { return static_cast<DataType>(node.Attr<int64_t>("dst_type")); }

void InferCast(InferContext& ctx) {
  const DataType to = Target(ctx.node());
  ctx.SetOut(0, to, ctx.InShape(0));
  PassInts(ctx, to);
}

void InferCastLike(InferContext& ctx) {
  ctx.SetOut(0, ctx.InType(1), ctx.InShape(0));
  PassInts(ctx, ctx.InType(1));
}

void Run(KernelContext& ctx, DataType to) {
  const Tensor& x = ctx.In(0);
  CastRules rules;
  rules.saturate = ctx.Attr<int64_t>("saturate") != 0;
  const std::string mode = ctx.Attr<std::string>("round_mode");
  if (mode == "down") rules.e8m0 = CastRules::kDown;
  if (mode == "nearest") rules.e8m0 = CastRules::kNearest;
  const std::string fault = CastElements(x, rules, &ctx.Out(0, to, x.shape()));
  if (!fault.empty()) ctx.Fail(fault);
}

void CastKernel(KernelContext& ctx) { Run(ctx, Target(ctx.node())); }
void CastLikeKernel(KernelContext& ctx) { Run(ctx, ctx.InType(1)); }

}  // namespace

void RegisterCastOps(OpRegistry& registry) {
  // saturate and round_mode are ONNX's, for 8-bit floats.
  registry.Add(OpDef("Cast")
                   .In("x")
                   .Out("y")
                   .RequiredAttr("dst_type")
                   .Attr("saturate", 1)
                   .Attr("round_mode", "up")
                   .Traits(kElementwise | kLayoutAgnostic | kHalfNative)
                   .Infer(InferCast)
                   .Kernel(CastKernel));
  registry.Add(OpDef("CastLike")
                   .In("x")
                   .In("target")
                   .Out("y")
                   .Attr("saturate", 1)
                   .Attr("round_mode", "up")
                   .Traits(kHalfNative)
                   .Infer(InferCastLike)
                   .Kernel(CastLikeKernel));
}

}  // namespace atc

// ONNX's operators on optionals: DT_VARIANT tensors of rank 1 with one element or none. As a sequence looks the same, the
// operators that take either have an attribute that says which it is.
#include "compiler/ops/families.h"
#include "compiler/ops/nested.h"

namespace atc {
namespace {

void InferOptional(InferContext& ctx) {
  if (ctx.num_inputs() > 0 && ctx.HasInput(0)) return ctx.SetOutLike(0, AsOptional(ctx.In(0)));
  // What it would hold only the model says; the desc that the parser gives is kept.
  TensorDesc empty(DT_VARIANT, {0});
  empty.optional = true;
  ctx.SetOutLike(0, empty);
}

void OptionalKernel(KernelContext& ctx) {
  ctx.SetOut(0, ctx.HasInput(0) ? AsOptional(ctx.In(0)) : Tensor::Allocate(DT_VARIANT, {0}));
}

template <typename Context>
bool TakesOptional(const Context& ctx) {
  return ctx.HasInput(0) && ctx.InType(0) == DT_VARIANT && ctx.template Attr<int64_t>("optional") != 0;
}

void InferHasElement(InferContext& ctx) { ctx.SetOut(0, DT_BOOL, {}); }

void HasElementKernel(KernelContext& ctx) {
  const bool has = TakesOptional(ctx) ? ctx.In(0).NumElements() > 0 : ctx.HasInput(0);
  ctx.Out(0, DT_BOOL, {}).MutableData<bool>()[0] = has;
}

void InferGetElement(InferContext& ctx) {
  if (!TakesOptional(ctx)) return ctx.SetOutLike(0, ctx.In(0));
  if (ctx.In(0).element == nullptr) ctx.Fail("what its optional holds is not known");
  ctx.SetOutLike(0, *ctx.In(0).element);
}

void GetElementKernel(KernelContext& ctx) {
  ctx.SetOut(0, TakesOptional(ctx) ? FromOptional(ctx, ctx.In(0)) : ctx.In(0));
}

}  // namespace

void RegisterOptionalOps(OpRegistry& registry) {
  const auto add = [&](OpDef def, InferFn infer, KernelFn kernel) {
    registry.Add(def.Attr("opset", 15).On(Unit::kAiCpu).Infer(infer).Kernel(kernel));
  };
  add(OpDef("onnx::Optional").OptIn("input").Out("output"), InferOptional, OptionalKernel);
  add(OpDef("onnx::OptionalGetElement").In("input").Out("output").Attr("optional", 1), InferGetElement,
      GetElementKernel);
  add(OpDef("onnx::OptionalHasElement").OptIn("input").Out("output").Attr("optional", 1), InferHasElement,
      HasElementKernel);
}

}  // namespace atc

// Operators that make up the graph itself rather than compute: inputs, constants, outputs, copies, synchronisation.
#include "compiler/ir/kernel_context.h"
#include "compiler/ops/families.h"
#include "compiler/ops/infer_util.h"

namespace atc {
namespace {

// Data keeps the desc that the parser gave it: the inference pass leaves sources alone.
void InferNothing(InferContext&) {}

void InferConst(InferContext& ctx) {
  if (const Tensor* value = ctx.node().attrs.FindAs<Tensor>("value")) ctx.SetOut(0, value->dtype(), value->shape());
}

void IdentityKernel(KernelContext& ctx) { ctx.SetOut(0, ctx.In(0)); }

void InferIdentity(InferContext& ctx) {
  InferSameAsInput(ctx);
  if (auto ints = ctx.Ints(0)) ctx.SetInts(0, *ints);
}

}  // namespace

void RegisterStructureOps(OpRegistry& registry) {
  registry.Add(
      OpDef("Const").Out("y").RequiredAttr("value").Traits(kSource | kNoTask).On(Unit::kLocal).Infer(InferConst));
  registry.Add(OpDef("Data").Out("y").Attr("index", 0).Traits(kSource | kNoTask).On(Unit::kLocal).Infer(InferNothing));
  // A chain of elementwise operators of one shape; Node::fused is the graph it stands for.
  // Attention, and a softmax with what comes before it, likewise (attention_parts.h).
  registry.Add(OpDef("FusedAttention").DynIn("x").Out("y").Traits(kWidenHalf).On(Unit::kCube));
  registry.Add(OpDef("FusedElementwise").DynIn("x").Out("y").Traits(kElementwise | kLayoutAgnostic | kWidenHalf));
  registry.Add(OpDef("FusedSoftmax").DynIn("x").Out("y").Traits(kWidenHalf));
  registry.Add(OpDef("Identity")
                   .In("x")
                   .Out("y")
                   .Traits(kElementwise | kLayoutAgnostic | kHalfNative)
                   .On(Unit::kRts)
                   .Infer(InferIdentity)
                   .Kernel(IdentityKernel));
  registry.Add(OpDef("NetOutput").DynIn("x").Traits(kNoTask).On(Unit::kLocal).Infer(InferNothing));
  registry.Add(OpDef("NoOp").Traits(kNoTask).On(Unit::kLocal).Infer(InferNothing));
  registry.Add(OpDef("Recv").RequiredAttr("event_id").Traits(kStateful).On(Unit::kRts).Infer(InferNothing));
  registry.Add(OpDef("Send").RequiredAttr("event_id").Traits(kStateful).On(Unit::kRts).Infer(InferNothing));
  // Starts streams that stand still until then.
  registry.Add(OpDef("StreamActive")
                   .Attr("active_stream_list", std::vector<int64_t>())
                   .Attr("active_label_list", std::vector<std::string>())
                   .Traits(kStateful)
                   .On(Unit::kRts)
                   .Infer(InferNothing));
  // The identity in origin views, which are what the evaluator computes with; the device moves the data.
  registry.Add(OpDef("TransData")
                   .In("src")
                   .Out("dst")
                   .RequiredAttr("src_format")
                   .RequiredAttr("dst_format")
                   .Attr("src_subformat", 0)
                   .Attr("dst_subformat", 0)
                   .Attr("groups", 1)
                   .Traits(kHalfNative)
                   .Infer(InferIdentity)
                   .Kernel(IdentityKernel));
}

}  // namespace atc

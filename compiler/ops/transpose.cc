// Transpose (the order of the axes is an input), TransposeD (an attribute), and ONNX's Transpose without any, which
// reverses the axes.
#include "compiler/ir/infer_context.h"
#include "compiler/ops/families.h"
#include "compiler/ops/movement.h"

namespace atc {
namespace {

using Ints = std::vector<int64_t>;

// Empty when it is an order of `rank` axes, else what is wrong. Negative axes are counted from the start first.
std::string CheckOrder(size_t rank, Ints* order) {
  std::vector<bool> seen(rank, false);
  bool valid = order->size() == rank;
  for (int64_t& axis : *order) {
    if (axis < 0) axis += static_cast<int64_t>(rank);
    valid = valid && axis >= 0 && axis < static_cast<int64_t>(rank) && !seen[axis];
    if (valid) seen[axis] = true;
  }
  return valid ? "" : "perm does not name each of the " + std::to_string(rank) + " axes of x once";
}

Ints Reversed(size_t rank) {
  Ints order;
  for (size_t axis = rank; axis-- > 0;) order.push_back(static_cast<int64_t>(axis));
  return order;
}

void InferWith(InferContext& ctx, Ints order) {
  const Shape& shape = ctx.InShape(0);
  const std::string fault = CheckOrder(shape.rank(), &order);
  if (!fault.empty()) ctx.Fail(fault);
  Shape out = shape;
  for (size_t i = 0; i < order.size(); ++i) out[i] = shape[order[i]];
  ctx.SetOut(0, ctx.InType(0), std::move(out));
  if (shape.rank() <= 1) {
    if (auto ints = ctx.Ints(0)) ctx.SetInts(0, *ints);
  }
}

void InferTranspose(InferContext& ctx) {
  const auto order = ctx.KnownInts(1);
  if (ctx.InShape(0).HasRank() && order) return InferWith(ctx, *order);
  const bool has_rank = ctx.InShape(0).HasRank();
  ctx.SetOut(0, ctx.InType(0), has_rank ? Shape::UnknownDims(ctx.InShape(0).rank()) : Shape::UnknownRank());
}

void InferTransposeD(InferContext& ctx) {
  if (ctx.InShape(0).HasRank()) return InferWith(ctx, ctx.Attr<Ints>("perm"));
  ctx.SetOut(0, ctx.InType(0), Shape::UnknownDims(ctx.Attr<Ints>("perm").size()));
}

void InferReverse(InferContext& ctx) {
  if (ctx.InShape(0).HasRank()) return InferWith(ctx, Reversed(ctx.InShape(0).rank()));
  ctx.SetOut(0, ctx.InType(0), Shape::UnknownRank());
}

void Run(KernelContext& ctx, Ints order) {
  const Tensor& x = ctx.In(0);
  const std::string fault = CheckOrder(x.rank(), &order);
  if (!fault.empty()) ctx.Fail(fault);
  const Ints strides = x.shape().Strides();
  Shape shape = x.shape();
  Region source;
  for (size_t i = 0; i < order.size(); ++i) {
    shape[i] = x.dim(order[i]);
    source.strides.push_back(strides[order[i]]);
  }
  MoveToOutput(ctx, 0, shape, x, source);
}

void TransposeKernel(KernelContext& ctx) { Run(ctx, ToInts(ctx.In(1))); }
void TransposeDKernel(KernelContext& ctx) { Run(ctx, ctx.Attr<Ints>("perm")); }
void ReverseKernel(KernelContext& ctx) { Run(ctx, Reversed(ctx.In(0).rank())); }

}  // namespace

void RegisterTransposeOps(OpRegistry& registry) {
  registry.Add(
      OpDef("Transpose").In("x").In("perm").Out("y").Traits(kHalfNative).Infer(InferTranspose).Kernel(TransposeKernel));
  registry.Add(OpDef("TransposeD")
                   .In("x")
                   .Out("y")
                   .RequiredAttr("perm")
                   .Traits(kHalfNative)
                   .Infer(InferTransposeD)
                   .Kernel(TransposeDKernel));
  registry.Add(OpDef("onnx::Transpose")
                   .In("data")
                   .Out("transposed")
                   .Attr("opset", 1)
                   .Traits(kHalfNative)
                   .Infer(InferReverse)
                   .Kernel(ReverseKernel));
}

}  // namespace atc

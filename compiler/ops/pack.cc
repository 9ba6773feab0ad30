// Pack and Unpack: tensors stacked along a new axis, and taken apart.
#include "compiler/ir/infer_context.h"
#include "compiler/ops/families.h"
#include "compiler/ops/infer_util.h"
#include "compiler/ops/pieces.h"

namespace atc {
namespace {

void InferPack(InferContext& ctx) {
  Shape shape = Shape::UnknownRank();
  bool scalars = true;
  PartialInts joined{{static_cast<int64_t>(ctx.num_inputs())}, {}};
  for (size_t i = 0; i < ctx.num_inputs(); ++i) {
    const Shape& x = ctx.InShape(i);
    if (x.HasRank() && shape.HasRank() && x.rank() != shape.rank()) {
      ctx.Fail("inputs of shapes " + ToString(shape) + " and " + ToString(x) + " cannot be stacked");
    }
    if (x.HasRank() && !shape.HasRank()) shape = x;
    for (size_t d = 0; x.HasRank() && d < x.rank(); ++d) {
      if (shape[d] < 0) shape[d] = x[d];
    }
    const auto ints = ctx.Ints(i);
    const bool one = ints && ints->shape.HasRank() && ints->shape.rank() == 0 && ints->elements.size() == 1;
    scalars &= x.HasRank() && x.rank() == 0 && IsInteger(ctx.InType(i));
    joined.elements.push_back(one ? ints->elements[0] : std::nullopt);
  }
  if (scalars && joined.elements.size() <= 64) ctx.SetInts(0, std::move(joined));
  if (shape.HasRank()) {
    const int64_t axis = NormalizeAxis(ctx, ctx.Attr<int64_t>("axis"), shape.rank() + 1);
    shape.dims().insert(shape.dims().begin() + axis, static_cast<int64_t>(ctx.num_inputs()));
  }
  ctx.SetOut(0, ctx.InType(0), std::move(shape));
}

void PackKernel(KernelContext& ctx) {
  std::vector<Tensor> parts;
  for (size_t i = 0; i < ctx.num_inputs(); ++i) parts.push_back(ctx.In(i));
  ctx.SetOut(0, Stack(ctx, parts, ctx.Attr<int64_t>("axis")));
}

void InferUnpack(InferContext& ctx) {
  Shape shape = ctx.InShape(0);
  const auto ints = ctx.Ints(0);
  if (shape.HasRank()) {
    const int64_t axis = NormalizeAxis(ctx, ctx.Attr<int64_t>("axis"), shape.rank());
    if (shape[axis] >= 0 && shape[axis] != static_cast<int64_t>(ctx.num_outputs())) {
      ctx.Fail("axis " + std::to_string(axis) + " of " + ToString(shape) + " does not give " +
               std::to_string(ctx.num_outputs()) + " outputs");
    }
    shape.dims().erase(shape.dims().begin() + axis);
  }
  for (size_t i = 0; i < ctx.num_outputs(); ++i) {
    ctx.SetOut(i, ctx.InType(0), shape);
    if (ints && ints->shape.rank() == 1 && i < ints->elements.size()) ctx.SetInts(i, {{}, {ints->elements[i]}});
  }
}

void UnpackKernel(KernelContext& ctx) {
  const Tensor& x = ctx.In(0);
  const size_t axis = CheckedAxis(ctx, ctx.Attr<int64_t>("axis"), x.rank());
  for (size_t i = 0; i < ctx.num_outputs(); ++i) ctx.SetOut(i, Element(ctx, x, axis, static_cast<int64_t>(i)));
}

}  // namespace

void RegisterPackOps(OpRegistry& registry) {
  registry.Add(OpDef("Pack").DynIn("x").Out("y").Attr("axis", 0).Attr("N", 1).Traits(kHalfNative).Infer(InferPack)
                   .Kernel(PackKernel));
  registry.Add(OpDef("Unpack").In("x").DynOut("y").RequiredAttr("num").Attr("axis", 0).Traits(kHalfNative)
                   .Infer(InferUnpack).Kernel(UnpackKernel));
}

}  // namespace atc

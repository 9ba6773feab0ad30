// Operators on shapes alone: Shape and Size read them; Reshape, Flatten, Squeeze and Unsqueeze in their forms change
// them and move nothing.
#include <algorithm>

#include "compiler/ir/infer_context.h"
#include "compiler/ir/kernel_context.h"
#include "compiler/ops/families.h"
#include "compiler/ops/index_type.h"
#include "compiler/ops/infer_util.h"
#include "compiler/ops/reshape.h"

namespace atc {
namespace {

using Ints = std::vector<int64_t>;

// ---- Shape, Size ----

// The element type is an attribute, as GE's number.
template <typename Context>
DataType IndexType(const Context& ctx) {
  return CheckedIndexType(ctx, static_cast<DataType>(ctx.template Attr<int64_t>("dtype")));
}

Tensor IndexTensor(DataType dtype, const Shape& shape, const Ints& values) {
  if (dtype == DT_INT64) return Tensor::From<int64_t>(DT_INT64, shape, values);
  return Tensor::From<int32_t>(DT_INT32, shape, {values.begin(), values.end()});
}

void InferShape(InferContext& ctx) {
  const Shape& x = ctx.InShape(0);
  if (!x.HasRank()) return ctx.SetOut(0, IndexType(ctx), Shape{kUnknownDim});
  PartialInts dims{Shape{static_cast<int64_t>(x.rank())}, {}};
  for (const int64_t dim : x.dims()) dims.elements.push_back(dim < 0 ? std::nullopt : std::optional(dim));
  ctx.SetOut(0, IndexType(ctx), dims.shape);
  ctx.SetInts(0, std::move(dims));
}

void ShapeKernel(KernelContext& ctx) {
  const Shape& x = ctx.InShape(0);
  const Shape shape{static_cast<int64_t>(x.rank())};
  const Tensor dims = IndexTensor(IndexType(ctx), shape, x.dims());
  std::copy_n(dims.Data(), dims.NumBytes(), ctx.Out(0, dims.dtype(), shape).MutableData());
}

void InferSize(InferContext& ctx) {
  ctx.SetOut(0, IndexType(ctx), {});
  if (ctx.InShape(0).IsKnown()) ctx.SetInts(0, {{}, {ctx.InShape(0).NumElements()}});
}

void SizeKernel(KernelContext& ctx) {
  const Tensor size = IndexTensor(IndexType(ctx), {}, {ctx.InShape(0).NumElements()});
  std::copy_n(size.Data(), size.NumBytes(), ctx.Out(0, size.dtype(), {}).MutableData());
}

// ---- the same elements under another shape ----

// Describes output 0; small integers stay known.
void SetReshaped(InferContext& ctx, Shape shape) {
  const auto ints = ctx.Ints(0);
  if (ints && shape.rank() <= 2 && shape.IsKnown() &&
      shape.NumElements() == static_cast<int64_t>(ints->elements.size())) {
    ctx.SetInts(0, {shape, ints->elements});
  }
  ctx.SetOut(0, ctx.InType(0), std::move(shape));
}

void InferReshape(InferContext& ctx) {
  const auto target = ctx.Ints(1);
  if (!target) {
    const bool rank_known = ctx.InShape(1).HasRank() && ctx.InShape(1).rank() == 1 && ctx.InShape(1).IsKnown();
    ctx.SetOut(0, ctx.InType(0), rank_known ? Shape::UnknownDims(ctx.InShape(1)[0]) : Shape::UnknownRank());
    return;
  }
  Shape shape;
  const std::string fault =
      ResolveReshape(ctx.InShape(0), target->elements, ctx.Attr<int64_t>("allowzero") != 0, &shape);
  if (!fault.empty()) ctx.Fail(fault);
  SetReshaped(ctx, std::move(shape));
}

void ReshapeKernel(KernelContext& ctx) {
  std::vector<std::optional<int64_t>> target;
  for (const int64_t dim : ToInts(ctx.In(1))) target.emplace_back(dim);
  Shape shape;
  const std::string fault = ResolveReshape(ctx.InShape(0), target, ctx.Attr<int64_t>("allowzero") != 0, &shape);
  if (!fault.empty()) ctx.Fail(fault);
  if (shape.NumElements() != ctx.In(0).NumElements()) {
    ctx.Fail("x " + ToString(ctx.InShape(0)) + " does not have as many elements as " + ToString(shape));
  }
  ctx.SetOut(0, ctx.In(0).Reshaped(std::move(shape)));
}

// [product of the dims before axis, product of those from it on]
Shape Flattened(const Shape& x, int64_t axis) {
  Shape shape{1, 1};
  for (size_t i = 0; i < x.rank(); ++i) {
    int64_t& side = shape[static_cast<int64_t>(i) < axis ? 0 : 1];
    side = side < 0 || x[i] < 0 ? kUnknownDim : side * x[i];
  }
  return shape;
}

void InferFlatten(InferContext& ctx) {
  const Shape& x = ctx.InShape(0);
  if (!x.HasRank()) return ctx.SetOut(0, ctx.InType(0), Shape::UnknownDims(2));
  // axis may be the rank itself.
  const int64_t axis = ctx.Attr<int64_t>("axis");
  const auto rank = static_cast<int64_t>(x.rank());
  if (axis < -rank || axis > rank) {
    ctx.Fail("axis " + std::to_string(axis) + " is outside [-" + std::to_string(rank) + ", " + std::to_string(rank) +
             "]");
  }
  ctx.SetOut(0, ctx.InType(0), Flattened(x, axis < 0 ? axis + rank : axis));
}

void FlattenKernel(KernelContext& ctx) {
  const auto rank = static_cast<int64_t>(ctx.InShape(0).rank());
  const int64_t axis = ctx.Attr<int64_t>("axis");
  if (axis < -rank || axis > rank) ctx.Fail("axis " + std::to_string(axis) + " is outside the rank of x");
  ctx.SetOut(0, ctx.In(0).Reshaped(Flattened(ctx.InShape(0), axis < 0 ? axis + rank : axis)));
}

// Axes come from an attribute of either name or from input 1; empty ones and absent ones mean "all of size 1" to
// Squeeze.
template <typename Context>
std::optional<Ints> AxesAttr(const Context& ctx) {
  for (const char* name : {"axis", "axes"}) {
    if (ctx.node().def->FindAttr(name)) return ctx.template Attr<Ints>(name);
  }
  return std::nullopt;
}

std::optional<Ints> AxesOf(const InferContext& ctx) {
  if (auto axes = AxesAttr(ctx)) return axes;
  return ctx.HasInput(1) ? ctx.KnownInts(1) : Ints{};
}

Ints AxesOf(const KernelContext& ctx) {
  if (auto axes = AxesAttr(ctx)) return *axes;
  return ctx.HasInput(1) ? ToInts(ctx.In(1)) : Ints{};
}

void InferSqueeze(InferContext& ctx) {
  const auto axes = AxesOf(ctx);
  const Shape& x = ctx.InShape(0);
  // Without axes the rank follows from the dims.
  if (!axes || !x.HasRank() || (axes->empty() && !x.IsKnown())) {
    const bool count_known = x.HasRank() && !axes && ctx.InShape(1).IsKnown() && ctx.InShape(1).NumElements() > 0 &&
                             ctx.InShape(1).NumElements() <= static_cast<int64_t>(x.rank());
    ctx.SetOut(0, ctx.InType(0),
               count_known ? Shape::UnknownDims(x.rank() - ctx.InShape(1).NumElements()) : Shape::UnknownRank());
    return;
  }
  Shape shape;
  const std::string fault = Squeezed(x, *axes, &shape);
  if (!fault.empty()) ctx.Fail(fault);
  SetReshaped(ctx, std::move(shape));
}

void SqueezeKernel(KernelContext& ctx) {
  Shape shape;
  const std::string fault = Squeezed(ctx.InShape(0), AxesOf(ctx), &shape);
  if (!fault.empty()) ctx.Fail(fault);
  ctx.SetOut(0, ctx.In(0).Reshaped(std::move(shape)));
}

void InferUnsqueeze(InferContext& ctx) {
  const auto axes = AxesOf(ctx);
  const Shape& x = ctx.InShape(0);
  if (!axes || !x.HasRank()) {
    const bool count_known = x.HasRank() && ctx.HasInput(1) && ctx.InShape(1).IsKnown();
    ctx.SetOut(0, ctx.InType(0),
               count_known ? Shape::UnknownDims(x.rank() + ctx.InShape(1).NumElements()) : Shape::UnknownRank());
    return;
  }
  Shape shape;
  const std::string fault = Unsqueezed(x, *axes, &shape);
  if (!fault.empty()) ctx.Fail(fault);
  SetReshaped(ctx, std::move(shape));
}

void UnsqueezeKernel(KernelContext& ctx) {
  Shape shape;
  const std::string fault = Unsqueezed(ctx.InShape(0), AxesOf(ctx), &shape);
  if (!fault.empty()) ctx.Fail(fault);
  ctx.SetOut(0, ctx.In(0).Reshaped(std::move(shape)));
}

OpDef ShapeOnly(const char* type) {
  return std::move(OpDef(type).In("x").Traits(kShapeOnly | kHalfNative).On(Unit::kLocal));
}

}  // namespace

void RegisterShapeOps(OpRegistry& registry) {
  registry.Add(ShapeOnly("Flatten").Out("y").Attr("axis", 1).Infer(InferFlatten).Kernel(FlattenKernel));
  // allowzero is ONNX's: a 0 in shape is the size 0 instead of a copy of x's dim.
  registry.Add(ShapeOnly("Reshape")
                   .In("shape")
                   .Out("y")
                   .Attr("axis", 0)
                   .Attr("num_axes", -1)
                   .Attr("allowzero", 0)
                   .Infer(InferReshape)
                   .Kernel(ReshapeKernel));
  registry.Add(OpDef("Shape")
                   .In("x")
                   .Out("y")
                   .Attr("dtype", static_cast<int64_t>(DT_INT32))
                   .Traits(kHostShape | kHalfNative)
                   .On(Unit::kLocal)
                   .Infer(InferShape)
                   .Kernel(ShapeKernel));
  registry.Add(OpDef("Size")
                   .In("x")
                   .Out("y")
                   .Attr("dtype", static_cast<int64_t>(DT_INT32))
                   .Traits(kHostShape | kHalfNative)
                   .On(Unit::kLocal)
                   .Infer(InferSize)
                   .Kernel(SizeKernel));
  registry.Add(ShapeOnly("Squeeze").Out("y").Attr("axis", AttrValue(Ints())).Infer(InferSqueeze).Kernel(SqueezeKernel));
  registry.Add(ShapeOnly("SqueezeV3").OptIn("axes").Out("y").Infer(InferSqueeze).Kernel(SqueezeKernel));
  registry.Add(
      ShapeOnly("Unsqueeze").Out("y").Attr("axes", AttrValue(Ints())).Infer(InferUnsqueeze).Kernel(UnsqueezeKernel));
  registry.Add(ShapeOnly("UnsqueezeV3").In("axes").Out("y").Infer(InferUnsqueeze).Kernel(UnsqueezeKernel));
}

}  // namespace atc

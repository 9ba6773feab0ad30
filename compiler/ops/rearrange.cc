// Moving elements along axes: ReverseV2, Roll; and small integer operators on shapes and permutations.
#include "compiler/ir/infer_context.h"
#include "compiler/ops/axis_loop.h"
#include "compiler/ops/dispatch.h"
#include "compiler/ops/families.h"
#include "compiler/ops/infer_util.h"
#include "compiler/ops/movement.h"

namespace atc {
namespace {

using Ints = std::vector<int64_t>;

void ReverseKernel(KernelContext& ctx) {
  const Tensor& x = ctx.In(0);
  Region source{0, x.shape().Strides()};
  for (const int64_t named : ToInts(ctx.In(1))) {
    const auto axis = static_cast<size_t>(CheckedAxis(ctx, named, x.shape()));
    if (source.strides[axis] < 0) ctx.Fail("axis " + std::to_string(named) + " is given twice");
    if (x.dim(axis) > 0) source.offset += (x.dim(axis) - 1) * source.strides[axis];
    source.strides[axis] = -source.strides[axis];
  }
  MoveToOutput(ctx, 0, x.shape(), x, source);
}

// Element i along an axis goes to (i + shift) modulo its size.
void RollKernel(KernelContext& ctx) {
  const Tensor& x = ctx.In(0);
  const Ints shifts = ToInts(ctx.In(1)), axes = ToInts(ctx.In(2));
  if (shifts.size() != axes.size()) ctx.Fail("shift and axis differ in length");
  Ints by(x.rank(), 0);
  for (size_t i = 0; i < axes.size(); ++i) by[static_cast<size_t>(CheckedAxis(ctx, axes[i], x.shape()))] += shifts[i];
  Tensor y = x;
  for (size_t d = 0; d < x.rank(); ++d) {
    const int64_t size = x.dim(d);
    if (size == 0 || by[d] % size == 0) continue;
    const int64_t shift = (by[d] % size + size) % size;
    Tensor next = Tensor::Allocate(x.dtype(), x.shape());
    const Ints strides = x.shape().Strides();
    Shape part = x.shape();
    part[d] = size - shift;
    MoveRegion(ctx, part, y, {0, strides}, &next, {shift * strides[d], strides});
    part[d] = shift;
    MoveRegion(ctx, part, y, {(size - shift) * strides[d], strides}, &next, {0, strides});
    y = next;
  }
  ctx.SetOut(0, y);
}

void InvertKernel(KernelContext& ctx) {
  const Ints x = ToInts(ctx.In(0));
  Tensor& y = ctx.Out(0, ctx.InType(0), ctx.InShape(0));
  Dispatch(IndexTypes{}, ctx, ctx.InType(0), [&]<typename T>() {
    std::fill_n(y.MutableData<T>(), y.NumElements(), T{-1});
    for (size_t i = 0; i < x.size(); ++i) {
      if (x[i] < 0 || x[i] >= static_cast<int64_t>(x.size()) || y.MutableData<T>()[x[i]] != T{-1}) {
        ctx.Fail(std::to_string(x[i]) + " is outside of the permutation, or in it twice");
      }
      y.MutableData<T>()[x[i]] = static_cast<T>(i);
    }
  });
}

// The shape that two shapes broadcast to.
void InferBroadcastArgs(InferContext& ctx) {
  const auto a = ctx.KnownInts(0), b = ctx.KnownInts(1);
  Shape out;
  if (a && b && BroadcastShapes(Shape(*a), Shape(*b), &out)) {
    PartialInts ints{{static_cast<int64_t>(out.rank())}, {}};
    for (const int64_t dim : out.dims()) ints.elements.emplace_back(dim);
    ctx.SetInts(0, std::move(ints));
    return ctx.SetOut(0, ctx.InType(0), {static_cast<int64_t>(out.rank())});
  }
  const auto length = [&](size_t i) { return ctx.InShape(i).HasRank() && ctx.InShape(i).rank() == 1 ? ctx.InShape(i)[0] : kUnknownDim; };
  ctx.SetOut(0, ctx.InType(0), {length(0) < 0 || length(1) < 0 ? kUnknownDim : std::max(length(0), length(1))});
}

void BroadcastArgsKernel(KernelContext& ctx) {
  Shape out;
  if (!BroadcastShapes(Shape(ToInts(ctx.In(0))), Shape(ToInts(ctx.In(1))), &out)) ctx.Fail("the shapes do not broadcast");
  Tensor& y = ctx.Out(0, ctx.InType(0), {static_cast<int64_t>(out.rank())});
  Dispatch(IndexTypes{}, ctx, ctx.InType(0), [&]<typename T>() {
    for (size_t d = 0; d < out.rank(); ++d) y.MutableData<T>()[d] = static_cast<T>(out[d]);
  });
}

}  // namespace

void RegisterRearrangeOps(OpRegistry& registry) {
  registry.Add(OpDef("BroadcastArgs").In("x1").In("x2").Out("y").Infer(InferBroadcastArgs).Kernel(BroadcastArgsKernel));
  registry.Add(OpDef("InvertPermutation").In("x").Out("y").Infer(InferSameAsInput).Kernel(InvertKernel));
  registry.Add(OpDef("ReverseV2").In("x").In("axis").Out("y").Traits(kHalfNative).Infer(InferSameAsInput).Kernel(
      ReverseKernel));
  registry.Add(OpDef("tf::Roll").In("input").In("shift").In("axis").Out("output").Traits(kHalfNative)
                   .Infer(InferSameAsInput).Kernel(RollKernel));
}

}  // namespace atc

// BroadcastTo, Expand, Tile and onnx::Tile: elements repeated along axes.
#include <algorithm>

#include "compiler/ir/infer_context.h"
#include "compiler/ops/families.h"
#include "compiler/ops/movement.h"

namespace atc {
namespace {

using Ints = std::vector<int64_t>;

// The broadcast of x and `target`, in which -1 keeps x's dim (ONNX broadcasts both ways, so the result may be larger
// than the target). False when they do not fit; unknown dims of x stay unknown where the target is 1 or -1.
bool Expanded(const Shape& x, const std::vector<std::optional<int64_t>>& target, Shape* shape) {
  const size_t rank = std::max(x.rank(), target.size());
  *shape = Shape::UnknownDims(rank);
  for (size_t i = 0; i < rank; ++i) {
    const size_t x_axis = i + x.rank() - rank;  // wraps where x has no such axis
    const int64_t from = x_axis < x.rank() ? x[x_axis] : 1;
    const size_t t_axis = i + target.size() - rank;
    const std::optional<int64_t> to = t_axis < target.size() ? target[t_axis] : std::optional<int64_t>(1);
    if (!to) {
      // Whatever the target is, a dim other than 1 stays.
      (*shape)[i] = from > 1 ? from : kUnknownDim;
    } else if (*to == 1 || *to == -1) {
      (*shape)[i] = from;
    } else if (from == 1 || from == *to) {
      (*shape)[i] = *to;
    } else if (from < 0) {
      (*shape)[i] = *to;  // 1 or the target's own
    } else {
      return false;
    }
  }
  return true;
}

void InferExpand(InferContext& ctx) {
  const auto target = ctx.Ints(1);
  if (!ctx.InShape(0).HasRank() || !target) {
    ctx.SetOut(0, ctx.InType(0), Shape::UnknownRank());
    return;
  }
  Shape shape;
  if (!Expanded(ctx.InShape(0), target->elements, &shape)) {
    ctx.Fail("x " + ToString(ctx.InShape(0)) + " does not broadcast to the shape wanted: dims must be equal or 1");
  }
  const auto ints = ctx.Ints(0);
  if (ints && shape.rank() <= 1 && shape.IsKnown() && shape.NumElements() <= 64) {
    const size_t count = shape.NumElements();
    if (ints->elements.size() == count) {
      ctx.SetInts(0, {shape, ints->elements});
    } else if (ints->elements.size() == 1) {
      ctx.SetInts(0, {shape, {count, ints->elements[0]}});
    }
  }
  ctx.SetOut(0, ctx.InType(0), std::move(shape));
}

void ExpandKernel(KernelContext& ctx) {
  const Tensor& x = ctx.In(0);
  std::vector<std::optional<int64_t>> target;
  for (const int64_t dim : ToInts(ctx.In(1))) target.emplace_back(dim);
  Shape shape;
  if (!Expanded(x.shape(), target, &shape) || !shape.IsKnown()) {
    ctx.Fail("x " + ToString(x.shape()) + " does not broadcast to the shape wanted: dims must be equal or 1");
  }
  const Ints strides = x.shape().Strides();
  Region source{0, Ints(shape.rank(), 0)};
  for (size_t i = 0; i < x.rank(); ++i) {
    if (x.dim(i) != 1) source.strides[shape.rank() - x.rank() + i] = strides[i];
  }
  MoveToOutput(ctx, 0, shape, x, source);
}

void InferTile(InferContext& ctx) {
  const Shape& x = ctx.InShape(0);
  const auto repeats = ctx.Ints(1);
  if (!x.HasRank()) return ctx.SetOut(0, ctx.InType(0), Shape::UnknownRank());
  Shape shape = Shape::UnknownDims(x.rank());
  if (repeats) {
    if (repeats->elements.size() != x.rank()) {
      ctx.Fail("multiples has " + std::to_string(repeats->elements.size()) + " numbers for x of rank " +
               std::to_string(x.rank()));
    }
    for (size_t i = 0; i < x.rank(); ++i) {
      const std::optional<int64_t>& times = repeats->elements[i];
      if (times && *times < 0) ctx.Fail("multiples holds " + std::to_string(*times));
      if (times && x[i] >= 0) shape[i] = x[i] * *times;
    }
  }
  const auto ints = ctx.Ints(0);
  if (ints && x.rank() == 1 && shape.IsKnown() && shape[0] <= 64) {
    PartialInts repeated{shape, {}};
    for (int64_t i = 0; i < shape[0]; ++i) repeated.elements.push_back(ints->elements[i % x[0]]);
    ctx.SetInts(0, std::move(repeated));
  }
  ctx.SetOut(0, ctx.InType(0), std::move(shape));
}

// x seen as [1, d0, 1, d1, ...] and broadcast to [r0, d0, r1, d1, ...].
void TileKernel(KernelContext& ctx) {
  const Tensor& x = ctx.In(0);
  const Ints repeats = ToInts(ctx.In(1));
  if (repeats.size() != x.rank()) ctx.Fail("multiples has another length than the rank of x");
  const Ints strides = x.shape().Strides();
  Shape shape, pairs;
  Region source;
  for (size_t i = 0; i < x.rank(); ++i) {
    if (repeats[i] < 0) ctx.Fail("multiples holds " + std::to_string(repeats[i]));
    shape.dims().push_back(repeats[i] * x.dim(i));
    pairs.dims().insert(pairs.dims().end(), {repeats[i], x.dim(i)});
    source.strides.insert(source.strides.end(), {0, strides[i]});
  }
  Tensor& y = ctx.Out(0, x.dtype(), shape);
  MoveRegion(ctx, pairs, x, source, &y, {0, pairs.Strides()});
}

// Tile of opset 1: one axis, whose number and repetitions are tensors of x's type.
void InferTileAxis(InferContext& ctx) {
  const Shape& x = ctx.InShape(0);
  ctx.SetOut(0, ctx.InType(0), x.HasRank() ? Shape::UnknownDims(x.rank()) : x);
}

void TileAxisKernel(KernelContext& ctx) {
  const Tensor& x = ctx.In(0);
  if (ctx.In(1).NumElements() != 1 || ctx.In(2).NumElements() != 1) ctx.Fail("tiles and axis must be scalars");
  const double times = ToDoubles(ctx.In(1))[0], axis = ToDoubles(ctx.In(2))[0];
  const auto rank = static_cast<double>(x.rank());
  if (!(axis >= -rank && axis < rank)) {
    ctx.Fail("axis is " + std::to_string(axis) + " for x of rank " + std::to_string(x.rank()));
  }
  if (!(times >= 0 && times < 0x1p31)) ctx.Fail("tiles is " + std::to_string(times));
  const auto at = static_cast<size_t>(axis < 0 ? axis + rank : axis);
  const auto repeat = static_cast<int64_t>(times);
  Shape shape = x.shape(), pairs = x.shape();
  shape[at] *= repeat;
  pairs.dims().insert(pairs.dims().begin() + static_cast<std::ptrdiff_t>(at), repeat);
  Region source{0, x.shape().Strides()};
  source.strides.insert(source.strides.begin() + static_cast<std::ptrdiff_t>(at), 0);
  Tensor& y = ctx.Out(0, x.dtype(), shape);
  MoveRegion(ctx, pairs, x, source, &y, {0, pairs.Strides()});
}

}  // namespace

void RegisterExpandOps(OpRegistry& registry) {
  for (const char* type : {"BroadcastTo", "Expand"}) {
    registry.Add(OpDef(type).In("x").In("shape").Out("y").Traits(kHalfNative).Infer(InferExpand).Kernel(ExpandKernel));
  }
  registry.Add(OpDef("onnx::Tile").In("input").In("tiles").In("axis").Out("output").Attr("opset", 1)
                   .Traits(kHalfNative).Infer(InferTileAxis).Kernel(TileAxisKernel));
  registry.Add(OpDef("Tile").In("x").In("multiples").Out("y").Traits(kHalfNative).Infer(InferTile).Kernel(TileKernel));
}

}  // namespace atc

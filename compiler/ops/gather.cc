// Picking elements by index.
#include "compiler/ops/axis_loop.h"
#include "compiler/ops/broadcast.h"
#include "compiler/ops/dispatch.h"
#include "compiler/ops/families.h"
#include "compiler/ops/indexing.h"
#include "compiler/ops/infer_util.h"
#include "compiler/ops/operand_shape.h"

namespace atc {
namespace {

// ---- GatherV2: whole slices along one axis ----

// Dims of x before the axis, those of the indices behind their batch dims, dims of x behind the axis.
Shape GatherShape(const Shape& x, const Shape& indices, int64_t axis, int64_t batch_dims) {
  std::vector<int64_t> dims(x.dims().begin(), x.dims().begin() + axis);
  dims.insert(dims.end(), indices.dims().begin() + batch_dims, indices.dims().end());
  dims.insert(dims.end(), x.dims().begin() + axis + 1, x.dims().end());
  return Shape(std::move(dims));
}

// Elements of a vector (a shape, mostly) whose places are known.
void GatherPartial(InferContext& ctx) {
  const auto x = ctx.Ints(0);
  const auto indices = ctx.KnownInts(1);
  if (!x || !indices || x->shape.rank() != 1 || !ctx.InShape(1).IsKnown() || ctx.InShape(1).rank() > 1) return;
  PartialInts result{ctx.InShape(1), {}};
  const auto n = static_cast<int64_t>(x->elements.size());
  for (const int64_t index : *indices) {
    if (index < -n || index >= n) {
      ctx.Fail("index " + std::to_string(index) + " is outside of a vector of " + std::to_string(n) + " elements");
    }
    result.elements.push_back(x->elements[index < 0 ? index + n : index]);
  }
  ctx.SetInts(0, std::move(result));
}

void InferGatherV2(InferContext& ctx) {
  const Shape& x = ctx.InShape(0);
  const Shape& indices = ctx.InShape(1);
  const auto axis = ctx.HasInput(2) ? ctx.KnownInts(2) : std::vector<int64_t>{0};
  if (!x.HasRank() || !indices.HasRank()) return ctx.SetOut(0, ctx.InType(0), Shape::UnknownRank());
  int64_t batch_dims = ctx.Attr<int64_t>("batch_dims");
  if (batch_dims < 0) batch_dims += static_cast<int64_t>(indices.rank());
  if (batch_dims < 0 || batch_dims > static_cast<int64_t>(indices.rank())) {
    ctx.Fail("batch_dims is outside the rank of indices " + ToString(indices));
  }
  if (x.rank() == 0) ctx.Fail("the input is a scalar, there is no axis to gather along");
  if (!axis || axis->size() != 1) {
    return ctx.SetOut(0, ctx.InType(0), Shape::UnknownDims(x.rank() - 1 + indices.rank() - batch_dims));
  }
  const int64_t at = NormalizeAxis(ctx, (*axis)[0], x.rank());
  if (batch_dims > at) ctx.Fail("batch_dims must not be above axis " + std::to_string(at));
  ctx.SetOut(0, ctx.InType(0), GatherShape(x, indices, at, batch_dims));
  RequireIndices(ctx, 1, x[at]);
  if (at == 0 && batch_dims == 0) GatherPartial(ctx);
}

void GatherV2Kernel(KernelContext& ctx) {
  const Shape& x = ctx.InShape(0);
  const int64_t axis = CheckedAxis(ctx, ctx.HasInput(2) ? OneInt(ctx, 2, "axis") : 0, x);
  int64_t batch_dims = ctx.Attr<int64_t>("batch_dims");
  if (batch_dims < 0) batch_dims += static_cast<int64_t>(ctx.InShape(1).rank());
  if (batch_dims < 0 || batch_dims > axis || batch_dims > static_cast<int64_t>(ctx.InShape(1).rank())) {
    ctx.Fail("batch_dims must be between 0 and axis " + std::to_string(axis));
  }
  const std::vector<int64_t> indices = CheckedIndices(ctx, 1, x[axis], ctx.Attr<bool>("negative_index_support"));
  Tensor& out = ctx.Out(0, ctx.InType(0), GatherShape(x, ctx.InShape(1), axis, batch_dims));
  if (out.NumElements() == 0) return;
  const AxisLoop loop(x, axis);
  int64_t batches = 1;
  for (int64_t d = 0; d < batch_dims; ++d) {
    if (ctx.InShape(1)[d] != x[d]) {
      ctx.Fail("dims of x " + ToString(x) + " and of the indices " + ToString(ctx.InShape(1)) +
               " differ within the first " + std::to_string(batch_dims));
    }
    batches *= x[d];
  }
  const int64_t per_batch = static_cast<int64_t>(indices.size()) / batches;
  const int64_t outer_per_batch = loop.outer / batches;
  DispatchMovable(ctx, ctx.InType(0), [&]<typename T>() {
    const T* from = ctx.In(0).Data<T>();
    T* to = out.MutableData<T>();
    for (int64_t o = 0; o < loop.outer; ++o) {
      const int64_t* chosen = indices.data() + o / outer_per_batch * per_batch;
      for (int64_t k = 0; k < per_batch; ++k) {
        to = std::copy_n(from + loop.Offset(o, chosen[k], 0), loop.inner, to);
      }
    }
  });
}

// ---- GatherElements: one element for each index ----

template <bool kOnnx>
void InferGatherElements(InferContext& ctx) {
  const Shape& x = ctx.InShape(0);
  if (x.HasRank()) {
    const auto axis = static_cast<size_t>(NormalizeAxis(ctx, ctx.Attr<int64_t>(kOnnx ? "axis" : "dim"), x.rank()));
    RequireOperandShape(ctx, 1, Shape::UnknownDims(x.rank()));
    RequireIndices(ctx, 1, x[axis]);
  }
  ctx.SetOut(0, ctx.InType(0), ctx.InShape(1));
}

template <bool kOnnx>
void GatherElementsKernel(KernelContext& ctx) {
  const Shape& x = ctx.InShape(0);
  const Shape& index_shape = ctx.InShape(1);
  const int64_t axis = CheckedAxis(ctx, ctx.Attr<int64_t>(kOnnx ? "axis" : "dim"), x);
  RequireIndexShape(ctx, x, index_shape, axis);
  const std::vector<int64_t> indices = CheckedIndices(ctx, 1, x[axis], kOnnx);
  Tensor& out = ctx.Out(0, ctx.InType(0), index_shape);
  const int64_t axis_stride = x.Strides()[axis];
  const BroadcastPlan plan = PlanAcross(index_shape, x, axis);
  DispatchMovable(ctx, ctx.InType(0), [&]<typename T>() {
    ForEachRow<1>(plan, [&](int64_t at, const std::array<int64_t, 1>& from) {
      for (int64_t i = 0; i < plan.inner(); ++i) {
        out.MutableData<T>()[at + i] =
            ctx.In(0).Data<T>()[from[0] + i * plan.strides[0].back() + indices[at + i] * axis_stride];
      }
    });
  });
}

// ---- GatherNd: slices by tuples of indices ----

int64_t BatchDims(const Node& node) { return node.def->FindAttr("batch_dims") ? node.Attr<int64_t>("batch_dims") : 0; }

void InferGatherNd(InferContext& ctx) {
  const Shape& x = ctx.InShape(0);
  const Shape& indices = ctx.InShape(1);
  const int64_t batch_dims = BatchDims(ctx.node());
  if (!x.HasRank() || !indices.HasRank() || indices.rank() == 0 || indices.dims().back() < 0) {
    return ctx.SetOut(0, ctx.InType(0), Shape::UnknownRank());
  }
  const int64_t skipped = batch_dims + indices.dims().back();
  if (batch_dims < 0 || skipped > static_cast<int64_t>(x.rank()) ||
      batch_dims >= static_cast<int64_t>(indices.rank())) {
    ctx.Fail("indices " + ToString(indices) + " with " + std::to_string(batch_dims) + " batch dims do not fit input " +
             ToString(x));
  }
  std::vector<int64_t> dims(indices.dims().begin(), indices.dims().end() - 1);
  dims.insert(dims.end(), x.dims().begin() + skipped, x.dims().end());
  ctx.SetOut(0, ctx.InType(0), Shape(std::move(dims)));
}

void GatherNdKernel(KernelContext& ctx) {
  const bool negative =
      ctx.node().def->FindAttr("negative_index_support") ? ctx.Attr<bool>("negative_index_support") : true;
  const TupleIndices tuples(ctx, ctx.In(1), ctx.InShape(0), BatchDims(ctx.node()), negative);
  Tensor& out = ctx.Out(0, ctx.InType(0), tuples.GatheredShape());
  DispatchMovable(ctx, ctx.InType(0), [&]<typename T>() {
    T* to = out.MutableData<T>();
    for (const int64_t offset : tuples.offsets()) {
      to = std::copy_n(ctx.In(0).Data<T>() + offset, tuples.slice(), to);
    }
  });
}

}  // namespace

void RegisterGatherOps(OpRegistry& registry) {
  registry.Add(OpDef("GatherElements").In("x").In("index").Out("y").Attr("dim", 0).Traits(kHalfNative)
                   .Infer(InferGatherElements<false>).Kernel(GatherElementsKernel<false>));
  registry.Add(OpDef("GatherNd").In("x").In("indices").Out("y").Attr("negative_index_support", false)
                   .Traits(kHalfNative).Infer(InferGatherNd).Kernel(GatherNdKernel));
  registry.Add(OpDef("GatherV2").In("x").In("indices").In("axis").Out("y").Attr("batch_dims", 0)
                   .Attr("negative_index_support", false).Attr("is_preprocessed", false).Traits(kHalfNative)
                   .Infer(InferGatherV2).Kernel(GatherV2Kernel));
  registry.Add(OpDef("onnx::GatherElements").In("data").In("indices").Out("output").Attr("axis", 0).Attr("opset", 0)
                   .Traits(kHalfNative).Infer(InferGatherElements<true>).Kernel(GatherElementsKernel<true>));
  registry.Add(OpDef("onnx::GatherND").In("data").In("indices").Out("output").Attr("batch_dims", 0).Attr("opset", 0)
                   .Traits(kHalfNative).Infer(InferGatherNd).Kernel(GatherNdKernel));
}

}  // namespace atc

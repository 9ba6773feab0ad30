// SoftmaxV2, LogSoftmaxV2 and HardMax: over a list of axes taken together, or over one axis.
#include <cmath>

#include "compiler/ir/infer_context.h"
#include "compiler/ops/dispatch.h"
#include "compiler/ops/families.h"
#include "compiler/ops/infer_util.h"
#include "compiler/ops/math.h"

namespace atc {
namespace {

using Ints = std::vector<int64_t>;

void InferSoftmax(InferContext& ctx) {
  const bool one_axis = ctx.node().def->FindAttr("axis") != nullptr;
  if (ctx.InShape(0).HasRank() && ctx.InShape(0).rank() > 0) {
    const Ints axes = one_axis ? Ints{ctx.Attr<int64_t>("axis")} : ctx.Attr<Ints>("axes");
    for (const int64_t axis : axes) NormalizeAxis(ctx, axis, ctx.InShape(0).rank());
  }
  InferSameAsInput(ctx);
}

// Which group each element belongs to: elements that differ only along the axes share one. Calls
// visit(element, group) in row-major order; returns the number of groups.
template <typename Visit>
int64_t ForEachInGroup(const Shape& shape, const std::vector<bool>& reduced, Visit visit) {
  const size_t rank = shape.rank();
  std::vector<int64_t> stride(rank, 0), at(rank, 0);
  int64_t groups = 1;
  for (size_t d = rank; d-- > 0;) {
    if (reduced[d]) continue;
    stride[d] = groups;
    groups *= shape[d];
  }
  const int64_t elements = shape.NumElements();
  int64_t group = 0;
  for (int64_t i = 0; i < elements; ++i) {
    visit(i, group);
    for (size_t d = rank; d-- > 0;) {
      group += stride[d];
      if (++at[d] < shape[d]) break;
      group -= stride[d] * shape[d];
      at[d] = 0;
    }
  }
  return groups;
}

std::vector<bool> ReducedAxes(const KernelContext& ctx, const Ints& axes) {
  const Shape& shape = ctx.InShape(0);
  const auto rank = static_cast<int64_t>(shape.rank());
  std::vector<bool> reduced(shape.rank(), false);
  for (const int64_t axis : axes) {
    if (rank == 0 && (axis == 0 || axis == -1)) continue;  // a scalar is its own and only group
    if (axis < -rank || axis >= rank) {
      ctx.Fail("axis " + std::to_string(axis) + " is outside the rank of x " + ToString(shape));
    }
    reduced[static_cast<size_t>(axis < 0 ? axis + rank : axis)] = true;
  }
  return reduced;
}

// Exponentials and their sums in double, shifted by the largest element of the group; rounded once.
void SoftmaxKernel(KernelContext& ctx) {
  const bool log = ctx.node().type() == "LogSoftmaxV2";
  const std::vector<bool> reduced = ReducedAxes(ctx, ctx.Attr<Ints>("axes"));
  const Tensor& x = ctx.In(0);
  Tensor& y = ctx.Out(0, x.dtype(), x.shape());
  Dispatch(FloatTypes{}, ctx, x.dtype(), [&]<typename T>() {
    const T* from = x.Data<T>();
    T* to = y.MutableData<T>();
    const int64_t groups = ForEachInGroup(x.shape(), reduced, [](int64_t, int64_t) {});
    std::vector<double> largest(groups, -std::numeric_limits<double>::infinity()), sum(groups, 0.0);
    ForEachInGroup(x.shape(), reduced, [&](int64_t i, int64_t g) {
      const double v = static_cast<double>(from[i]);
      if (v > largest[g] || std::isnan(v)) largest[g] = v;
    });
    std::vector<double> exponentials(static_cast<size_t>(x.NumElements()));
    ForEachInGroup(x.shape(), reduced, [&](int64_t i, int64_t g) {
      exponentials[i] = math::Exp(static_cast<double>(from[i]) - largest[g]);
      sum[g] += exponentials[i];
    });
    if (log) {
      for (double& s : sum) s = math::Log(s);
    }
    ForEachInGroup(x.shape(), reduced, [&](int64_t i, int64_t g) {
      to[i] = static_cast<T>(log ? static_cast<double>(from[i]) - largest[g] - sum[g] : exponentials[i] / sum[g]);
    });
  });
}

// 1 at the first largest element of a group, 0 elsewhere; NaN is larger than any number, as for ArgMax.
void HardMaxKernel(KernelContext& ctx) {
  const std::vector<bool> reduced = ReducedAxes(ctx, {ctx.Attr<int64_t>("axis")});
  const Tensor& x = ctx.In(0);
  Tensor& y = ctx.Out(0, x.dtype(), x.shape());
  Dispatch(FloatTypes{}, ctx, x.dtype(), [&]<typename T>() {
    const int64_t groups = ForEachInGroup(x.shape(), reduced, [](int64_t, int64_t) {});
    std::vector<int64_t> best(groups, -1);
    ForEachInGroup(x.shape(), reduced, [&](int64_t i, int64_t g) {
      if (best[g] < 0) best[g] = i;
      const T now = x.Data<T>()[i], before = x.Data<T>()[best[g]];
      if (now > before || (std::isnan(now) && !std::isnan(before))) best[g] = i;
    });
    std::fill_n(y.MutableData<T>(), y.NumElements(), T{0});
    for (const int64_t i : best) {
      if (i >= 0) y.MutableData<T>()[i] = T{1};
    }
  });
}

}  // namespace

void RegisterSoftmaxOps(OpRegistry& registry) {
  registry.Add(
      OpDef("HardMax").In("x").Out("y").Attr("axis", -1).Traits(kWidenHalf).Infer(InferSoftmax).Kernel(HardMaxKernel));
  registry.Add(OpDef("LogSoftmaxV2")
                   .In("logits")
                   .Out("logsoftmax")
                   .Attr("axes", Ints{-1})
                   .Traits(kWidenHalf)
                   .Infer(InferSoftmax)
                   .Kernel(SoftmaxKernel));
  registry.Add(OpDef("SoftmaxV2")
                   .In("x")
                   .Out("y")
                   .Attr("axes", Ints{-1})
                   .Attr("half_to_float", false)
                   .Traits(kWidenHalf)
                   .Infer(InferSoftmax)
                   .Kernel(SoftmaxKernel));
}

}  // namespace atc

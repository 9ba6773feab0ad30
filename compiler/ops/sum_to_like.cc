// SumToLike: the counterpart of broadcasting. Elements of x that one element of `like` was repeated to are summed, so
// that y has the shape of `like`. AscendIR has no such operator; gradients need it.
#include <algorithm>

#include "compiler/ir/infer_context.h"
#include "compiler/ops/broadcast.h"
#include "compiler/ops/dispatch.h"
#include "compiler/ops/families.h"

namespace atc {
namespace {

void InferSumToLike(InferContext& ctx) { ctx.SetOut(0, ctx.InType(0), ctx.InShape(1)); }

void SumToLikeKernel(KernelContext& ctx) {
  const Tensor& x = ctx.In(0);
  const Shape& shape = ctx.InShape(1);
  if (x.shape() == shape) return ctx.SetOut(0, x);
  Shape broadcast;
  if (!BroadcastShapes(shape, x.shape(), &broadcast) || broadcast != x.shape()) {
    ctx.Fail("like " + ToString(shape) + " does not broadcast to x " + ToString(x.shape()));
  }
  const BroadcastPlan plan = PlanBroadcast(x.shape(), {shape});
  Dispatch(FloatTypes{}, ctx, x.dtype(), [&]<typename T>() {
    std::vector<double> sums(static_cast<size_t>(shape.NumElements()), 0);
    ForEachRow<1>(plan, [&](int64_t at, const std::array<int64_t, 1>& offsets) {
      for (int64_t i = 0; i < plan.inner(); ++i) {
        sums[static_cast<size_t>(offsets[0] + i * plan.strides[0].back())] += static_cast<double>(x.Data<T>()[at + i]);
      }
    });
    std::transform(sums.begin(), sums.end(), ctx.Out(0, x.dtype(), shape).template MutableData<T>(),
                   [](double sum) { return static_cast<T>(sum); });
  });
}

}  // namespace

void RegisterSumToLikeOps(OpRegistry& registry) {
  registry.Add(
      OpDef("SumToLike").In("x").In("like").Out("y").Traits(kWidenHalf).Infer(InferSumToLike).Kernel(SumToLikeKernel));
}

}  // namespace atc

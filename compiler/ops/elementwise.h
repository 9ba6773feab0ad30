// Kernels of elementwise operators made from a function of single elements.
#pragma once

#include "compiler/ops/broadcast.h"
#include "compiler/ops/dispatch.h"

namespace atc {

inline constexpr uint32_t kElementwiseTraits = kElementwise | kLayoutAgnostic | kWidenHalf;

// Output 0 of dtype R: fn of each element of input 0, which holds T.
template <typename T, typename R, typename F>
void MapElements(KernelContext& ctx, F fn) {
  Tensor& out = ctx.Out(0, kDataTypeOf<R>, ctx.InShape(0));
  const T* x = ctx.In(0).Data<T>();
  R* y = out.MutableData<R>();
  const int64_t n = out.NumElements();
  for (int64_t i = 0; i < n; ++i) y[i] = fn(x[i]);
}

// Op()(x) for the element types of List, type kept.
template <typename Op, typename List>
void UnaryKernel(KernelContext& ctx) {
  Dispatch(List{}, ctx, ctx.InType(0), [&]<typename T>() { MapElements<T, T>(ctx, Op()); });
}

inline void RequireSameTypes(const KernelContext& ctx) {
  for (size_t i = 1; i < ctx.num_inputs(); ++i) {
    if (ctx.HasInput(i) && ctx.InType(i) != ctx.InType(0)) {
      ctx.Fail("element types " + std::string(DataTypeName(ctx.InType(0))) + " and " +
               std::string(DataTypeName(ctx.InType(i))) + " differ: all inputs must have one type");
    }
  }
}

// Op()(a, b) with broadcasting, type kept.
template <typename Op, typename List>
void BinaryKernel(KernelContext& ctx) {
  RequireSameTypes(ctx);
  const Shape shape = BroadcastInputShapes(ctx);
  Dispatch(List{}, ctx, ctx.InType(0), [&]<typename T>() {
    BroadcastBinary<T, T, T>(ctx.In(0), ctx.In(1), ctx.Out(0, ctx.InType(0), shape), Op());
  });
}

// Op()(a, b) with broadcasting, result bool.
template <typename Op, typename List>
void CompareKernel(KernelContext& ctx) {
  RequireSameTypes(ctx);
  const Shape shape = BroadcastInputShapes(ctx);
  Dispatch(List{}, ctx, ctx.InType(0), [&]<typename T>() {
    BroadcastBinary<T, T, bool>(ctx.In(0), ctx.In(1), ctx.Out(0, DT_BOOL, shape), Op());
  });
}

}  // namespace atc

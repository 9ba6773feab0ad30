// An operand repeated to the shape of another one, for kernels whose scale or bias may be smaller than their input.
#pragma once

#include <vector>

#include "compiler/ir/kernel_context.h"
#include "compiler/ops/broadcast.h"

namespace atc {

// The elements of a numeric `tensor` broadcast to `shape` (NumPy's rules, one way), row-major, as doubles. Fails naming
// both shapes when it does not broadcast. An undefined tensor gives `absent` everywhere.
inline std::vector<double> ExpandedDoubles(const KernelContext& ctx, const Tensor& tensor, const Shape& shape,
                                           double absent = 0) {
  std::vector<double> result(static_cast<size_t>(shape.NumElements()), absent);
  if (!tensor.defined()) return result;
  Shape joined;
  if (!BroadcastShapes(tensor.shape(), shape, &joined) || joined != shape) {
    ctx.Fail("an operand of shape " + ToString(tensor.shape()) + " does not broadcast to " + ToString(shape));
  }
  const std::vector<double> values = ToDoubles(tensor);
  const BroadcastPlan plan = PlanBroadcast(shape, {tensor.shape()});
  const int64_t step = plan.strides[0].back();
  ForEachRow<1>(plan, [&](int64_t at, const std::array<int64_t, 1>& from) {
    for (int64_t i = 0; i < plan.inner(); ++i) result[at + i] = values[from[0] + i * step];
  });
  return result;
}

// Writes doubles as elements of a floating-point output, rounding once; half types through float.
inline void StoreFloats(Tensor& to, const std::vector<double>& values) {
  for (size_t i = 0; i < values.size(); ++i) {
    if (to.dtype() == DT_DOUBLE) {
      to.MutableData<double>()[i] = values[i];
    } else {
      to.MutableData<float>()[i] = static_cast<float>(values[i]);
    }
  }
}

}  // namespace atc

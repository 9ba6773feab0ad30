// A tensor seen from one axis: dims before it, the axis, dims behind it.
#pragma once

#include <string>

#include "compiler/ir/kernel_context.h"

namespace atc {

struct AxisLoop {
  int64_t outer = 1, length = 1, inner = 1;

  // `axis` counts from the start; a scalar is seen as one element (axis 0).
  AxisLoop(const Shape& shape, int64_t axis) {
    for (size_t d = 0; d < shape.rank(); ++d) {
      const auto at = static_cast<int64_t>(d);
      (at < axis ? outer : at == axis ? length : inner) *= shape[d];
    }
  }
  int64_t Offset(int64_t o, int64_t k, int64_t i) const { return (o * length + k) * inner + i; }
};

// `axis` counted from the start; fails when it is outside [-rank, rank).
inline int64_t CheckedAxis(const KernelContext& ctx, int64_t axis, const Shape& shape) {
  const auto rank = static_cast<int64_t>(shape.rank());
  if (axis < -rank || axis >= rank) {
    ctx.Fail("axis " + std::to_string(axis) + " is outside the rank of input " + ToString(shape));
  }
  return axis < 0 ? axis + rank : axis;
}

// The one integer that input i holds.
inline int64_t OneInt(const KernelContext& ctx, size_t i, const char* what) {
  if (!IsInteger(ctx.InType(i)) || ctx.In(i).NumElements() != 1) {
    ctx.Fail(std::string(what) + " must be one integer, it is " + std::string(DataTypeName(ctx.InType(i))) + " " +
             ToString(ctx.InShape(i)));
  }
  return ToInts(ctx.In(i))[0];
}

}  // namespace atc

// Numpy-style broadcasting loops for reference kernels: dims are merged where every operand allows it, so that the inner
// loop is as long as possible and steps each operand by 0 (one value) or 1 (contiguous).
#pragma once

#include <array>
#include <type_traits>
#include <vector>

#include "compiler/ir/kernel_context.h"

namespace atc {

struct BroadcastPlan {
  std::vector<int64_t> dims;                  // of the output, merged, outermost first; at least one
  std::vector<std::vector<int64_t>> strides;  // [operand][dim] in elements, 0 where the operand is repeated
  int64_t inner() const { return dims.back(); }
};

// `out` must be known and every operand must broadcast to it.
BroadcastPlan PlanBroadcast(const Shape& out, const std::vector<Shape>& operands);

// The broadcast of the shapes of all inputs that are there; fails naming both shapes when they do not broadcast.
Shape BroadcastInputShapes(const KernelContext& ctx);

// Calls row(out_offset, offsets) for each run of plan.inner() output elements, in row-major order; `offsets` are the
// elements at which the N operands start.
template <size_t N, typename Row>
void ForEachRow(const BroadcastPlan& plan, Row&& row) {
  const size_t outer_dims = plan.dims.size() - 1;
  for (const int64_t dim : plan.dims) {
    if (dim == 0) return;
  }
  std::array<int64_t, N> offsets{};
  std::vector<int64_t> position(outer_dims, 0);
  for (int64_t out = 0;; out += plan.inner()) {
    row(out, offsets);
    size_t d = outer_dims;
    for (; d > 0; --d) {
      for (size_t n = 0; n < N; ++n) offsets[n] += plan.strides[n][d - 1];
      if (++position[d - 1] < plan.dims[d - 1]) break;
      position[d - 1] = 0;
      for (size_t n = 0; n < N; ++n) offsets[n] -= plan.strides[n][d - 1] * plan.dims[d - 1];
    }
    if (d == 0) return;
  }
}

// One run of up to three operands: `n` results at `out` from operands that step by `steps` elements, fn being the functor.
using RowFn = void (*)(const std::byte* const* operands, const int64_t* steps, std::byte* out, int64_t n,
                       const void* fn);
// Applies `row` to each run of the output; the loop over runs is compiled once for all element types, as instances of it
// would dominate build time.
void RunBroadcast(const std::vector<const Tensor*>& operands, Tensor& out, RowFn row, const void* fn);

// out[i] = fn(a[i], b[i]) with both operands broadcast to the shape of `out`.
template <typename A, typename B, typename R, typename F>
void BroadcastBinary(const Tensor& a, const Tensor& b, Tensor& out, F fn) {
  const RowFn row = [](const std::byte* const* operands, const int64_t* steps, std::byte* result, int64_t n,
                       const void* functor) {
    const auto& f = *static_cast<const F*>(functor);
    const auto* x = reinterpret_cast<const A*>(operands[0]);
    const auto* y = reinterpret_cast<const B*>(operands[1]);
    auto* z = reinterpret_cast<R*>(result);
    const int64_t sx = steps[0], sy = steps[1];
    // Loops of their own, which the compiler can vectorise, for the types that carry the work.
    if constexpr (std::is_floating_point_v<A> && std::is_same_v<A, B>) {
      if (sx == 1 && sy == 1) {
        for (int64_t i = 0; i < n; ++i) z[i] = f(x[i], y[i]);
        return;
      }
      if (sy == 0) {
        const B constant = *y;
        for (int64_t i = 0; i < n; ++i) z[i] = f(x[i * sx], constant);
        return;
      }
    }
    for (int64_t i = 0; i < n; ++i) z[i] = f(x[i * sx], y[i * sy]);
  };
  RunBroadcast({&a, &b}, out, row, &fn);
}

// out[i] = fn(a[i], b[i], c[i]), all broadcast.
template <typename A, typename B, typename C, typename R, typename F>
void BroadcastTernary(const Tensor& a, const Tensor& b, const Tensor& c, Tensor& out, F fn) {
  const RowFn row = [](const std::byte* const* operands, const int64_t* steps, std::byte* result, int64_t n,
                       const void* functor) {
    const auto& f = *static_cast<const F*>(functor);
    const auto* x = reinterpret_cast<const A*>(operands[0]);
    const auto* y = reinterpret_cast<const B*>(operands[1]);
    const auto* z = reinterpret_cast<const C*>(operands[2]);
    auto* r = reinterpret_cast<R*>(result);
    const int64_t sx = steps[0], sy = steps[1], sz = steps[2];
    for (int64_t i = 0; i < n; ++i) r[i] = f(x[i * sx], y[i * sy], z[i * sz]);
  };
  RunBroadcast({&a, &b, &c}, out, row, &fn);
}

}  // namespace atc

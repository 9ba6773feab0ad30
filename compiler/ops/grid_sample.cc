// Sampling at given points: onnx::GridSample (any number of spatial axes) and onnx::AffineGrid, which makes its grids.
#include <cmath>

#include "compiler/ir/infer_context.h"
#include "compiler/ops/dispatch.h"
#include "compiler/ops/families.h"
#include "compiler/ops/operand_shape.h"

namespace atc {
namespace {

enum class Padding { kZeros, kBorder, kReflection };

// Reflects v at both ends of [low, high] until it lies inside.
double Reflect(double v, double low, double high) {
  const double range = high - low;
  if (range <= 0) return low;
  const double distance = v < low ? low - v : v > high ? v - high : -1;
  if (distance < 0) return v;
  const double times = std::floor(distance / range), rest = distance - times * range;
  const bool even = std::fmod(times, 2) == 0;
  return (v < low) == even ? low + rest : high - rest;
}

struct Axis {
  int64_t size;
  bool align_corners;
  Padding padding;

  double low() const { return align_corners ? 0 : -0.5; }
  double high() const { return static_cast<double>(size) - (align_corners ? 1 : 0.5); }
  // From [-1, 1] to pixels: the ends are the centres of the outer pixels or their outer edges.
  double Position(double v) const {
    const double n = static_cast<double>(size);
    return align_corners ? (v + 1) / 2 * (n - 1) : ((v + 1) * n - 1) / 2;
  }
  // The pixel at whole position `p`; -1: padding of zeros.
  int64_t Pixel(double p) const {
    const double last = static_cast<double>(size - 1);
    if (p >= 0 && p <= last) return static_cast<int64_t>(p);
    if (padding == Padding::kZeros || std::isnan(p)) return -1;
    if (padding == Padding::kReflection) p = Reflect(p, low(), high());
    if (std::isnan(p)) return -1;  // reflected from infinity
    return static_cast<int64_t>(std::clamp(p, 0.0, last));
  }
};

// Pixels along one axis and their weights.
struct Taps {
  int count;
  int64_t at[4];
  double weight[4];
};

Taps CubicTaps(const Axis& axis, double v) {
  constexpr double a = -0.75;
  const double base = std::floor(v), t = v - base;
  Taps taps{4, {}, {}};
  for (int k = 0; k < 4; ++k) {
    const double d = std::abs(t + 1 - k);
    taps.weight[k] = d <= 1 ? ((a + 2) * d - (a + 3)) * d * d + 1 : ((a * d - 5 * a) * d + 8 * a) * d - 4 * a;
    taps.at[k] = axis.Pixel(base - 1 + k);
  }
  return taps;
}

Taps FindTaps(const Axis& axis, const std::string& mode, double v) {
  v = axis.Position(v);
  if (mode == "nearest") v = std::nearbyint(v);
  if (v < axis.low() || v > axis.high()) {
    if (axis.padding == Padding::kBorder) v = std::clamp(v, 0.0, static_cast<double>(axis.size - 1));
    if (axis.padding == Padding::kReflection) v = Reflect(v, axis.low(), axis.high());
  }
  if (mode == "nearest") return {1, {axis.Pixel(std::nearbyint(v))}, {1}};
  if (mode == "cubic" || mode == "bicubic") return CubicTaps(axis, v);
  const double base = std::floor(v);
  return {2, {axis.Pixel(base), axis.Pixel(base + 1)}, {1 - (v - base), v - base}};
}

void InferGridSample(InferContext& ctx) {
  const Shape &x = ctx.InShape(0), &grid = ctx.InShape(1);
  if (!x.HasRank() || !grid.HasRank()) {
    return ctx.SetOut(0, ctx.InType(0), x.HasRank() ? Shape::UnknownDims(x.rank()) : Shape::UnknownRank());
  }
  if (x.rank() != grid.rank() || x.rank() < 3) {
    ctx.Fail("X " + ToString(x) + " and grid " + ToString(grid) + " must have one rank, at least 3");
  }
  Shape fitting = Shape::UnknownDims(x.rank());
  fitting[0] = x[0];
  fitting[x.rank() - 1] = static_cast<int64_t>(x.rank()) - 2;
  RequireOperandShape(ctx, 1, fitting);
  for (size_t d = 2; d < x.rank(); ++d) {
    if (x[d] == 0) ctx.Fail("X " + ToString(x) + " has no element to sample");
  }
  Shape shape{x[0], x[1]};
  for (size_t d = 1; d + 1 < grid.rank(); ++d) shape.dims().push_back(grid[d]);
  ctx.SetOut(0, ctx.InType(0), shape, ctx.In(0).origin_format);
}

void GridSampleKernel(KernelContext& ctx) {
  const Tensor &x = ctx.In(0), &grid = ctx.In(1);
  const Shape &xs = x.shape(), &gs = grid.shape();
  const size_t spatial = xs.rank() < 3 ? 0 : xs.rank() - 2;
  if (spatial == 0 || gs.rank() != xs.rank() || gs[0] != xs[0] || gs[gs.rank() - 1] != static_cast<int64_t>(spatial)) {
    ctx.Fail("X " + ToString(xs) + " and grid " + ToString(gs) +
             " must be [N, C, spatial...] and [N, points..., number of spatial axes]");
  }
  const auto mode = ctx.Attr<std::string>("mode"), pad = ctx.Attr<std::string>("padding_mode");
  const Padding padding = pad == "border"       ? Padding::kBorder
                          : pad == "reflection" ? Padding::kReflection
                                                : Padding::kZeros;
  const bool align = ctx.Attr<int64_t>("align_corners") != 0;
  std::vector<Axis> axes;
  int64_t plane = 1, points = 1;
  Shape shape{xs[0], xs[1]};
  for (size_t d = 0; d < spatial; ++d) {
    axes.push_back({xs[d + 2], align, padding});
    plane *= xs[d + 2];
    points *= gs[d + 1];
    shape.dims().push_back(gs[d + 1]);
    if (xs[d + 2] == 0) ctx.Fail("X " + ToString(xs) + " has no element to sample");
  }
  const std::vector<double> where = ToDoubles(grid);
  Tensor& y = ctx.Out(0, x.dtype(), shape);
  Dispatch(NumberTypes{}, ctx, x.dtype(), [&]<typename T>() {
    std::vector<Taps> taps(spatial);
    std::vector<std::pair<int64_t, double>> all;  // input offset and weight
    for (int64_t p = 0; p < xs[0] * points; ++p) {
      // The last coordinate of a point is that of the first spatial axis.
      for (size_t d = 0; d < spatial; ++d) {
        taps[d] = FindTaps(axes[d], mode, where[static_cast<size_t>(p) * spatial + spatial - 1 - d]);
      }
      all.assign(1, {0, 1.0});
      for (size_t d = 0; d < spatial; ++d) {
        std::vector<std::pair<int64_t, double>> next;
        for (const auto& [offset, weight] : all) {
          for (int k = 0; k < taps[d].count; ++k) {
            if (taps[d].at[k] < 0) continue;
            next.emplace_back(offset * axes[d].size + taps[d].at[k], weight * taps[d].weight[k]);
          }
        }
        all = std::move(next);
      }
      for (int64_t c = 0; c < xs[1]; ++c) {
        const T* from = x.Data<T>() + (p / points * xs[1] + c) * plane;
        double sum = 0;
        for (const auto& [offset, weight] : all) sum += weight * static_cast<double>(from[offset]);
        y.MutableData<T>()[(p / points * xs[1] + c) * points + p % points] = static_cast<T>(sum);
      }
    }
  });
}

template <typename Context>
Shape GridShape(const Context& ctx, const std::vector<int64_t>& size) {
  if (size.size() != 4 && size.size() != 5) {
    ctx.Fail("size has " + std::to_string(size.size()) + " entries, wanted 4 or 5");
  }
  Shape shape{size[0]};
  shape.dims().insert(shape.dims().end(), size.begin() + 2, size.end());
  shape.dims().push_back(static_cast<int64_t>(size.size()) - 2);
  for (const int64_t dim : shape.dims()) {
    if (dim < 0) ctx.Fail("size has the negative entry " + std::to_string(dim));
  }
  return shape;
}

void InferAffineGrid(InferContext& ctx) {
  const auto size = ctx.KnownInts(1);
  const Shape& theta = ctx.InShape(0);
  Shape shape = Shape::UnknownRank();
  if (theta.HasRank() && theta.rank() == 3 && theta[1] > 0)
    shape = Shape::UnknownDims(static_cast<size_t>(theta[1]) + 2);
  ctx.SetOut(0, ctx.InType(0), size ? GridShape(ctx, *size) : shape);
}

// Each point of a regular grid over [-1, 1], made homogeneous, times theta.
void AffineGridKernel(KernelContext& ctx) {
  const Tensor& theta = ctx.In(0);
  const Shape shape = GridShape(ctx, ToInts(ctx.In(1)));
  const auto axes = static_cast<int64_t>(shape.rank()) - 2;
  if (theta.shape() != Shape{shape[0], axes, axes + 1}) {
    ctx.Fail("theta is " + ToString(theta.shape()) + ", wanted " + ToString(Shape{shape[0], axes, axes + 1}));
  }
  const bool align = ctx.Attr<int64_t>("align_corners") != 0;
  const auto coordinate = [&](int64_t i, int64_t n) {
    if (align) return n > 1 ? -1 + 2 * static_cast<double>(i) / static_cast<double>(n - 1) : 0.0;
    return (2 * static_cast<double>(i) + 1) / static_cast<double>(n) - 1;
  };
  Tensor& y = ctx.Out(0, theta.dtype(), shape);
  Dispatch(FloatTypes{}, ctx, theta.dtype(), [&]<typename T>() {
    for (int64_t p = 0; p < y.NumElements() / axes; ++p) {
      std::vector<double> point(static_cast<size_t>(axes) + 1, 1.0);  // x first: the last axis of the grid
      int64_t rest = p;
      for (int64_t d = 0; d < axes; ++d) {
        const int64_t dim = shape[static_cast<size_t>(axes - d)];
        point[d] = coordinate(rest % dim, dim);
        rest /= dim;
      }
      const T* rows = theta.Data<T>() + rest * axes * (axes + 1);
      for (int64_t d = 0; d < axes; ++d) {
        double sum = 0;
        for (int64_t k = 0; k <= axes; ++k) sum += static_cast<double>(rows[d * (axes + 1) + k]) * point[k];
        y.MutableData<T>()[p * axes + d] = static_cast<T>(sum);
      }
    }
  });
}

}  // namespace

void RegisterGridSampleOps(OpRegistry& registry) {
  registry.Add(OpDef("onnx::AffineGrid")
                   .In("theta")
                   .In("size")
                   .Out("grid")
                   .Attr("align_corners", 0)
                   .Attr("opset", 20)
                   .Traits(kWidenHalf)
                   .Infer(InferAffineGrid)
                   .Kernel(AffineGridKernel));
  registry.Add(OpDef("onnx::GridSample")
                   .In("X")
                   .In("grid")
                   .KeepDtype()
                   .Out("Y")
                   .Attr("mode", "linear")
                   .Attr("padding_mode", "zeros")
                   .Attr("align_corners", 0)
                   .Attr("opset", 16)
                   .Traits(kWidenHalf)
                   .Infer(InferGridSample)
                   .Kernel(GridSampleKernel));
}

}  // namespace atc

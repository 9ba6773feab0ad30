// onnx::DeformConv: two-dimensional convolution whose taps are moved by offsets that are an operand.
#include <cmath>

#include "compiler/ir/infer_context.h"
#include "compiler/ir/shape_limit.h"
#include "compiler/ops/conv_spec.h"
#include "compiler/ops/dispatch.h"
#include "compiler/ops/families.h"
#include "compiler/ops/matrix_product.h"

namespace atc {
namespace {

void InferDeformConv(InferContext& ctx) {
  const Shape unknown = Shape::UnknownDims(4);
  const Shape &x = ctx.InShape(0), &w = ctx.InShape(1);
  ctx.SetOut(0, ctx.InType(0), ConvOutputShape(ctx, x.HasRank() ? x : unknown, w.HasRank() ? w : unknown).shape,
             FORMAT_NCHW);
}

// Bilinear, zero outside of the image.
template <typename T>
double SampleAt(const T* plane, int64_t height, int64_t width, double y, double x) {
  if (!(y > -1 && y < static_cast<double>(height) && x > -1 && x < static_cast<double>(width))) return 0;
  const auto y0 = static_cast<int64_t>(std::floor(y)), x0 = static_cast<int64_t>(std::floor(x));
  const double fy = y - static_cast<double>(y0), fx = x - static_cast<double>(x0);
  double sum = 0;
  for (int64_t i = 0; i < 2; ++i) {
    for (int64_t j = 0; j < 2; ++j) {
      const int64_t r = y0 + i, c = x0 + j;
      if (r < 0 || r >= height || c < 0 || c >= width) continue;
      sum += (i ? fy : 1 - fy) * (j ? fx : 1 - fx) * static_cast<double>(plane[r * width + c]);
    }
  }
  return sum;
}

template <typename T>
void Run(KernelContext& ctx, const ConvOutput& out, int64_t offset_groups) {
  const ConvSizes& sizes = out.sizes;
  const WindowAxis &vertical = sizes.axes[0], &horizontal = sizes.axes[1];
  const int64_t positions = vertical.out * horizontal.out, taps = vertical.kernel * horizontal.kernel;
  const int64_t channels = sizes.in_channels / sizes.groups, rows = sizes.out_channels / sizes.groups;
  const int64_t per_offset = sizes.in_channels / offset_groups, plane = vertical.in * horizontal.in;
  const T *x = ctx.In(0).Data<T>(), *w = ctx.In(1).Data<T>(), *offset = ctx.In(2).Data<T>();
  const T* bias = ctx.HasInput(3) ? ctx.In(3).Data<T>() : nullptr;
  const T* mask = ctx.HasInput(4) ? ctx.In(4).Data<T>() : nullptr;
  T* y = ctx.Out(0, ctx.InType(0), out.shape).template MutableData<T>();
  std::vector<T> columns(static_cast<size_t>(sizes.in_channels * taps * positions));
  for (int64_t n = 0; n < sizes.batch; ++n) {
    for (int64_t c = 0; c < sizes.in_channels; ++c) {
      for (int64_t t = 0; t < taps; ++t) {
        // Offsets are pairs (vertical, horizontal) of planes, one pair a tap; the mask has one plane a tap.
        const int64_t group_tap = (n * offset_groups + c / per_offset) * taps + t;
        const T *down = offset + group_tap * 2 * positions, *right = down + positions;
        T* to = columns.data() + (c * taps + t) * positions;
        for (int64_t p = 0; p < positions; ++p) {
          const int64_t py = p / horizontal.out, px = p % horizontal.out;
          const double sy = static_cast<double>(py * vertical.stride - vertical.pad_begin +
                                                t / horizontal.kernel * vertical.dilation) +
                            static_cast<double>(down[p]);
          const double sx = static_cast<double>(px * horizontal.stride - horizontal.pad_begin +
                                                t % horizontal.kernel * horizontal.dilation) +
                            static_cast<double>(right[p]);
          const double value = SampleAt(x + (n * sizes.in_channels + c) * plane, vertical.in, horizontal.in, sy, sx);
          to[p] = static_cast<T>(mask ? value * static_cast<double>(mask[group_tap * positions + p]) : value);
        }
      }
    }
    for (int64_t g = 0; g < sizes.groups; ++g) {
      const int64_t depth = channels * taps;
      T* group_y = y + (n * sizes.out_channels + g * rows) * positions;
      MatrixProduct<T>(rows, positions, depth, {w + g * rows * depth, depth, 1},
                       {columns.data() + g * depth * positions, positions, 1}, group_y, positions);
      for (int64_t i = 0; bias != nullptr && i < rows * positions; ++i) group_y[i] += bias[g * rows + i / positions];
    }
  }
}

void DeformConvKernel(KernelContext& ctx) {
  if (ctx.InShape(0).rank() != 4) ctx.Fail("X " + ToString(ctx.InShape(0)) + " must have rank 4");
  const ConvOutput out = ConvOutputShape(ctx, ctx.InShape(0), ctx.InShape(1));
  const ConvSizes& s = out.sizes;
  const int64_t groups = ctx.Attr<int64_t>("offset_group");
  const int64_t taps = s.axes[0].kernel * s.axes[1].kernel;
  if (groups < 1 || groups > kMaxElements || s.in_channels % groups != 0) {
    ctx.Fail(std::to_string(s.in_channels) + " channels do not divide into " + std::to_string(groups) +
             " offset groups");
  }
  const auto expect = [&](size_t i, const Shape& shape) {
    if (!ctx.HasInput(i)) return;
    if (ctx.InShape(i) != shape || ctx.InType(i) != ctx.InType(0)) {
      ctx.Fail(ctx.node().def->InputName(i) + " has shape " + ToString(ctx.InShape(i)) + ", wanted " + ToString(shape) +
               " and the type of X");
    }
  };
  expect(2, {s.batch, groups * taps * 2, s.axes[0].out, s.axes[1].out});
  expect(3, {s.out_channels});
  expect(4, {s.batch, groups * taps, s.axes[0].out, s.axes[1].out});
  Dispatch(FloatTypes{}, ctx, ctx.InType(0), [&]<typename T>() { Run<T>(ctx, out, groups); });
}

}  // namespace

void RegisterDeformConvOps(OpRegistry& registry) {
  OpDef def("onnx::DeformConv");
  def.In("X").In("W").In("offset").OptIn("B").OptIn("mask").Out("Y");
  for (const char* list : {"strides", "pads", "dilations", "kernel_shape"}) def.Attr(list, std::vector<int64_t>{});
  def.Attr("group", 1).Attr("offset_group", 1).Attr("auto_pad", "NOTSET").Attr("opset", 19);
  registry.Add(def.Traits(kWidenHalf).On(Unit::kCube).Infer(InferDeformConv).Kernel(DeformConvKernel));
}

}  // namespace atc

// Transposed convolution: Conv2DTranspose and Conv3DTranspose for either data_format, and onnx::ConvTranspose for any
// number of spatial axes.
//
// Private attributes beside AscendIR's: `auto_pad`, and `output_shape` (spatial sizes), from which padding is computed
// once the sizes are known; with SAME it is computed from input_size too. An input_size of zeros leaves the output size
// to be computed.
#include "compiler/ir/infer_context.h"
#include "compiler/ops/conv_transpose_fit.h"
#include "compiler/ops/dispatch.h"
#include "compiler/ops/families.h"
#include "compiler/ops/matrix_product.h"

namespace atc {
namespace {

using Ints = std::vector<int64_t>;

void InferTranspose(InferContext& ctx) {
  const size_t first = IsAscendTranspose(ctx.node()) ? 1 : 0;
  const Shape &x = ctx.InShape(first), &w = ctx.InShape(first + 1);
  if (!x.HasRank() && !w.HasRank()) return ctx.SetOut(0, ctx.InType(first), Shape::UnknownRank());
  const size_t rank = x.HasRank() ? x.rank() : w.rank();
  // Batch and channels of the operand need not be known.
  const auto partial = first == 1 ? ctx.Ints(0) : PartialInts{{0}, {}};
  Shape shape = Shape::UnknownDims(rank);
  if (partial) {
    Ints size;
    bool known = true;
    for (size_t i = 0; i < partial->elements.size(); ++i) {
      const bool spatial = i > 0 && (IsChannelsLast(ctx.node()) ? i + 1 < rank : i > 1);
      known &= partial->elements[i].has_value() || !spatial;
      size.push_back(partial->elements[i].value_or(1));
    }
    if (known) shape = FitTranspose(ctx, x.HasRank() ? x : shape, w.HasRank() ? w : shape, SizeOrNothing(size)).shape;
    if (IsChannelsLast(ctx.node())) shape = ToChannelsLast(shape);
  }
  ctx.SetOut(0, ctx.InType(first), shape, DataFormatOf(ctx.node(), rank));
}

// y += the outer products of x and the filter, one output channel at a time.
template <typename T>
void Run(const TransposeFit& fit, const T* x, const T* w, const T* bias, T* y) {
  int64_t from = 1, to = 1, taps = 1;
  for (const WindowAxis& axis : fit.axes) {
    from *= axis.out;
    to *= axis.in;
    taps *= axis.kernel;
  }
  const int64_t channels = fit.in_channels / fit.groups, rows = fit.out_channels / fit.groups;
  const int64_t width = fit.axes.back().in;
  std::vector<T> products(static_cast<size_t>(taps * from));
  std::vector<int64_t> tap(fit.axes.size(), 0);
  for (int64_t i = 0; i < fit.batch * fit.out_channels; ++i) {
    const int64_t n = i / fit.out_channels, m = i % fit.out_channels, g = m / rows;
    T* plane = y + i * to;
    std::fill_n(plane, to, bias == nullptr ? T{0} : bias[m]);
    MatrixProduct<T>(taps, from, channels, {w + (g * channels * rows + m % rows) * taps, 1, rows * taps},
                     {x + (n * fit.in_channels + g * channels) * from, from, 1}, products.data(), from);
    const T* row = products.data();
    do {
      ForEachTapRow(fit.axes, tap, 0, from, [&](int64_t j, int64_t n, int64_t offset, int64_t first, int64_t step) {
        if (offset < 0) return;
        for (int64_t k = 0; k < n; ++k) {
          const int64_t at = first + k * step;
          if (at >= 0 && at < width) plane[offset + at] += row[j + k];
        }
      });
      row += from;
    } while (NextTap(fit.axes, tap));
  }
}

void TransposeKernel(KernelContext& ctx) {
  const size_t first = IsAscendTranspose(ctx.node()) ? 1 : 0;
  const Tensor x = ChannelsFirstInput(ctx, first), &w = ctx.In(first + 1);
  const TransposeFit fit =
      FitTranspose(ctx, ctx.InShape(first), w.shape(), first == 1 ? SizeOrNothing(ToInts(ctx.In(0))) : Ints{});
  Dispatch(FloatTypes{}, ctx, x.dtype(), [&]<typename T>() {
    const T* bias = ctx.HasInput(first + 2) ? ctx.In(first + 2).Data<T>() : nullptr;
    if (w.dtype() != x.dtype() ||
        (bias && (ctx.InType(first + 2) != x.dtype() || ctx.In(first + 2).NumElements() != fit.out_channels))) {
      ctx.Fail("x, filter and bias must have one element type, and the bias one element an output channel");
    }
    Tensor y = ChannelsFirstOutput(ctx, x.dtype(), fit.shape);
    Run<T>(fit, x.Data<T>(), w.Data<T>(), bias, y.MutableData<T>());
    FinishChannelsFirst(ctx, y);
  });
}

OpDef Transposed(Name type, size_t spatial, const char* data_format) {
  OpDef def(type);
  def.In("input_size").In("x").In("filter").OptIn("bias").OptIn("offset_w").Out("y");
  def.RequiredAttr("strides").RequiredAttr("pads");
  def.Attr("dilations", Ints(spatial + 2, 1)).Attr("groups", 1).Attr("data_format", data_format);
  def.Attr("output_padding", Ints(spatial + 2, 0)).Attr("offset_x", 0);
  def.Attr("auto_pad", "NOTSET").Attr("output_shape", Ints{});
  return def.Traits(kHeavy | kWidenHalf).On(Unit::kCube).Infer(InferTranspose).Kernel(TransposeKernel);
}

}  // namespace

void RegisterConvTransposeOps(OpRegistry& registry) {
  registry.Add(Transposed("Conv2DTranspose", 2, "NHWC"));
  registry.Add(Transposed("Conv3DTranspose", 3, "NDHWC"));
  OpDef def("onnx::ConvTranspose");
  def.In("X").In("W").OptIn("B").Out("Y");
  for (const char* list : {"strides", "pads", "dilations", "kernel_shape", "output_padding", "output_shape"}) {
    def.Attr(list, Ints{});
  }
  def.Attr("group", 1).Attr("auto_pad", "NOTSET").Attr("opset", 1);
  registry.Add(def.Traits(kHeavy | kWidenHalf).On(Unit::kCube).Infer(InferTranspose).Kernel(TransposeKernel));
}

}  // namespace atc

// Transposed convolution: Conv2DTranspose and Conv3DTranspose for either data_format, and onnx::ConvTranspose for any
// number of spatial axes.
//
// Private attributes beside AscendIR's: `auto_pad`, and `output_shape` (spatial sizes), from which padding is computed
// once the sizes are known; with SAME it is computed from input_size too. An input_size of zeros leaves the output size
// to be computed.
#include "compiler/ir/infer_context.h"
#include "compiler/ir/shape_limit.h"
#include "compiler/ops/data_format.h"
#include "compiler/ops/dispatch.h"
#include "compiler/ops/families.h"
#include "compiler/ops/matrix_product.h"
#include "compiler/ops/window.h"

namespace atc {
namespace {

using Ints = std::vector<int64_t>;

// Seen from the output: a window that slides over y and stands at each element of x once.
struct Fit {
  int64_t batch, groups, in_channels, out_channels;
  std::vector<WindowAxis> axes;  // in: of y, out: of x
  Shape shape;                   // of y
};

bool IsAscend(const Node& node) { return node.def->FindAttr("groups") != nullptr; }

// Padding and size of y along one axis (ONNX, ConvTranspose): total = stride * (x - 1) + output_padding + extent - y;
// of a total that is computed the odd element goes to the end with SAME_UPPER, else to the beginning.
void FitAxis(WindowAxis& axis, int64_t output_padding, int64_t wanted, const std::string& auto_pad) {
  if (axis.out < 0 || axis.kernel < 0) {
    axis.in = wanted;
    return;
  }
  const int64_t full = axis.stride * (axis.out - 1) + output_padding + axis.extent();
  if (wanted < 0 && auto_pad.starts_with("SAME")) wanted = axis.out * axis.stride;
  if (wanted < 0) {
    if (auto_pad == "VALID") axis.pad_begin = axis.pad_end = 0;
    axis.in = full - axis.pad_begin - axis.pad_end;
    return;
  }
  const int64_t total = std::max<int64_t>(0, full - wanted);
  axis.pad_begin = auto_pad == "SAME_UPPER" ? total / 2 : total - total / 2;
  axis.pad_end = total - axis.pad_begin;
  axis.in = wanted;
}

// `size`: the whole shape of y as an operand gives it, empty when it is absent or all zeros. The result is channels
// first.
template <typename Context>
Fit FitTranspose(const Context& ctx, const Shape& data, const Shape& w, const Ints& size) {
  const Node& node = ctx.node();
  const bool last = IsChannelsLast(node);
  const Shape x = ChannelsFirst(node, data);
  const Ints input_size = last ? ToChannelsFirst(Shape(size)).dims() : size;
  const bool ascend = IsAscend(node);
  if (x.rank() < 3 || x.rank() != w.rank()) {
    ctx.Fail("x " + ToString(x) + " and filter " + ToString(w) + " must have one rank, at least 3");
  }
  if (!KnownDataFormat(node)) ctx.Fail("data_format is " + node.Attr<std::string>("data_format"));
  const size_t spatial = x.rank() - 2;
  const auto auto_pad = node.Attr<std::string>("auto_pad");
  WindowSpec spec;
  spec.strides = SpatialPart(node.Attr<Ints>("strides"), spatial, last);
  spec.dilations = SpatialPart(node.Attr<Ints>("dilations"), spatial, last);
  Ints output_padding = node.Attr<Ints>("output_padding");
  output_padding = output_padding.empty() ? Ints(spatial, 0) : SpatialPart(output_padding, spatial, last);
  Ints wanted = node.Attr<Ints>("output_shape");
  if (wanted.size() == spatial + 2) wanted.erase(wanted.begin(), wanted.begin() + 2);
  bool computed = !wanted.empty();
  if (wanted.empty()) wanted.assign(spatial, -1);
  if (input_size.size() == spatial + 2) wanted.assign(input_size.begin() + 2, input_size.end());
  if (!SplitPads(node.Attr<Ints>("pads"), spatial, ascend, &spec) || spec.strides.empty() || spec.dilations.empty() ||
      output_padding.size() != spatial || wanted.size() != spatial) {
    ctx.Fail("strides, dilations, pads, output_padding and output_shape must fit " + std::to_string(spatial) +
             " spatial axes");
  }
  Fit fit;
  fit.batch = x[0];
  fit.in_channels = x[1] >= 0 ? x[1] : w[0];
  fit.groups = node.Attr<int64_t>(ascend ? "groups" : "group");
  if (fit.groups < 1 || fit.groups > kMaxElements || (x[1] >= 0 && w[0] >= 0 && x[1] != w[0]) ||
      (fit.in_channels >= 0 && fit.in_channels % fit.groups != 0)) {
    ctx.Fail("x " + ToString(x) + ", filter " + ToString(w) + " and " + std::to_string(fit.groups) +
             " groups do not fit: the channels of x must be the filter's first dim and divide into the groups");
  }
  fit.out_channels = w[1] >= 0 ? w[1] * fit.groups : kUnknownDim;
  fit.shape = Shape{fit.batch, fit.out_channels};
  for (size_t d = 0; d < spatial; ++d) {
    WindowAxis axis{kUnknownDim,       x[d + 2],           w[d + 2],        spec.strides[d],
                    spec.dilations[d], spec.pads_begin[d], spec.pads_end[d]};
    if (axis.stride < 1 || axis.dilation < 1 || axis.kernel == 0 || axis.pad_begin < 0 || axis.pad_end < 0 ||
        output_padding[d] < 0 || wanted[d] < -1 ||
        std::max({axis.stride, axis.dilation, axis.kernel, axis.pad_begin, axis.pad_end, output_padding[d]}) >
            INT32_MAX) {
      ctx.Fail("strides, dilations and the kernel must be at least 1, pads and output_padding at least 0");
    }
    if (input_size.empty() || computed || auto_pad.starts_with("SAME")) {
      FitAxis(axis, output_padding[d], wanted[d], auto_pad);
    } else {
      axis.in = wanted[d];  // the operand fixes the size, the pads stay as they are
    }
    if (axis.out >= 0 && axis.kernel >= 0 && axis.in < 0) {
      ctx.Fail("padding " + std::to_string(axis.pad_begin) + " and " + std::to_string(axis.pad_end) +
               " is larger than the whole output");
    }
    fit.axes.push_back(axis);
    fit.shape.dims().push_back(axis.in);
  }
  return fit;
}

Ints SizeOrNothing(Ints size) {
  const bool zeros = std::all_of(size.begin(), size.end(), [](int64_t v) { return v == 0; });
  return zeros ? Ints{} : size;
}

void InferTranspose(InferContext& ctx) {
  const size_t first = IsAscend(ctx.node()) ? 1 : 0;
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
void Run(const Fit& fit, const T* x, const T* w, const T* bias, T* y) {
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
  const size_t first = IsAscend(ctx.node()) ? 1 : 0;
  const Tensor x = ChannelsFirstInput(ctx, first), &w = ctx.In(first + 1);
  const Fit fit =
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

// Max pooling: MaxPoolV3 and MaxPool3D as AscendIR has them, onnx::MaxPool with indices and dilations for any number of
// spatial axes, onnx::GlobalMaxPool, and onnx::MaxUnpool.
#include <cmath>

#include "compiler/ir/infer_context.h"
#include "compiler/ops/data_format.h"
#include "compiler/ops/dispatch.h"
#include "compiler/ops/families.h"
#include "compiler/ops/operand_shape.h"
#include "compiler/ops/pool_spec.h"

namespace atc {
namespace {

using Ints = std::vector<int64_t>;

void InferMaxPool(InferContext& ctx) {
  const Shape& x = ctx.InShape(0);
  const Format format = x.HasRank() ? DataFormatOf(ctx.node(), x.rank()) : FORMAT_ND;
  const Shape shape = x.HasRank() ? PoolOutput(ctx).shape : Shape::UnknownRank();
  ctx.SetOut(0, ctx.InType(0), shape, format);
  ctx.SetOut(1, DT_INT64, shape);
}

// NaN wins, as in NumPy and PyTorch.
template <typename T>
bool Beats(T candidate, T best) {
  if constexpr (std::is_floating_point_v<T>) return candidate > best || (std::isnan(candidate) && !std::isnan(best));
  return candidate > best;
}

template <typename T>
T Lowest() {
  if constexpr (std::is_floating_point_v<T>) return -std::numeric_limits<T>::infinity();
  return std::numeric_limits<T>::lowest();
}

// The flat position of element `at` of a plane when the plane's dims are counted column-major: the last axis slowest.
int64_t ColumnMajor(const std::vector<WindowAxis>& axes, int64_t at) {
  int64_t result = 0, scale = 1, plane = 1;
  for (const WindowAxis& axis : axes) plane *= axis.in;
  for (const WindowAxis& axis : axes) {
    plane /= axis.in;
    result += at / plane % axis.in * scale;
    scale *= axis.in;
  }
  return result;
}

void MaxPoolKernel(KernelContext& ctx) {
  const PoolFit fit = PoolOutput(ctx);
  const Tensor x = ChannelsFirstInput(ctx, 0);
  int64_t in = 1, out = 1;
  for (const WindowAxis& axis : fit.axes) {
    in *= axis.in;
    out *= axis.out;
  }
  Tensor y = ChannelsFirstOutput(ctx, x.dtype(), ChannelsFirst(ctx.node(), fit.shape));
  int64_t* indices = ctx.WantsOutput(1) ? ctx.Out(1, DT_INT64, fit.shape).MutableData<int64_t>() : nullptr;
  const bool column_major =
      ctx.node().def->FindAttr("storage_order") != nullptr && ctx.Attr<int64_t>("storage_order") != 0;
  Dispatch(NumberTypes{}, ctx, x.dtype(), [&]<typename T>() {
    const T* from = x.Data<T>();
    T* to = y.MutableData<T>();
    ForEachWindow(fit.axes, [&](int64_t o, const std::vector<WindowRun>& runs, int64_t) {
      for (int64_t p = 0; p < fit.planes; ++p) {
        const T* plane = from + p * in;
        T best = Lowest<T>();
        int64_t at = runs.empty() ? 0 : runs[0].offset;
        for (const WindowRun& run : runs) {
          for (int64_t i = 0; i < run.count; ++i) {
            const int64_t here = run.offset + i * run.step;
            if (Beats(plane[here], best)) {
              best = plane[here];
              at = here;
            }
          }
        }
        to[p * out + o] = best;
        if (indices) indices[p * out + o] = p * in + (column_major ? ColumnMajor(fit.axes, at) : at);
      }
    });
  });
  FinishChannelsFirst(ctx, y);
}

void GlobalMaxKernel(KernelContext& ctx) {
  const Tensor& x = ctx.In(0);
  if (x.rank() < 2) ctx.Fail("x " + ToString(x.shape()) + " must have a rank of at least 2");
  int64_t plane = 1;
  for (size_t d = 2; d < x.rank(); ++d) plane *= x.shape()[d];
  Tensor& y = ctx.Out(0, x.dtype(), GlobalPoolShape(x.shape()));
  Dispatch(NumberTypes{}, ctx, x.dtype(), [&]<typename T>() {
    for (int64_t p = 0; p < y.NumElements(); ++p) {
      T best = Lowest<T>();
      for (int64_t i = 0; i < plane; ++i) {
        const T value = x.Data<T>()[p * plane + i];
        if (Beats(value, best)) best = value;
      }
      y.MutableData<T>()[p] = best;
    }
  });
}

// Without an output_shape operand: (in - 1) * stride + kernel - pads along each spatial axis.
template <typename Context>
Shape UnpooledShape(const Context& ctx) {
  const Shape& x = ctx.InShape(0);
  if (x.rank() < 3) ctx.Fail("x " + ToString(x) + " must have a rank of at least 3");
  const size_t spatial = x.rank() - 2;
  WindowSpec spec;
  spec.kernel = SpatialPart(ctx.template Attr<Ints>("kernel_shape"), spatial);
  spec.strides = SpatialPart(ctx.template Attr<Ints>("strides"), spatial);
  if (spec.kernel.empty() || spec.strides.empty() ||
      !SplitPads(ctx.template Attr<Ints>("pads"), spatial, false, &spec)) {
    ctx.Fail("kernel_shape, strides and pads must fit " + std::to_string(spatial) + " spatial axes");
  }
  Shape shape{x[0], x[1]};
  for (size_t d = 0; d < spatial; ++d) {
    const int64_t in = x[d + 2];
    const int64_t size = (in - 1) * spec.strides[d] + spec.kernel[d] - spec.pads_begin[d] - spec.pads_end[d];
    if (in >= 0 && size < 0) ctx.Fail("the output would have " + std::to_string(size) + " elements along an axis");
    shape.dims().push_back(in < 0 ? kUnknownDim : size);
  }
  return shape;
}

void InferMaxUnpool(InferContext& ctx) {
  const Shape& x = ctx.InShape(0);
  Shape shape = x.HasRank() ? Shape::UnknownDims(x.rank()) : Shape::UnknownRank();
  if (ctx.HasInput(2)) {
    if (const auto wanted = ctx.KnownInts(2)) shape = Shape(*wanted);
    if (x.HasRank()) RequireOperandShape(ctx, 2, {static_cast<int64_t>(x.rank())});
    if (ctx.KnownInts(2) && !shape.IsKnown()) ctx.Fail("output_shape " + ToString(shape) + " has a negative dim");
  }
  if (x.HasRank()) {
    const Shape implied = UnpooledShape(ctx);  // says where the indices count, whatever shape is wanted
    if (!ctx.HasInput(2)) shape = implied;
    if (const Tensor* indices = implied.IsKnown() ? ctx.Constant(1) : nullptr; indices && indices->dtype() == DT_INT64) {
      const int64_t total = implied.NumElements();
      for (const int64_t index : ToInts(*indices)) {
        if (index >= 0 && index < total) continue;
        ctx.Fail("index " + std::to_string(index) + " is outside the " + std::to_string(total) + " elements of " +
                 ToString(implied));
      }
    }
    if (x.IsKnown()) RequireElements(ctx, 1, x.NumElements());
  }
  if (ctx.InType(1) != DT_INT64) {
    ctx.Fail("operand I is " + std::string(DataTypeName(ctx.InType(1))) + ", wanted DT_INT64");
  }
  ctx.SetOut(0, ctx.InType(0), shape);
}

void MaxUnpoolKernel(KernelContext& ctx) {
  const Tensor &x = ctx.In(0), &indices = ctx.In(1);
  // The indices count within the shape that the attributes imply; in another output_shape an element keeps its
  // coordinates (as the standard's own test has it).
  const Shape implied = UnpooledShape(ctx);
  const Shape shape = ctx.HasInput(2) ? Shape(ToInts(ctx.In(2))) : implied;
  if (!shape.IsKnown()) ctx.Fail("output_shape " + ToString(shape) + " has a negative dim");
  if (shape.rank() != implied.rank() || indices.NumElements() != x.NumElements() || indices.dtype() != DT_INT64) {
    ctx.Fail("output_shape " + ToString(shape) + " must have the rank of x, and the indices its size and type int64");
  }
  const int64_t total = implied.NumElements();
  const std::vector<int64_t> implied_strides = implied.Strides(), strides = shape.Strides();
  const auto place = [&](int64_t index) {
    if (index < 0 || index >= total) {
      ctx.Fail("index " + std::to_string(index) + " is outside the " + std::to_string(total) + " elements of " +
               ToString(implied));
    }
    int64_t at = 0;
    for (size_t d = 0; d < shape.rank(); ++d) {
      const int64_t coordinate = index / implied_strides[d] % implied[d];
      if (coordinate >= shape[d]) {
        ctx.Fail("index " + std::to_string(index) + " of " + ToString(implied) + " is outside output_shape " +
                 ToString(shape));
      }
      at += coordinate * strides[d];
    }
    return at;
  };
  Tensor& y = ctx.Out(0, x.dtype(), shape);
  DispatchMovable(ctx, x.dtype(), [&]<typename T>() {
    if constexpr (!std::is_same_v<T, std::string> && !std::is_same_v<T, Tensor>) {
      T* to = y.MutableData<T>();
      std::fill_n(to, y.NumElements(), T{});
      for (int64_t i = 0; i < x.NumElements(); ++i) to[place(indices.Data<int64_t>()[i])] = x.Data<T>()[i];
    } else {
      FailOnType(ctx, x.dtype());
    }
  });
}

}  // namespace

void RegisterMaxPoolOps(OpRegistry& registry) {
  registry.Add(OpDef("MaxPool3D")
                   .In("x")
                   .Out("y")
                   .RequiredAttr("ksize")
                   .RequiredAttr("strides")
                   .RequiredAttr("padding")
                   .Attr("pads", Ints(6, 0))
                   .Attr("dilation", Ints(5, 1))
                   .Attr("ceil_mode", 0)
                   .Attr("data_format", "NDHWC")
                   .Traits(kWidenHalf)
                   .Infer(InferMaxPool)
                   .Kernel(MaxPoolKernel));
  registry.Add(OpDef("MaxPoolV3")
                   .In("x")
                   .Out("y")
                   .RequiredAttr("ksize")
                   .RequiredAttr("strides")
                   .Attr("padding_mode", "CALCULATED")
                   .Attr("pads", Ints(4, 0))
                   .Attr("data_format", "NCHW")
                   .Attr("global_pooling", false)
                   .Attr("ceil_mode", false)
                   .Traits(kWidenHalf)
                   .Infer(InferMaxPool)
                   .Kernel(MaxPoolKernel));
  registry.Add(
      OpDef("onnx::GlobalMaxPool").In("X").Out("Y").Attr("opset", 1).Traits(kWidenHalf).Infer(InferGlobalPool).Kernel(
          GlobalMaxKernel));
  registry.Add(OpDef("onnx::MaxPool")
                   .In("X")
                   .Out("Y")
                   .OptOut("Indices")
                   .Attr("kernel_shape", Ints{})
                   .Attr("strides", Ints{})
                   .Attr("pads", Ints{})
                   .Attr("dilations", Ints{})
                   .Attr("auto_pad", "NOTSET")
                   .Attr("ceil_mode", 0)
                   .Attr("storage_order", 0)
                   .Attr("opset", 1)
                   .Traits(kWidenHalf)
                   .Infer(InferMaxPool)
                   .Kernel(MaxPoolKernel));
  registry.Add(OpDef("onnx::MaxUnpool")
                   .In("X")
                   .In("I")
                   .OptIn("output_shape")
                   .Out("output")
                   .Attr("kernel_shape", Ints{})
                   .Attr("strides", Ints{})
                   .Attr("pads", Ints{})
                   .Attr("opset", 9)
                   .Traits(kHalfNative)
                   .Infer(InferMaxUnpool)
                   .Kernel(MaxUnpoolKernel));
}

}  // namespace atc

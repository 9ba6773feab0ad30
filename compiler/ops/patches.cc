// Windows that slide over NHWC images: ExtractImagePatches, Dilation2D, MaxPoolWithArgmax.
#include <cmath>

#include "compiler/ops/dispatch.h"
#include "compiler/ops/infer_util.h"
#include "compiler/ops/families.h"
#include "compiler/ops/window.h"

namespace atc {
namespace {

using Ints = std::vector<int64_t>;

struct Sliding {
  std::vector<WindowAxis> axes;
  int64_t batch = 0, channels = 0;
};

// `kernel`: rows and columns. Strides and rates come from attributes with four entries.
template <typename Context>
Sliding Fit(const Context& ctx, const Shape& x, const Ints& kernel, const char* rates, const char* padding) {
  if (x.rank() != 4) ctx.Fail("x " + ToString(x) + " must be NHWC, of rank 4");
  WindowSpec spec;
  spec.kernel = kernel;
  spec.strides = SpatialPart(ctx.template Attr<Ints>("strides"), 2, true);
  spec.dilations = rates == nullptr ? Ints{1, 1} : SpatialPart(ctx.template Attr<Ints>(rates), 2, true);
  spec.pads_begin = spec.pads_end = {0, 0};
  spec.auto_pad = ctx.template Attr<std::string>(padding);
  if (spec.auto_pad != "SAME" && spec.auto_pad != "VALID") ctx.Fail("padding is '" + spec.auto_pad + "', wanted SAME or VALID");
  if (spec.kernel.size() != 2 || spec.strides.size() != 2 || spec.dilations.size() != 2) {
    ctx.Fail("its window, strides and rates must have four entries each");
  }
  Sliding sliding{{}, x[0], x[3]};
  const std::string fault = ResolveWindow(spec, {x[1], x[2]}, &sliding.axes);
  if (!fault.empty()) ctx.Fail(fault);
  return sliding;
}

// Calls fn(batch, row, column of the output, tap number, offset of the input pixel or -1 in the padding).
template <typename Fn>
void ForEachTap(const Sliding& s, Fn fn) {
  const WindowAxis &h = s.axes[0], &w = s.axes[1];
  for (int64_t n = 0; n < s.batch; ++n) {
    for (int64_t o = 0; o < h.out * w.out; ++o) {
      for (int64_t t = 0; t < h.kernel * w.kernel; ++t) {
        const int64_t row = o / w.out * h.stride - h.pad_begin + t / w.kernel * h.dilation;
        const int64_t column = o % w.out * w.stride - w.pad_begin + t % w.kernel * w.dilation;
        const bool inside = row >= 0 && row < h.in && column >= 0 && column < w.in;
        fn(n, n * h.out * w.out + o, t, inside ? ((n * h.in + row) * w.in + column) * s.channels : -1);
      }
    }
  }
}

Shape OutShape(const Sliding& s, int64_t channels) { return {s.batch, s.axes[0].out, s.axes[1].out, channels}; }

// ---- ExtractImagePatches: the window's pixels side by side in the channels ----

template <typename Context>
Sliding FitPatches(const Context& ctx) {
  return Fit(ctx, ctx.InShape(0), SpatialPart(ctx.template Attr<Ints>("ksizes"), 2, true), "rates", "padding");
}

int64_t Product(int64_t a, int64_t b) { return a < 0 || b < 0 ? kUnknownDim : a * b; }

void InferPatches(InferContext& ctx) {
  if (!ctx.InShape(0).HasRank()) return ctx.SetOut(0, ctx.InType(0), Shape::UnknownDims(4));
  const Sliding s = FitPatches(ctx);
  ctx.SetOut(0, ctx.InType(0), OutShape(s, Product(s.channels, s.axes[0].kernel * s.axes[1].kernel)));
}

void PatchesKernel(KernelContext& ctx) {
  const Sliding s = FitPatches(ctx);
  const int64_t taps = s.axes[0].kernel * s.axes[1].kernel;
  Tensor& y = ctx.Out(0, ctx.InType(0), OutShape(s, s.channels * taps));
  DispatchMovable(ctx, ctx.InType(0), [&]<typename T>() {
    ForEachTap(s, [&](int64_t, int64_t out, int64_t tap, int64_t from) {
      T* to = y.MutableData<T>() + (out * taps + tap) * s.channels;
      if (from < 0) std::fill_n(to, s.channels, T{});
      else std::copy_n(ctx.In(0).Data<T>() + from, s.channels, to);
    });
  });
}

// ---- Dilation2D: the largest sum of pixel and filter in the window ----

template <typename Context>
Sliding FitDilation(const Context& ctx) {
  const Shape& filter = ctx.InShape(1);
  if (ctx.InShape(0).rank() != 4 || ctx.InType(1) != ctx.InType(0)) {
    ctx.Fail("x " + ToString(ctx.InShape(0)) + " must be NHWC, of rank 4, and the filter of its type");
  }
  if (filter.rank() != 3 || (filter[2] >= 0 && ctx.InShape(0)[3] >= 0 && filter[2] != ctx.InShape(0)[3])) {
    ctx.Fail("filter " + ToString(filter) + " does not fit x " + ToString(ctx.InShape(0)));
  }
  return Fit(ctx, ctx.InShape(0), {filter[0], filter[1]}, "rates", "padding_mode");
}

void InferDilation(InferContext& ctx) {
  if (!ctx.InShape(0).HasRank() || !ctx.InShape(1).HasRank()) return ctx.SetOut(0, ctx.InType(0), Shape::UnknownDims(4));
  const Sliding s = FitDilation(ctx);
  ctx.SetOut(0, ctx.InType(0), OutShape(s, s.channels));
}

void DilationKernel(KernelContext& ctx) {
  const Sliding s = FitDilation(ctx);
  Tensor& y = ctx.Out(0, ctx.InType(0), OutShape(s, s.channels));
  Dispatch(NumberTypes{}, ctx, ctx.InType(0), [&]<typename T>() {
    T* to = y.MutableData<T>();
    std::fill_n(to, y.NumElements(), std::numeric_limits<T>::lowest());
    ForEachTap(s, [&](int64_t, int64_t out, int64_t tap, int64_t from) {
      for (int64_t c = 0; from >= 0 && c < s.channels; ++c) {
        const T sum = static_cast<T>(ctx.In(0).Data<T>()[from + c] + ctx.In(1).Data<T>()[tap * s.channels + c]);
        to[out * s.channels + c] = std::max(to[out * s.channels + c], sum);
      }
    });
  });
}

// ---- MaxPoolWithArgmax: the largest pixel and where it lies in the image, or in the batch ----

template <typename Context>
Sliding FitArgmax(const Context& ctx) {
  return Fit(ctx, ctx.InShape(0), SpatialPart(ctx.template Attr<Ints>("ksize"), 2, true), nullptr, "padding");
}

// The attribute Targmax as AscendIR has it: 3 for int32, 9 for int64.
DataType ArgmaxType(const Node& node) { return node.Attr<int64_t>("Targmax") == 3 ? DT_INT32 : DT_INT64; }

void InferArgmax(InferContext& ctx) {
  Shape shape = Shape::UnknownDims(4);
  if (ctx.InShape(0).HasRank()) {
    const Sliding s = FitArgmax(ctx);
    shape = OutShape(s, s.channels);
  }
  ctx.SetOut(0, ctx.InType(0), shape);
  ctx.SetOut(1, ArgmaxType(ctx.node()), shape);
}

void ArgmaxKernel(KernelContext& ctx) {
  const Sliding s = FitArgmax(ctx);
  const Shape shape = OutShape(s, s.channels);
  Tensor& y = ctx.Out(0, ctx.InType(0), shape);
  std::vector<int64_t> place(static_cast<size_t>(y.NumElements()), -1);
  const int64_t image = ctx.Attr<bool>("include_batch_in_index") ? 0 : s.axes[0].in * s.axes[1].in * s.channels;
  Dispatch(NumberTypes{}, ctx, ctx.InType(0), [&]<typename T>() {
    T* to = y.MutableData<T>();
    ForEachTap(s, [&](int64_t n, int64_t out, int64_t, int64_t from) {
      for (int64_t c = 0; from >= 0 && c < s.channels; ++c) {
        const T value = ctx.In(0).Data<T>()[from + c];
        const int64_t at = out * s.channels + c;
        if (place[static_cast<size_t>(at)] >= 0 && !(value > to[at])) continue;
        to[at] = value;
        place[static_cast<size_t>(at)] = from + c - n * image;
      }
    });
  });
  if (!ctx.WantsOutput(1)) return;
  Tensor& argmax = ctx.Out(1, ArgmaxType(ctx.node()), shape);
  Dispatch(IndexTypes{}, ctx, argmax.dtype(), [&]<typename T>() {
    std::transform(place.begin(), place.end(), argmax.MutableData<T>(), [](int64_t at) { return static_cast<T>(at); });
  });
}

}  // namespace

void RegisterPatchesOps(OpRegistry& registry) {
  registry.Add(OpDef("Dilation2D").In("x").In("filter").Out("y").RequiredAttr("strides").RequiredAttr("rates")
                   .Attr("padding_mode", "SAME").Attr("pads", Ints{0, 0, 0, 0}).Attr("ceil_mode", false)
                   .Attr("data_format", "NHWC").Traits(kWidenHalf).Infer(InferDilation).Kernel(DilationKernel));
  registry.Add(OpDef("ExtractImagePatches").In("x").Out("y").RequiredAttr("ksizes").RequiredAttr("strides")
                   .RequiredAttr("rates").RequiredAttr("padding").Traits(kHalfNative).Infer(InferPatches)
                   .Kernel(PatchesKernel));
  registry.Add(OpDef("MaxPoolWithArgmax").In("x").Out("y").Out("argmax").RequiredAttr("ksize").RequiredAttr("strides")
                   .RequiredAttr("padding").Attr("Targmax", 9).Attr("include_batch_in_index", false)
                   .Attr("data_format", "NHWC").Attr("nan_prop", false).Traits(kWidenHalf).Infer(InferArgmax)
                   .Kernel(ArgmaxKernel));
}

}  // namespace atc

// onnx::Col2Im (any number of spatial axes) and onnx::CenterCropPad.
#include "compiler/ir/infer_context.h"
#include "compiler/ops/dispatch.h"
#include "compiler/ops/families.h"
#include "compiler/ops/window.h"

namespace atc {
namespace {

using Ints = std::vector<int64_t>;

// The window that slid over the image when the columns were made.
template <typename Context>
std::vector<WindowAxis> FitColumns(const Context& ctx, const Ints& image, const Ints& block) {
  const size_t spatial = image.size();
  WindowSpec spec;
  spec.kernel = block;
  spec.strides = SpatialPart(ctx.template Attr<Ints>("strides"), spatial);
  spec.dilations = SpatialPart(ctx.template Attr<Ints>("dilations"), spatial);
  if (spatial == 0 || !SplitPads(ctx.template Attr<Ints>("pads"), spatial, false, &spec)) {
    ctx.Fail("image_shape must not be empty and pads must fit its " + std::to_string(spatial) + " axes");
  }
  for (const Ints* list : {&image, &block}) {
    if (std::any_of(list->begin(), list->end(), [](int64_t size) { return size < 1; })) {
      ctx.Fail("image_shape " + ToString(Shape(image)) + " and block_shape " + ToString(Shape(block)) +
               " must be positive");
    }
  }
  std::vector<WindowAxis> axes;
  const std::string fault = ResolveWindow(spec, image, &axes);
  if (!fault.empty()) ctx.Fail(fault);
  return axes;
}

void InferCol2Im(InferContext& ctx) {
  const auto image = ctx.KnownInts(1), block = ctx.KnownInts(2);
  if (!image) return ctx.SetOut(0, ctx.InType(0), Shape::UnknownRank());
  const Shape& x = ctx.InShape(0);
  Shape shape{kUnknownDim, kUnknownDim};
  if (x.HasRank() && x.rank() == 3) {
    shape[0] = x[0];
    if (block && x[1] >= 0) {
      int64_t taps = 1;
      for (const int64_t size : *block) taps *= size;
      if (taps > 0) shape[1] = x[1] / taps;
    }
  }
  shape.dims().insert(shape.dims().end(), image->begin(), image->end());
  ctx.SetOut(0, ctx.InType(0), shape);
}

void Col2ImKernel(KernelContext& ctx) {
  const Tensor& x = ctx.In(0);
  const Ints image = ToInts(ctx.In(1)), block = ToInts(ctx.In(2));
  const std::vector<WindowAxis> axes = FitColumns(ctx, image, block);
  int64_t plane = 1, positions = 1, taps = 1;
  for (const WindowAxis& axis : axes) {
    plane *= axis.in;
    positions *= axis.out;
    taps *= axis.kernel;
  }
  if (x.rank() != 3 || x.dim(1) % taps != 0 || x.dim(2) != positions) {
    ctx.Fail("input " + ToString(x.shape()) + " must be [N, C * " + std::to_string(taps) + ", " +
             std::to_string(positions) + "]");
  }
  const int64_t channels = x.dim(1) / taps, width = axes.back().in;
  Shape shape{x.dim(0), channels};
  shape.dims().insert(shape.dims().end(), image.begin(), image.end());
  Tensor& y = ctx.Out(0, x.dtype(), shape);
  Dispatch(NumberTypes{}, ctx, x.dtype(), [&]<typename T>() {
    T* to = y.MutableData<T>();
    std::fill_n(to, y.NumElements(), T{});
    std::vector<int64_t> tap(axes.size(), 0);
    const T* row = x.Data<T>();
    for (int64_t p = 0; p < x.dim(0) * channels; ++p) {
      T* image_plane = to + p * plane;
      do {
        ForEachTapRow(axes, tap, 0, positions, [&](int64_t j, int64_t n, int64_t offset, int64_t first, int64_t step) {
          if (offset < 0) return;
          for (int64_t k = 0; k < n; ++k) {
            const int64_t at = first + k * step;
            if (at >= 0 && at < width) image_plane[offset + at] = static_cast<T>(image_plane[offset + at] + row[j + k]);
          }
        });
        row += positions;
      } while (NextTap(axes, tap));
    }
  });
}

// The shape after cropping or padding; `wanted` names the sizes of the attribute's axes, or of all.
template <typename Context>
Shape CroppedShape(const Context& ctx, Shape shape, const Ints& wanted) {
  Ints axes = ctx.template Attr<Ints>("axes");
  if (axes.empty()) {
    for (size_t d = 0; d < shape.rank(); ++d) axes.push_back(static_cast<int64_t>(d));
  }
  if (axes.size() != wanted.size()) {
    ctx.Fail("shape has " + std::to_string(wanted.size()) + " entries for " + std::to_string(axes.size()) + " axes");
  }
  const auto rank = static_cast<int64_t>(shape.rank());
  for (size_t i = 0; i < axes.size(); ++i) {
    if (axes[i] < -rank || axes[i] >= rank || wanted[i] < 0) {
      ctx.Fail("axis " + std::to_string(axes[i]) + " with size " + std::to_string(wanted[i]) +
               " does not fit input_data " + ToString(shape));
    }
    shape[static_cast<size_t>(axes[i] < 0 ? axes[i] + rank : axes[i])] = wanted[i];
  }
  return shape;
}

void InferCenterCropPad(InferContext& ctx) {
  const Shape& x = ctx.InShape(0);
  if (!x.HasRank()) return ctx.SetOut(0, ctx.InType(0), x);
  const auto wanted = ctx.KnownInts(1);
  Shape shape = Shape::UnknownDims(x.rank());
  if (wanted) {
    shape = CroppedShape(ctx, x, *wanted);
  } else if (const Ints axes = ctx.Attr<Ints>("axes"); !axes.empty()) {
    shape = CroppedShape(ctx, x, Ints(axes.size(), 0));
    const Shape other = CroppedShape(ctx, x, Ints(axes.size(), 1));
    for (size_t d = 0; d < shape.rank(); ++d) shape[d] = shape[d] == other[d] ? shape[d] : kUnknownDim;
  }
  ctx.SetOut(0, ctx.InType(0), shape);
}

// The middle of input and output fall together; the odd element is cut or added at the end.
void CenterCropPadKernel(KernelContext& ctx) {
  const Tensor& x = ctx.In(0);
  const Shape shape = CroppedShape(ctx, x.shape(), ToInts(ctx.In(1)));
  const size_t rank = shape.rank();
  const Ints from_strides = x.shape().Strides(), to_strides = shape.Strides();
  Ints count(rank);
  int64_t from = 0, to = 0, total = 1;
  for (size_t d = 0; d < rank; ++d) {
    count[d] = std::min(x.dim(d), shape[d]);
    total *= count[d];
    if (x.dim(d) > shape[d]) from += (x.dim(d) - shape[d]) / 2 * from_strides[d];
    if (x.dim(d) < shape[d]) to += (shape[d] - x.dim(d)) / 2 * to_strides[d];
  }
  Tensor& y = ctx.Out(0, x.dtype(), shape);
  DispatchMovable(ctx, x.dtype(), [&]<typename T>() {
    std::fill_n(y.MutableData<T>(), y.NumElements(), T{});
    Ints at(rank, 0);
    for (int64_t i = 0; i < total; ++i) {
      int64_t a = from, b = to;
      for (size_t d = 0; d < rank; ++d) {
        a += at[d] * from_strides[d];
        b += at[d] * to_strides[d];
      }
      y.MutableData<T>()[b] = x.Data<T>()[a];
      for (size_t d = rank; d-- > 0;) {
        if (++at[d] < count[d]) break;
        at[d] = 0;
      }
    }
  });
}

}  // namespace

void RegisterImageOps(OpRegistry& registry) {
  registry.Add(OpDef("onnx::CenterCropPad")
                   .In("input_data")
                   .In("shape")
                   .Out("output_data")
                   .Attr("axes", Ints{})
                   .Attr("opset", 18)
                   .Traits(kHalfNative)
                   .Infer(InferCenterCropPad)
                   .Kernel(CenterCropPadKernel));
  registry.Add(OpDef("onnx::Col2Im")
                   .In("input")
                   .In("image_shape")
                   .In("block_shape")
                   .Out("output")
                   .Attr("dilations", Ints{})
                   .Attr("pads", Ints{})
                   .Attr("strides", Ints{})
                   .Attr("opset", 18)
                   .Traits(kWidenHalf)
                   .Infer(InferCol2Im)
                   .Kernel(Col2ImKernel));
}

}  // namespace atc

// Resize: AscendIR's Resize (ONNX up to opset 17) and onnx::Resize (with antialias, axes, keep_aspect_ratio_policy) for
// any rank, element type, mode and coordinate transformation.
#include <cmath>
#include <optional>

#include "compiler/ir/infer_context.h"
#include "compiler/ops/dispatch.h"
#include "compiler/ops/families.h"
#include "compiler/ops/operand_shape.h"
#include "compiler/ops/resize_axis.h"

namespace atc {
namespace {

using Ints = std::vector<int64_t>;

// Operands 2 and 3 as far as they are known; an empty tensor counts as absent, as exporters write it.
struct Wanted {
  std::vector<double> scales;
  Ints sizes;
};

// One axis of x each. Unknown input dims give unknown output dims.
template <typename Context>
std::vector<ResizeAxis> FitAxes(const Context& ctx, const Shape& x, const Wanted& wanted, const std::vector<double>& roi) {
  const Node& node = ctx.node();
  const size_t rank = x.rank();
  std::vector<ResizeAxis> axes(rank);
  for (size_t d = 0; d < rank; ++d) axes[d].in = axes[d].out = x[d];
  Ints named = node.def->FindAttr("axes") ? node.Attr<Ints>("axes") : Ints{};
  if (named.empty()) {
    for (size_t d = 0; d < rank; ++d) named.push_back(static_cast<int64_t>(d));
  }
  const size_t count = wanted.sizes.empty() ? wanted.scales.size() : wanted.sizes.size();
  if (count != named.size() || (!roi.empty() && roi.size() != 2 * named.size())) {
    ctx.Fail("scales or sizes (" + std::to_string(count) + " entries) and roi (" + std::to_string(roi.size()) +
             ") must fit " + std::to_string(named.size()) + " axes");
  }
  const std::string policy = node.def->FindAttr("keep_aspect_ratio_policy")
                                 ? node.Attr<std::string>("keep_aspect_ratio_policy")
                                 : "stretch";
  // With not_larger and not_smaller one scale serves all axes.
  std::optional<double> common;
  std::vector<size_t> at(named.size());
  for (size_t i = 0; i < named.size(); ++i) {
    const int64_t axis = named[i] < 0 ? named[i] + static_cast<int64_t>(rank) : named[i];
    if (axis < 0 || axis >= static_cast<int64_t>(rank)) {
      ctx.Fail("axis " + std::to_string(named[i]) + " is outside the rank of x " + ToString(x));
    }
    at[i] = static_cast<size_t>(axis);
    if (wanted.sizes.empty() || policy == "stretch" || x[at[i]] <= 0) continue;
    const double scale = static_cast<double>(wanted.sizes[i]) / static_cast<double>(x[at[i]]);
    common = !common ? scale : policy == "not_larger" ? std::min(*common, scale) : std::max(*common, scale);
  }
  for (size_t i = 0; i < named.size(); ++i) {
    ResizeAxis& axis = axes[at[i]];
    if (!roi.empty()) {
      axis.roi_begin = roi[i];
      axis.roi_end = roi[named.size() + i];
    }
    if (wanted.sizes.empty()) {
      axis.scale = wanted.scales[i];
      if (!(axis.scale > 0) || axis.scale > 1e9) ctx.Fail("scale " + std::to_string(axis.scale) + " is not positive");
      if (axis.in < 0) continue;
      axis.out = static_cast<int64_t>(std::floor(static_cast<double>(axis.in) * axis.scale));
      axis.length = static_cast<double>(axis.in) * axis.scale;
    } else {
      if (wanted.sizes[i] < 0) ctx.Fail("size " + std::to_string(wanted.sizes[i]) + " is negative");
      axis.out = wanted.sizes[i];
      if (policy != "stretch") {
        axis.out = axis.in < 0 ? kUnknownDim
                               : static_cast<int64_t>(std::floor(*common * static_cast<double>(axis.in) + 0.5));
      }
      axis.scale = axis.in <= 0 ? 1 : common ? *common : static_cast<double>(axis.out) / static_cast<double>(axis.in);
      axis.length = static_cast<double>(axis.out);
    }
  }
  return axes;
}

void InferResize(InferContext& ctx) {
  const Shape& x = ctx.InShape(0);
  if (!x.HasRank()) return ctx.SetOut(0, ctx.InType(0), x);
  Wanted wanted;
  const auto given = [&](size_t i) {
    return ctx.HasInput(i) && !(ctx.InShape(i).IsKnown() && ctx.InShape(i).NumElements() == 0);
  };
  if (given(3)) {
    if (const auto sizes = ctx.KnownInts(3)) wanted.sizes = *sizes;
  } else if (given(2)) {
    if (const Tensor* scales = ctx.Constant(2)) wanted.scales = ToDoubles(*scales);
  } else {
    ctx.Fail("both scales and sizes are missing");
  }
  const Node& node = ctx.node();
  const auto named = node.def->FindAttr("axes") ? node.Attr<Ints>("axes") : Ints{};
  const auto count = static_cast<int64_t>(named.empty() ? x.rank() : named.size());
  RequireElements(ctx, given(3) ? 3 : 2, count);
  Shape shape = Shape::UnknownDims(x.rank());
  for (size_t d = 0; d < x.rank() && !named.empty(); ++d) {
    const auto axis = static_cast<int64_t>(d), rank = static_cast<int64_t>(x.rank());
    const bool kept = std::none_of(named.begin(), named.end(), [&](int64_t n) { return n == axis || n + rank == axis; });
    if (kept) shape[d] = x[d];
  }
  if (!wanted.sizes.empty() || !wanted.scales.empty()) {
    const std::vector<ResizeAxis> axes = FitAxes(ctx, x, wanted, {});
    for (size_t d = 0; d < axes.size(); ++d) {
      if (axes[d].in == 0 && axes[d].out > 0) ctx.Fail("x " + ToString(x) + " has no element to resize");
      shape[d] = axes[d].out;
    }
  }
  ctx.SetOut(0, ctx.InType(0), shape, ctx.In(0).origin_format);
}

// Every output element is one input element, found axis by axis, or the extrapolation value.
template <typename T>
void Nearest(const ResizeRule& rule, const std::vector<ResizeAxis>& axes, const Tensor& x, Tensor& y) {
  const size_t rank = axes.size();
  std::vector<Ints> index(rank);
  for (size_t d = 0; d < rank; ++d) index[d] = NearestIndices(rule, axes[d]);
  const Ints strides = x.shape().Strides();
  Ints at(rank, 0);
  for (int64_t o = 0; o < y.NumElements(); ++o) {
    int64_t from = 0;
    for (size_t d = 0; d < rank; ++d) {
      const int64_t i = index[d][at[d]];
      from = i < 0 || from < 0 ? -1 : from + i * strides[d];
    }
    y.MutableData<T>()[o] = from < 0 ? static_cast<T>(rule.extrapolation_value) : x.Data<T>()[from];
    for (size_t d = rank; d-- > 0;) {
      if (++at[d] < axes[d].out) break;
      at[d] = 0;
    }
  }
}

// Interpolation is separable: one axis after the other, in double, rounded (integers: truncated) once at the end.
std::vector<double> Interpolate(const ResizeRule& rule, const std::vector<ResizeAxis>& axes, std::vector<double> values) {
  std::vector<int64_t> dims;
  for (const ResizeAxis& axis : axes) dims.push_back(axis.in);
  for (size_t d = 0; d < axes.size(); ++d) {
    if (IsIdentity(rule, axes[d])) continue;
    const std::vector<ResizeTaps> taps = InterpolationTaps(rule, axes[d]);
    int64_t outer = 1, inner = 1;
    for (size_t k = 0; k < d; ++k) outer *= dims[k];
    for (size_t k = d + 1; k < dims.size(); ++k) inner *= dims[k];
    std::vector<double> next(static_cast<size_t>(outer * axes[d].out * inner), 0.0);
    for (int64_t o = 0; o < outer; ++o) {
      for (int64_t j = 0; j < axes[d].out; ++j) {
        double* to = next.data() + (o * axes[d].out + j) * inner;
        const ResizeTaps& t = taps[static_cast<size_t>(j)];
        if (t.index.empty()) std::fill_n(to, inner, rule.extrapolation_value);
        for (size_t k = 0; k < t.index.size(); ++k) {
          const double* from = values.data() + (o * axes[d].in + t.index[k]) * inner;
          for (int64_t i = 0; i < inner; ++i) to[i] += t.weight[k] * from[i];
        }
      }
    }
    values = std::move(next);
    dims[d] = axes[d].out;
  }
  return values;
}

void ResizeKernel(KernelContext& ctx) {
  const Tensor& x = ctx.In(0);
  const auto given = [&](size_t i) { return ctx.HasInput(i) && ctx.In(i).NumElements() > 0; };
  Wanted wanted;
  if (given(3)) {
    wanted.sizes = ToInts(ctx.In(3));
  } else if (given(2)) {
    wanted.scales = ToDoubles(ctx.In(2));
  } else {
    ctx.Fail("both scales and sizes are missing");
  }
  const ResizeRule rule = ReadResizeRule(ctx.node());
  if (!rule.fault.empty()) ctx.Fail(rule.fault);
  const bool crop = rule.coordinates == "tf_crop_and_resize";
  if (crop && !given(1)) ctx.Fail("tf_crop_and_resize needs the operand roi");
  const auto axes = FitAxes(ctx, x.shape(), wanted, crop ? ToDoubles(ctx.In(1)) : std::vector<double>{});
  Shape shape = x.shape();
  for (size_t d = 0; d < axes.size(); ++d) {
    shape[d] = axes[d].out;
    if (axes[d].in == 0 && axes[d].out > 0) ctx.Fail("x " + ToString(x.shape()) + " has no element to resize");
  }
  Tensor& y = ctx.Out(0, x.dtype(), shape);
  Dispatch(NumberAndBoolTypes{}, ctx, x.dtype(), [&]<typename T>() {
    if (rule.mode == "nearest") return Nearest<T>(rule, axes, x, y);
    const std::vector<double> values = Interpolate(rule, axes, ToDoubles(x));
    for (int64_t i = 0; i < y.NumElements(); ++i) {
      double v = values[static_cast<size_t>(i)];
      if constexpr (std::is_integral_v<T>) {  // the largest value itself is not always a double: stay below its power
        const double low = static_cast<double>(std::numeric_limits<T>::lowest());
        const double high = std::ldexp(1.0, std::numeric_limits<T>::digits);
        if (!(v >= low)) v = low;
        y.MutableData<T>()[i] = v >= high ? std::numeric_limits<T>::max() : static_cast<T>(v);
      } else {
        y.MutableData<T>()[i] = static_cast<T>(v);
      }
    }
  });
}

// ---- TensorFlow's own ways: NHWC images of any number type, floats out ----

void InferImages(InferContext& ctx) {
  const Shape& x = ctx.InShape(0);
  Shape shape = Shape::UnknownDims(4);
  if (x.HasRank()) {
    if (x.rank() != 4) ctx.Fail("images " + ToString(x) + " must be NHWC, of rank 4");
    shape[0] = x[0];
    shape[3] = x[3];
  }
  const auto size = ctx.KnownInts(1);
  if (size && size->size() != 2) ctx.Fail("size must be rows and columns");
  for (size_t d = 0; size && d < 2; ++d) shape[d + 1] = (*size)[d];
  ctx.SetOut(0, DT_FLOAT, shape);
}

// Cubic: Keys' kernel where centres are kept, an older one elsewhere, both from a table.
ResizeRule ImageRule(const KernelContext& ctx, bool cubic) {
  const bool half = cubic && ctx.Attr<bool>("half_pixel_centers");
  ResizeRule rule;
  rule.mode = cubic ? "cubic" : "area";
  rule.coordinates = ctx.Attr<bool>("align_corners") ? "align_corners" : half ? "half_pixel" : "asymmetric";
  rule.cubic_a = half ? -0.5 : -0.75;
  rule.exclude_outside = half;
  rule.cubic_steps = 1024;
  return rule;
}

template <bool kCubic>
void ImagesKernel(KernelContext& ctx) {
  const Tensor& x = ctx.In(0);
  const Ints size = ToInts(ctx.In(1));
  if (x.rank() != 4 || size.size() != 2 || size[0] < 1 || size[1] < 1 || x.dim(1) < 1 || x.dim(2) < 1) {
    ctx.Fail("images " + ToString(x.shape()) + " must be NHWC with elements, and size two positive numbers");
  }
  std::vector<ResizeAxis> axes(4);
  Shape shape = x.shape();
  for (size_t d = 0; d < 4; ++d) {
    if (d == 1 || d == 2) shape[d] = size[d - 1];
    axes[d].in = x.dim(d);
    axes[d].out = shape[d];
    axes[d].scale = axes[d].in == 0 ? 1 : static_cast<double>(shape[d]) / static_cast<double>(axes[d].in);
    axes[d].length = static_cast<double>(shape[d]);
  }
  const std::vector<double> values = Interpolate(ImageRule(ctx, kCubic), axes, ToDoubles(x));
  std::copy(values.begin(), values.end(), ctx.Out(0, DT_FLOAT, shape).MutableData<float>());
}

OpDef Definition(Name type, const char* x, const char* y) {
  return OpDef(type)
      .In(x)
      .OptIn("roi").KeepDtype()
      .OptIn("scales").KeepDtype()
      .OptIn("sizes")
      .Out(y)
      .Attr("coordinate_transformation_mode", "half_pixel")
      .Attr("cubic_coeff_a", -0.75f)
      .Attr("exclude_outside", 0)
      .Attr("extrapolation_value", 0.0f)
      .Attr("mode", "nearest")
      .Attr("nearest_mode", "round_prefer_floor")
      .Traits(kWidenHalf)
      .Infer(InferResize)
      .Kernel(ResizeKernel);
}

}  // namespace

void RegisterResizeOps(OpRegistry& registry) {
  registry.Add(OpDef("tf::ResizeArea").In("images").In("size").Out("resized_images").Attr("align_corners", false)
                   .Infer(InferImages).Kernel(ImagesKernel<false>));
  registry.Add(OpDef("tf::ResizeBicubic").In("images").In("size").Out("resized_images").Attr("align_corners", false)
                   .Attr("half_pixel_centers", false).Infer(InferImages).Kernel(ImagesKernel<true>));
  registry.Add(Definition("Resize", "x", "y"));
  registry.Add(Definition("onnx::Resize", "X", "Y")
                   .Attr("antialias", 0)
                   .Attr("axes", Ints{})
                   .Attr("keep_aspect_ratio_policy", "stretch")
                   .Attr("opset", 18));
}

}  // namespace atc

// Normalisation over trailing axes: LayerNorm, LayerNormV3 and RmsNorm as AscendIR has them, those of a sum, and the ONNX
// operators for the cases that these cannot say (no bias, scale of another shape, statistics of another type than x).
#include <cmath>

#include "compiler/ir/infer_context.h"
#include "compiler/ops/evaluator.h"
#include "compiler/ops/expand.h"
#include "compiler/ops/families.h"
#include "compiler/ops/infer_util.h"
#include "compiler/ops/operand_shape.h"

namespace atc {
namespace {

// The axis from which on `x` is normalised.
template <typename Context>
size_t FirstAxis(const Context& ctx, const Shape& x, int64_t axis) {
  const auto rank = static_cast<int64_t>(x.rank());
  if (axis < -rank || axis >= std::max<int64_t>(rank, 1)) {
    ctx.Fail("axis " + std::to_string(axis) + " is outside the rank of x " + ToString(x));
  }
  return static_cast<size_t>(axis < 0 ? axis + rank : axis);
}

Shape StatisticsShape(Shape x, size_t first) {
  for (size_t d = first; d < x.rank(); ++d) x[d] = 1;
  return x;
}

Shape Trailing(const Shape& x, size_t first) {
  return Shape(std::vector<int64_t>(x.dims().begin() + static_cast<std::ptrdiff_t>(first), x.dims().end()));
}

struct Normalized {
  std::vector<double> y, mean, variance, inverse;  // inverse: 1 / sqrt(variance + epsilon)
};

// Of rows that first hold x. `centered`: subtract the mean (LayerNorm) or not (RMS norm, whose variance is then the mean
// square).
Normalized Normalize(std::vector<double> x, int64_t inner, double epsilon, bool centered) {
  Normalized result;
  result.y = std::move(x);
  const int64_t outer = inner == 0 ? 0 : static_cast<int64_t>(result.y.size()) / inner;
  for (int64_t r = 0; r < outer; ++r) {
    double* row = result.y.data() + r * inner;
    double mean = 0, variance = 0;
    if (centered) {
      for (int64_t i = 0; i < inner; ++i) mean += row[i];
      mean /= static_cast<double>(inner);
    }
    for (int64_t i = 0; i < inner; ++i) {
      row[i] -= mean;
      variance += row[i] * row[i];
    }
    const double inverse = 1 / std::sqrt(variance / static_cast<double>(inner) + epsilon);
    for (int64_t i = 0; i < inner; ++i) row[i] *= inverse;
    result.mean.push_back(mean);
    result.variance.push_back(variance / static_cast<double>(inner));
    result.inverse.push_back(inverse);
  }
  return result;
}

// The same of x with the shape of operand 0, scaled and shifted; an undefined `shift` is none.
Normalized Affine(const KernelContext& ctx, std::vector<double> x, size_t first, bool centered, const Tensor& scale,
                  const Tensor& shift) {
  const DataType dtype = ctx.In(0).dtype();
  if (!IsHalf(dtype) && dtype != DT_FLOAT && dtype != DT_DOUBLE) {
    ctx.Fail("element type " + std::string(DataTypeName(dtype)) + " is not supported by this operator");
  }
  const Shape trailing = Trailing(ctx.In(0).shape(), first);
  Normalized n = Normalize(std::move(x), trailing.NumElements(), static_cast<double>(ctx.Attr<float>("epsilon")), centered);
  const std::vector<double> factors = ExpandedDoubles(ctx, scale, trailing), terms = ExpandedDoubles(ctx, shift, trailing);
  for (size_t i = 0; i < n.y.size(); ++i) n.y[i] = n.y[i] * factors[i % factors.size()] + terms[i % terms.size()];
  return n;
}

void Store(KernelContext& ctx, size_t index, DataType type, const Shape& shape, const std::vector<double>& values) {
  if (!ctx.WantsOutput(index)) return;
  if (IsHalf(type)) {
    Tensor wide = Tensor::Allocate(DT_FLOAT, shape);
    StoreFloats(wide, values);
    Tensor narrow = Narrow(wide, type);
    std::copy_n(narrow.Data(), narrow.NumBytes(), ctx.Out(index, type, shape).MutableData());
  } else {
    StoreFloats(ctx.Out(index, type, shape), values);
  }
}

// What the operators of one tensor share; scale is operand 1, bias operand 2 where there is one.
void Run(KernelContext& ctx, size_t first, bool centered, bool bias, DataType statistics) {
  const Tensor& x = ctx.In(0);
  const Normalized n =
      Affine(ctx, ToDoubles(x), first, centered, ctx.In(1), bias && ctx.HasInput(2) ? ctx.In(2) : Tensor());
  const Shape reduced = StatisticsShape(x.shape(), first);
  Store(ctx, 0, x.dtype(), x.shape(), n.y);
  Store(ctx, 1, statistics, reduced, centered ? n.mean : n.inverse);
  Store(ctx, 2, statistics, reduced, ctx.node().type() == "LayerNorm" ? n.variance : n.inverse);
}

// The operands behind x must fit what is normalised of it.
void RequireParameters(const InferContext& ctx, size_t first) {
  const Shape trailing = Trailing(ctx.InShape(0), first);
  for (size_t i = 1; i < ctx.num_inputs(); ++i) RequireBroadcastTo(ctx, i, trailing);
}

void InferLayerNormV3(InferContext& ctx) {
  const Shape& x = ctx.InShape(0);
  ctx.SetOut(0, ctx.InType(0), x);
  Shape reduced = x;
  if (x.HasRank()) {
    const size_t first = FirstAxis(ctx, x, ctx.Attr<int64_t>("begin_norm_axis"));
    RequireParameters(ctx, first);
    reduced = StatisticsShape(x, first);
  }
  ctx.SetOut(1, ctx.InType(0), reduced);
  ctx.SetOut(2, ctx.InType(0), reduced);
}

void LayerNormV3Kernel(KernelContext& ctx) {
  Run(ctx, FirstAxis(ctx, ctx.InShape(0), ctx.Attr<int64_t>("begin_norm_axis")), true, true, ctx.InType(0));
}

// RmsNorm and the norms of sums go over as many trailing axes as gamma has, which is operand `port`.
template <typename Context>
size_t GammaAxis(const Context& ctx, size_t port = 1) {
  const size_t rank = ctx.InShape(0).rank(), own = ctx.InShape(port).rank();
  if (own > rank) {
    ctx.Fail("gamma " + ToString(ctx.InShape(port)) + " has more dims than x " + ToString(ctx.InShape(0)));
  }
  return rank - own;
}

void InferRmsNorm(InferContext& ctx) {
  const Shape& x = ctx.InShape(0);
  ctx.SetOut(0, ctx.InType(0), x);
  const bool ranked = x.HasRank() && ctx.InShape(1).HasRank();
  if (ranked) RequireParameters(ctx, GammaAxis(ctx));
  ctx.SetOut(1, ctx.InType(0), ranked ? StatisticsShape(x, GammaAxis(ctx)) : Shape::UnknownRank());
}

void RmsNormKernel(KernelContext& ctx) { Run(ctx, GammaAxis(ctx), false, false, ctx.InType(0)); }

// Norms of x1 + x2, where `kCentered` (LayerNorm) + bias. The operands are x1, x2, gamma, and then beta and bias; the
// results y, then the mean, then the inverse root of the variance (RMS norm: of the mean square), and the sum. Statistics
// are float whatever x is, unless a precision mode lowers them; y is made from the sum before it is rounded.
constexpr size_t kGamma = 2, kBeta = 3, kBias = 4;

template <bool kCentered>
void InferAddNorm(InferContext& ctx) {
  const Shape& x = ctx.InShape(0);
  const bool ranked = x.HasRank() && ctx.InShape(kGamma).HasRank();
  Shape reduced = Shape::UnknownRank();
  if (x.HasRank()) RequireOperandShape(ctx, 1, x);
  if (ranked) {
    const size_t first = GammaAxis(ctx, kGamma);
    RequireOperandShape(ctx, kGamma, Trailing(x, first));
    reduced = StatisticsShape(x, first);
    if (kCentered) {
      RequireOperandShape(ctx, kBeta, Trailing(x, first));
      if (ctx.num_inputs() > kBias) RequireBroadcastTo(ctx, kBias, x);
    }
  }
  size_t out = 0;
  ctx.SetOut(out++, ctx.InType(0), x);
  if (kCentered) ctx.SetOut(out++, DT_FLOAT, reduced);
  ctx.SetOut(out++, DT_FLOAT, reduced);
  ctx.SetOut(out++, ctx.InType(0), x);
}

template <bool kCentered>
void AddNormKernel(KernelContext& ctx) {
  const Tensor& x1 = ctx.In(0);
  const auto add = [&](std::vector<double>& sum, const Tensor& term) {
    const std::vector<double> terms = ExpandedDoubles(ctx, term, x1.shape());
    for (size_t i = 0; i < sum.size(); ++i) sum[i] += terms[i];
  };
  std::vector<double> sum = ToDoubles(x1);
  add(sum, ctx.In(1));
  if (kCentered && ctx.HasInput(kBias)) add(sum, ctx.In(kBias));
  const size_t first = GammaAxis(ctx, kGamma);
  const Shape reduced = StatisticsShape(x1.shape(), first);
  const Normalized n = Affine(ctx, sum, first, kCentered, ctx.In(kGamma), kCentered ? ctx.In(kBeta) : Tensor());
  size_t out = 0;
  Store(ctx, out++, x1.dtype(), x1.shape(), n.y);
  if (kCentered) Store(ctx, out++, DT_FLOAT, reduced, n.mean);
  Store(ctx, out++, DT_FLOAT, reduced, n.inverse);
  Store(ctx, out++, x1.dtype(), x1.shape(), sum);
}

// ONNX: statistics have the type that stash_type names (float unless it says bf16).
DataType StashType(const Node& node, DataType x) {
  const DataType named = DataTypeFromOnnx(static_cast<int>(node.Attr<int64_t>("stash_type")));
  return x == DT_DOUBLE ? DT_DOUBLE : named == DT_UNDEFINED ? DT_FLOAT : named;
}

void InferOnnx(InferContext& ctx) {
  const Shape& x = ctx.InShape(0);
  ctx.SetOut(0, ctx.InType(0), x);
  Shape reduced = x;
  if (x.HasRank()) {
    const size_t first = FirstAxis(ctx, x, ctx.Attr<int64_t>("axis"));
    RequireParameters(ctx, first);
    reduced = StatisticsShape(x, first);
  }
  const DataType statistics = StashType(ctx.node(), ctx.InType(0));
  ctx.SetOut(1, statistics, reduced);
  ctx.SetOut(2, statistics, reduced);
}

void OnnxKernel(KernelContext& ctx) {
  const bool layer = ctx.node().type() == "onnx::LayerNormalization";
  Run(ctx, FirstAxis(ctx, ctx.InShape(0), ctx.Attr<int64_t>("axis")), layer, layer,
      StashType(ctx.node(), ctx.InType(0)));
}

}  // namespace

void RegisterLayerNormOps(OpRegistry& registry) {
  registry.Add(OpDef("LayerNorm")
                   .In("x")
                   .In("gamma")
                   .In("beta")
                   .Out("y")
                   .OptOut("mean")
                   .OptOut("variance")
                   .Attr("begin_norm_axis", 0)
                   .Attr("begin_params_axis", 0)
                   .Attr("epsilon", 1e-7f)
                   .Traits(kWidenHalf)
                   .Infer(InferLayerNormV3)
                   .Kernel(LayerNormV3Kernel));
  registry.Add(OpDef("LayerNormV3")
                   .In("x")
                   .In("gamma")
                   .In("beta")
                   .Out("y")
                   .OptOut("mean")
                   .OptOut("rstd")
                   .Attr("begin_norm_axis", 0)
                   .Attr("begin_params_axis", 0)
                   .Attr("epsilon", 1e-5f)
                   .Traits(kWidenHalf)
                   .Infer(InferLayerNormV3)
                   .Kernel(LayerNormV3Kernel));
  registry.Add(OpDef("RmsNorm")
                   .In("x")
                   .In("gamma")
                   .Out("y")
                   .OptOut("rstd")
                   .Attr("epsilon", 1e-6f)
                   .Traits(kWidenHalf)
                   .Infer(InferRmsNorm)
                   .Kernel(RmsNormKernel));
  registry.Add(OpDef("AddLayerNorm")
                   .In("x1")
                   .In("x2")
                   .In("gamma")
                   .In("beta")
                   .OptIn("bias")
                   .Out("y")
                   .OptOut("mean")
                   .OptOut("rstd")
                   .OptOut("x")
                   .Attr("epsilon", 1e-5f)
                   .Attr("additional_output", false)
                   .Traits(kWidenHalf)
                   .Infer(InferAddNorm<true>)
                   .Kernel(AddNormKernel<true>));
  registry.Add(OpDef("AddRmsNorm")
                   .In("x1")
                   .In("x2")
                   .In("gamma")
                   .Out("y")
                   .OptOut("rstd")
                   .OptOut("x")
                   .Attr("epsilon", 1e-6f)
                   .Traits(kWidenHalf)
                   .Infer(InferAddNorm<false>)
                   .Kernel(AddNormKernel<false>));
  // These take half types as they are: their statistics stay float when x is fp16.
  registry.Add(OpDef("onnx::LayerNormalization")
                   .In("X")
                   .In("Scale")
                   .OptIn("B")
                   .Out("Y")
                   .OptOut("Mean")
                   .OptOut("InvStdDev")
                   .Attr("axis", -1)
                   .Attr("epsilon", 1e-5f)
                   .Attr("stash_type", 1)
                   .Attr("opset", 17)
                   .Traits(kHalfNative)
                   .Infer(InferOnnx)
                   .Kernel(OnnxKernel));
  registry.Add(OpDef("onnx::RMSNormalization")
                   .In("X")
                   .In("scale")
                   .Out("Y")
                   .Attr("axis", -1)
                   .Attr("epsilon", 1e-5f)
                   .Attr("stash_type", 1)
                   .Attr("opset", 23)
                   .Traits(kHalfNative)
                   .Infer(InferOnnx)
                   .Kernel(OnnxKernel));
}

}  // namespace atc

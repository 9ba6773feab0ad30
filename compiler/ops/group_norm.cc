// Normalisation of groups of elements of one sample: InstanceNorm, GroupNormV2 and onnx::GroupNormalization (channels
// in groups), MVNV2 (any axes, no parameters).
#include <cmath>

#include "compiler/ir/infer_context.h"
#include "compiler/ops/dispatch.h"
#include "compiler/ops/expand.h"
#include "compiler/ops/families.h"
#include "compiler/ops/infer_util.h"
#include "compiler/ops/operand_shape.h"

namespace atc {
namespace {

struct Statistics {
  std::vector<double> mean, variance;  // [batch * groups]
};

// y = (x - mean) / sqrt(variance + epsilon) * scale + bias for x [batch, channels, inner...] in `groups` groups of
// channels; scale and bias have one element a channel or one a group.
Statistics NormalizeGroups(KernelContext& ctx, int64_t groups, double epsilon) {
  const Tensor& x = ctx.In(0);
  if (x.rank() < 2) ctx.Fail("x " + ToString(x.shape()) + " must have a rank of at least 2");
  const int64_t batch = x.dim(0), channels = x.dim(1);
  if (groups < 1 || channels % groups != 0) {
    ctx.Fail(std::to_string(channels) + " channels do not divide into " + std::to_string(groups) + " groups");
  }
  const int64_t inner = batch * channels == 0 ? 0 : x.NumElements() / (batch * channels);
  const int64_t per_group = channels / groups;
  std::vector<double> scale(channels, 1.0), bias(channels, 0.0);
  for (size_t i : {1, 2}) {
    if (!ctx.HasInput(i)) continue;
    const std::vector<double> values = ToDoubles(ctx.In(i));
    const auto count = static_cast<int64_t>(values.size());
    if (count != channels && count != groups) {
      ctx.Fail(ctx.node().def->InputName(i) + " has " + std::to_string(count) + " elements, wanted " +
               std::to_string(channels));
    }
    for (int64_t c = 0; c < channels; ++c) (i == 1 ? scale : bias)[c] = values[count == channels ? c : c / per_group];
  }
  Statistics result;
  Tensor& y = ctx.Out(0, x.dtype(), x.shape());
  Dispatch(FloatTypes{}, ctx, x.dtype(), [&]<typename T>() {
    const int64_t size = per_group * inner;
    for (int64_t g = 0; g < batch * groups; ++g) {
      const T* from = x.Data<T>() + g * size;
      T* to = y.MutableData<T>() + g * size;
      double mean = 0, variance = 0;
      for (int64_t i = 0; i < size; ++i) mean += static_cast<double>(from[i]);
      mean /= static_cast<double>(size);
      for (int64_t i = 0; i < size; ++i) {
        const double d = static_cast<double>(from[i]) - mean;
        variance += d * d;
      }
      variance /= static_cast<double>(size);
      const double inverse = 1 / std::sqrt(variance + epsilon);
      for (int64_t i = 0; i < size; ++i) {
        const size_t c = static_cast<size_t>(g % groups * per_group + i / inner);
        to[i] = static_cast<T>((static_cast<double>(from[i]) - mean) * inverse * scale[c] + bias[c]);
      }
      result.mean.push_back(mean);
      result.variance.push_back(variance);
    }
  });
  return result;
}

void RequireChannelsFirst(const KernelContext& ctx) {
  const auto format = ctx.Attr<std::string>("data_format");
  if (format != "NCHW" && format != "NCDHW" && format != "ND") {
    ctx.Fail("data_format is " + format + ", wanted NCHW, NCDHW or ND");
  }
}

void InferInstanceNorm(InferContext& ctx) {
  Shape shape = ctx.InShape(0);
  ctx.SetOut(0, ctx.InType(0), shape, ctx.In(0).origin_format);
  if (shape.HasRank()) {
    if (shape.rank() < 2) ctx.Fail("x " + ToString(shape) + " must have a rank of at least 2");
    for (size_t i = 1; i < 3; ++i) RequireElements(ctx, i, shape[1]);
    for (size_t d = 2; d < shape.rank(); ++d) shape[d] = 1;
  }
  ctx.SetOut(1, ctx.InType(0), shape);
  ctx.SetOut(2, ctx.InType(0), shape);
}

void InstanceNormKernel(KernelContext& ctx) {
  RequireChannelsFirst(ctx);
  Shape shape = ctx.InShape(0);
  const Statistics s = NormalizeGroups(ctx, shape.rank() > 1 ? shape[1] : 1, ctx.Attr<float>("epsilon"));
  for (size_t d = 2; d < shape.rank(); ++d) shape[d] = 1;
  if (ctx.WantsOutput(1)) StoreFloats(ctx.Out(1, ctx.InType(0), shape), s.mean);
  if (ctx.WantsOutput(2)) StoreFloats(ctx.Out(2, ctx.InType(0), shape), s.variance);
}

void InferGroupNorm(InferContext& ctx) {
  ctx.SetOut(0, ctx.InType(0), ctx.InShape(0), ctx.In(0).origin_format);
  const int64_t batch = ctx.InShape(0).HasRank() && ctx.InShape(0).rank() > 0 ? ctx.InShape(0)[0] : kUnknownDim;
  ctx.SetOut(1, ctx.InType(0), {batch, ctx.Attr<int64_t>("num_groups")});
  ctx.SetOut(2, ctx.InType(0), {batch, ctx.Attr<int64_t>("num_groups")});
}

void GroupNormKernel(KernelContext& ctx) {
  RequireChannelsFirst(ctx);
  const int64_t groups = ctx.Attr<int64_t>("num_groups");
  const double epsilon = ctx.Attr<float>("eps");
  Statistics s = NormalizeGroups(ctx, groups, epsilon);
  for (double& v : s.variance) v = 1 / std::sqrt(v + epsilon);
  const Shape shape{ctx.InShape(0)[0], groups};
  if (ctx.WantsOutput(1)) StoreFloats(ctx.Out(1, ctx.InType(0), shape), s.mean);
  if (ctx.WantsOutput(2)) StoreFloats(ctx.Out(2, ctx.InType(0), shape), s.variance);
}

void OnnxGroupNormKernel(KernelContext& ctx) {
  NormalizeGroups(ctx, ctx.Attr<int64_t>("num_groups"), ctx.Attr<float>("epsilon"));
}

// y = (x - mean) / (sqrt(E[x^2] - mean^2) + eps) over the axes.
void MvnKernel(KernelContext& ctx) {
  const Tensor& x = ctx.In(0);
  const auto rank = static_cast<int64_t>(x.rank());
  Shape reduced = x.shape();
  for (const int64_t axis : ctx.Attr<std::vector<int64_t>>("axes")) {
    if (axis < -rank || axis >= rank) {
      ctx.Fail("axis " + std::to_string(axis) + " is outside the rank of x " + ToString(x.shape()));
    }
    reduced[static_cast<size_t>(axis < 0 ? axis + rank : axis)] = 1;
  }
  const double epsilon = ctx.Attr<float>("eps");
  const auto groups = static_cast<size_t>(reduced.NumElements());
  const BroadcastPlan plan = PlanBroadcast(x.shape(), {reduced});
  const int64_t step = plan.strides[0].back();
  std::vector<double> mean(groups, 0.0), square(groups, 0.0), values = ToDoubles(x);
  const auto each = [&](auto visit) {
    ForEachRow<1>(plan, [&](int64_t at, const std::array<int64_t, 1>& from) {
      for (int64_t i = 0; i < plan.inner(); ++i) visit(values[at + i], static_cast<size_t>(from[0] + i * step));
    });
  };
  each([&](double v, size_t g) {
    mean[g] += v;
    square[g] += v * v;
  });
  const double count = groups == 0 ? 1 : static_cast<double>(values.size()) / static_cast<double>(groups);
  for (size_t g = 0; g < groups; ++g) {
    mean[g] /= count;
    square[g] = std::sqrt(std::max(0.0, square[g] / count - mean[g] * mean[g])) + epsilon;
  }
  each([&](double& v, size_t g) { v = (v - mean[g]) / square[g]; });
  Dispatch(FloatTypes{}, ctx, x.dtype(), [&]<typename T>() { StoreFloats(ctx.Out(0, x.dtype(), x.shape()), values); });
}

}  // namespace

void RegisterGroupNormOps(OpRegistry& registry) {
  registry.Add(OpDef("GroupNormV2")
                   .In("x")
                   .In("gamma")
                   .In("beta")
                   .Out("y")
                   .OptOut("mean")
                   .OptOut("rstd")
                   .RequiredAttr("num_groups")
                   .Attr("data_format", "NHWC")
                   .Attr("eps", 1e-5f)
                   .Attr("is_training", true)
                   .Traits(kWidenHalf)
                   .Infer(InferGroupNorm)
                   .Kernel(GroupNormKernel));
  registry.Add(OpDef("InstanceNorm")
                   .In("x")
                   .In("gamma")
                   .In("beta")
                   .Out("y")
                   .OptOut("mean")
                   .OptOut("variance")
                   .Attr("data_format", "NDHWC")
                   .Attr("epsilon", 1e-6f)
                   .Traits(kWidenHalf)
                   .Infer(InferInstanceNorm)
                   .Kernel(InstanceNormKernel));
  registry.Add(OpDef("MVNV2")
                   .In("x")
                   .Out("y")
                   .Attr("eps", 1e-9f)
                   .Attr("axes", std::vector<int64_t>{0, 2, 3})
                   .Traits(kWidenHalf)
                   .Infer(InferSameAsInput)
                   .Kernel(MvnKernel));
  registry.Add(OpDef("onnx::GroupNormalization")
                   .In("X")
                   .In("scale")
                   .In("bias")
                   .Out("Y")
                   .Attr("num_groups", 0)
                   .Attr("epsilon", 1e-5f)
                   .Attr("stash_type", 1)
                   .Attr("opset", 18)
                   .Traits(kWidenHalf)
                   .Infer(InferSameAsInput)
                   .Kernel(OnnxGroupNormKernel));
}

}  // namespace atc

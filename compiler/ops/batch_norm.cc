// Batch normalisation: BatchNorm for inference, onnx::BatchNormalization for training mode and per-activation statistics.
#include <cmath>

#include "compiler/ir/infer_context.h"
#include "compiler/ops/data_format.h"
#include "compiler/ops/dispatch.h"
#include "compiler/ops/families.h"
#include "compiler/ops/operand_shape.h"

namespace atc {
namespace {

// x as [batch, features, inner]: one mean and variance a feature.
struct Features {
  int64_t batch, features, inner;
};

template <typename Context>
Features FitFeatures(const Context& ctx, bool per_activation) {
  const Shape& x = ctx.InShape(0);
  if (x.rank() < 1) ctx.Fail("x is a scalar, wanted a rank of at least 1");
  Features f{x[0], 1, 1};
  if (x.rank() == 1) f = {1, x[0], 1};  // one channel axis alone
  if (IsChannelsLast(ctx.node()) && x.rank() > 2) {
    f = {x.NumElements() / std::max<int64_t>(1, x[x.rank() - 1]), x[x.rank() - 1], 1};
  } else {
    for (size_t d = 1; d < x.rank(); ++d) (d == 1 || per_activation ? f.features : f.inner) *= x[d];
  }
  for (size_t i = 1; i < 5; ++i) {
    if (!ctx.HasInput(i)) continue;
    if (ctx.InShape(i).NumElements() != f.features) {
      ctx.Fail("operand " + ctx.node().def->InputName(i) + " has shape " + ToString(ctx.InShape(i)) + ", x " +
               ToString(x) + " wants " + std::to_string(f.features) + " elements");
    }
  }
  return f;
}

// The mean and the variance over batch and inner dims (divided by their number) of each feature, in double.
template <typename T>
void Statistics(const Features& f, const T* x, std::vector<double>* mean, std::vector<double>* variance) {
  const double count = static_cast<double>(f.batch * f.inner);
  const auto sum_over = [&](int64_t c, auto map) {
    double sum = 0;
    for (int64_t n = 0; n < f.batch; ++n) {
      const T* from = x + (n * f.features + c) * f.inner;
      for (int64_t i = 0; i < f.inner; ++i) sum += map(static_cast<double>(from[i]));
    }
    return sum / count;
  };
  for (int64_t c = 0; c < f.features; ++c) {
    const double m = sum_over(c, [](double v) { return v; });
    mean->push_back(m);
    variance->push_back(sum_over(c, [m](double v) { return (v - m) * (v - m); }));
  }
}

template <typename T>
void Normalize(const Features& f, const T* x, const std::vector<double>& scale, const std::vector<double>& offset,
               const std::vector<double>& mean, const std::vector<double>& variance, double epsilon, T* y) {
  for (int64_t i = 0; i < f.batch * f.features; ++i) {
    const size_t c = static_cast<size_t>(i % f.features);
    const double factor = scale[c] / std::sqrt(variance[c] + epsilon);
    for (int64_t j = i * f.inner; j < (i + 1) * f.inner; ++j) {
      y[j] = static_cast<T>((static_cast<double>(x[j]) - mean[c]) * factor + offset[c]);
    }
  }
}

// Statistics of each place of a feature, rather than one of a feature, come from old opsets.
bool IsPerActivation(const Node& node) {
  const int64_t* spatial = node.attrs.FindAs<int64_t>("spatial");
  return spatial != nullptr && *spatial == 0;
}

void InferBatchNorm(InferContext& ctx) {
  const Shape& x = ctx.InShape(0);
  const Format declared = x.HasRank() ? DataFormatOf(ctx.node(), x.rank()) : FORMAT_ND;
  const Format format = ctx.In(0).origin_format == FORMAT_ND ? declared : ctx.In(0).origin_format;
  if (x.HasRank() && x.rank() > 0 && !IsPerActivation(ctx.node())) {
    const size_t channels = x.rank() == 1 ? 0 : IsChannelsLast(ctx.node()) && x.rank() > 2 ? x.rank() - 1 : 1;
    for (size_t i = 1; i < 5; ++i) RequireElements(ctx, i, x[channels]);
  }
  ctx.SetOut(0, ctx.InType(0), x, format);
  for (size_t i = 1; i < ctx.num_outputs(); ++i) ctx.SetOut(i, ctx.InType(1), ctx.InShape(1));
}

void BatchNormKernel(KernelContext& ctx) {
  if (!KnownDataFormat(ctx.node())) ctx.Fail("data_format is " + ctx.Attr<std::string>("data_format"));
  const bool training = ctx.Attr<bool>("is_training");
  if (!training && (!ctx.HasInput(3) || !ctx.HasInput(4))) ctx.Fail("mean and variance are missing");
  const Features f = FitFeatures(ctx, false);
  const Tensor& x = ctx.In(0);
  Tensor& y = ctx.Out(0, x.dtype(), x.shape());
  Dispatch(FloatTypes{}, ctx, x.dtype(), [&]<typename T>() {
    std::vector<double> mean, variance;
    if (training) {
      Statistics(f, x.Data<T>(), &mean, &variance);
    } else {
      mean = ToDoubles(ctx.In(3));
      variance = ToDoubles(ctx.In(4));
    }
    Normalize(f, x.Data<T>(), ToDoubles(ctx.In(1)), ToDoubles(ctx.In(2)), mean, variance,
              static_cast<double>(ctx.Attr<float>("epsilon")), y.MutableData<T>());
    for (size_t i = 1; i < ctx.num_outputs(); ++i) {  // batch_mean, batch_variance, and the same as reserve spaces
      Dispatch(FloatTypes{}, ctx, ctx.InType(1), [&]<typename S>() {
        const std::vector<double>& from = i % 2 == 1 ? mean : variance;
        // batch_variance estimates that of the population: divided by one less than the number of elements.
        const auto count = static_cast<double>(f.batch * f.inner);
        const double factor = training && i == 2 && count > 1 ? count / (count - 1) : 1;
        std::transform(from.begin(), from.end(), ctx.Out(i, ctx.InType(1), ctx.InShape(1)).MutableData<S>(),
                       [factor](double v) { return static_cast<S>(v * factor); });
      });
    }
  });
}

// ONNX's training mode: y from the batch's own statistics; further outputs are the running mean and variance
// (old * momentum + new * (1 - momentum)) and, before opset 14, the batch's own ones.
void OnnxKernel(KernelContext& ctx) {
  const int64_t opset = ctx.Attr<int64_t>("opset");
  const bool training = opset >= 14  ? ctx.Attr<int64_t>("training_mode") != 0
                        : opset >= 7 ? ctx.num_outputs() > 1
                                     : ctx.Attr<int64_t>("is_test") == 0;
  const Features f = FitFeatures(ctx, opset < 9 && ctx.Attr<int64_t>("spatial") == 0);
  const Tensor& x = ctx.In(0);
  const double momentum = static_cast<double>(ctx.Attr<float>("momentum"));
  Tensor& y = ctx.Out(0, x.dtype(), x.shape());
  Dispatch(FloatTypes{}, ctx, x.dtype(), [&]<typename T>() {
    const std::vector<double> old_mean = ToDoubles(ctx.In(3)), old_variance = ToDoubles(ctx.In(4));
    std::vector<double> mean, variance;
    if (training) {
      Statistics(f, x.Data<T>(), &mean, &variance);
    } else {
      mean = old_mean;
      variance = old_variance;
    }
    Normalize(f, x.Data<T>(), ToDoubles(ctx.In(1)), ToDoubles(ctx.In(2)), mean, variance,
              static_cast<double>(ctx.Attr<float>("epsilon")), y.MutableData<T>());
    for (size_t i = 1; i < ctx.num_outputs(); ++i) {
      const std::vector<double>& old = i % 2 == 1 ? old_mean : old_variance;
      const std::vector<double>& now = i % 2 == 1 ? mean : variance;
      Dispatch(FloatTypes{}, ctx, ctx.InType(3), [&]<typename S>() {
        S* to = ctx.Out(i, ctx.InType(3), ctx.InShape(3)).MutableData<S>();
        for (size_t c = 0; c < now.size(); ++c) {
          to[c] = static_cast<S>(i < 3 ? old[c] * momentum + now[c] * (1 - momentum) : now[c]);
        }
      });
    }
  });
}

}  // namespace

void RegisterBatchNormOps(OpRegistry& registry) {
  registry.Add(OpDef("BatchNorm")
                   .In("x")
                   .In("scale")
                   .In("offset")
                   .OptIn("mean")
                   .OptIn("variance")
                   .Out("y")
                   .OptOut("batch_mean")
                   .OptOut("batch_variance")
                   .OptOut("reserve_space_1")
                   .OptOut("reserve_space_2")
                   .OptOut("reserve_space_3")
                   .Attr("epsilon", 1e-4f)
                   .Attr("data_format", "NHWC")
                   .Attr("is_training", true)
                   .Attr("exponential_avg_factor", 1.0f)
                   .Traits(kWidenHalf)
                   .Infer(InferBatchNorm)
                   .Kernel(BatchNormKernel));
  registry.Add(OpDef("onnx::BatchNormalization")
                   .In("X")
                   .In("scale")
                   .In("B")
                   .In("input_mean")
                   .In("input_var")
                   .Out("Y")
                   .OptOut("running_mean")
                   .OptOut("running_var")
                   .OptOut("saved_mean")
                   .OptOut("saved_var")
                   .Attr("epsilon", 1e-5f)
                   .Attr("momentum", 0.9f)
                   .Attr("training_mode", 0)
                   .Attr("spatial", 1)
                   .Attr("is_test", 0)
                   .Attr("opset", 1)
                   .Traits(kWidenHalf)
                   .Infer(InferBatchNorm)
                   .Kernel(OnnxKernel));
}

}  // namespace atc

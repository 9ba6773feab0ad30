// Running sums, products and log-sum-exps along an axis.
#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "compiler/ops/axis_loop.h"
#include "compiler/ops/dispatch.h"
#include "compiler/ops/families.h"
#include "compiler/ops/infer_util.h"
#include "compiler/ops/integer.h"
#include "compiler/ops/math.h"

namespace atc {
namespace {

struct SumStep {
  static constexpr int kNeutral = 0;
  template <typename T>
  static T Combine(T a, T b) {
    if constexpr (std::is_integral_v<T>) return integer::Add(a, b);
    else return a + b;
  }
};
struct ProductStep {
  static constexpr int kNeutral = 1;
  template <typename T>
  static T Combine(T a, T b) {
    if constexpr (std::is_integral_v<T>) return integer::Mul(a, b);
    else return a * b;
  }
};

// exclusive: element k combines those before k; reverse: from the end. Floats are accumulated in double.
template <typename Step>
void CumulativeKernel(KernelContext& ctx) {
  const Shape& shape = ctx.InShape(0);
  const AxisLoop loop(shape, CheckedAxis(ctx, OneInt(ctx, 1, "axis"), shape));
  const bool exclusive = ctx.Attr<bool>("exclusive"), reverse = ctx.Attr<bool>("reverse");
  Tensor& out = ctx.Out(0, ctx.InType(0), shape);
  Dispatch(NumberTypes{}, ctx, ctx.InType(0), [&]<typename T>() {
    using Acc = std::conditional_t<std::is_floating_point_v<T>, double, T>;
    for (int64_t o = 0; o < loop.outer; ++o) {
      for (int64_t i = 0; i < loop.inner; ++i) {
        Acc acc = Step::kNeutral;
        for (int64_t n = 0; n < loop.length; ++n) {
          const int64_t at = loop.Offset(o, reverse ? loop.length - 1 - n : n, i);
          const Acc next = Step::Combine(acc, static_cast<Acc>(ctx.In(0).Data<T>()[at]));
          out.MutableData<T>()[at] = static_cast<T>(exclusive ? acc : next);
          acc = next;
        }
      }
    }
  });
}

// ln(exp(a) + exp(b)) without overflow.
double LogOfSum(double a, double b) {
  const double high = std::max(a, b);
  if (std::isinf(high)) return high;
  return high + math::Log1p(math::Exp(std::min(a, b) - high));
}

void LogSumExpKernel(KernelContext& ctx) {
  const Shape& shape = ctx.InShape(0);
  const AxisLoop loop(shape, CheckedAxis(ctx, OneInt(ctx, 1, "axis"), shape));
  const bool exclusive = ctx.Attr<bool>("exclusive"), reverse = ctx.Attr<bool>("reverse");
  Tensor& out = ctx.Out(0, ctx.InType(0), shape);
  Dispatch(Types<float, double>{}, ctx, ctx.InType(0), [&]<typename T>() {
    for (int64_t at = 0; at < loop.outer * loop.inner; ++at) {
      double acc = static_cast<double>(std::numeric_limits<T>::lowest());  // what TensorFlow gives before the first one
      for (int64_t n = 0; n < loop.length; ++n) {
        const int64_t i = loop.Offset(at / loop.inner, reverse ? loop.length - 1 - n : n, at % loop.inner);
        const double next = LogOfSum(acc, static_cast<double>(ctx.In(0).Data<T>()[i]));
        out.MutableData<T>()[i] = static_cast<T>(exclusive ? acc : next);
        acc = next;
      }
    }
  });
}

}  // namespace

void RegisterCumulativeOps(OpRegistry& registry) {
  const auto cumulative = [](const char* type) {
    return OpDef(type).In("x").In("axis").Out("y").Attr("exclusive", false).Attr("reverse", false).Traits(kWidenHalf)
        .Infer(InferSameAsInput);
  };
  registry.Add(cumulative("CumulativeLogsumexp").Kernel(LogSumExpKernel));
  registry.Add(cumulative("Cumprod").Kernel(CumulativeKernel<ProductStep>));
  registry.Add(cumulative("Cumsum").Kernel(CumulativeKernel<SumStep>));
}

}  // namespace atc

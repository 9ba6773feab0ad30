// Running sums and products along an axis.
#include <type_traits>

#include "compiler/ops/axis_loop.h"
#include "compiler/ops/dispatch.h"
#include "compiler/ops/families.h"
#include "compiler/ops/infer_util.h"
#include "compiler/ops/integer.h"

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

}  // namespace

void RegisterCumulativeOps(OpRegistry& registry) {
  const auto cumulative = [](const char* type) {
    return OpDef(type).In("x").In("axis").Out("y").Attr("exclusive", false).Attr("reverse", false).Traits(kWidenHalf)
        .Infer(InferSameAsInput);
  };
  registry.Add(cumulative("Cumprod").Kernel(CumulativeKernel<ProductStep>));
  registry.Add(cumulative("Cumsum").Kernel(CumulativeKernel<SumStep>));
}

}  // namespace atc

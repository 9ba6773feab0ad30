// Functions of one operand: arithmetic, rounding, exponential, trigonometric and bit operators.
#include <cmath>

#include "compiler/ops/elementwise.h"
#include "compiler/ops/families.h"
#include "compiler/ops/infer_util.h"
#include "compiler/ops/integer.h"
#include "compiler/ops/math.h"

namespace atc {
namespace {

// A float takes the double function, rounded once.
template <double (*Fn)(double)>
struct Function {
  template <typename T>
  T operator()(T x) const {
    return static_cast<T>(Fn(static_cast<double>(x)));
  }
};

struct AbsOp {
  template <typename T>
  T operator()(T x) const {
    if constexpr (std::is_floating_point_v<T>) return std::fabs(x);
    else return x < 0 ? integer::Neg(x) : x;
  }
};
struct NegOp {
  template <typename T>
  T operator()(T x) const {
    if constexpr (std::is_floating_point_v<T>) return -x;
    else return integer::Neg(x);
  }
};
// NaN stays NaN, and zeros become +0.
struct SignOp {
  template <typename T>
  T operator()(T x) const {
    if (x != x) return x;
    return static_cast<T>((x > 0) - (x < 0));
  }
};
struct SquareOp {
  template <typename T>
  T operator()(T x) const {
    if constexpr (std::is_floating_point_v<T>) return x * x;
    else return integer::Mul(x, x);
  }
};
struct InvertOp {
  template <typename T>
  T operator()(T x) const {
    return static_cast<T>(~x);
  }
};
struct SqrtOp {
  template <typename T>
  T operator()(T x) const {
    return std::sqrt(x);
  }
};
struct RsqrtOp {
  template <typename T>
  T operator()(T x) const {
    return static_cast<T>(1.0 / std::sqrt(static_cast<double>(x)));
  }
};
struct ReciprocalOp {
  template <typename T>
  T operator()(T x) const {
    return T{1} / x;
  }
};
struct FloorOp {
  template <typename T>
  T operator()(T x) const {
    return std::floor(x);
  }
};
struct CeilOp {
  template <typename T>
  T operator()(T x) const {
    return std::ceil(x);
  }
};

// Half to even, at `decimals` places behind (negative: before) the point.
void RoundKernel(KernelContext& ctx) {
  const int64_t decimals = ctx.Attr<int64_t>("decimals");
  Dispatch(Types<float, double, int32_t, int64_t>{}, ctx, ctx.InType(0), [&]<typename T>() {
    if constexpr (std::is_integral_v<T>) {
      if (decimals >= 0) return ctx.SetOut(0, ctx.In(0));
    }
    if (decimals == 0) return MapElements<T, T>(ctx, [](T x) { return static_cast<T>(std::nearbyint(x)); });
    const double unit = math::Pow(10.0, static_cast<double>(std::abs(decimals)));
    MapElements<T, T>(ctx, [=](T x) {
      const double wide = static_cast<double>(x);
      return static_cast<T>(decimals > 0 ? std::nearbyint(wide * unit) / unit : std::nearbyint(wide / unit) * unit);
    });
  });
}

// base^(scale * x + shift); base -1 means e.
void ExpKernel(KernelContext& ctx) {
  const double base = ctx.Attr<float>("base");
  const double factor = (base > 0 ? math::Log(base) : 1.0) * ctx.Attr<float>("scale");
  const double shift = (base > 0 ? math::Log(base) : 1.0) * ctx.Attr<float>("shift");
  Dispatch(FloatTypes{}, ctx, ctx.InType(0), [&]<typename T>() {
    MapElements<T, T>(ctx, [=](T x) { return static_cast<T>(math::Exp(x * factor + shift)); });
  });
}

// log_base(scale * x + shift); base -1 means e.
void LogKernel(KernelContext& ctx) {
  const double base = ctx.Attr<float>("base");
  const double divisor = base > 0 ? math::Log(base) : 1.0;
  const double scale = ctx.Attr<float>("scale"), shift = ctx.Attr<float>("shift");
  Dispatch(FloatTypes{}, ctx, ctx.InType(0), [&]<typename T>() {
    MapElements<T, T>(ctx, [=](T x) { return static_cast<T>(math::Log(x * scale + shift) / divisor); });
  });
}

// Beyond 0.5 the difference 1 - erf(x) loses digits.
struct ErfcOp {
  template <typename T>
  T operator()(T x) const {
    return static_cast<T>(math::Erfc(static_cast<double>(x)));
  }
};

void IsFiniteKernel(KernelContext& ctx) {
  Dispatch(FloatTypes{}, ctx, ctx.InType(0),
           [&]<typename T>() { MapElements<T, bool>(ctx, [](T x) { return std::isfinite(x); }); });
}

void InferBool(InferContext& ctx) { ctx.SetOut(0, DT_BOOL, ctx.InShape(0)); }

void IsNanKernel(KernelContext& ctx) {
  Dispatch(FloatTypes{}, ctx, ctx.InType(0),
           [&]<typename T>() { MapElements<T, bool>(ctx, [](T x) { return x != x; }); });
}

// `sign` says which infinities count: the operator of AscendIR has no attributes and counts both.
template <bool kOnnx>
void IsInfKernel(KernelContext& ctx) {
  const bool negative = !kOnnx || ctx.node().attrs.Get<int64_t>("detect_negative", 1) != 0;
  const bool positive = !kOnnx || ctx.node().attrs.Get<int64_t>("detect_positive", 1) != 0;
  Dispatch(FloatTypes{}, ctx, ctx.InType(0), [&]<typename T>() {
    MapElements<T, bool>(ctx, [=](T x) { return std::isinf(x) && (x < 0 ? negative : positive); });
  });
}

struct Unary {
  const char* type;
  KernelFn kernel;
};

constexpr Unary kSameType[] = {
    {"Abs", UnaryKernel<AbsOp, NumberTypes>},
    {"Acos", UnaryKernel<Function<math::Acos>, FloatTypes>},
    {"Acosh", UnaryKernel<Function<math::Acosh>, FloatTypes>},
    {"Asin", UnaryKernel<Function<math::Asin>, FloatTypes>},
    {"Asinh", UnaryKernel<Function<math::Asinh>, FloatTypes>},
    {"Atan", UnaryKernel<Function<math::Atan>, FloatTypes>},
    {"Atanh", UnaryKernel<Function<math::Atanh>, FloatTypes>},
    {"Ceil", UnaryKernel<CeilOp, FloatTypes>},
    {"Cos", UnaryKernel<Function<math::Cos>, FloatTypes>},
    {"Cosh", UnaryKernel<Function<math::Cosh>, FloatTypes>},
    {"Erf", UnaryKernel<Function<math::Erf>, FloatTypes>},
    {"Erfc", UnaryKernel<ErfcOp, FloatTypes>},
    {"Expm1", UnaryKernel<Function<math::Expm1>, FloatTypes>},
    {"Floor", UnaryKernel<FloorOp, FloatTypes>},
    {"Invert", UnaryKernel<InvertOp, IntTypes>},
    {"Log1p", UnaryKernel<Function<math::Log1p>, FloatTypes>},
    {"Neg", UnaryKernel<NegOp, NumberTypes>},
    {"Reciprocal", UnaryKernel<ReciprocalOp, FloatTypes>},
    {"Rsqrt", UnaryKernel<RsqrtOp, FloatTypes>},
    {"Sign", UnaryKernel<SignOp, NumberTypes>},
    {"Sin", UnaryKernel<Function<math::Sin>, FloatTypes>},
    {"Sinh", UnaryKernel<Function<math::Sinh>, FloatTypes>},
    {"Sqrt", UnaryKernel<SqrtOp, FloatTypes>},
    {"Square", UnaryKernel<SquareOp, NumberTypes>},
    {"Tan", UnaryKernel<Function<math::Tan>, FloatTypes>},
    {"Tanh", UnaryKernel<Function<math::Tanh>, FloatTypes>},
};

}  // namespace

void RegisterElementwiseUnaryOps(OpRegistry& registry) {
  const auto unary = [](const char* type) { return OpDef(type).In("x").Out("y").Traits(kElementwiseTraits); };
  for (const Unary& op : kSameType) registry.Add(unary(op.type).Infer(InferSameAsInput).Kernel(op.kernel));
  for (const Unary& op : {Unary{"Exp", ExpKernel}, Unary{"Log", LogKernel}}) {
    registry.Add(unary(op.type).Attr("base", -1.0f).Attr("scale", 1.0f).Attr("shift", 0.0f).Infer(InferSameAsInput)
                     .Kernel(op.kernel));
  }
  registry.Add(unary("Round").Attr("decimals", 0).Infer(InferSameAsInput).Kernel(RoundKernel));
  registry.Add(unary("IsFinite").Infer(InferBool).Kernel(IsFiniteKernel));
  registry.Add(unary("IsInf").Infer(InferBool).Kernel(IsInfKernel<false>));
  registry.Add(unary("IsNan").Infer(InferBool).Kernel(IsNanKernel));
  registry.Add(OpDef("onnx::IsInf").In("X").Out("Y").Attr("detect_negative", 1).Attr("detect_positive", 1)
                   .Attr("opset", 0).Traits(kElementwiseTraits).Infer(InferBool).Kernel(IsInfKernel<true>));
}

}  // namespace atc

// Activation functions. Formulas with exponentials are evaluated in double and rounded once.
#include <algorithm>
#include <cmath>

#include "compiler/ops/elementwise.h"
#include "compiler/ops/families.h"
#include "compiler/ops/infer_util.h"
#include "compiler/ops/integer.h"
#include "compiler/ops/math.h"

namespace atc {
namespace {

// The float attributes of a node, as the function of an activation takes them.
using Params = double[3];
using ActivationFn = double (*)(double x, const Params& p);

double Sigmoid(double x) { return 1.0 / (1.0 + math::Exp(-x)); }
// log(1 + exp(x)) without overflow.
double Softplus(double x) { return (x > 0 ? x : 0.0) + math::Log1p(math::Exp(-std::fabs(x))); }
// NaN goes through.
double Clamp01(double x) { return x < 0 ? 0.0 : x > 1 ? 1.0 : x; }

// Constants of the self-normalising unit (Klambauer et al. 2017) as ONNX and the AscendIR operator fix them.
constexpr float kSeluAlpha = 1.67326319217681884765625f;
constexpr float kSeluGamma = 1.05070102214813232421875f;

double EluOf(double x, double alpha) { return x > 0 ? x : alpha * math::Expm1(x); }

double CeluFn(double x, const Params& p) { return x > 0 ? x : p[0] * math::Expm1(x / p[0]); }
// alpha1 * (exp(x / alpha2) - 1) below zero, alpha3 * x above.
double Celu3Fn(double x, const Params& p) { return x > 0 ? p[2] * x : p[0] * math::Expm1(x / p[1]); }
double EluFn(double x, const Params& p) {
  return x > 0 ? p[1] * x : p[1] * p[0] * math::Expm1(x * p[2]);
}
double FastGeluFn(double x, const Params&) { return x * Sigmoid(1.702 * x); }
// The error function as a parabola of two halves (Kim et al., I-BERT, 2021).
double FastGeluV2Fn(double x, const Params&) {
  const double clipped = std::min(std::fabs(x) * 0.70710678118654752440, 1.769) - 1.769;
  const double half_erf = -0.1444 * clipped * clipped + 0.5;
  return x * ((x < 0 ? -half_erf : half_erf) + 0.5);
}
double GeluErfFn(double x, const Params&) { return 0.5 * x * (1.0 + math::Erf(x * 0.70710678118654752440)); }
double GeluTanhFn(double x, const Params&) {
  return 0.5 * x * (1.0 + math::Tanh(0.79788456080286535588 * (x + 0.044715 * x * x * x)));  // sqrt(2 / pi)
}
double HardSigmoidFn(double x, const Params& p) { return Clamp01(p[0] * x + p[1]); }
double HardSwishFn(double x, const Params&) { return x * Clamp01(x / 6.0 + 0.5); }
double LeakyReluFn(double x, const Params& p) { return x < 0 ? p[0] * x : x; }
double MishFn(double x, const Params&) { return x * math::Tanh(Softplus(x)); }
double OnnxSeluFn(double x, const Params& p) { return p[1] * EluOf(x, p[0]); }
double SeluFn(double x, const Params&) { return kSeluGamma * EluOf(x, kSeluAlpha); }
double ShrinkFn(double x, const Params& p) { return x < -p[0] ? x + p[1] : x > p[0] ? x - p[1] : 0.0; }
double SigmoidFn(double x, const Params&) { return Sigmoid(x); }
double SoftplusFn(double x, const Params&) { return Softplus(x); }
double SoftsignFn(double x, const Params&) { return x / (1.0 + std::fabs(x)); }
double SwishFn(double x, const Params& p) { return x * Sigmoid(p[0] * x); }
double ThresholdedReluFn(double x, const Params& p) { return x > p[0] || x != x ? x : 0.0; }
double ThresholdFn(double x, const Params& p) { return x > p[0] ? 1.0 : 0.0; }

// Output 0: fn of each element. The attributes are the node's float ones in the order of the definition.
template <ActivationFn kFn, typename List = FloatTypes>
void ActivationKernel(KernelContext& ctx) {
  Params params{};
  size_t count = 0;
  for (const AttrDef& attr : ctx.node().def->attrs) {
    if (std::holds_alternative<float>(attr.fallback)) params[count++] = ctx.Attr<float>(attr.name);
  }
  Dispatch(List{}, ctx, ctx.InType(0), [&]<typename T>() {
    MapElements<T, T>(ctx, [&params](T x) { return integer::FromDouble<T>(kFn(static_cast<double>(x), params)); });
  });
}

void GeluV2Kernel(KernelContext& ctx) {
  if (ctx.Attr<std::string>("approximate") == "tanh") {
    ActivationKernel<GeluTanhFn>(ctx);
  } else {
    ActivationKernel<GeluErfFn>(ctx);
  }
}

// NaN goes through, as in NumPy's maximum.
struct ReluOp {
  template <typename T>
  T operator()(T x) const {
    return x < 0 ? T{0} : x;
  }
};

struct Relu6Op {
  template <typename T>
  T operator()(T x) const {
    return x < 0 ? T{0} : x > 6 ? T{6} : x;
  }
};

// min(max(x, low), high): where low > high the result is high, as ONNX says. NaN of x goes through.
template <typename T>
T Clip(T x, T low, T high) {
  const T raised = x < low ? low : x;
  return raised > high ? high : raised;
}

void ClipByValueKernel(KernelContext& ctx) {
  RequireSameTypes(ctx);
  const Shape shape = BroadcastInputShapes(ctx);
  Dispatch(NumberTypes{}, ctx, ctx.InType(0), [&]<typename T>() {
    BroadcastTernary<T, T, T, T>(ctx.In(0), ctx.In(1), ctx.In(2), ctx.Out(0, ctx.InType(0), shape), Clip<T>);
  });
}

// Bounds are inputs (since opset 11, each optional) or attributes (before).
void OnnxClipKernel(KernelContext& ctx) {
  Dispatch(NumberTypes{}, ctx, ctx.InType(0), [&]<typename T>() {
    const auto bound = [&](size_t input, Name attr, T fallback) {
      if (ctx.HasInput(input) && ctx.InType(input) == ctx.InType(0) && ctx.In(input).NumElements() == 1) {
        return *ctx.In(input).Data<T>();
      }
      if (ctx.HasInput(input)) ctx.Fail("bound " + attr.str() + " must be one value of the type of the input");
      const float* value = ctx.node().attrs.FindAs<float>(attr);
      return value ? integer::FromDouble<T>(*value) : fallback;
    };
    using Limits = std::numeric_limits<T>;
    const T low = bound(1, "min", Limits::has_infinity ? -Limits::infinity() : Limits::lowest());
    const T high = bound(2, "max", Limits::has_infinity ? Limits::infinity() : Limits::max());
    MapElements<T, T>(ctx, [=](T x) { return Clip(x, low, high); });
  });
}

struct Activation {
  const char* type;
  KernelFn kernel;
};

constexpr Activation kPlain[] = {
    {"FastGelu", ActivationKernel<FastGeluFn>},
    {"FastGeluV2", ActivationKernel<FastGeluV2Fn>},
    {"Gelu", ActivationKernel<GeluTanhFn>},
    {"HardSwish", ActivationKernel<HardSwishFn>},
    {"Mish", ActivationKernel<MishFn>},
    {"Relu", UnaryKernel<ReluOp, NumberTypes>},
    {"Relu6", UnaryKernel<Relu6Op, NumberTypes>},
    {"Selu", ActivationKernel<SeluFn, Types<float, double, int8_t, int32_t>>},
    {"Sigmoid", ActivationKernel<SigmoidFn>},
    {"Softplus", ActivationKernel<SoftplusFn>},
    {"Softsign", ActivationKernel<SoftsignFn>},
};

}  // namespace

void RegisterActivationOps(OpRegistry& registry) {
  const auto activation = [](const char* type, const char* x = "x", const char* y = "y") {
    return OpDef(type).In(x).Out(y).Traits(kElementwiseTraits).Infer(InferSameAsInput);
  };
  for (const Activation& op : kPlain) registry.Add(activation(op.type).Kernel(op.kernel));
  registry.Add(activation("Celu").Attr("alpha1", 1.0f).Attr("alpha2", 1.0f).Attr("alpha3", 1.0f)
                   .Kernel(ActivationKernel<Celu3Fn>));
  registry.Add(activation("CeluV2").Attr("alpha", 1.0f).Kernel(ActivationKernel<CeluFn>));
  registry.Add(OpDef("ClipByValue").In("x").In("clip_value_min").In("clip_value_max").Out("y")
                   .Traits(kElementwiseTraits).Infer(InferBroadcast).Kernel(ClipByValueKernel));
  registry.Add(activation("Elu").Attr("alpha", 1.0f).Attr("scale", 1.0f).Attr("input_scale", 1.0f)
                   .Kernel(ActivationKernel<EluFn>));
  registry.Add(activation("GeluV2").Attr("approximate", "none").Kernel(GeluV2Kernel));
  registry.Add(activation("HardSigmoid", "input_x", "output_y").Attr("alpha", 0.16666666f).Attr("beta", 0.5f)
                   .Kernel(ActivationKernel<HardSigmoidFn, Types<float, double, int32_t>>));
  registry.Add(activation("LeakyRelu").Attr("negative_slope", 0.0f).Kernel(ActivationKernel<LeakyReluFn>));
  registry.Add(activation("Shrink", "input_x", "output_y").Attr("lambd", 0.5f).Attr("bias", 0.0f)
                   .Kernel(ActivationKernel<ShrinkFn, NumberTypes>));
  registry.Add(activation("Swish").Attr("scale", 1.0f).Kernel(ActivationKernel<SwishFn>));
  registry.Add(activation("Threshold").Attr("threshold", 0.0f).Kernel(ActivationKernel<ThresholdFn>));

  registry.Add(OpDef("onnx::Clip").In("input").OptIn("min").OptIn("max").Out("output").Attr("opset", 0)
                   .Traits(kElementwiseTraits).Infer(InferSameAsInput).Kernel(OnnxClipKernel));
  registry.Add(activation("onnx::Selu", "X", "Y").Attr("alpha", kSeluAlpha).Attr("gamma", kSeluGamma)
                   .Attr("opset", 0).Kernel(ActivationKernel<OnnxSeluFn>));
  registry.Add(activation("onnx::ThresholdedRelu", "X", "Y").Attr("alpha", 1.0f).Attr("opset", 0)
                   .Kernel(ActivationKernel<ThresholdedReluFn>));
}

}  // namespace atc

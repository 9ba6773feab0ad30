#include "backend/kernels/tile_functions.h"

#include <algorithm>
#include <cmath>

namespace atc::kernels {
namespace {

template <float (*F)(float, const float*)>
void Unary(const float* const* args, float* out, int n, const float* params) {
  const float* x = args[0];
  for (int i = 0; i < n; ++i) out[i] = F(x[i], params);
}

template <float (*F)(float, float)>
void Binary(const float* const* args, float* out, int n, const float*) {
  const float* a = args[0];
  const float* b = args[1];
  for (int i = 0; i < n; ++i) out[i] = F(a[i], b[i]);
}

void Clip(const float* const* args, float* out, int n, const float*) {
  for (int i = 0; i < n; ++i) {
    const float x = args[0][i];
    const float low = args[1][i];
    const float high = args[2][i];
    const float raised = x < low ? low : x;
    out[i] = raised > high ? high : raised;
  }
}

float Logistic(float x) { return 1.0f / (1.0f + std::exp(-x)); }
float Clamp01(float x) { return x < 0 ? 0.0f : x > 1 ? 1.0f : x; }
float SoftplusOf(float x) { return (x > 0 ? x : 0.0f) + std::log1p(std::exp(-std::fabs(x))); }
float GeluErf(float x) { return 0.5f * x * (1.0f + std::erf(x * 0.70710678f)); }
float GeluTanh(float x) { return 0.5f * x * (1.0f + std::tanh(0.79788456f * (x + 0.044715f * x * x * x))); }

float AbsFn(float x, const float*) { return std::fabs(x); }
float AddsFn(float x, const float* p) { return x + p[0]; }
float CeilFn(float x, const float*) { return std::ceil(x); }
float CosFn(float x, const float*) { return std::cos(x); }
float EluFn(float x, const float* p) { return x > 0 ? p[1] * x : p[1] * p[0] * std::expm1(x * p[2]); }
float ErfFn(float x, const float*) { return std::erf(x); }
float ExpFn(float x, const float*) { return std::exp(x); }
float FastGeluFn(float x, const float*) { return x * Logistic(1.702f * x); }
float FloorFn(float x, const float*) { return std::floor(x); }
float GeluErfFn(float x, const float*) { return GeluErf(x); }
float GeluTanhFn(float x, const float*) { return GeluTanh(x); }
float HardSigmoidFn(float x, const float* p) { return Clamp01(p[0] * x + p[1]); }
float HardSwishFn(float x, const float*) { return x * Clamp01(x / 6.0f + 0.5f); }
float LeakyReluFn(float x, const float* p) { return x < 0 ? p[0] * x : x; }
float LogFn(float x, const float*) { return std::log(x); }
float MishFn(float x, const float*) { return x * std::tanh(SoftplusOf(x)); }
float MulsFn(float x, const float* p) { return x * p[0]; }
float NegFn(float x, const float*) { return -x; }
float ReciprocalFn(float x, const float*) { return 1.0f / x; }
float Relu6Fn(float x, const float*) { return x < 0 ? 0.0f : x > 6 ? 6.0f : x; }
float ReluFn(float x, const float*) { return x < 0 ? 0.0f : x; }
float RsqrtFn(float x, const float*) { return 1.0f / std::sqrt(x); }
float SigmoidFn(float x, const float*) { return Logistic(x); }
float SinFn(float x, const float*) { return std::sin(x); }
float SoftplusFn(float x, const float*) { return SoftplusOf(x); }
float SoftsignFn(float x, const float*) { return x / (1.0f + std::fabs(x)); }
float SqrtFn(float x, const float*) { return std::sqrt(x); }
float SquareFn(float x, const float*) { return x * x; }
float SwishFn(float x, const float* p) { return x * Logistic(p[0] * x); }
float TanhFn(float x, const float*) { return std::tanh(x); }

float AddOf(float a, float b) { return a + b; }
float DivOf(float a, float b) { return a / b; }
// NaN of either side goes through, as in NumPy.
float MaximumOf(float a, float b) { return a > b || a != a ? a : b; }
float MinimumOf(float a, float b) { return a < b || a != a ? a : b; }
float MulOf(float a, float b) { return a * b; }
float PowOf(float a, float b) { return std::pow(a, b); }
float PReluOf(float a, float b) { return a < 0 ? a * b : a; }
float SquaredDifferenceOf(float a, float b) { return (a - b) * (a - b); }
float SubOf(float a, float b) { return a - b; }

struct Row {
  const char* type;
  TileFn fn;
  int arguments;
};

constexpr Row kRows[] = {
    {"Abs", Unary<AbsFn>, 1},
    {"Add", Binary<AddOf>, 2},
    {"Adds", Unary<AddsFn>, 1},
    {"Ceil", Unary<CeilFn>, 1},
    {"ClipByValue", Clip, 3},
    {"Cos", Unary<CosFn>, 1},
    {"Elu", Unary<EluFn>, 1},
    {"Erf", Unary<ErfFn>, 1},
    {"Exp", Unary<ExpFn>, 1},
    {"FastGelu", Unary<FastGeluFn>, 1},
    {"Floor", Unary<FloorFn>, 1},
    {"Gelu", Unary<GeluTanhFn>, 1},
    {"GeluV2", Unary<GeluErfFn>, 1},
    {"HardSigmoid", Unary<HardSigmoidFn>, 1},
    {"HardSwish", Unary<HardSwishFn>, 1},
    {"LeakyRelu", Unary<LeakyReluFn>, 1},
    {"Log", Unary<LogFn>, 1},
    {"Maximum", Binary<MaximumOf>, 2},
    {"Minimum", Binary<MinimumOf>, 2},
    {"Mish", Unary<MishFn>, 1},
    {"Mul", Binary<MulOf>, 2},
    {"Muls", Unary<MulsFn>, 1},
    {"Neg", Unary<NegFn>, 1},
    {"Pow", Binary<PowOf>, 2},
    {"RealDiv", Binary<DivOf>, 2},
    {"Reciprocal", Unary<ReciprocalFn>, 1},
    {"Relu", Unary<ReluFn>, 1},
    {"Relu6", Unary<Relu6Fn>, 1},
    {"Rsqrt", Unary<RsqrtFn>, 1},
    {"Sigmoid", Unary<SigmoidFn>, 1},
    {"Sin", Unary<SinFn>, 1},
    {"Softplus", Unary<SoftplusFn>, 1},
    {"Softsign", Unary<SoftsignFn>, 1},
    {"Sqrt", Unary<SqrtFn>, 1},
    {"Square", Unary<SquareFn>, 1},
    {"SquaredDifference", Binary<SquaredDifferenceOf>, 2},
    {"Sub", Binary<SubOf>, 2},
    {"Swish", Unary<SwishFn>, 1},
    {"Tanh", Unary<TanhFn>, 1},
    {"onnx::Div", Binary<DivOf>, 2},
    {"onnx::PRelu", Binary<PReluOf>, 2},
    {"onnx::Pow", Binary<PowOf>, 2},
};

// Attributes that ask for more than the plain function.
bool IsPlain(const Node& node) {
  if (!(node.type() == "Exp") && !(node.type() == "Log")) return true;
  return node.Attr<float>("base") <= 0 && node.Attr<float>("scale") == 1.0f && node.Attr<float>("shift") == 0.0f;
}

}  // namespace

bool HasTileFunction(std::string_view op_type) {
  // ONNX's quantisation is made of parameters, not of the node alone.
  if (op_type == "onnx::QuantizeLinear" || op_type == "onnx::DequantizeLinear") return true;
  return std::any_of(std::begin(kRows), std::end(kRows), [&](const Row& row) { return row.type == op_type; });
}

TileFunction FindTileFunction(const Node& node) {
  TileFunction function;
  if (!IsPlain(node)) return function;
  for (const Row& row : kRows) {
    if (!(node.type() == row.type)) continue;
    function.fn = row.fn;
    function.arguments = row.arguments;
  }
  if (node.type() == "GeluV2" && node.Attr<std::string>("approximate") == "tanh") function.fn = Unary<GeluTanhFn>;
  int count = 0;
  for (const AttrDef& attr : node.def->attrs) {
    const bool is_float = attr.required ? node.attrs.FindAs<float>(attr.name) != nullptr
                                        : std::holds_alternative<float>(attr.fallback);
    if (is_float && count < kMaxParams) function.params[count++] = node.Attr<float>(attr.name);
  }
  return function;
}

}  // namespace atc::kernels

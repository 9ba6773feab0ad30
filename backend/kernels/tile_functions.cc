#include "backend/kernels/tile_functions.h"

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/kernels/tile_functions.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "backend/kernels/vector_loop-inl.h"
#include "backend/kernels/vector_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace atc::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// F(tag, x, params)
template <auto F>
void Unary(const float* const* args, float* out, int n, const float* params) {
  const float* x = args[0];
  ForVectors(n, [&](auto d, int64_t i) { hn::StoreU(F(d, hn::LoadU(d, x + i), params), d, out + i); });
}

// F(tag, a, b)
template <auto F>
void Binary(const float* const* args, float* out, int n, const float*) {
  const float *a = args[0], *b = args[1];
  ForVectors(n, [&](auto d, int64_t i) { hn::StoreU(F(d, hn::LoadU(d, a + i), hn::LoadU(d, b + i)), d, out + i); });
}

// f of a vector by the function of one float.
template <class D, class V, class F>
HWY_INLINE V OneByOne(D d, V x, F f) {
  HWY_ALIGN float lanes[HWY_MAX_BYTES / sizeof(float)];
  hn::Store(x, d, lanes);
  for (size_t i = 0; i < hn::Lanes(d); ++i) lanes[i] = f(lanes[i]);
  return hn::Load(d, lanes);
}

// x where it is at least `low`, NaN included.
template <class D, class V>
HWY_INLINE V AtLeast(D d, V x, float low) {
  return hn::IfThenElse(hn::Lt(x, hn::Set(d, low)), hn::Set(d, low), x);
}

template <class D, class V>
HWY_INLINE V AtMost(D d, V x, float high) {
  return hn::IfThenElse(hn::Gt(x, hn::Set(d, high)), hn::Set(d, high), x);
}

template <class D, class V>
HWY_INLINE V Clamp01(D d, V x) {
  return AtMost(d, AtLeast(d, x, 0.0f), 1.0f);
}

void Clip(const float* const* args, float* out, int n, const float*) {
  ForVectors(n, [&](auto d, int64_t i) {
    const auto x = hn::LoadU(d, args[0] + i), low = hn::LoadU(d, args[1] + i), high = hn::LoadU(d, args[2] + i);
    hn::StoreU(Clipped(low, high, x), d, out + i);
  });
}

// The usual exponents, one for the whole tile, need no logarithm.
void Power(const float* const* args, float* out, int n, const float*) {
  const float *a = args[0], *b = args[1];
  const float first = b[0];
  if (std::any_of(b, b + n, [first](float one) { return one != first; })) {
    for (int i = 0; i < n; ++i) out[i] = std::pow(a[i], b[i]);
  } else if (first == 2.0f) {
    ForVectors(n,
               [&](auto d, int64_t i) { hn::StoreU(hn::Mul(hn::LoadU(d, a + i), hn::LoadU(d, a + i)), d, out + i); });
  } else if (first == 3.0f) {
    ForVectors(n, [&](auto d, int64_t i) {
      const auto x = hn::LoadU(d, a + i);
      hn::StoreU(hn::Mul(hn::Mul(x, x), x), d, out + i);
    });
  } else if (first == 1.0f) {
    std::copy_n(a, n, out);
  } else if (first == -1.0f) {
    ForVectors(n, [&](auto d, int64_t i) { hn::StoreU(hn::Div(hn::Set(d, 1.0f), hn::LoadU(d, a + i)), d, out + i); });
  } else if (first == 0.5f) {
    // Powers of -0 and -infinity are 0 and infinity, their roots are not.
    ForVectors(n, [&](auto d, int64_t i) {
      const auto x = hn::Add(hn::LoadU(d, a + i), hn::Zero(d)), infinity = hn::Inf(d);
      hn::StoreU(hn::IfThenElse(hn::Eq(x, hn::Neg(infinity)), infinity, hn::Sqrt(x)), d, out + i);
    });
  } else {
    for (int i = 0; i < n; ++i) out[i] = std::pow(a[i], first);
  }
}

// Beyond this the reduction of an angle loses digits.
constexpr float kMostAngle = 30000.0f;

template <class D, class V>
HWY_INLINE bool SmallAngles(D d, V x) {
  return hn::AllTrue(d, hn::Le(hn::Abs(x), hn::Set(d, kMostAngle)));
}

template <class D, class V>
HWY_INLINE V GeluTanh(D d, V x) {
  const V inner = hn::Mul(hn::Set(d, 0.79788456f), hn::MulAdd(hn::Mul(hn::Set(d, 0.044715f), hn::Mul(x, x)), x, x));
  return hn::Mul(hn::Mul(hn::Set(d, 0.5f), x), hn::Add(hn::Set(d, 1.0f), TanhOf(d, inner)));
}

template <class D, class V>
HWY_INLINE V GeluErf(D d, V x) {
  const V half = hn::Mul(hn::Set(d, 0.5f), x);
  return hn::MulAdd(half, ErfOf(d, hn::Mul(x, hn::Set(d, 0.70710678f))), half);
}

struct Row {
  const char* type;
  TileFn fn;
  int arguments;
};

constexpr auto kDivide = [](auto, auto a, auto b) { return hn::Div(a, b); };
constexpr auto kGeluTanh = [](auto d, auto x, const float*) { return GeluTanh(d, x); };

constexpr Row kRows[] = {
    {"Abs", Unary<[](auto, auto x, const float*) { return hn::Abs(x); }>, 1},
    {"Add", Binary<[](auto, auto a, auto b) { return hn::Add(a, b); }>, 2},
    {"Adds", Unary<[](auto d, auto x, const float* p) { return hn::Add(x, hn::Set(d, p[0])); }>, 1},
    {"Ceil", Unary<[](auto, auto x, const float*) { return hn::Ceil(x); }>, 1},
    {"ClipByValue", Clip, 3},
    {"Cos", Unary<[](auto d, auto x, const float*) {
       return SmallAngles(d, x) ? hn::Cos(d, x) : OneByOne(d, x, [](float one) { return std::cos(one); });
     }>,
     1},
    {"Elu", Unary<[](auto d, auto x, const float* p) {
       const auto below = hn::Mul(hn::Set(d, p[1] * p[0]), ExpM1Of(d, hn::Mul(x, hn::Set(d, p[2]))));
       return hn::IfThenElse(hn::Lt(x, hn::Zero(d)), below, hn::Mul(x, hn::Set(d, p[1])));
     }>,
     1},
    {"Erf", Unary<[](auto d, auto x, const float*) { return ErfOf(d, x); }>, 1},
    {"Exp", Unary<[](auto d, auto x, const float*) { return ExpOf(d, x); }>, 1},
    {"FastGelu",
     Unary<[](auto d, auto x, const float*) { return hn::Mul(x, LogisticOf(d, hn::Mul(x, hn::Set(d, 1.702f)))); }>, 1},
    {"Floor", Unary<[](auto, auto x, const float*) { return hn::Floor(x); }>, 1},
    {"Gelu", Unary<kGeluTanh>, 1},
    {"GeluV2", Unary<[](auto d, auto x, const float*) { return GeluErf(d, x); }>, 1},
    {"HardSigmoid", Unary<[](auto d, auto x, const float* p) {
       return Clamp01(d, hn::MulAdd(hn::Set(d, p[0]), x, hn::Set(d, p[1])));
     }>,
     1},
    {"HardSwish", Unary<[](auto d, auto x, const float*) {
       return hn::Mul(x, Clamp01(d, hn::MulAdd(x, hn::Set(d, 1.0f / 6.0f), hn::Set(d, 0.5f))));
     }>,
     1},
    {"LeakyRelu", Unary<[](auto d, auto x, const float* p) {
       return hn::IfThenElse(hn::Lt(x, hn::Zero(d)), hn::Mul(x, hn::Set(d, p[0])), x);
     }>,
     1},
    {"Log", Unary<[](auto d, auto x, const float*) { return LogOf(d, x); }>, 1},
    // NaN of either side goes through, as in NumPy.
    {"Maximum",
     Binary<[](auto, auto a, auto b) { return hn::IfThenElse(hn::Eq(a, a), hn::IfThenElse(hn::Gt(a, b), a, b), a); }>,
     2},
    {"Minimum",
     Binary<[](auto, auto a, auto b) { return hn::IfThenElse(hn::Eq(a, a), hn::IfThenElse(hn::Lt(a, b), a, b), a); }>,
     2},
    {"Mish", Unary<[](auto d, auto x, const float*) { return hn::Mul(x, TanhOf(d, SoftplusOf(d, x))); }>, 1},
    {"Mul", Binary<[](auto, auto a, auto b) { return hn::Mul(a, b); }>, 2},
    {"Muls", Unary<[](auto d, auto x, const float* p) { return hn::Mul(x, hn::Set(d, p[0])); }>, 1},
    {"Neg", Unary<[](auto, auto x, const float*) { return hn::Neg(x); }>, 1},
    {"Pow", Power, 2},
    {"RealDiv", Binary<kDivide>, 2},
    {"Reciprocal", Unary<[](auto d, auto x, const float*) { return hn::Div(hn::Set(d, 1.0f), x); }>, 1},
    {"Relu", Unary<[](auto d, auto x, const float*) { return AtLeast(d, x, 0.0f); }>, 1},
    {"Relu6", Unary<[](auto d, auto x, const float*) { return AtMost(d, AtLeast(d, x, 0.0f), 6.0f); }>, 1},
    {"Rsqrt", Unary<[](auto d, auto x, const float*) { return hn::Div(hn::Set(d, 1.0f), hn::Sqrt(x)); }>, 1},
    {"Sigmoid", Unary<[](auto d, auto x, const float*) { return LogisticOf(d, x); }>, 1},
    {"Sin", Unary<[](auto d, auto x, const float*) {
       if (!SmallAngles(d, x)) return OneByOne(d, x, [](float one) { return std::sin(one); });
       return hn::IfThenElse(hn::Eq(x, hn::Zero(d)), x, hn::Sin(d, x));  // -0 stays
     }>,
     1},
    {"Softplus", Unary<[](auto d, auto x, const float*) { return SoftplusOf(d, x); }>, 1},
    {"Softsign", Unary<[](auto d, auto x, const float*) { return hn::Div(x, hn::Add(hn::Set(d, 1.0f), hn::Abs(x))); }>,
     1},
    {"Sqrt", Unary<[](auto, auto x, const float*) { return hn::Sqrt(x); }>, 1},
    {"Square", Unary<[](auto, auto x, const float*) { return hn::Mul(x, x); }>, 1},
    {"SquaredDifference", Binary<[](auto, auto a, auto b) { return hn::Mul(hn::Sub(a, b), hn::Sub(a, b)); }>, 2},
    {"Sub", Binary<[](auto, auto a, auto b) { return hn::Sub(a, b); }>, 2},
    {"Swish",
     Unary<[](auto d, auto x, const float* p) { return hn::Mul(x, LogisticOf(d, hn::Mul(x, hn::Set(d, p[0])))); }>, 1},
    {"Tanh", Unary<[](auto d, auto x, const float*) { return TanhOf(d, x); }>, 1},
    {"onnx::Div", Binary<kDivide>, 2},
    {"onnx::PRelu",
     Binary<[](auto d, auto a, auto b) { return hn::IfThenElse(hn::Lt(a, hn::Zero(d)), hn::Mul(a, b), a); }>, 2},
    {"onnx::Pow", Power, 2},
};

// The function of operators of this type, without parameters.
TileFunction Find(std::string_view type) {
  TileFunction function;
  for (const Row& row : kRows) {
    if (row.type == type) function.fn = row.fn, function.arguments = row.arguments;
  }
  return function;
}

TileFn GeluByTanh() { return Unary<kGeluTanh>; }

}  // namespace atc::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atc::kernels {

HWY_EXPORT(Find);
HWY_EXPORT(GeluByTanh);

namespace {

// Attributes that ask for more than the plain function.
bool IsPlain(const Node& node) {
  if (!(node.type() == "Exp") && !(node.type() == "Log")) return true;
  return node.Attr<float>("base") <= 0 && node.Attr<float>("scale") == 1.0f && node.Attr<float>("shift") == 0.0f;
}

}  // namespace

bool HasTileFunction(std::string_view op_type) {
  // ONNX's quantisation is made of parameters, not of the node alone.
  if (op_type == "onnx::QuantizeLinear" || op_type == "onnx::DequantizeLinear") return true;
  return HWY_DYNAMIC_DISPATCH(Find)(op_type).fn != nullptr;
}

TileFunction FindTileFunction(const Node& node) {
  if (!IsPlain(node)) return TileFunction();
  TileFunction function = HWY_DYNAMIC_DISPATCH(Find)(std::string_view(node.type()));
  if (node.type() == "GeluV2" && node.Attr<std::string>("approximate") == "tanh") {
    function.fn = HWY_DYNAMIC_DISPATCH(GeluByTanh)();
  }
  int count = 0;
  for (const AttrDef& attr : node.def->attrs) {
    const bool is_float =
        attr.required ? node.attrs.FindAs<float>(attr.name) != nullptr : std::holds_alternative<float>(attr.fallback);
    if (is_float && count < kMaxParams) function.params[count++] = node.Attr<float>(attr.name);
  }
  return function;
}

}  // namespace atc::kernels
#endif

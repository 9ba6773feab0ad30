// Activations.
#include <utility>

#include "backend/aclnn/recipes.h"
#include "backend/aclnn/type_rules.h"

namespace atc::aclnn {
namespace {

// A float operand; integers have no activation.
Value FloatInput(Builder& b) {
  const Value x = b.Wide(b.InputName(0));
  if (ClassOf(b.TypeOf(x)) != TypeClass::kFloat) {
    b.Refuse("argument " + std::string(b.InputName(0)) + " has type " + std::string(DataTypeName(b.TypeOf(x))) + ", not a float");
  }
  return x;
}

void Plain(Builder& b) { b.Out(b.Op(b.detail(), {FloatInput(b)})); }

void Relu(Builder& b) {
  const Value x = b.Wide(b.InputName(0));
  b.Out(b.Op("Relu", {x}));
}

void LeakyRelu(Builder& b) {
  b.Out(b.Op("LeakyRelu", {FloatInput(b)}, {{"negative_slope", static_cast<float>(b.Number("negativeSlope"))}}));
}

void Elu(Builder& b) {
  b.Out(b.Op("Elu", {FloatInput(b)}, {{"alpha", static_cast<float>(b.Number("alpha"))},
                                      {"scale", static_cast<float>(b.Number("scale"))},
                                      {"input_scale", static_cast<float>(b.Number("inputScale"))}}));
}

void Celu(Builder& b) {
  b.Out(b.Op("CeluV2", {FloatInput(b)}, {{"alpha", static_cast<float>(b.Number("alpha"))}}));
}

void GeluV2(Builder& b) {
  const int64_t approximate = b.Int("approximate");
  if (approximate != 0 && approximate != 1) b.Refuse("argument approximate is 0 (none) or 1 (tanh), not " + std::to_string(approximate));
  b.Out(b.Op("GeluV2", {FloatInput(b)}, {{"approximate", approximate == 0 ? "none" : "tanh"}}));
}

void Swish(Builder& b) {
  const float scale = b.Has("betaOptional") ? static_cast<float>(b.Number("betaOptional")) : 1.0f;
  b.Out(b.Op("Swish", {FloatInput(b)}, {{"scale", scale}}));
}

void Silu(Builder& b) { b.Out(b.Op("Swish", {FloatInput(b)}, {{"scale", 1.0f}})); }

// x where beta * x is above the threshold, else log(1 + exp(beta * x)) / beta.
void Softplus(Builder& b) {
  const Value x = FloatInput(b);
  const DataType dtype = b.TypeOf(x);
  const Value beta = b.ScalarValue("beta", dtype);
  const Value scaled = b.Op("Mul", {x, beta});
  const Value soft = b.Op("RealDiv", {b.Op("Softplus", {scaled}), beta});
  b.Out(b.Op("SelectV2", {b.Op("Greater", {scaled, b.ScalarValue("threshold", dtype)}), x, soft}));
}

// The weight holds one slope, or one for each channel.
void Prelu(Builder& b) {
  Value x = FloatInput(b);
  Value weight = b.Wide("weight");
  const size_t rank = b.Rank(x);
  const int64_t count = b.ShapeOf(weight).NumElements();
  if (count != 1 && (rank < 2 || b.ShapeOf(x)[1] != count)) {
    b.Refuse("argument weight has " + std::to_string(count) + " slopes; 1 or one for each channel are wanted");
  }
  std::vector<int64_t> dims(rank, 1);
  if (count != 1) dims[1] = count;
  b.Common(x, weight);
  weight = b.Reshape(weight, dims);
  const Value positive = b.Op("Greater", {x, b.Number(0, b.TypeOf(x))});
  b.Out(b.Op("SelectV2", {positive, x, b.Op("Mul", {x, weight})}));
}

void Threshold(Builder& b) {
  const Value x = b.Wide(b.InputName(0));
  const DataType dtype = b.TypeOf(x);
  const Value above = b.Op("Greater", {x, b.ScalarValue("threshold", dtype)});
  b.Out(b.Op("SelectV2", {above, x, b.ScalarValue("value", dtype)}));
}

Value Limit(Builder& b, Value x, Value limit, const char* op) {
  limit = b.Widen(limit);
  b.Common(x, limit);
  return b.Op(op, {x, limit});
}

// Values below the least become it, then those above the most: where the least is above the most all become the most.
void Clamp(Builder& b) {
  Value x = b.Wide("self");
  if (!b.Has("clipValueMin") && !b.Has("clipValueMax")) {
    b.Refuse("arguments clipValueMin and clipValueMax are both NULL", ACLNN_ERR_PARAM_NULLPTR);
  }
  const auto limit = [&](const char* name) {
    const auto dtype = PromoteScalar(b.TypeOf(x), b.ScalarOf(name).dtype);
    if (!dtype) b.Refuse("argument " + std::string(name) + " has a type that does not fit the tensor's");
    x = b.Cast(x, *dtype);
    return b.ScalarValue(name, *dtype);
  };
  if (b.Has("clipValueMin")) x = b.Op("Maximum", {x, limit("clipValueMin")});
  if (b.Has("clipValueMax")) x = b.Op("Minimum", {x, limit("clipValueMax")});
  b.Out(x);
}

// One limit; the detail is the operator.
void ClampOne(Builder& b) {
  const Value x = b.Wide(b.InputName(0));
  b.Out(b.Op(b.detail(), {x, b.ScalarValue(b.ArgName(1), b.TypeOf(x))}));
}

void ClampTensor(Builder& b) {
  Value x = b.Wide("self");
  x = Limit(b, x, b.In("clipValueMin"), "Maximum");
  b.Out(Limit(b, x, b.In("clipValueMax"), "Minimum"));
}

// One tensor of limits; the detail is the operator.
void ClampOneTensor(Builder& b) {
  b.Out(Limit(b, b.Wide(b.ArgName(0)), b.In(b.ArgName(1)), b.detail()));
}

void Hardtanh(Builder& b) {
  const Value x = b.Wide(b.InputName(0));
  const DataType dtype = b.TypeOf(x);
  const Value low = b.Op("Maximum", {x, b.ScalarValue("clipValueMin", dtype)});
  b.Out(b.Op("Minimum", {low, b.ScalarValue("clipValueMax", dtype)}));
}

void Hardsigmoid(Builder& b) {
  b.Out(b.Op("HardSigmoid", {FloatInput(b)}, {{"alpha", 1.0f / 6.0f}, {"beta", 0.5f}}));
}

void Hardshrink(Builder& b) {
  const Value x = FloatInput(b);
  const DataType dtype = b.TypeOf(x);
  const Value inside = b.Op("LessEqual", {b.Op("Abs", {x}), b.ScalarValue("lambd", dtype)});
  b.Out(b.Op("SelectV2", {inside, b.Number(0, dtype), x}));
}

void Softshrink(Builder& b) {
  const float lambd = static_cast<float>(b.Number("lambd"));
  b.Out(b.Op("Shrink", {FloatInput(b)}, {{"lambd", lambd}, {"bias", lambd}}));
}

void Shrink(Builder& b) {
  b.Out(b.Op("Shrink", {FloatInput(b)}, {{"lambd", static_cast<float>(b.Number("lambd"))}, {"bias", static_cast<float>(b.Number("bias"))}}));
}

// log(sigmoid(x)) = -log(1 + exp(-x)).
void LogSigmoid(Builder& b) { b.Out(b.Op("Neg", {b.Op("Softplus", {b.Op("Neg", {FloatInput(b)})})})); }

void Softmax(Builder& b) {
  const Value x = b.ToFloat(b.In("self"));
  const int64_t axis = b.Axis(b.Int("dim"), b.Rank(x));
  if (b.Rank(x) == 0) return b.Out(b.Reshape(b.Op(b.detail(), {b.Reshape(x, {1})}), {}));
  b.Out(b.Op(b.detail(), {x}, {{"axes", std::vector<int64_t>{axis}}}));
}

// The halves of a dim: one as it is, times a function of the other.
struct Halves {
  Value first, second;
};

Halves HalvesOf(Builder& b) {
  const Value x = FloatInput(b);
  if (b.Rank(x) == 0) b.Refuse("a scalar has no halves");
  const int64_t axis = b.Axis(b.Int("dim"), b.Rank(x));
  const int64_t count = b.ShapeOf(x)[axis];
  if (count % 2 != 0) b.Refuse("dim " + std::to_string(axis) + " has " + std::to_string(count) + " elements, an odd number");
  const auto parts = b.Ops("SplitV", {x, b.ConstInts({count / 2, count / 2}), b.Const(atc::Tensor::Scalar(axis))}, {{"num_split", 2}}, 2);
  return {parts[0], parts[1]};
}

void Glu(Builder& b) {
  const Halves halves = HalvesOf(b);
  b.Out(b.Op("Mul", {halves.first, b.Op("Sigmoid", {halves.second})}));
}

// silu of the first half times the second.
void SwiGlu(Builder& b) {
  const Halves halves = HalvesOf(b);
  b.Out(b.Op("Mul", {b.Op("Swish", {halves.first}, {{"scale", 1.0f}}), halves.second}));
}

// The half that GELU is taken of is the second, with activateLeft the first.
void GeGlu(Builder& b) {
  Halves halves = HalvesOf(b);
  if (std::string_view(b.detail()) == "either" && b.Flag("activateLeft")) std::swap(halves.first, halves.second);
  const int64_t approximate = b.Int("approximate");
  if (approximate != 0 && approximate != 1) b.Refuse("argument approximate is 0 (none) or 1 (tanh), not " + std::to_string(approximate));
  const Value gelu = b.Op("GeluV2", {halves.second}, {{"approximate", approximate == 0 ? "none" : "tanh"}});
  b.Out("out", b.Op("Mul", {halves.first, gelu}));
  b.Out("outGelu", gelu);
}

}  // namespace

std::vector<Recipe> ActivationRecipes() {
  return {
      {"Celu", Celu},
      {"Clamp", Clamp},
      {"ClampMax", ClampOne, "Minimum"},
      {"ClampMaxTensor", ClampOneTensor, "Minimum"},
      {"ClampMin", ClampOne, "Maximum"},
      {"ClampMinTensor", ClampOneTensor, "Maximum"},
      {"ClampTensor", ClampTensor},
      {"Elu", Elu},
      {"FastGelu", Plain, "FastGelu"},
      {"GeGlu", GeGlu, "second"},
      {"GeGluV3", GeGlu, "either"},
      {"Gelu", Plain, "Gelu"},
      {"GeluV2", GeluV2},
      {"Glu", Glu},
      {"Hardshrink", Hardshrink},
      {"Hardsigmoid", Hardsigmoid},
      {"Hardswish", Plain, "HardSwish"},
      {"Hardtanh", Hardtanh},
      {"InplaceCelu", Celu},
      {"InplaceClampMax", ClampOne, "Minimum"},
      {"InplaceClampMaxTensor", ClampOneTensor, "Minimum"},
      {"InplaceClampMinTensor", ClampOneTensor, "Maximum"},
      {"InplaceElu", Elu},
      {"InplaceHardsigmoid", Hardsigmoid},
      {"InplaceHardswish", Plain, "HardSwish"},
      {"InplaceHardtanh", Hardtanh},
      {"InplaceLeakyRelu", LeakyRelu},
      {"InplaceMish", Plain, "Mish"},
      {"InplaceRelu", Relu},
      {"InplaceSelu", Plain, "Selu"},
      {"InplaceThreshold", Threshold},
      {"LeakyRelu", LeakyRelu},
      {"LogSigmoid", LogSigmoid},
      {"LogSoftmax", Softmax, "LogSoftmaxV2"},
      {"Mish", Plain, "Mish"},
      {"Prelu", Prelu},
      {"Relu", Relu},
      {"Selu", Plain, "Selu"},
      {"Shrink", Shrink},
      {"Silu", Silu},
      {"Softmax", Softmax, "SoftmaxV2"},
      {"Softplus", Softplus},
      {"Softshrink", Softshrink},
      {"Softsign", Plain, "Softsign"},
      {"SwiGlu", SwiGlu},
      {"Swish", Swish},
      {"Threshold", Threshold},
  };
}

}  // namespace atc::aclnn

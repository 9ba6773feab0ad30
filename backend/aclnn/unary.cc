// Functions of one operand.
#include <cmath>
#include <limits>
#include <numbers>

#include "backend/aclnn/recipes.h"
#include "backend/aclnn/term.h"
#include "backend/aclnn/type_rules.h"

namespace atc::aclnn {
namespace {

// The result is a float, of integers too.
void FloatFunction(Builder& b) { b.Out(b.Op(b.detail(), {b.ToFloat(b.In(b.InputName(0)))})); }

// The result has the operand's type.
void SameType(Builder& b) {
  const Value x = b.In(b.InputName(0));
  if (b.TypeOf(x) == DT_BOOL) b.Refuse("bools have no " + std::string(b.detail()));
  b.Out(b.Op(b.detail(), {b.Widen(x)}));
}

// Integers are what they are.
void RoundTo(Builder& b) {
  const Value x = b.Wide(b.InputName(0));
  b.Out(ClassOf(b.TypeOf(x)) == TypeClass::kFloat ? b.Op(b.detail(), {x}) : b.Op("Identity", {x}));
}

void Trunc(Builder& b) {
  const Value x = b.Wide(b.InputName(0));
  if (ClassOf(b.TypeOf(x)) != TypeClass::kFloat) return b.Out(b.Op("Identity", {x}));
  const Value negative = b.Op("Less", {x, b.Number(0, b.TypeOf(x))});
  b.Out(b.Op("SelectV2", {negative, b.Op("Ceil", {x}), b.Op("Floor", {x})}));
}

void Frac(Builder& b) {
  const Value x = b.Wide(b.InputName(0));
  const Value negative = b.Op("Less", {x, b.Number(0, b.TypeOf(x))});
  b.Out(b.Op("Sub", {x, b.Op("SelectV2", {negative, b.Op("Ceil", {x}), b.Op("Floor", {x})})}));
}

void BitwiseNot(Builder& b) {
  const Value x = b.In(b.InputName(0));
  if (ClassOf(b.TypeOf(x)) > TypeClass::kInteger) b.Refuse("floats have no bitwise complement");
  b.Out(b.Op(b.TypeOf(x) == DT_BOOL ? "LogicalNot" : "Invert", {x}));
}

void LogicalNot(Builder& b) { b.Out(b.Op("LogicalNot", {b.ToBool(b.In(b.InputName(0)))})); }

// log(x) / log(base), and base to the power of x; the detail is the base.
void LogOfBase(Builder& b) {
  b.Out(b.Op("Log", {b.ToFloat(b.In(b.InputName(0)))}, {{"base", std::stof(b.detail())}}));
}
void PowerOfBase(Builder& b) {
  b.Out(b.Op("Exp", {b.ToFloat(b.In(b.InputName(0)))}, {{"base", std::stof(b.detail())}}));
}

// Of integers none is infinite, all are finite.
void IsInf(Builder& b) {
  const Value x = b.Wide(b.InputName(0));
  if (ClassOf(b.TypeOf(x)) != TypeClass::kFloat) return b.Out(b.Expand(b.Number(0, DT_BOOL), b.ShapeOf(x)));
  const std::string which = b.detail();
  b.Out(b.Op("onnx::IsInf", {x}, {{"detect_negative", which != "positive" ? 1 : 0}, {"detect_positive", which != "negative" ? 1 : 0}}));
}
void IsFinite(Builder& b) {
  const Value x = b.Wide(b.InputName(0));
  if (ClassOf(b.TypeOf(x)) != TypeClass::kFloat) return b.Out(b.Expand(b.Number(1, DT_BOOL), b.ShapeOf(x)));
  b.Out(b.Op("IsFinite", {x}));
}

// -0 has its sign bit set too; of integers the sign alone counts.
void Signbit(Builder& b) {
  const Value x = b.Wide("self");
  const DataType dtype = b.TypeOf(x);
  Value negative = b.Op("Less", {x, b.Number(0, dtype)});
  if (ClassOf(dtype) == TypeClass::kFloat) {
    // The reciprocal of -0 is -inf; that of other numbers has their sign. What is no number has none here.
    negative = b.Op("LogicalOr", {negative, b.Op("Less", {b.Op("Reciprocal", {x}), b.Number(0, dtype)})});
  }
  b.Out(negative);
}

// What is no number, and the infinities, become the given numbers.
void NanToNum(Builder& b) {
  const Term x{&b, b.Wide(b.InputName(0))};
  if (ClassOf(x.dtype()) != TypeClass::kFloat) return b.Out(b.Op("Identity", {x.value}));
  const double infinity = std::numeric_limits<double>::infinity();
  const Term bounded = Where(Apply("Equal", x, x.Number(infinity)), b.Real("posinf"), Where(Apply("Equal", x, x.Number(-infinity)), b.Real("neginf"), x));
  b.Out(Where(Apply("IsNan", x), b.Real("nan"), bounded).value);
}

// sin(pi x) / (pi x), 1 at 0.
void Sinc(Builder& b) {
  const Term x{&b, b.ToFloat(b.In(b.InputName(0)))};
  const Term angle = x * std::numbers::pi;
  b.Out(Where(Apply("Equal", x, x.Number(0)), 1, Apply("Sin", angle) / angle).value);
}

// Rounded to decimals, negative ones before the point.
void RoundDecimals(Builder& b) {
  const Term x{&b, b.Wide(b.InputName(0))};
  if (ClassOf(x.dtype()) != TypeClass::kFloat) {
    if (b.Int("decimals") < 0) b.Refuse("argument decimals is " + std::to_string(b.Int("decimals")) + "; of integers no places before the point are rounded");
    return b.Out(b.Op("Identity", {x.value}));
  }
  const int64_t decimals = b.Int("decimals");
  const double factor = std::pow(10.0, static_cast<double>(std::abs(decimals)));
  b.Out((decimals >= 0 ? Apply("Round", x * factor) / factor : Apply("Round", x / factor) * factor).value);
}

void CastTo(Builder& b) {
  const Value x = b.In("self");
  const DataType dtype = b.Type("dtype");
  if (b.ViewOf("out").dtype != dtype) {
    b.Refuse("argument out has type " + std::string(DataTypeName(b.ViewOf("out").dtype)) + ", not that of argument dtype, " +
             std::string(DataTypeName(dtype)));
  }
  b.Out(dtype == DT_BOOL ? b.ToBool(x) : b.TypeOf(x) == dtype ? b.Op("Identity", {x}) : b.Cast(x, dtype));
}

}  // namespace

std::vector<Recipe> UnaryRecipes() {
  std::vector<Recipe> recipes = {
      {"BitwiseNot", BitwiseNot},
      {"Cast", CastTo},
      {"Frac", Frac},
      {"InplaceFrac", Frac},
      {"InplaceLogicalNot", LogicalNot},
      {"InplaceNanToNum", NanToNum},
      {"InplaceRoundDecimals", RoundDecimals},
      {"InplaceSinc", Sinc},
      {"InplaceTrunc", Trunc},
      {"IsFinite", IsFinite},
      {"IsInf", IsInf, "any"},
      {"IsNegInf", IsInf, "negative"},
      {"IsPosInf", IsInf, "positive"},
      {"LogicalNot", LogicalNot},
      {"NanToNum", NanToNum},
      {"RoundDecimals", RoundDecimals},
      {"Signbit", Signbit},
      {"Sinc", Sinc},
      {"Trunc", Trunc},
  };
  struct Row {
    std::string_view name;
    std::string_view in_place;
    Build build;
    const char* detail;
  };
  constexpr Row kRows[] = {
      {"Abs", "", SameType, "Abs"},
      {"Acos", "InplaceAcos", FloatFunction, "Acos"},
      {"Acosh", "InplaceAcosh", FloatFunction, "Acosh"},
      {"Asin", "InplaceAsin", FloatFunction, "Asin"},
      {"Asinh", "InplaceAsinh", FloatFunction, "Asinh"},
      {"Atan", "InplaceAtan", FloatFunction, "Atan"},
      {"Atanh", "InplaceAtanh", FloatFunction, "Atanh"},
      {"Ceil", "InplaceCeil", RoundTo, "Ceil"},
      {"Cos", "InplaceCos", FloatFunction, "Cos"},
      {"Cosh", "InplaceCosh", FloatFunction, "Cosh"},
      {"Digamma", "", FloatFunction, "tf::Digamma"},
      {"Erf", "InplaceErf", FloatFunction, "Erf"},
      {"Erfc", "InplaceErfc", FloatFunction, "Erfc"},
      {"Erfinv", "InplaceErfinv", FloatFunction, "Erfinv"},
      {"Exp", "InplaceExp", FloatFunction, "Exp"},
      {"Exp2", "InplaceExp2", PowerOfBase, "2"},
      {"Expm1", "InplaceExpm1", FloatFunction, "Expm1"},
      {"Floor", "InplaceFloor", RoundTo, "Floor"},
      {"Lgamma", "", FloatFunction, "tf::Lgamma"},
      {"Log", "InplaceLog", FloatFunction, "Log"},
      {"Log10", "InplaceLog10", LogOfBase, "10"},
      {"Log1p", "InplaceLog1p", FloatFunction, "Log1p"},
      {"Log2", "InplaceLog2", LogOfBase, "2"},
      {"Neg", "InplaceNeg", SameType, "Neg"},
      {"Reciprocal", "InplaceReciprocal", FloatFunction, "Reciprocal"},
      {"Round", "InplaceRound", RoundTo, "Round"},
      {"Rsqrt", "InplaceRsqrt", FloatFunction, "Rsqrt"},
      {"Sigmoid", "InplaceSigmoid", FloatFunction, "Sigmoid"},
      {"Sign", "", SameType, "Sign"},
      {"Sin", "InplaceSin", FloatFunction, "Sin"},
      {"Sinh", "InplaceSinh", FloatFunction, "Sinh"},
      {"Sqrt", "InplaceSqrt", FloatFunction, "Sqrt"},
      {"Square", "", SameType, "Square"},
      {"Tan", "InplaceTan", FloatFunction, "Tan"},
      {"Tanh", "InplaceTanh", FloatFunction, "Tanh"},
  };
  for (const Row& row : kRows) {
    recipes.push_back({row.name, row.build, row.detail});
    if (!row.in_place.empty()) recipes.push_back({row.in_place, row.build, row.detail});
  }
  return recipes;
}

}  // namespace atc::aclnn

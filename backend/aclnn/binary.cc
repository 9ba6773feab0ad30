// Functions of two operands: arithmetic, comparison, logic, bits, and choice.
#include <cmath>

#include "backend/aclnn/recipes.h"
#include "backend/aclnn/term.h"
#include "backend/aclnn/type_rules.h"

namespace atc::aclnn {
namespace {

struct Pair {
  Value a, b;
  DataType dtype;
};

// Both operands as their common type; the second may be a scalar, the first too ("ScalarTensor" forms).
Pair Operands(Builder& b, std::string_view first, std::string_view second, bool to_float = false) {
  Pair pair{b.Wide(first), b.Wide(second), DT_UNDEFINED};
  const auto scalar = [&](std::string_view name, Value tensor) {
    const auto dtype = PromoteScalar(b.TypeOf(tensor), b.ScalarOf(name).dtype);
    if (!dtype) b.Refuse("argument " + std::string(name) + " has a type that does not fit the tensor's");
    return b.ScalarValue(name, *dtype);
  };
  if (!pair.b) pair.b = scalar(second, pair.a);
  if (!pair.a) pair.a = scalar(first, pair.b);
  pair.dtype = b.Common(pair.a, pair.b);
  if (to_float && ClassOf(pair.dtype) <= TypeClass::kInteger) {
    pair.dtype = DT_FLOAT;
    pair.a = b.Cast(pair.a, DT_FLOAT);
    pair.b = b.Cast(pair.b, DT_FLOAT);
  }
  return pair;
}

Pair Operands(Builder& b, bool to_float = false) { return Operands(b, b.ArgName(0), b.ArgName(1), to_float); }

// What bools do where numbers are added or multiplied.
const char* OfBools(const std::string& op) {
  if (op == "Add" || op == "Maximum") return "LogicalOr";
  if (op == "Mul" || op == "Minimum") return "LogicalAnd";
  return nullptr;
}

Value Arithmetic(Builder& b, const char* op, const Pair& pair) {
  if (pair.dtype != DT_BOOL) return b.Op(op, {pair.a, pair.b});
  const char* of_bools = OfBools(op);
  if (of_bools == nullptr) b.Refuse("bools have no " + std::string(op));
  return b.Op(of_bools, {pair.a, pair.b});
}

void Plain(Builder& b) { b.Out(Arithmetic(b, b.detail(), Operands(b))); }

// self + alpha * other, self - alpha * other; the detail is the operator.
void Scaled(Builder& b) {
  Pair pair = Operands(b);
  if (b.Number("alpha") != 1) {
    if (ClassOf(b.ScalarOf("alpha").dtype) > ClassOf(pair.dtype)) {
      b.Refuse("argument alpha is a float, the operands are not");
    }
    pair.b = b.Op("Mul", {pair.b, b.ScalarValue("alpha", pair.dtype)});
  }
  b.Out(Arithmetic(b, b.detail(), pair));
}

// other - alpha * self.
void Reversed(Builder& b) {
  Pair pair = Operands(b);
  if (b.Number("alpha") != 1) pair.a = b.Op("Mul", {pair.a, b.ScalarValue("alpha", pair.dtype)});
  b.Out(b.Op("Sub", {pair.b, pair.a}));
}

void Divide(Builder& b) {
  const Pair pair = Operands(b, true);
  b.Out(b.Op("RealDiv", {pair.a, pair.b}));
}

Value Truncated(Builder& b, Value quotient) {
  const Value negative = b.Op("Less", {quotient, b.Number(0, b.TypeOf(quotient))});
  return b.Op("SelectV2", {negative, b.Op("Ceil", {quotient}), b.Op("Floor", {quotient})});
}

// mode 0: the true quotient; 1: without its fraction; 2: rounded down.
void DivMod(Builder& b) {
  const int64_t mode = b.Int("mode");
  if (mode < 0 || mode > 2) b.Refuse("argument mode is 0, 1 or 2, not " + std::to_string(mode));
  const Pair pair = Operands(b, mode == 0);
  const bool integers = ClassOf(pair.dtype) == TypeClass::kInteger;
  if (mode == 0) return b.Out(b.Op("RealDiv", {pair.a, pair.b}));
  if (mode == 2) return b.Out(b.Op("FloorDiv", {pair.a, pair.b}));
  b.Out(integers ? b.Op("TruncateDiv", {pair.a, pair.b}) : Truncated(b, b.Op("RealDiv", {pair.a, pair.b})));
}

// The detail is "names of the two operands' arguments" where those are not the first two.
void Power(Builder& b) {
  const Pair pair = Operands(b);
  if (pair.dtype == DT_BOOL) b.Refuse("bools have no power");
  b.Out(b.Op("Pow", {pair.a, pair.b}));
}

void Compare(Builder& b) {
  const Pair pair = Operands(b);
  b.Out(b.Op(b.detail(), {pair.a, pair.b}));
}

void Logic(Builder& b) {
  const Value a = b.ToBool(b.In(b.ArgName(0)));
  const Value other = b.ToBool(b.In(b.ArgName(1)));
  b.Out(b.Op(b.detail(), {a, other}));
}

void Bitwise(Builder& b) {
  const Pair pair = Operands(b);
  if (ClassOf(pair.dtype) > TypeClass::kInteger) b.Refuse("floats have no bitwise operators");
  const std::string op = b.detail();
  const char* of_bools = op == "BitwiseAnd" ? "LogicalAnd" : op == "BitwiseOr" ? "LogicalOr" : "NotEqual";
  b.Out(b.Op(pair.dtype == DT_BOOL ? of_bools : b.detail(), {pair.a, pair.b}));
}

void Choose(Builder& b) {
  const Value condition = b.In("condition");
  if (b.TypeOf(condition) != DT_BOOL && b.TypeOf(condition) != DT_UINT8) {
    b.Refuse("argument condition has type " + std::string(DataTypeName(b.TypeOf(condition))) + ", not BOOL or UINT8");
  }
  Value self = b.In("self");
  Value other = b.In("other");
  b.Common(self, other);
  b.Out(b.Op("SelectV2", {b.ToBool(condition), self, other}));
}

// self + value * tensor1 * tensor2, self + value * tensor1 / tensor2; the detail is the inner operator.
void AddCombined(Builder& b) {
  Value self = b.Wide(b.ArgName(0));
  Value first = b.Wide("tensor1");
  Value second = b.Wide("tensor2");
  b.Common(first, second);
  Value product = b.Op(b.detail(), {first, second});
  const DataType dtype = b.Common(self, product);
  b.Out(b.Op("Add", {self, b.Op("Mul", {product, b.ScalarValue("value", dtype)})}));
}

// self + weight * (end - self).
void Lerp(Builder& b) {
  Value self = b.Wide(b.ArgName(0));
  Value end = b.Wide("end");
  const DataType dtype = b.Common(self, end);
  Value weight = b.Wide("weight");
  if (!weight) weight = b.ScalarValue("weight", dtype);
  b.Out(b.Op("Add", {self, b.Op("Mul", {b.Cast(weight, dtype), b.Op("Sub", {end, self})})}));
}

// A comparison whose result replaces the first operand, as 0 and 1 of its type.
void CompareInPlace(Builder& b) {
  const Pair pair = Operands(b);
  b.Out(b.Cast(b.Op(b.detail(), {pair.a, pair.b}), b.ViewOf(b.ArgName(0)).dtype));
}

// Both operands as floats; the detail is the operator.
void FloatFunction(Builder& b) {
  const Pair pair = Operands(b, true);
  b.Out(b.Op(b.detail(), {pair.a, pair.b}));
}

// log(exp(a) + exp(b)) of a base, the detail: what is larger, and a term that does not overflow.
void LogAddExp(Builder& b) {
  const Pair pair = Operands(b, true);
  const Term a{&b, pair.a};
  const Term c{&b, pair.b};
  const double base = std::log(std::stod(b.detail()));
  const Term above = Softplus(-Abs(a - c) * base) / base;
  // Of equal infinities the distance is no number.
  b.Out(Where(Apply("Equal", a, c), a + Softplus(a.Number(0)) / base, Apply("Maximum", a, c) + above).value);
}

// |self - other| <= atol + rtol |other|, equal ones, and with equalNan both no number.
void IsClose(Builder& b) {
  const Pair pair = Operands(b, "self", "other", true);
  const Term a{&b, pair.a};
  const Term c{&b, pair.b};
  const Term near = Abs(a - c) <= Abs(c) * b.Real("rtol") + b.Real("atol");
  // An infinite tolerance is none.
  const Term finite = Apply("IsFinite", c);
  Term close = Apply("LogicalOr", Apply("Equal", a, c), Apply("LogicalAnd", near, finite));
  if (b.Flag("equalNan")) close = Apply("LogicalOr", close, Apply("LogicalAnd", Apply("IsNan", a), Apply("IsNan", c)));
  b.Out(close.value);
}

void Shift(Builder& b) {
  const Pair pair = Operands(b);
  if (ClassOf(pair.dtype) != TypeClass::kInteger) b.Refuse("shifts are of integers");
  b.Out(b.Op(b.detail(), {pair.a, pair.b}));
}

// 0 below zero, 1 above, the value at zero.
void Heaviside(Builder& b) {
  const Pair pair = Operands(b);
  const Term x{&b, pair.a};
  b.Out(Where(x < 0, 0, Where(x > 0, 1, Term{&b, pair.b})).value);
}

void AddRelu(Builder& b) {
  Pair pair = Operands(b);
  if (b.Number("alpha") != 1) pair.b = b.Op("Mul", {pair.b, b.ScalarValue("alpha", pair.dtype)});
  b.Out(b.Op("Relu", {b.Op("Add", {pair.a, pair.b})}));
}

// One bool: whether shapes and all elements are equal.
void Equal(Builder& b) {
  Value a = b.Wide("self");
  Value c = b.Wide("other");
  b.Common(a, c);
  if (!(b.ShapeOf(a) == b.ShapeOf(c))) return b.OutWhole(b.Number(0, DT_BOOL));
  Value equal = b.Op("Equal", {a, c});
  std::vector<int64_t> axes;
  for (size_t i = 0; i < b.Rank(equal); ++i) axes.push_back(static_cast<int64_t>(i));
  if (!axes.empty()) equal = b.Op("ReduceAll", {equal, b.ConstInts(axes)}, {{"keep_dims", false}});
  b.OutWhole(equal);
}

}  // namespace

std::vector<Recipe> BinaryRecipes() {
  return {
      {"Add", Scaled, "Add"},
      {"AddRelu", AddRelu},
      {"Addcdiv", AddCombined, "RealDiv"},
      {"Addcmul", AddCombined, "Mul"},
      {"Adds", Scaled, "Add"},
      {"Atan2", FloatFunction, "Atan2"},
      {"BitwiseAndScalar", Bitwise, "BitwiseAnd"},
      {"BitwiseAndTensor", Bitwise, "BitwiseAnd"},
      {"BitwiseOrScalar", Bitwise, "BitwiseOr"},
      {"BitwiseOrTensor", Bitwise, "BitwiseOr"},
      {"BitwiseXorScalar", Bitwise, "BitwiseXor"},
      {"BitwiseXorTensor", Bitwise, "BitwiseXor"},
      {"Div", Divide},
      {"DivMod", DivMod},
      {"DivMods", DivMod},
      {"Divs", Divide},
      {"EqScalar", Compare, "Equal"},
      {"EqTensor", Compare, "Equal"},
      {"Equal", Equal},
      {"FloorDivide", Plain, "FloorDiv"},
      {"FloorDivides", Plain, "FloorDiv"},
      {"FmodScalar", Plain, "Mod"},
      {"FmodTensor", Plain, "Mod"},
      {"GeScalar", Compare, "GreaterEqual"},
      {"GeTensor", Compare, "GreaterEqual"},
      {"GtScalar", Compare, "Greater"},
      {"GtTensor", Compare, "Greater"},
      {"Heaviside", Heaviside},
      {"InplaceAdd", Scaled, "Add"},
      {"InplaceAddRelu", AddRelu},
      {"InplaceAddcdiv", AddCombined, "RealDiv"},
      {"InplaceAddcmul", AddCombined, "Mul"},
      {"InplaceAdds", Scaled, "Add"},
      {"InplaceAtan2", FloatFunction, "Atan2"},
      {"InplaceBitwiseAndScalar", Bitwise, "BitwiseAnd"},
      {"InplaceBitwiseAndTensor", Bitwise, "BitwiseAnd"},
      {"InplaceBitwiseOrScalar", Bitwise, "BitwiseOr"},
      {"InplaceBitwiseOrTensor", Bitwise, "BitwiseOr"},
      {"InplaceBitwiseXorScalar", Bitwise, "BitwiseXor"},
      {"InplaceBitwiseXorTensor", Bitwise, "BitwiseXor"},
      {"InplaceDiv", Divide},
      {"InplaceDivMod", DivMod},
      {"InplaceDivMods", DivMod},
      {"InplaceDivs", Divide},
      {"InplaceEqScalar", CompareInPlace, "Equal"},
      {"InplaceEqTensor", CompareInPlace, "Equal"},
      {"InplaceFloorDivide", Plain, "FloorDiv"},
      {"InplaceFloorDivides", Plain, "FloorDiv"},
      {"InplaceFmodScalar", Plain, "Mod"},
      {"InplaceFmodTensor", Plain, "Mod"},
      {"InplaceGeScalar", CompareInPlace, "GreaterEqual"},
      {"InplaceGeTensor", CompareInPlace, "GreaterEqual"},
      {"InplaceGtScalar", CompareInPlace, "Greater"},
      {"InplaceGtTensor", CompareInPlace, "Greater"},
      {"InplaceLeScalar", CompareInPlace, "LessEqual"},
      {"InplaceLeTensor", CompareInPlace, "LessEqual"},
      {"InplaceLerp", Lerp},
      {"InplaceLerps", Lerp},
      {"InplaceLogicalAnd", Logic, "LogicalAnd"},
      {"InplaceLogicalOr", Logic, "LogicalOr"},
      {"InplaceLtScalar", CompareInPlace, "Less"},
      {"InplaceLtTensor", CompareInPlace, "Less"},
      {"InplaceMul", Plain, "Mul"},
      {"InplaceMuls", Plain, "Mul"},
      {"InplaceNeScalar", CompareInPlace, "NotEqual"},
      {"InplaceNeTensor", CompareInPlace, "NotEqual"},
      {"InplacePowTensorScalar", Power},
      {"InplacePowTensorTensor", Power},
      {"InplaceRemainderTensorScalar", Plain, "FloorMod"},
      {"InplaceRemainderTensorTensor", Plain, "FloorMod"},
      {"InplaceSub", Scaled, "Sub"},
      {"InplaceSubs", Scaled, "Sub"},
      {"InplaceXLogYScalarOther", FloatFunction, "Xlogy"},
      {"InplaceXLogYTensor", FloatFunction, "Xlogy"},
      {"IsClose", IsClose},
      {"LeScalar", Compare, "LessEqual"},
      {"LeTensor", Compare, "LessEqual"},
      {"LeftShift", Shift, "LeftShift"},
      {"LeftShifts", Shift, "LeftShift"},
      {"Lerp", Lerp},
      {"Lerps", Lerp},
      {"LogAddExp", LogAddExp, "2.718281828459045"},
      {"LogAddExp2", LogAddExp, "2"},
      {"LogicalAnd", Logic, "LogicalAnd"},
      {"LogicalOr", Logic, "LogicalOr"},
      {"LogicalXor", Logic, "NotEqual"},
      {"LtScalar", Compare, "Less"},
      {"LtTensor", Compare, "Less"},
      {"Maximum", Plain, "Maximum"},
      {"Minimum", Plain, "Minimum"},
      {"Mul", Plain, "Mul"},
      {"Muls", Plain, "Mul"},
      {"NeScalar", Compare, "NotEqual"},
      {"NeTensor", Compare, "NotEqual"},
      {"PowScalarTensor", Power},
      {"PowTensorScalar", Power},
      {"PowTensorTensor", Power},
      {"RemainderScalarTensor", Plain, "FloorMod"},
      {"RemainderTensorScalar", Plain, "FloorMod"},
      {"RemainderTensorTensor", Plain, "FloorMod"},
      {"RightShift", Shift, "RightShift"},
      {"Rsub", Reversed},
      {"Rsubs", Reversed},
      {"SWhere", Choose},
      {"Sub", Scaled, "Sub"},
      {"Subs", Scaled, "Sub"},
      {"XLogYScalarOther", FloatFunction, "Xlogy"},
      {"XLogYScalarSelf", FloatFunction, "Xlogy"},
      {"XLogYTensor", FloatFunction, "Xlogy"},
  };
}

}  // namespace atc::aclnn

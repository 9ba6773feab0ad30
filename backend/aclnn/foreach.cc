// One function over all tensors of a list: each member has the graph that the call of one tensor has.
#include "backend/aclnn/recipes.h"
#include "backend/aclnn/term.h"
#include "backend/aclnn/type_rules.h"

namespace atc::aclnn {
namespace {

// The members of a list, widened.
std::vector<Term> Members(Builder& b, std::string_view name) {
  std::vector<Term> members;
  for (const Value& value : b.List(name)) members.push_back({&b, b.Widen(value)});
  return members;
}

std::vector<Term> Members(Builder& b, std::string_view name, size_t count) {
  std::vector<Term> members = Members(b, name);
  if (members.size() != count) {
    b.Refuse("argument " + std::string(name) + " has " + std::to_string(members.size()) + " members, argument " +
             std::string(b.ArgName(0)) + " has " + std::to_string(count));
  }
  return members;
}

void Out(Builder& b, const std::vector<Term>& results) {
  std::vector<Value> values;
  for (const Term& result : results) values.push_back(result.value);
  b.OutList(b.OutputName(), values);
}

// The factor or operand of each member in the member's type: a scalar, a tensor of one element (or one for each member), a
// list of scalars, or a list of tensors.
std::vector<Term> Seconds(Builder& b, std::string_view name, const std::vector<Term>& firsts) {
  std::vector<Term> seconds;
  const size_t count = firsts.size();
  const auto scalars = b.ScalarsOf(name);
  if (!scalars.empty() && scalars.size() != count) {
    b.Refuse("argument " + std::string(name) + " has " + std::to_string(scalars.size()) + " scalars for " + std::to_string(count) + " tensors");
  }
  if (b.KindOf(name) == ArgKind::kInputs) seconds = Members(b, name, count);
  for (size_t i = 0; i < count; ++i) {
    const DataType dtype = firsts[i].dtype();
    Value value;
    switch (b.KindOf(name)) {
      case ArgKind::kScalar: value = b.ScalarValue(name, dtype); break;
      case ArgKind::kScalars: value = b.Const(MakeScalar(*scalars[i], dtype)); break;
      case ArgKind::kInputs: value = b.Cast(seconds[i].value, dtype); break;
      default: {
        const Value all = b.In(name);
        const int64_t elements = b.ShapeOf(all).NumElements();
        if (elements != 1 && elements != static_cast<int64_t>(count)) {
          b.Refuse("argument " + std::string(name) + " has " + std::to_string(elements) + " elements for " + std::to_string(count) + " tensors");
        }
        const int64_t at = elements == 1 ? 0 : static_cast<int64_t>(i);
        const Value flat = b.Reshape(all, {elements});
        value = b.Op("StridedSliceV2", {flat, b.ConstInts({at}), b.ConstInts({at + 1}), b.ConstInts({0}), b.ConstInts({1})});
        value = b.Cast(b.Widen(b.Reshape(value, {})), dtype);
      }
    }
    if (i < seconds.size()) seconds[i].value = value;
    else seconds.push_back({&b, value});
  }
  return seconds;
}

// The detail is the operator.
void Unary(Builder& b) {
  std::vector<Term> results = Members(b, b.ArgName(0));
  for (Term& x : results) x = Apply(b.detail(), x);
  Out(b, results);
}

void Copy(Builder& b) {
  std::vector<Term> results = Members(b, b.ArgName(0));
  Out(b, results);
}

void Zero(Builder& b) {
  std::vector<Term> results = Members(b, b.ArgName(0));
  for (Term& x : results) x.value = b.Expand(x.Number(0).value, b.ShapeOf(x.value));
  Out(b, results);
}

// log(x) of a base, the detail.
void LogOfBase(Builder& b) {
  std::vector<Term> results = Members(b, b.ArgName(0));
  for (Term& x : results) x.value = b.Op("Log", {x.value}, {{"base", std::stof(b.detail())}});
  Out(b, results);
}

void Binary(Builder& b) {
  const std::vector<Term> x = Members(b, b.ArgName(0));
  std::vector<Term> results = Seconds(b, b.ArgName(1), x);
  for (size_t i = 0; i < x.size(); ++i) results[i] = Apply(b.detail(), x[i], results[i]);
  Out(b, results);
}

// x1 + alpha * x2, x1 - alpha * x2.
void Scaled(Builder& b) {
  const std::vector<Term> x = Members(b, b.ArgName(0));
  std::vector<Term> results = Seconds(b, b.ArgName(1), x);
  const std::vector<Term> alpha = Seconds(b, b.ArgName(2), x);
  for (size_t i = 0; i < x.size(); ++i) results[i] = Apply(b.detail(), x[i], results[i] * alpha[i]);
  Out(b, results);
}

// The scalar to the power of each element.
void PowerOfScalar(Builder& b) {
  std::vector<Term> x = Members(b, b.ArgName(1));
  const std::vector<Term> base = Seconds(b, b.ArgName(0), x);
  for (size_t i = 0; i < x.size(); ++i) x[i] = Apply("Pow", base[i], x[i]);
  Out(b, x);
}

// x1 + scalar * x2 * x3, x1 + scalar * x2 / x3; the detail is the inner operator.
void AddCombined(Builder& b) {
  std::vector<Term> x = Members(b, b.ArgName(0));
  const std::vector<Term> second = Seconds(b, b.ArgName(1), x);
  const std::vector<Term> third = Seconds(b, b.ArgName(2), x);
  const std::vector<Term> factor = Seconds(b, b.ArgName(3), x);
  for (size_t i = 0; i < x.size(); ++i) x[i] = x[i] + factor[i] * Apply(b.detail(), second[i], third[i]);
  Out(b, x);
}

void Lerp(Builder& b) {
  std::vector<Term> x = Members(b, b.ArgName(0));
  const std::vector<Term> end = Seconds(b, b.ArgName(1), x);
  const std::vector<Term> weight = Seconds(b, b.ArgName(2), x);
  for (size_t i = 0; i < x.size(); ++i) x[i] = x[i] + weight[i] * (end[i] - x[i]);
  Out(b, x);
}

}  // namespace

std::vector<Recipe> ForeachRecipes() {
  return {
      {"ForeachACosInplace", Unary, "Acos"},
      {"ForeachAbs", Unary, "Abs"},
      {"ForeachAcos", Unary, "Acos"},
      {"ForeachAddList", Scaled, "Add"},
      {"ForeachAddListInplace", Scaled, "Add"},
      {"ForeachAddListV2", Scaled, "Add"},
      {"ForeachAddScalar", Binary, "Add"},
      {"ForeachAddScalarList", Binary, "Add"},
      {"ForeachAddScalarV2", Binary, "Add"},
      {"ForeachAddcdivList", AddCombined, "RealDiv"},
      {"ForeachAddcdivScalar", AddCombined, "RealDiv"},
      {"ForeachAddcdivScalarList", AddCombined, "RealDiv"},
      {"ForeachAddcdivScalarV2", AddCombined, "RealDiv"},
      {"ForeachAddcmulList", AddCombined, "Mul"},
      {"ForeachAddcmulScalar", AddCombined, "Mul"},
      {"ForeachAddcmulScalarList", AddCombined, "Mul"},
      {"ForeachAddcmulScalarV2", AddCombined, "Mul"},
      {"ForeachAsin", Unary, "Asin"},
      {"ForeachAtan", Unary, "Atan"},
      {"ForeachCopy", Copy},
      {"ForeachCos", Unary, "Cos"},
      {"ForeachCosh", Unary, "Cosh"},
      {"ForeachDivList", Binary, "RealDiv"},
      {"ForeachDivListInplace", Binary, "RealDiv"},
      {"ForeachDivScalar", Binary, "RealDiv"},
      {"ForeachDivScalarList", Binary, "RealDiv"},
      {"ForeachDivScalarV2", Binary, "RealDiv"},
      {"ForeachErf", Unary, "Erf"},
      {"ForeachErfc", Unary, "Erfc"},
      {"ForeachExp", Unary, "Exp"},
      {"ForeachExpm1", Unary, "Expm1"},
      {"ForeachLerpList", Lerp},
      {"ForeachLerpScalar", Lerp},
      {"ForeachLog", Unary, "Log"},
      {"ForeachLog10", LogOfBase, "10"},
      {"ForeachLog1p", Unary, "Log1p"},
      {"ForeachLog2", LogOfBase, "2"},
      {"ForeachLogInplace", Unary, "Log"},
      {"ForeachMaximumList", Binary, "Maximum"},
      {"ForeachMaximumScalar", Binary, "Maximum"},
      {"ForeachMaximumScalarList", Binary, "Maximum"},
      {"ForeachMaximumScalarV2", Binary, "Maximum"},
      {"ForeachMinimumList", Binary, "Minimum"},
      {"ForeachMinimumScalar", Binary, "Minimum"},
      {"ForeachMinimumScalarList", Binary, "Minimum"},
      {"ForeachMinimumScalarV2", Binary, "Minimum"},
      {"ForeachMulList", Binary, "Mul"},
      {"ForeachMulListInplace", Binary, "Mul"},
      {"ForeachMulScalar", Binary, "Mul"},
      {"ForeachMulScalarInplace", Binary, "Mul"},
      {"ForeachMulScalarList", Binary, "Mul"},
      {"ForeachMulScalarV2", Binary, "Mul"},
      {"ForeachNeg", Unary, "Neg"},
      {"ForeachPowList", Binary, "Pow"},
      {"ForeachPowScalar", Binary, "Pow"},
      {"ForeachPowScalarAndTensor", PowerOfScalar},
      {"ForeachPowScalarList", Binary, "Pow"},
      {"ForeachPowScalarV2", Binary, "Pow"},
      {"ForeachReciprocal", Unary, "Reciprocal"},
      {"ForeachSigmoid", Unary, "Sigmoid"},
      {"ForeachSign", Unary, "Sign"},
      {"ForeachSin", Unary, "Sin"},
      {"ForeachSinh", Unary, "Sinh"},
      {"ForeachSqrt", Unary, "Sqrt"},
      {"ForeachSubList", Scaled, "Sub"},
      {"ForeachSubListInplace", Scaled, "Sub"},
      {"ForeachSubListV2", Scaled, "Sub"},
      {"ForeachSubScalar", Binary, "Sub"},
      {"ForeachSubScalarInplace", Binary, "Sub"},
      {"ForeachSubScalarList", Binary, "Sub"},
      {"ForeachSubScalarV2", Binary, "Sub"},
      {"ForeachTan", Unary, "Tan"},
      {"ForeachTanh", Unary, "Tanh"},
      {"ForeachZeroInplace", Zero},
  };
}

}  // namespace atc::aclnn

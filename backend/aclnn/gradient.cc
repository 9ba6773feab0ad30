// Gradients of the activations, from the gradient of the result and the operand or the result itself.
#include <cmath>
#include <numbers>

#include "backend/aclnn/recipes.h"
#include "backend/aclnn/term.h"
#include "backend/aclnn/type_rules.h"

namespace atc::aclnn {
namespace {

// The two tensors of a gradient, in their common float type.
struct Pair {
  Term g;  // gradient of the result
  Term x;  // operand, or result where the function's gradient is told by that
};

Pair Operands(Builder& b) {
  Value g = b.Wide(b.InputName(0));
  Value x = b.Wide(b.InputName(1));
  const DataType dtype = b.Common(g, x);
  if (ClassOf(dtype) != TypeClass::kFloat) b.Refuse("gradients are floats, not " + std::string(DataTypeName(dtype)));
  return {{&b, g}, {&b, x}};
}

// A gradient of nothing but the two; `number` gives the values of scalar arguments.
using Gradient = Term (*)(Builder& b, Term g, Term x);

constexpr double kSeluAlpha = 1.6732632423543772;
constexpr double kSeluScale = 1.0507009873554805;

Term GeluExact(Term g, Term x) {
  const Term density = Exp(x * x * -0.5) * (1 / std::sqrt(2 * std::numbers::pi));
  return g * ((Erf(x * std::numbers::sqrt2 * 0.5) + 1) * 0.5 + x * density);
}

Term GeluTanh(Term g, Term x) {
  const double k = std::sqrt(2 / std::numbers::pi);
  const Term t = Tanh((x + x * x * x * 0.044715) * k);
  const Term slope = (x * x * (3 * 0.044715) + 1) * k;
  return g * ((t + 1) * 0.5 + x * 0.5 * (1 - t * t) * slope);
}

struct Row {
  std::string_view name;
  Gradient gradient;
};

constexpr Row kRows[] = {
    {"EluBackward",
     [](Builder& b, Term g, Term x) {
       const double alpha = b.Number("alpha") * b.Number("scale");
       const double slope = b.Number("inputScale");
       const Term below = b.Flag("isResult") ? g * slope * (x + alpha) : g * (slope * alpha) * Exp(AtMost(x, 0) * slope);
       return Where(x <= 0, below, g * b.Number("scale"));
     }},
    {"GeluBackward", [](Builder&, Term g, Term x) { return GeluExact(g, x); }},
    {"GeluBackwardV2",
     [](Builder& b, Term g, Term x) {
       const std::string approximate = b.Text("approximate");
       if (approximate != "none" && approximate != "tanh") b.Refuse("argument approximate is \"none\" or \"tanh\", not \"" + approximate + "\"");
       return approximate == "none" ? GeluExact(g, x) : GeluTanh(g, x);
     }},
    {"HardshrinkBackward", [](Builder& b, Term g, Term x) { return Where(Abs(x) <= b.Number("lambd"), 0, g); }},
    {"HardsigmoidBackward", [](Builder&, Term g, Term x) { return Where(Abs(x) < 3, g / 6, 0); }},
    {"HardswishBackward", [](Builder&, Term g, Term x) { return g * Where(x < -3, 0, Where(x <= 3, x / 3 + 0.5, 1)); }},
    {"HardswishBackwardV2", [](Builder&, Term g, Term x) { return g * Where(x <= -3, 0, Where(x < 3, x / 3 + 0.5, 1)); }},
    {"HardtanhBackward",
     [](Builder& b, Term g, Term x) {
       return Where(x <= b.Number("min"), 0, Where(x < b.Number("max"), g, 0));
     }},
    {"LeakyReluBackward", [](Builder& b, Term g, Term x) { return Where(x > 0, g, g * b.Number("negativeSlope")); }},
    {"LogSigmoidBackward", [](Builder&, Term g, Term x) { return g * Sigmoid(-x); }},
    {"MishBackward",
     [](Builder&, Term g, Term x) {
       const Term t = Tanh(Softplus(x));
       return g * (t + x * Sigmoid(x) * (1 - t * t));
     }},
    {"SeluBackward", [](Builder&, Term g, Term y) { return Where(y > 0, g * kSeluScale, g * (y + kSeluScale * kSeluAlpha)); }},
    {"SigmoidBackward", [](Builder&, Term g, Term y) { return g * y * (1 - y); }},
    {"SiluBackward",
     [](Builder&, Term g, Term x) {
       const Term s = Sigmoid(x);
       return g * s * (x * (1 - s) + 1);
     }},
    {"SoftplusBackward",
     [](Builder& b, Term g, Term x) {
       const Term scaled = x * b.Number("beta");
       return Where(scaled > b.Number("threshold"), g, g * Sigmoid(scaled));
     }},
    {"SoftshrinkBackward", [](Builder& b, Term g, Term x) { return Where(Abs(x) <= b.Number("lambda"), 0, g); }},
    {"SoftsignBackward",
     [](Builder&, Term g, Term x) {
       const Term size = Abs(x) + 1;
       return g / (size * size);
     }},
    {"SwishBackward",
     [](Builder& b, Term g, Term x) {
       const Term scaled = x * (b.Has("betaOptional") ? b.Number("betaOptional") : 1);
       const Term s = Sigmoid(scaled);
       return g * (s + scaled * s * (1 - s));
     }},
    {"TanhBackward", [](Builder&, Term g, Term y) { return g * (1 - y * y); }},
    {"ThresholdBackward", [](Builder& b, Term g, Term x) { return Where(x > b.Number("threshold"), g, 0); }},
};

void Elementwise(Builder& b) {
  const Pair pair = Operands(b);
  for (const Row& row : kRows) {
    if (row.name == b.detail()) return b.Out(row.gradient(b, pair.g, pair.x).value);
  }
}

Term SumAlong(Builder& b, Term x, int64_t axis) {
  return {&b, b.Op("ReduceSum", {x.value, b.ConstInts({axis})}, {{"keep_dims", true}})};
}

// Of softmax y: (g - sum(g y)) y. Of its logarithm y: g - exp(y) sum(g). The detail is which.
void Softmax(Builder& b) {
  const auto [g, y] = Operands(b);
  if (b.Rank(y.value) == 0) b.Refuse("a scalar has no dim to take a softmax along");
  const int64_t axis = b.Axis(b.Int("dim"), b.Rank(y.value));
  const bool logarithm = std::string_view(b.detail()) == "log";
  b.Out((logarithm ? g - Exp(y) * SumAlong(b, g, axis) : (g - SumAlong(b, g * y, axis)) * y).value);
}

}  // namespace

std::vector<Recipe> GradientRecipes() {
  std::vector<Recipe> recipes = {
      {"LogSoftmaxBackward", Softmax, "log"},
      {"SoftmaxBackward", Softmax, "plain"},
  };
  for (const Row& row : kRows) recipes.push_back({row.name, Elementwise, row.name.data()});
  return recipes;
}

}  // namespace atc::aclnn

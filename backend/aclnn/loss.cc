// Losses and their gradients, elementwise and then none, the mean, or the sum of all.
#include <cassert>

#include "backend/aclnn/recipes.h"
#include "backend/aclnn/term.h"
#include "backend/aclnn/type_rules.h"

namespace atc::aclnn {
namespace {

constexpr double kLeastLog = -100;  // below it logarithms of a binary cross entropy are cut
constexpr double kLeastVariance = 1e-12;  // of a probability in its gradient

// Operand, target, and in gradients that of the result, in their common float type.
struct Operands {
  Builder& b;
  Term x, t, g;

  Term Weight(std::string_view name) const { return {&b, b.Cast(b.Widen(b.In(name)), x.dtype())}; }
};

// What one element loses, and how that grows with the operand.
struct Loss {
  std::string_view name;
  Term (*value)(const Operands&);
  std::string_view gradient_name;
  Term (*gradient)(const Operands&);
};

Term LogAtLeast(Term x) { return AtLeast(Log(x), kLeastLog); }

// Weights of the positive targets: (w - 1) t + 1.
Term Positive(const Operands& o) {
  return o.b.Has("posWeightOptional") ? (o.Weight("posWeightOptional") - 1) * o.t + 1 : o.x.Number(1);
}

constexpr Loss kLosses[] = {
    {"BinaryCrossEntropy",
     [](const Operands& o) {
       const Term loss = -(o.t * LogAtLeast(o.x) + (1 - o.t) * LogAtLeast(1 - o.x));
       return o.b.Has("weightOptional") ? loss * o.Weight("weightOptional") : loss;
     },
     "BinaryCrossEntropyBackward",
     [](const Operands& o) {
       const Term slope = (o.x - o.t) / AtLeast((1 - o.x) * o.x, kLeastVariance);
       return o.b.Has("weightOptional") ? slope * o.Weight("weightOptional") : slope;
     }},
    {"BinaryCrossEntropyWithLogits",
     [](const Operands& o) {
       // log(1 + exp(-x)), without overflow.
       const Term loss = (1 - o.t) * o.x + Positive(o) * (Softplus(-Abs(o.x)) + AtLeast(-o.x, 0));
       return o.b.Has("weightOptional") ? loss * o.Weight("weightOptional") : loss;
     },
     "BinaryCrossEntropyWithLogitsBackward",
     [](const Operands& o) {
       const Term slope = (1 - o.t) - Positive(o) * Sigmoid(-o.x);
       return o.b.Has("weightOptional") ? slope * o.Weight("weightOptional") : slope;
     }},
    {"KlDiv",
     [](const Operands& o) {
       if (o.b.Flag("logTarget")) return Exp(o.t) * (o.t - o.x);
       return Where(o.t > 0, o.t * (Log(o.t) - o.x), 0);
     },
     "KlDivBackward",
     [](const Operands& o) { return o.b.Flag("logTarget") ? -Exp(o.t) : -AtLeast(o.t, 0); }},
    {"L1Loss", [](const Operands& o) { return Abs(o.x - o.t); },
     "L1LossBackward", [](const Operands& o) { return Sign(o.x - o.t); }},
    {"MseLoss",
     [](const Operands& o) {
       const Term d = o.x - o.t;
       return d * d;
     },
     "MseLossBackward", [](const Operands& o) { return (o.x - o.t) * 2; }},
    {"SmoothL1Loss",
     [](const Operands& o) {
       const double beta = o.b.Real("beta");
       const Term d = Abs(o.x - o.t);
       return beta == 0 ? d : Where(d < beta, d * d * (0.5 / beta), d - 0.5 * beta);
     },
     "SmoothL1LossBackward",
     [](const Operands& o) {
       const double beta = o.b.Real("beta");
       const Term d = o.x - o.t;
       return beta == 0 ? Sign(d) : AtLeast(AtMost(d / beta, 1), -1);
     }},
    {"SoftMarginLoss", [](const Operands& o) { return Softplus(-(o.t * o.x)); },
     "SoftMarginLossBackward", [](const Operands& o) { return -(o.t * Sigmoid(-(o.t * o.x))); }},
};

Operands OperandsOf(Builder& b, bool with_gradient) {
  Value x = b.Wide("self");
  Value t = b.Wide("target");
  const DataType dtype = b.Common(x, t);
  if (ClassOf(dtype) != TypeClass::kFloat) b.Refuse("losses are of floats, not " + std::string(DataTypeName(dtype)));
  Operands o{b, {&b, x}, {&b, t}, {}};
  if (with_gradient) o.g = {&b, b.Cast(b.Wide(b.InputName(0)), dtype)};
  return o;
}

enum Reduction : int64_t { kNone, kMean, kSum, kBatchMean };

// A mean over the batch is offered by KlDiv alone.
Reduction ReductionOf(Builder& b) {
  const int64_t reduction = b.Int("reduction");
  const bool batches = std::string_view(b.detail()).starts_with("KlDiv");
  if (reduction < kNone || reduction > (batches ? kBatchMean : kSum)) {
    b.Refuse("argument reduction is " + std::to_string(reduction) + "; 0 (none), 1 (mean) or 2 (sum) is wanted");
  }
  return static_cast<Reduction>(reduction);
}

// By how much the sum of all is divided.
double Count(const Builder& b, Reduction reduction, Value x) {
  const Shape& shape = b.ShapeOf(x);
  if (reduction == kMean) return static_cast<double>(shape.NumElements());
  if (reduction == kBatchMean && shape.rank() > 0) return static_cast<double>(shape[0]);
  return 1;
}

const Loss& LossOf(std::string_view name) {
  for (const Loss& loss : kLosses) {
    if (loss.name == name || loss.gradient_name == name) return loss;
  }
  assert(!"a recipe names a loss that there is not");
  return kLosses[0];
}

void OfTarget(Builder& b) {
  const Reduction reduction = ReductionOf(b);
  const Term loss = LossOf(b.detail()).value(OperandsOf(b, false));
  if (reduction == kNone) return b.Out(loss.value);
  std::vector<int64_t> axes;
  for (size_t i = 0; i < b.Rank(loss.value); ++i) axes.push_back(static_cast<int64_t>(i));
  Term sum = loss;
  if (!axes.empty()) sum.value = b.Op("ReduceSum", {loss.value, b.ConstInts(axes)}, {{"keep_dims", false}});
  b.OutWhole((sum / Count(b, reduction, loss.value)).value);
}

void GradientOfLoss(Builder& b) {
  const Reduction reduction = ReductionOf(b);
  const Operands o = OperandsOf(b, true);
  const Term slope = LossOf(b.detail()).gradient(o);
  b.Out((slope * o.g / Count(b, reduction, slope.value)).value);
}

}  // namespace

std::vector<Recipe> LossRecipes() {
  std::vector<Recipe> recipes;
  for (const Loss& loss : kLosses) {
    recipes.push_back({loss.name, OfTarget, loss.name.data()});
    recipes.push_back({loss.gradient_name, GradientOfLoss, loss.gradient_name.data()});
  }
  return recipes;
}

}  // namespace atc::aclnn

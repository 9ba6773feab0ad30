// Normalisations, made of means and products in float.
#include "backend/aclnn/recipes.h"
#include "backend/aclnn/type_rules.h"

namespace atc::aclnn {
namespace {

using Ints = std::vector<int64_t>;

struct Moments {
  Value mean, variance, rstd;  // with dims of 1 where axes were reduced
};

Value Mean(Builder& b, Value x, const Ints& axes) { return b.Op("ReduceMean", {x, b.ConstInts(axes)}, {{"keep_dims", true}}); }

Moments MomentsOf(Builder& b, Value x, const Ints& axes, double eps) {
  Moments m;
  m.mean = Mean(b, x, axes);
  const Value away = b.Op("Sub", {x, m.mean});
  m.variance = Mean(b, b.Op("Mul", {away, away}), axes);
  m.rstd = b.Op("Rsqrt", {b.Op("Add", {m.variance, b.Number(eps, b.TypeOf(x))})});
  return m;
}

Value FloatOperand(Builder& b, std::string_view name) {
  const Value x = b.Wide(name);
  if (ClassOf(b.TypeOf(x)) != TypeClass::kFloat) b.Refuse("argument " + std::string(name) + " must be a float");
  return x;
}

// y * scale + shift, each where it is there, brought to `dims` first.
Value Affine(Builder& b, Value y, std::string_view scale, std::string_view shift, const Ints& dims) {
  if (const Value factor = b.Wide(scale)) y = b.Op("Mul", {y, b.Cast(b.Reshape(factor, dims), b.TypeOf(y))});
  if (const Value term = b.Wide(shift)) y = b.Op("Add", {y, b.Cast(b.Reshape(term, dims), b.TypeOf(y))});
  return y;
}

Value Normal(Builder& b, Value x, const Moments& m) { return b.Op("Mul", {b.Op("Sub", {x, m.mean}), m.rstd}); }

void LayerNorm(Builder& b) {
  const Value x = FloatOperand(b, "input");
  const Ints normalized = b.Ints("normalizedShape");
  const size_t rank = b.Rank(x);
  const auto& dims = b.ShapeOf(x).dims();
  if (normalized.empty() || normalized.size() > rank || !std::equal(normalized.begin(), normalized.end(), dims.end() - normalized.size())) {
    b.Refuse("argument normalizedShape does not end the shape " + ToString(b.ShapeOf(x)));
  }
  Ints axes;
  for (size_t i = rank - normalized.size(); i < rank; ++i) axes.push_back(static_cast<int64_t>(i));
  const Moments m = MomentsOf(b, x, axes, b.Real("eps"));
  b.Out("out", Affine(b, Normal(b, x, m), "weightOptional", "biasOptional", normalized));
  b.Out("meanOutOptional", m.mean);
  b.Out("rstdOutOptional", m.rstd);
}

// The detail: of one tensor, or of a "sum" of two, which is given out as well.
void RmsNorm(Builder& b) {
  const bool sum = std::string_view(b.detail()) == "sum";
  const Value x = sum ? b.Op("Add", {FloatOperand(b, "x1"), FloatOperand(b, "x2")}) : FloatOperand(b, "x");
  if (sum) b.Out("xOut", x);
  const auto& gamma = b.ViewOf("gamma").shape.dims();
  const auto& dims = b.ShapeOf(x).dims();
  if (gamma.empty() || gamma.size() > dims.size() || !std::equal(gamma.begin(), gamma.end(), dims.end() - gamma.size())) {
    b.Refuse("the shape of argument gamma does not end that of x, " + ToString(b.ShapeOf(x)));
  }
  Ints axes;
  for (size_t i = dims.size() - gamma.size(); i < dims.size(); ++i) axes.push_back(static_cast<int64_t>(i));
  const Value squares = Mean(b, b.Op("Mul", {x, x}), axes);
  const Value rstd = b.Op("Rsqrt", {b.Op("Add", {squares, b.Number(b.Real("epsilon"), b.TypeOf(x))})});
  b.Out("yOut", b.Op("Mul", {b.Op("Mul", {x, rstd}), b.Cast(b.Wide("gamma"), b.TypeOf(x))}));
  b.Out("rstdOut", rstd);
}

void GroupNorm(Builder& b) {
  const Value x = FloatOperand(b, "self");
  const int64_t n = b.Int("n");
  const int64_t c = b.Int("c");
  const int64_t hxw = b.Int("hxw");
  const int64_t group = b.Int("group");
  if (b.Rank(x) < 2 || n * c * hxw != b.ShapeOf(x).NumElements() || b.ShapeOf(x)[0] != n || b.ShapeOf(x)[1] != c) {
    b.Refuse("arguments n, c and hxw do not fit the shape " + ToString(b.ShapeOf(x)));
  }
  if (group < 1 || c % group != 0) b.Refuse("argument group is " + std::to_string(group) + ", which does not divide the channels");
  const Value grouped = b.Reshape(x, {n, group, c / group * hxw});
  const Moments m = MomentsOf(b, grouped, {2}, b.Real("eps"));
  const Value y = b.Reshape(Normal(b, grouped, m), {n, c, hxw});
  b.Out("out", b.Reshape(Affine(b, y, "gammaOptional", "betaOptional", {1, c, 1}), b.ShapeOf(x).dims()));
  b.Out("meanOut", b.Reshape(m.mean, {n, group}));
  b.Out("rstdOut", b.Reshape(m.rstd, {n, group}));
}

// In training the moments of the batch, which the running ones move towards; else the running ones.
void BatchNorm(Builder& b) {
  const Value x = FloatOperand(b, "input");
  const size_t rank = b.Rank(x);
  if (rank < 2) b.Refuse("argument input has shape " + ToString(b.ShapeOf(x)) + "; 2 dims or more are wanted");
  const int64_t channels = b.ShapeOf(x)[1];
  Ints dims(rank, 1);
  dims[1] = channels;
  Ints axes = {0};
  for (size_t i = 2; i < rank; ++i) axes.push_back(static_cast<int64_t>(i));
  const DataType dtype = b.TypeOf(x);
  Moments m;
  if (b.Flag("training")) {
    m = MomentsOf(b, x, axes, b.Real("eps"));
    b.Out("saveMean", b.Reshape(m.mean, {channels}));
    b.Out("saveInvstd", b.Reshape(m.rstd, {channels}));
    const double count = static_cast<double>(b.ShapeOf(x).NumElements()) / static_cast<double>(std::max<int64_t>(channels, 1));
    const double unbiased = count > 1 ? count / (count - 1) : 1;
    const double momentum = b.Real("momentum");
    const auto move = [&](const char* name, Value value, double factor) {
      const Value running = b.Wide(name);
      if (!running) return;
      const Value kept = b.Op("Mul", {b.Cast(running, dtype), b.Number(1 - momentum, dtype)});
      b.Out(name, b.Op("Add", {kept, b.Op("Mul", {b.Reshape(value, {channels}), b.Number(momentum * factor, dtype)})}));
    };
    move("runningMean", m.mean, 1);
    move("runningVar", m.variance, unbiased);
  } else {
    const Value mean = b.Wide("runningMean");
    const Value variance = b.Wide("runningVar");
    if (!mean || !variance) b.Refuse("without training, runningMean and runningVar are needed", ACLNN_ERR_PARAM_NULLPTR);
    m.mean = b.Reshape(b.Cast(mean, dtype), dims);
    m.rstd = b.Op("Rsqrt", {b.Op("Add", {b.Reshape(b.Cast(variance, dtype), dims), b.Number(b.Real("eps"), dtype)})});
  }
  b.Out("output", Affine(b, Normal(b, x, m), "weight", "bias", dims));
}

}  // namespace

std::vector<Recipe> NormRecipes() {
  return {
      {"AddRmsNorm", RmsNorm, "sum"},
      {"BatchNorm", BatchNorm},
      {"FastLayerNorm", LayerNorm},
      {"GroupNorm", GroupNorm},
      {"LayerNorm", LayerNorm},
      {"RmsNorm", RmsNorm, "one"},
  };
}

}  // namespace atc::aclnn

#include "compiler/ops/ml_scores.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "compiler/ops/math.h"

namespace atc::ml {
namespace {

constexpr std::string_view kWords[] = {"NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"};

// Of the larger magnitude alone an exponential is taken, so that none overflows.
double Logistic(double x) {
  const double above = 1 / (1 + math::Exp(-std::abs(x)));
  return x < 0 ? 1 - above : above;
}

void Softmax(std::span<double> scores, bool keep_zeros) {
  if (scores.empty()) return;
  const double largest = *std::max_element(scores.begin(), scores.end());
  double sum = 0;
  for (double& score : scores) {
    const bool zero = keep_zeros && std::abs(score) <= 1e-7;
    sum += score = zero ? score * math::Exp(-largest) : math::Exp(score - largest);
  }
  for (double& score : scores) score = sum == 0 ? 0.5 : score / sum;
}

// The inverse of the normal distribution function. Winitzki's approximation of the inverse error function, then
// Newton's steps on the function itself.
double Probit(double p) {
  if (!(p > 0 && p < 1)) {
    if (p == 0) return -std::numeric_limits<double>::infinity();
    if (p == 1) return std::numeric_limits<double>::infinity();
    return std::numeric_limits<double>::quiet_NaN();
  }
  const double y = 2 * p - 1, log = math::Log((1 - y) * (1 + y)), a = 0.147;
  const double half = 2 / (std::numbers::pi * a) + log / 2;
  double x = std::copysign(std::sqrt(std::sqrt(half * half - log / a) - half), y);
  for (int step = 0; step < 3; ++step) {
    x -= (math::Erf(x) - y) * std::sqrt(std::numbers::pi) / 2 * math::Exp(x * x);
  }
  return std::numbers::sqrt2 * x;
}

}  // namespace

PostTransform ReadPostTransform(const KernelContext& ctx) {
  if (const int64_t* number = ctx.node().attrs.FindAs<int64_t>("post_transform")) {
    if (*number >= 0 && *number < static_cast<int64_t>(std::size(kWords))) return static_cast<PostTransform>(*number);
    ctx.Fail("post_transform is " + std::to_string(*number) + ", wanted 0 to 4");
  }
  const auto word = ctx.node().attrs.Get<std::string>("post_transform", "NONE");
  const auto* found = std::find(std::begin(kWords), std::end(kWords), word);
  if (found == std::end(kWords)) {
    ctx.Fail("post_transform is '" + word + "', wanted NONE, SOFTMAX, LOGISTIC, SOFTMAX_ZERO or PROBIT");
  }
  return static_cast<PostTransform>(found - kWords);
}

void Transform(PostTransform how, std::span<double> scores) {
  switch (how) {
    case PostTransform::kNone: return;
    case PostTransform::kSoftmax: return Softmax(scores, false);
    case PostTransform::kSoftmaxZero: return Softmax(scores, true);
    case PostTransform::kLogistic: std::transform(scores.begin(), scores.end(), scores.begin(), Logistic); return;
    case PostTransform::kProbit: std::transform(scores.begin(), scores.end(), scores.begin(), Probit); return;
  }
}

Features ReadFeatures(const KernelContext& ctx) {
  const Shape& x = ctx.InShape(0);
  if (x.rank() != 1 && x.rank() != 2) ctx.Fail("input " + ToString(x) + " must be [C] or [N,C]");
  if (ctx.InType(0) == DT_STRING) ctx.Fail("input is DT_STRING, wanted numbers");
  return {x.rank() == 1 ? 1 : x[0], x[x.rank() - 1], ToDoubles(ctx.In(0))};
}

int64_t NumRows(const InferContext& ctx) {
  const Shape& x = ctx.InShape(0);
  if (!x.HasRank()) return kUnknownDim;
  if (x.rank() != 1 && x.rank() != 2) ctx.Fail("input " + ToString(x) + " must be [C] or [N,C]");
  return x.rank() == 1 ? 1 : x[0];
}

Labels::Labels(const Node& node, Name ints_name)
    : strings(node.attrs.Get<std::vector<std::string>>("classlabels_strings", {})),
      ints(node.attrs.Get<std::vector<int64_t>>(ints_name, {})) {}

void WriteLabels(KernelContext& ctx, const Labels& labels, const std::vector<int64_t>& classes) {
  Tensor& out = ctx.Out(0, labels.dtype(), {static_cast<int64_t>(classes.size())});
  for (size_t i = 0; i < classes.size(); ++i) {
    const auto at = static_cast<size_t>(classes[i]);
    if (classes[i] >= 0 && labels.size() != 0 && at >= labels.size()) {
      ctx.Fail("class " + std::to_string(at) + " is chosen of " + std::to_string(labels.size()) + " labels");
    }
    if (!labels.strings.empty()) {
      out.MutableData<std::string>()[i] = classes[i] < 0 ? "" : labels.strings[at];
    } else if (classes[i] < 0) {
      out.MutableData<int64_t>()[i] = 0;
    } else {
      out.MutableData<int64_t>()[i] = labels.ints.empty() ? classes[i] : labels.ints[at];
    }
  }
}

void InferClassifier(InferContext& ctx, const Labels& labels, int64_t columns) {
  const int64_t rows = NumRows(ctx);
  ctx.SetOut(0, labels.dtype(), {rows});
  ctx.SetOut(1, DT_FLOAT, {rows, columns});
}

void WriteScores(KernelContext& ctx, size_t i, int64_t rows, const std::vector<double>& scores) {
  if (!ctx.WantsOutput(i)) return;
  Tensor& out = ctx.Out(i, DT_FLOAT, {rows, rows == 0 ? 0 : static_cast<int64_t>(scores.size()) / rows});
  std::transform(scores.begin(), scores.end(), out.MutableData<float>(),
                 [](double score) { return static_cast<float>(score); });
}

}  // namespace atc::ml

// Linear models of domain ai.onnx.ml: LinearClassifier and LinearRegressor.
#include <algorithm>

#include "compiler/ops/families.h"
#include "compiler/ops/ml_scores.h"

namespace atc {
namespace {

using Floats = std::vector<float>;

// x times the coefficients [targets, columns], plus the intercepts: [rows, targets].
std::vector<double> LinearScores(const KernelContext& ctx, const ml::Features& x, int64_t targets) {
  const auto coefficients = ctx.node().attrs.Get<Floats>("coefficients", {});
  const auto intercepts = ctx.node().attrs.Get<Floats>("intercepts", {});
  if (targets < 1 || static_cast<int64_t>(coefficients.size()) != targets * x.columns) {
    ctx.Fail(std::to_string(coefficients.size()) + " coefficients are given, wanted " + std::to_string(x.columns) +
             " features times " + std::to_string(targets) + " scores");
  }
  if (!intercepts.empty() && static_cast<int64_t>(intercepts.size()) != targets) {
    ctx.Fail(std::to_string(intercepts.size()) + " intercepts are given for " + std::to_string(targets) + " scores");
  }
  std::vector<double> scores;
  scores.reserve(static_cast<size_t>(x.rows * targets));
  for (int64_t r = 0; r < x.rows; ++r) {
    for (int64_t t = 0; t < targets; ++t) {
      double sum = intercepts.empty() ? 0 : static_cast<double>(intercepts[static_cast<size_t>(t)]);
      for (int64_t c = 0; c < x.columns; ++c) {
        sum += x.Row(r)[static_cast<size_t>(c)] *
               static_cast<double>(coefficients[static_cast<size_t>(t * x.columns + c)]);
      }
      scores.push_back(sum);
    }
  }
  return scores;
}

// ---- LinearRegressor ----

void InferRegressor(InferContext& ctx) { ctx.SetOut(0, DT_FLOAT, {ml::NumRows(ctx), ctx.Attr<int64_t>("targets")}); }

void RegressorKernel(KernelContext& ctx) {
  const ml::Features x = ml::ReadFeatures(ctx);
  const int64_t targets = ctx.Attr<int64_t>("targets");
  std::vector<double> scores = LinearScores(ctx, x, targets);
  const ml::PostTransform how = ml::ReadPostTransform(ctx);
  for (int64_t r = 0; r < x.rows; ++r) {
    ml::Transform(how, {scores.data() + r * targets, static_cast<size_t>(targets)});
  }
  ml::WriteScores(ctx, 0, x.rows, scores);
}

// ---- LinearClassifier ----

// Scores computed: one for each class, or a single one for two classes.
int64_t NumScores(const Node& node, size_t labels) {
  const size_t intercepts = node.attrs.Get<Floats>("intercepts", {}).size();
  return static_cast<int64_t>(intercepts != 0 ? intercepts : std::max<size_t>(labels, 1));
}

void InferClassifier(InferContext& ctx) {
  const ml::Labels labels(ctx.node(), "classlabels_ints");
  const int64_t scores = NumScores(ctx.node(), labels.size());
  ml::InferClassifier(ctx, labels, scores == 1 && labels.size() == 2 ? 2 : scores);
}

void ClassifierKernel(KernelContext& ctx) {
  const ml::Labels labels(ctx.node(), "classlabels_ints");
  const ml::Features x = ml::ReadFeatures(ctx);
  const int64_t columns = NumScores(ctx.node(), labels.size());
  const std::vector<double> scores = LinearScores(ctx, x, columns);
  const ml::PostTransform how = ml::ReadPostTransform(ctx);
  std::vector<double> results;
  std::vector<int64_t> classes;
  for (int64_t r = 0; r < x.rows; ++r) {
    std::vector<double> row(scores.begin() + r * columns, scores.begin() + (r + 1) * columns);
    // A single score speaks for the second of two classes; what it leaves is the first one's.
    const bool pair = columns == 1 && labels.size() == 2;
    if (columns > 1) {
      classes.push_back(-1);  // the best after the transformation
    } else if (pair) {
      classes.push_back(row[0] > 0 ? 1 : 0);
      row.insert(row.begin(), how == ml::PostTransform::kNone ? 1 - row[0] : -row[0]);
    } else {
      classes.push_back(row[0] > 0 ? 0 : -1);
    }
    ml::Transform(how, row);
    if (columns > 1) classes.back() = std::max_element(row.begin(), row.end()) - row.begin();
    results.insert(results.end(), row.begin(), row.end());
  }
  ml::WriteLabels(ctx, labels, classes);
  ml::WriteScores(ctx, 1, x.rows, results);
}

}  // namespace

void RegisterMlLinearOps(OpRegistry& registry) {
  registry.Add(OpDef("onnx::LinearClassifier")
                   .In("X")
                   .Out("Y")
                   .OptOut("Z")
                   .RequiredAttr("coefficients")
                   .Attr("multi_class", 0)
                   .Attr("post_transform", "NONE")
                   .Attr("opset", 1)
                   .On(Unit::kAiCpu)
                   .Infer(InferClassifier)
                   .Kernel(ClassifierKernel));
  registry.Add(OpDef("onnx::LinearRegressor")
                   .In("X")
                   .Out("Y")
                   .Attr("targets", 1)
                   .Attr("post_transform", "NONE")
                   .Attr("opset", 1)
                   .On(Unit::kAiCpu)
                   .Infer(InferRegressor)
                   .Kernel(RegressorKernel));
}

}  // namespace atc

// Decision trees of domain ai.onnx.ml: TreeEnsemble, TreeEnsembleClassifier and TreeEnsembleRegressor.
#include <algorithm>

#include "compiler/ops/dispatch.h"
#include "compiler/ops/families.h"
#include "compiler/ops/ml_scores.h"
#include "compiler/ops/ml_tree_model.h"

namespace atc {
namespace {

using ml::Vote;

enum class Aggregate { kAverage, kSum, kMin, kMax };

Aggregate ReadAggregate(const KernelContext& ctx) {
  static constexpr std::string_view kWords[] = {"AVERAGE", "SUM", "MIN", "MAX"};
  if (const int64_t* number = ctx.node().attrs.FindAs<int64_t>("aggregate_function")) {
    if (*number >= 0 && *number <= 3) return static_cast<Aggregate>(*number);
    ctx.Fail("aggregate_function is " + std::to_string(*number) + ", wanted 0 to 3");
  }
  const auto word = ctx.node().attrs.Get<std::string>("aggregate_function", "SUM");
  const auto* found = std::find(std::begin(kWords), std::end(kWords), word);
  if (found == std::end(kWords)) ctx.Fail("aggregate_function is '" + word + "', wanted AVERAGE, SUM, MIN or MAX");
  return static_cast<Aggregate>(found - kWords);
}

std::vector<double> BaseValues(const Node& node) {
  if (const Tensor* tensor = node.attrs.FindAs<Tensor>("base_values_as_tensor"))
    return ToDoubles(tensor->Materialized());
  const auto floats = node.attrs.Get<std::vector<float>>("base_values", {});
  return {floats.begin(), floats.end()};
}

void CheckTargets(const KernelContext& ctx, const ml::Trees& trees, size_t count) {
  for (const Vote& vote : trees.votes()) {
    if (vote.target < 0 || static_cast<uint64_t>(vote.target) >= count) {
      ctx.Fail("a leaf votes for number " + std::to_string(vote.target) + " of " + std::to_string(count));
    }
  }
}

// ---- regression ----

// Scores [rows, targets]: the votes for each target brought together, plus the base values. Where no leaf votes, 0.
std::vector<double> Regress(const KernelContext& ctx, const ml::Trees& trees, const ml::Features& x, size_t targets) {
  CheckTargets(ctx, trees, targets);
  const Aggregate how = ReadAggregate(ctx);
  const ml::PostTransform transform = ml::ReadPostTransform(ctx);
  const std::vector<double> base = BaseValues(ctx.node());
  if (!base.empty() && base.size() != targets) {
    ctx.Fail(std::to_string(base.size()) + " base values are given for " + std::to_string(targets) + " targets");
  }
  std::vector<double> results;
  for (int64_t r = 0; r < x.rows; ++r) {
    std::vector<double> row(targets, 0);
    std::vector<bool> voted(targets, false);
    trees.Walk(ctx, x.Row(r), [&](const Vote& vote) {
      const auto t = static_cast<size_t>(vote.target);
      if (!voted[t]) {
        row[t] = vote.weight;
      } else if (how == Aggregate::kMin) {
        row[t] = std::min(row[t], vote.weight);
      } else if (how == Aggregate::kMax) {
        row[t] = std::max(row[t], vote.weight);
      } else {
        row[t] += vote.weight;
      }
      voted[t] = true;
    });
    for (size_t t = 0; t < targets; ++t) {
      if (how == Aggregate::kAverage && trees.count() != 0) row[t] /= static_cast<double>(trees.count());
      if (!base.empty()) row[t] += base[t];
    }
    ml::Transform(transform, row);
    results.insert(results.end(), row.begin(), row.end());
  }
  return results;
}

template <typename Context>
int64_t NumTargets(const Context& ctx) {
  const int64_t targets = ctx.template Attr<int64_t>("n_targets");
  if (targets < 1) ctx.Fail("n_targets is " + std::to_string(targets) + ", wanted at least 1");
  return targets;
}

void InferRegressor(InferContext& ctx) { ctx.SetOut(0, DT_FLOAT, {ml::NumRows(ctx), NumTargets(ctx)}); }

void RegressorKernel(KernelContext& ctx) {
  const ml::Features x = ml::ReadFeatures(ctx);
  const auto targets = static_cast<size_t>(NumTargets(ctx));
  const auto trees = ctx.Keep<ml::Trees>([&] { return ml::Trees::FromNodes(ctx, "target"); });
  ml::WriteScores(ctx, 0, x.rows, Regress(ctx, *trees, x, targets));
}

// TreeEnsemble keeps the type of its input, which may be half.
void InferEnsemble(InferContext& ctx) { ctx.SetOut(0, ctx.InType(0), {ml::NumRows(ctx), NumTargets(ctx)}); }

void EnsembleKernel(KernelContext& ctx) {
  const ml::Features x = ml::ReadFeatures(ctx);
  const auto targets = static_cast<size_t>(NumTargets(ctx));
  const auto trees = ctx.Keep<ml::Trees>([&] { return ml::Trees::FromEnsemble(ctx); });
  const std::vector<double> scores = Regress(ctx, *trees, x, targets);
  Dispatch(FloatTypes{}, ctx, ctx.InType(0), [&]<typename T>() {
    Tensor& y = ctx.Out(0, ctx.InType(0), {x.rows, static_cast<int64_t>(targets)});
    std::transform(scores.begin(), scores.end(), y.MutableData<T>(),
                   [](double score) { return static_cast<T>(score); });
  });
}

// ---- classification ----

// Of two classes, all leaves vote for one.
bool IsBinary(const ml::Trees& trees, size_t classes) {
  const auto& votes = trees.votes();
  return classes == 2 && !votes.empty() &&
         std::all_of(votes.begin(), votes.end(), [&](const Vote& vote) { return vote.target == votes[0].target; });
}

void InferClassifier(InferContext& ctx) {
  const ml::Labels labels(ctx.node(), "classlabels_int64s");
  ml::InferClassifier(ctx, labels, static_cast<int64_t>(labels.size()));
}

void ClassifierKernel(KernelContext& ctx) {
  const ml::Labels labels(ctx.node(), "classlabels_int64s");
  const size_t classes = labels.size();
  if (classes == 0) ctx.Fail("it has no class labels");
  const ml::Features x = ml::ReadFeatures(ctx);
  const auto kept = ctx.Keep<ml::Trees>([&] { return ml::Trees::FromNodes(ctx, "class"); });
  const ml::Trees& trees = *kept;
  CheckTargets(ctx, trees, classes);
  const ml::PostTransform transform = ml::ReadPostTransform(ctx);
  const std::vector<double> base = BaseValues(ctx.node());
  const bool binary = IsBinary(trees, classes);
  if (!base.empty() && base.size() != classes && !(binary && base.size() == 1)) {
    ctx.Fail(std::to_string(base.size()) + " base values are given for " + std::to_string(classes) + " classes");
  }
  const bool all_positive =
      std::all_of(trees.votes().begin(), trees.votes().end(), [](const Vote& vote) { return vote.weight >= 0; });
  std::vector<double> results;
  std::vector<int64_t> chosen;
  for (int64_t r = 0; r < x.rows; ++r) {
    std::vector<double> row(classes, 0);
    trees.Walk(ctx, x.Row(r), [&](const Vote& vote) { row[static_cast<size_t>(vote.target)] += vote.weight; });
    if (binary) {
      // Weights that are all positive are probabilities, others are signed distances from the border. Votes that name
      // class 0 speak for the second class nevertheless, and what they leave is the first one's.
      const bool complement = trees.votes()[0].target == 0;
      if (complement) std::swap(row[0], row[1]);
      if (!base.empty()) row[1] += base.back();
      chosen.push_back(row[1] > (all_positive ? 0.5 : 0) ? 1 : 0);
      if (complement) row[0] = all_positive && transform == ml::PostTransform::kNone ? 1 - row[1] : -row[1];
    } else {
      for (size_t c = 0; c < base.size(); ++c) row[c] += base[c];
      chosen.push_back(classes == 1 ? (row[0] > 0 ? 0 : -1) : std::max_element(row.begin(), row.end()) - row.begin());
    }
    ml::Transform(transform, row);
    results.insert(results.end(), row.begin(), row.end());
  }
  ml::WriteLabels(ctx, labels, chosen);
  ml::WriteScores(ctx, 1, x.rows, results);
}

OpDef Ensemble(Name type, int version) { return OpDef(type).In("X").Out("Y").Attr("opset", version).On(Unit::kAiCpu); }

}  // namespace

void RegisterMlTreeOps(OpRegistry& registry) {
  registry.Add(Ensemble("onnx::TreeEnsemble", 5)
                   .Attr("aggregate_function", 1)
                   .Attr("n_targets", 1)
                   .Attr("post_transform", 0)
                   .Traits(kWidenHalf)
                   .Infer(InferEnsemble)
                   .Kernel(EnsembleKernel));
  registry.Add(Ensemble("onnx::TreeEnsembleClassifier", 1)
                   .OptOut("Z")
                   .Attr("post_transform", "NONE")
                   .Infer(InferClassifier)
                   .Kernel(ClassifierKernel));
  registry.Add(Ensemble("onnx::TreeEnsembleRegressor", 1)
                   .Attr("aggregate_function", "SUM")
                   .Attr("n_targets", 1)
                   .Attr("post_transform", "NONE")
                   .Infer(InferRegressor)
                   .Kernel(RegressorKernel));
}

}  // namespace atc

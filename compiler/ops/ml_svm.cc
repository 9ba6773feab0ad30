// Support vector machines of domain ai.onnx.ml: SVMClassifier and SVMRegressor.
#include <algorithm>
#include <cmath>

#include "compiler/ops/families.h"
#include "compiler/ops/math.h"
#include "compiler/ops/ml_scores.h"

namespace atc {
namespace {

using Floats = std::vector<float>;
using Doubles = std::vector<double>;

Doubles Numbers(const Node& node, Name name) {
  const auto floats = node.attrs.Get<Floats>(name, {});
  return {floats.begin(), floats.end()};
}

// The similarity of two rows. kernel_params are gamma, coef0 and degree.
class Kernel {
 public:
  Kernel(const KernelContext& ctx, bool linear)
      : type_(linear ? "LINEAR" : ctx.Attr<std::string>("kernel_type")), params_(Numbers(ctx.node(), "kernel_params")) {
    if (type_ != "LINEAR" && type_ != "POLY" && type_ != "RBF" && type_ != "SIGMOID") {
      ctx.Fail("kernel_type is '" + type_ + "', wanted LINEAR, POLY, RBF or SIGMOID");
    }
    if (params_.empty()) params_.assign(3, 0);
    if (params_.size() != 3) {
      ctx.Fail("kernel_params has " + std::to_string(params_.size()) + " numbers, wanted gamma, coef0 and degree");
    }
  }
  double operator()(std::span<const double> a, std::span<const double> b) const {
    double sum = 0;
    const bool radial = type_ == "RBF";
    for (size_t i = 0; i < a.size(); ++i) sum += radial ? (a[i] - b[i]) * (a[i] - b[i]) : a[i] * b[i];
    if (type_ == "LINEAR") return sum;
    if (radial) return math::Exp(-params_[0] * sum);
    const double inner = params_[0] * sum + params_[1];
    return type_ == "POLY" ? math::Pow(inner, params_[2]) : math::Tanh(inner);
  }

 private:
  std::string type_;
  Doubles params_;
};

void CheckCount(const KernelContext& ctx, const char* name, size_t found, size_t wanted) {
  if (found == wanted) return;
  ctx.Fail("attribute " + std::string(name) + " has " + std::to_string(found) + " numbers, wanted " +
           std::to_string(wanted));
}

std::span<const double> RowOf(const Doubles& values, size_t row, size_t columns) {
  return {values.data() + row * columns, columns};
}

// ---- SVMRegressor ----

void InferRegressor(InferContext& ctx) { ctx.SetOut(0, DT_FLOAT, {ml::NumRows(ctx), 1}); }

// The weighted similarity to the support vectors (without any: to the coefficients), plus rho.
void RegressorKernel(KernelContext& ctx) {
  const ml::Features x = ml::ReadFeatures(ctx);
  const int64_t supports = ctx.Attr<int64_t>("n_supports");
  const auto columns = static_cast<size_t>(x.columns);
  const auto count = static_cast<size_t>(std::max<int64_t>(supports, 0));
  const Doubles vectors = Numbers(ctx.node(), "support_vectors"), weights = Numbers(ctx.node(), "coefficients");
  const Doubles rho = Numbers(ctx.node(), "rho");
  CheckCount(ctx, "coefficients", weights.size(), count == 0 ? columns : count);
  if (count != 0 && vectors.size() / count != columns)
    CheckCount(ctx, "support_vectors", vectors.size(), count * columns);
  CheckCount(ctx, "rho", rho.size(), 1);
  const Kernel kernel(ctx, count == 0);
  const ml::PostTransform how = ml::ReadPostTransform(ctx);
  Doubles results;
  for (int64_t r = 0; r < x.rows; ++r) {
    double sum = rho[0];
    for (size_t i = 0; i < count; ++i) sum += weights[i] * kernel(x.Row(r), RowOf(vectors, i, columns));
    if (count == 0) sum += kernel(x.Row(r), weights);
    if (ctx.Attr<int64_t>("one_class") != 0) sum = sum > 0 ? 1 : -1;
    ml::Transform(how, {&sum, 1});
    results.push_back(sum);
  }
  ml::WriteScores(ctx, 0, x.rows, results);
}

// ---- SVMClassifier ----

// Attributes of a classifier with its sizes checked. Without support vectors it is linear: a row of coefficients a
// class.
struct Machine {
  size_t classes, columns, supports = 0;
  std::vector<size_t> begin, size;  // of each class among the support vectors
  Doubles vectors, weights, rho, prob_a, prob_b;

  size_t pairs() const { return classes * (classes - 1) / 2; }
  bool has_probabilities() const { return !prob_a.empty() && supports != 0; }

  Machine(const KernelContext& ctx, size_t labels, int64_t features)
      : classes(std::max<size_t>(labels, 1)),
        columns(static_cast<size_t>(features)),
        vectors(Numbers(ctx.node(), "support_vectors")),
        weights(Numbers(ctx.node(), "coefficients")),
        rho(Numbers(ctx.node(), "rho")),
        prob_a(Numbers(ctx.node(), "prob_a")),
        prob_b(Numbers(ctx.node(), "prob_b")) {
    for (const int64_t count : ctx.node().attrs.Get<std::vector<int64_t>>("vectors_per_class", {})) {
      if (count < 0 || static_cast<size_t>(count) > vectors.size()) {
        ctx.Fail("vectors_per_class holds " + std::to_string(count) + " where there are " +
                 std::to_string(vectors.size()) + " numbers in all vectors");
      }
      begin.push_back(supports);
      size.push_back(static_cast<size_t>(count));
      supports += size.back();
    }
    if (supports == 0) {
      CheckCount(ctx, "coefficients", weights.size(), classes * columns);
      if (rho.empty()) CheckCount(ctx, "rho", 0, 1);
      return;
    }
    CheckCount(ctx, "vectors_per_class", size.size(), classes);
    CheckCount(ctx, "support_vectors", vectors.size(), supports * columns);
    CheckCount(ctx, "coefficients", weights.size(), (classes - 1) * supports);
    CheckCount(ctx, "rho", rho.size(), pairs());
    if (!prob_a.empty()) {
      CheckCount(ctx, "prob_a", prob_a.size(), pairs());
      CheckCount(ctx, "prob_b", prob_b.size(), pairs());
    }
  }
};

// The score of each pair of classes (i < j) and the number of pairs that each class wins.
Doubles PairScores(const Machine& machine, const Kernel& kernel, std::span<const double> row, Doubles* wins) {
  Doubles similar, scores;
  for (size_t v = 0; v < machine.supports; ++v)
    similar.push_back(kernel(row, RowOf(machine.vectors, v, machine.columns)));
  wins->assign(machine.classes, 0);
  // The vectors of class `of` against class `other`: their weights are in the row of the other, its own left out.
  const auto part = [&](size_t of, size_t weights_row) {
    double sum = 0;
    for (size_t v = machine.begin[of]; v < machine.begin[of] + machine.size[of]; ++v) {
      sum += machine.weights[weights_row * machine.supports + v] * similar[v];
    }
    return sum;
  };
  for (size_t i = 0; i < machine.classes; ++i) {
    for (size_t j = i + 1; j < machine.classes; ++j) {
      scores.push_back(machine.rho[scores.size()] + part(i, j - 1) + part(j, i));
      (*wins)[scores.back() > 0 ? i : j] += 1;
    }
  }
  return scores;
}

// Probabilities of classes from those of pairs: Wu, Lin and Weng, "Probability estimates for multi-class classification
// by pairwise coupling" (2004), second method, with its stopping rule.
Doubles CoupledProbabilities(const Machine& machine, const Doubles& scores) {
  const size_t k = machine.classes;
  std::vector<Doubles> r(k, Doubles(k, 0)), q(k, Doubles(k, 0));
  size_t pair = 0;
  for (size_t i = 0; i < k; ++i) {
    for (size_t j = i + 1; j < k; ++j, ++pair) {
      const double wins = 1 / (1 + math::Exp(scores[pair] * machine.prob_a[pair] + machine.prob_b[pair]));
      r[i][j] = std::clamp(wins, 1e-7, 1 - 1e-7);
      r[j][i] = 1 - r[i][j];
    }
  }
  for (size_t i = 0; i < k; ++i) {
    for (size_t j = 0; j < k; ++j) {
      if (j == i) continue;
      q[i][i] += r[j][i] * r[j][i];
      q[i][j] = -r[j][i] * r[i][j];
    }
  }
  Doubles p(k, 1.0 / static_cast<double>(k)), qp(k);
  const double tolerance = 0.005 / static_cast<double>(k);
  for (size_t step = 0; step < std::max<size_t>(100, k); ++step) {
    double pqp = 0, error = 0;
    for (size_t i = 0; i < k; ++i) {
      qp[i] = 0;
      for (size_t j = 0; j < k; ++j) qp[i] += q[i][j] * p[j];
      pqp += p[i] * qp[i];
    }
    for (size_t i = 0; i < k; ++i) error = std::max(error, std::abs(qp[i] - pqp));
    if (error < tolerance) break;
    for (size_t i = 0; i < k; ++i) {
      const double change = (pqp - qp[i]) / q[i][i];
      p[i] += change;
      pqp = (pqp + change * (change * q[i][i] + 2 * qp[i])) / (1 + change) / (1 + change);
      for (size_t j = 0; j < k; ++j) {
        qp[j] = (qp[j] + change * q[i][j]) / (1 + change);
        p[j] /= 1 + change;
      }
    }
  }
  return p;
}

int64_t NumScores(const Node& node, size_t labels) {
  const auto classes = static_cast<int64_t>(std::max<size_t>(labels, 1));
  const auto per_class = node.attrs.Get<std::vector<int64_t>>("vectors_per_class", {});
  const bool linear = std::all_of(per_class.begin(), per_class.end(), [](int64_t count) { return count == 0; });
  if (linear || !node.attrs.Get<Floats>("prob_a", {}).empty()) return classes;
  return classes == 2 ? 2 : classes * (classes - 1) / 2;
}

void InferClassifier(InferContext& ctx) {
  const ml::Labels labels(ctx.node(), "classlabels_ints");
  ml::InferClassifier(ctx, labels, NumScores(ctx.node(), labels.size()));
}

void ClassifierKernel(KernelContext& ctx) {
  const ml::Labels labels(ctx.node(), "classlabels_ints");
  const ml::Features x = ml::ReadFeatures(ctx);
  const Machine machine(ctx, labels.size(), x.columns);
  const Kernel kernel(ctx, machine.supports == 0);
  const ml::PostTransform how = ml::ReadPostTransform(ctx);
  std::vector<int64_t> chosen;
  Doubles results;
  for (int64_t r = 0; r < x.rows; ++r) {
    Doubles scores, wins;
    if (machine.supports == 0) {
      for (size_t c = 0; c < machine.classes; ++c) {
        scores.push_back(machine.rho[0] + kernel(x.Row(r), RowOf(machine.weights, c, machine.columns)));
      }
    } else {
      scores = PairScores(machine, kernel, x.Row(r), &wins);
      if (machine.has_probabilities()) scores = CoupledProbabilities(machine, scores);
    }
    const Doubles& judges = wins.empty() ? scores : wins;
    const int64_t best = std::max_element(judges.begin(), judges.end()) - judges.begin();
    chosen.push_back(machine.classes > 1 ? best : judges[0] > 0 ? 0 : -1);
    // The score of a single pair, which speaks for its first class, is shown as one for each class.
    if (scores.size() == 1 && machine.classes == 2) scores = {-scores[0], scores[0]};
    ml::Transform(how, scores);
    results.insert(results.end(), scores.begin(), scores.end());
  }
  ml::WriteLabels(ctx, labels, chosen);
  ml::WriteScores(ctx, 1, x.rows, results);
}

OpDef Svm(Name type) {
  return OpDef(type)
      .In("X")
      .Out("Y")
      .Attr("kernel_type", "LINEAR")
      .Attr("post_transform", "NONE")
      .Attr("opset", 1)
      .On(Unit::kAiCpu);
}

}  // namespace

void RegisterMlSvmOps(OpRegistry& registry) {
  registry.Add(Svm("onnx::SVMClassifier").OptOut("Z").Infer(InferClassifier).Kernel(ClassifierKernel));
  registry.Add(Svm("onnx::SVMRegressor")
                   .Attr("n_supports", 0)
                   .Attr("one_class", 0)
                   .Infer(InferRegressor)
                   .Kernel(RegressorKernel));
}

}  // namespace atc

// What the operators of domain ai.onnx.ml share: rows of features, scores and the labels chosen by them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "compiler/ir/infer_context.h"
#include "compiler/ir/kernel_context.h"

namespace atc::ml {

enum class PostTransform { kNone, kSoftmax, kLogistic, kSoftmaxZero, kProbit };

// From attribute post_transform: a word, or in TreeEnsemble a number. Fails when it is neither.
PostTransform ReadPostTransform(const KernelContext& ctx);

// Scores of one row, in place. LOGISTIC: 1 / (1 + e^-x). SOFTMAX: e^x / sum. SOFTMAX_ZERO: the same where scores
// within 1e-7 of 0 stay 0 (all of them 0: 0.5 each). PROBIT: the quantile function of the normal distribution.
void Transform(PostTransform how, std::span<double> scores);

// Numbers of input 0 as [rows, columns]; a vector is one row.
struct Features {
  int64_t rows = 0;
  int64_t columns = 0;
  std::vector<double> values;

  std::span<const double> Row(int64_t r) const { return {values.data() + r * columns, static_cast<size_t>(columns)}; }
};
Features ReadFeatures(const KernelContext& ctx);

// The rows of input 0: 1 for a vector, -1 where unknown. Fails on other ranks than 1 and 2.
int64_t NumRows(const InferContext& ctx);

// The classes that a classifier names: strings if there are any, else integers, else 0, 1, ...
struct Labels {
  std::vector<std::string> strings;
  std::vector<int64_t> ints;

  // Integers come from attribute `ints_name`, strings from classlabels_strings.
  Labels(const Node& node, Name ints_name);
  size_t size() const { return std::max(strings.size(), ints.size()); }
  DataType dtype() const { return strings.empty() ? DT_INT64 : DT_STRING; }
};

// Output 0 of a classifier: for each row a class, or -1 for "not the only class there is", which is 0 or "".
void WriteLabels(KernelContext& ctx, const Labels& labels, const std::vector<int64_t>& classes);

// Outputs of a classifier: labels [N] and `columns` scores a row.
void InferClassifier(InferContext& ctx, const Labels& labels, int64_t columns);

// A float output i of [rows, values / rows] from doubles.
void WriteScores(KernelContext& ctx, size_t i, int64_t rows, const std::vector<double>& scores);

}  // namespace atc::ml

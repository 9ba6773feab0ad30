// NearestRows: for each row of x the nearest rows of a table.
//   x       float [n, d]
//   table   float [m, d]
//   index   int64 [n, count], numbers of rows of the table, the nearest first; of two equally near the first one
//   score   float [n, count], their distances
// Attributes: count (how many), metric ("euclid": sum of squares, "city": sum of differences). In models it is
// com.example::NearestRows; version 1 of com.example has the attribute "l1" (0 or 1) in place of metric.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "register/custom_operator.h"

namespace {

ge::Status Fault(ge::OperatorContext& ctx, const std::string& text) {
  ctx.SetErrorMessage(text.c_str());
  return ge::FAILED;
}

// Attributes are checked where shapes are inferred, so that a wrong model is refused by the converter.
ge::Status Infer(ge::OperatorInferContext& ctx) {
  const std::vector<int64_t> x = ctx.InputShape(0).GetDims(), table = ctx.InputShape(1).GetDims();
  int64_t count = 0;
  ctx.GetAttr("count", count);
  std::string metric;
  ctx.GetAttr("metric", metric);
  if (count < 1) return Fault(ctx, "count is " + std::to_string(count) + ", at least 1 is wanted");
  if (metric != "euclid" && metric != "city") {
    return Fault(ctx, "metric is '" + metric + "', euclid or city is wanted");
  }
  const auto known_rank = [](const std::vector<int64_t>& dims) { return dims != std::vector<int64_t>{-2}; };
  int64_t rows = -1;
  if (known_rank(x)) {
    if (x.size() != 2) return Fault(ctx, "x has rank " + std::to_string(x.size()) + ", 2 is wanted");
    rows = x[0];
  }
  if (known_rank(table)) {
    if (table.size() != 2) return Fault(ctx, "table has rank " + std::to_string(table.size()) + ", 2 is wanted");
    if (table[0] >= 0 && table[0] < count) {
      return Fault(ctx, "the table has " + std::to_string(table[0]) + " rows, count is " + std::to_string(count));
    }
    if (known_rank(x) && x[1] >= 0 && table[1] >= 0 && x[1] != table[1]) {
      return Fault(ctx, "rows of x have " + std::to_string(x[1]) + " elements, those of the table " +
                            std::to_string(table[1]));
    }
  }
  ctx.SetOutput(0, ge::DT_INT64, ge::Shape({rows, count}));
  ctx.SetOutput(1, ge::DT_FLOAT, ge::Shape({rows, count}));
  return ge::SUCCESS;
}

float Distance(const float* a, const float* b, int64_t length, bool city) {
  double sum = 0;
  for (int64_t i = 0; i < length; ++i) {
    const double difference = static_cast<double>(a[i]) - static_cast<double>(b[i]);
    sum += city ? std::abs(difference) : difference * difference;
  }
  return static_cast<float>(sum);
}

ge::Status Compute(ge::OperatorKernelContext& ctx) {
  const int64_t n = ctx.InputShape(0).GetDim(0), m = ctx.InputShape(1).GetDim(0), d = ctx.InputShape(0).GetDim(1);
  int64_t count = 0;
  ctx.GetAttr("count", count);
  std::string metric;
  ctx.GetAttr("metric", metric);
  // Shapes that were open when the model was converted are known only now.
  if (ctx.InputShape(1).GetDim(1) != d) return Fault(ctx, "rows of x and of the table differ in length");
  if (m < count) return Fault(ctx, "the table has " + std::to_string(m) + " rows, count is " + std::to_string(count));
  const auto* x = ctx.Input<float>(0);
  const auto* table = ctx.Input<float>(1);
  auto* index = static_cast<int64_t*>(ctx.MakeOutput(0, ge::DT_INT64, ge::Shape({n, count})));
  auto* score = static_cast<float*>(ctx.MakeOutput(1, ge::DT_FLOAT, ge::Shape({n, count})));
  std::vector<float> distances(static_cast<size_t>(m));
  std::vector<int64_t> order(static_cast<size_t>(m));
  for (int64_t row = 0; row < n; ++row) {
    for (int64_t k = 0; k < m; ++k) distances[k] = Distance(x + row * d, table + k * d, d, metric == "city");
    std::iota(order.begin(), order.end(), int64_t{0});
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return distances[a] < distances[b]; });
    for (int64_t k = 0; k < count; ++k) {
      index[row * count + k] = order[k];
      score[row * count + k] = distances[order[k]];
    }
  }
  return ge::SUCCESS;
}

ge::Status ParseFirstVersion(const ge::Operator& source, ge::Operator& target) {
  int64_t count = 1, city = 0;
  source.GetAttr("count", count);
  source.GetAttr("l1", city);
  target.SetAttr("count", count);
  target.SetAttr("metric", city != 0 ? "city" : "euclid");
  return ge::SUCCESS;
}

}  // namespace

REGISTER_CUSTOM_OPERATOR("NearestRows")
    .Input("x", {ge::DT_FLOAT})
    .Input("table", {ge::DT_FLOAT})
    .Output("index")
    .Output("score")
    .Attr("count", int64_t{1})
    .Attr("metric", "euclid")
    .InferFn(Infer)
    .KernelFn(Compute)
    .Precision(ge::OperatorPrecision::kFloatInside)
    .FromOnnx("com.example", "NearestRows", 1, ParseFirstVersion)
    .FromOnnx("com.example", "NearestRows", 2);

// Softmax cross entropy of rows of logits, against distributions or class numbers, with its gradient for the logits; and
// whether a row's class is among its k best.
#include <algorithm>
#include <cmath>

#include "compiler/ops/dispatch.h"
#include "compiler/ops/infer_util.h"
#include "compiler/ops/math.h"
#include "compiler/ops/families.h"

namespace atc {
namespace {

void InferCrossEntropy(InferContext& ctx) {
  const Shape& x = ctx.InShape(0);
  if (x.HasRank() && x.rank() != 2) ctx.Fail("features " + ToString(x) + " must be [rows, classes]");
  ctx.SetOut(0, ctx.InType(0), Shape{x.HasRank() ? x[0] : kUnknownDim});
  ctx.SetOut(1, ctx.InType(0), x.HasRank() ? x : Shape::UnknownDims(2));
}

// kSparse: labels are class numbers. loss = sum of label * (ln sum exp - logit), gradient = softmax - label.
template <bool kSparse>
void CrossEntropyKernel(KernelContext& ctx) {
  const Shape& shape = ctx.InShape(0);
  if (shape.rank() != 2) ctx.Fail("features " + ToString(shape) + " must be [rows, classes]");
  const int64_t rows = shape[0], classes = shape[1];
  const std::vector<double> x = ToDoubles(ctx.In(0)), labels = ToDoubles(ctx.In(1));
  if (static_cast<int64_t>(labels.size()) != (kSparse ? rows : rows * classes)) {
    ctx.Fail("labels " + ToString(ctx.InShape(1)) + " do not fit features " + ToString(shape));
  }
  Tensor& loss = ctx.Out(0, ctx.InType(0), {rows});
  Tensor* gradient = ctx.WantsOutput(1) ? &ctx.Out(1, ctx.InType(0), shape) : nullptr;
  Dispatch(FloatTypes{}, ctx, ctx.InType(0), [&]<typename T>() {
    for (int64_t r = 0; r < rows; ++r) {
      const double* row = x.data() + r * classes;
      const double high = classes == 0 ? 0 : *std::max_element(row, row + classes);
      double sum = 0, total = 0;
      for (int64_t c = 0; c < classes; ++c) sum += math::Exp(row[c] - high);
      if (kSparse && !(labels[r] >= 0 && labels[r] < static_cast<double>(classes))) {
        ctx.Fail("class " + std::to_string(labels[r]) + " of row " + std::to_string(r) + " is not one of " + std::to_string(classes));
      }
      for (int64_t c = 0; c < classes; ++c) {
        const double label = kSparse ? (labels[r] == static_cast<double>(c)) : labels[r * classes + c];
        if (label != 0) total += label * (math::Log(sum) + high - row[c]);
        if (gradient) gradient->MutableData<T>()[r * classes + c] = static_cast<T>(math::Exp(row[c] - high) / sum - label);
      }
      loss.MutableData<T>()[r] = static_cast<T>(total);
    }
  });
}

void InferInTopK(InferContext& ctx) { ctx.SetOut(0, DT_BOOL, ctx.InShape(1)); }

// A class that ties with the k-th best counts as among them; one that is out of range or not finite does not.
void InTopKKernel(KernelContext& ctx) {
  const Shape& shape = ctx.InShape(0);
  if (shape.rank() != 2 || ctx.In(1).NumElements() != shape[0] || ctx.In(2).NumElements() != 1) {
    ctx.Fail("predictions " + ToString(shape) + " must be [rows, classes], with one target a row and one k");
  }
  const std::vector<double> x = ToDoubles(ctx.In(0));
  const std::vector<int64_t> targets = ToInts(ctx.In(1));
  const int64_t k = ToInts(ctx.In(2))[0], classes = shape[1];
  bool* y = ctx.Out(0, DT_BOOL, ctx.InShape(1)).MutableData<bool>();
  for (size_t r = 0; r < targets.size(); ++r) {
    const double* row = x.data() + static_cast<int64_t>(r) * classes;
    y[r] = targets[r] >= 0 && targets[r] < classes && std::all_of(row, row + classes, [](double v) { return std::isfinite(v); }) &&
           std::count_if(row, row + classes, [&](double v) { return v > row[targets[r]]; }) < k;
  }
}

}  // namespace

void RegisterCrossEntropyOps(OpRegistry& registry) {
  const auto entropy = [](const char* type) {
    return OpDef(type).In("features").In("labels").Out("loss").Out("backprop").Traits(kWidenHalf).Infer(InferCrossEntropy);
  };
  registry.Add(entropy("SoftmaxCrossEntropyWithLogits").Kernel(CrossEntropyKernel<false>));
  registry.Add(entropy("SparseSoftmaxCrossEntropyWithLogits").Kernel(CrossEntropyKernel<true>));
  registry.Add(OpDef("InTopK").In("x1").In("x2").In("k").Out("y").Traits(kWidenHalf).Infer(InferInTopK).Kernel(InTopKKernel));
}

}  // namespace atc

// onnx::NegativeLogLikelihoodLoss and onnx::SoftmaxCrossEntropyLoss.
#include <cmath>

#include "compiler/ir/infer_context.h"
#include "compiler/ops/dispatch.h"
#include "compiler/ops/families.h"
#include "compiler/ops/math.h"
#include "compiler/ops/operand_shape.h"

namespace atc {
namespace {

// Targets are classes, or what ignore_index names.
template <typename Context>
void CheckTarget(const Context& ctx, int64_t target, int64_t classes) {
  const int64_t* ignored = ctx.node().attrs.template FindAs<int64_t>("ignore_index");
  if ((ignored != nullptr && target == *ignored) || (target >= 0 && target < classes)) return;
  ctx.Fail("target " + std::to_string(target) + " is outside the " + std::to_string(classes) + " classes");
}

void InferLoss(InferContext& ctx) {
  const bool whole = ctx.Attr<std::string>("reduction") == "none";
  if (const Shape& x = ctx.InShape(0); x.HasRank()) {
    if (x.rank() < 2) ctx.Fail("the input " + ToString(x) + " must have a rank of at least 2");
    std::vector<int64_t> rest = x.dims();
    rest.erase(rest.begin() + 1);
    RequireOperandShape(ctx, 1, Shape(rest));
    RequireElements(ctx, 2, x[1]);
    RequireIntegers(ctx, 1);
    const Tensor* target = x[1] < 0 ? nullptr : ctx.Constant(1);
    for (const int64_t number : target == nullptr ? std::vector<int64_t>{} : ToInts(*target)) {
      CheckTarget(ctx, number, x[1]);
    }
  }
  ctx.SetOut(0, ctx.InType(0), whole ? ctx.InShape(1) : Shape{});
  ctx.SetOut(1, ctx.InType(0), ctx.InShape(0));
}

// x as [batch, classes, inner].
struct Classes {
  int64_t batch, count, inner;
};

Classes FitClasses(const KernelContext& ctx) {
  const Shape &x = ctx.InShape(0), &target = ctx.InShape(1);
  std::vector<int64_t> rest = x.dims();
  if (rest.size() >= 2) rest.erase(rest.begin() + 1);
  if (x.rank() < 2 || Shape(rest) != target) {
    ctx.Fail("the input " + ToString(x) + " without its second dim must have the shape of the target " +
             ToString(target));
  }
  const int64_t classes = x[1], batch = x[0];
  return {batch, classes, batch * classes == 0 ? 0 : x.NumElements() / (batch * classes)};
}

// log_probability: [batch, classes, inner]. Elements whose target is ignore_index count nothing.
template <typename T>
void Reduce(KernelContext& ctx, const Classes& c, const std::vector<double>& log_probability) {
  const auto reduction = ctx.Attr<std::string>("reduction");
  if (reduction != "none" && reduction != "sum" && reduction != "mean") {
    ctx.Fail("reduction is '" + reduction + "', wanted none, sum or mean");
  }
  const int64_t* ignored = ctx.node().attrs.FindAs<int64_t>("ignore_index");
  const std::vector<int64_t> target = ToInts(ctx.In(1));
  const std::vector<double> weight = ctx.HasInput(2) ? ToDoubles(ctx.In(2)) : std::vector<double>(c.count, 1.0);
  if (static_cast<int64_t>(weight.size()) != c.count) {
    ctx.Fail("there are " + std::to_string(weight.size()) + " weights for " + std::to_string(c.count) + " classes");
  }
  Tensor& y = ctx.Out(0, ctx.InType(0), reduction == "none" ? ctx.InShape(1) : Shape{});
  double sum = 0, total = 0;
  for (int64_t i = 0; i < c.batch * c.inner; ++i) {
    double loss = 0;
    if (ignored == nullptr || target[i] != *ignored) {
      CheckTarget(ctx, target[i], c.count);
      const int64_t at = (i / c.inner * c.count + target[i]) * c.inner + i % c.inner;
      loss = -log_probability[at] * weight[target[i]];
      total += weight[target[i]];
    }
    sum += loss;
    if (reduction == "none") y.MutableData<T>()[i] = static_cast<T>(loss);
  }
  if (reduction != "none") y.MutableData<T>()[0] = static_cast<T>(reduction == "mean" ? sum / total : sum);
}

void LikelihoodKernel(KernelContext& ctx) {
  const Classes c = FitClasses(ctx);
  Dispatch(FloatTypes{}, ctx, ctx.InType(0), [&]<typename T>() { Reduce<T>(ctx, c, ToDoubles(ctx.In(0))); });
}

void CrossEntropyKernel(KernelContext& ctx) {
  const Classes c = FitClasses(ctx);
  std::vector<double> x = ToDoubles(ctx.In(0));
  for (int64_t i = 0; i < c.batch * c.inner; ++i) {
    double* column = x.data() + i / c.inner * c.count * c.inner + i % c.inner;
    double largest = column[0], sum = 0;
    for (int64_t k = 1; k < c.count; ++k) largest = std::max(largest, column[k * c.inner]);
    for (int64_t k = 0; k < c.count; ++k) sum += math::Exp(column[k * c.inner] - largest);
    const double shift = largest + math::Log(sum);
    for (int64_t k = 0; k < c.count; ++k) column[k * c.inner] -= shift;
  }
  Dispatch(FloatTypes{}, ctx, ctx.InType(0), [&]<typename T>() {
    Reduce<T>(ctx, c, x);
    if (!ctx.WantsOutput(1)) return;
    T* to = ctx.Out(1, ctx.InType(0), ctx.InShape(0)).template MutableData<T>();
    std::transform(x.begin(), x.end(), to, [](double v) { return static_cast<T>(v); });
  });
}

}  // namespace

void RegisterLossOps(OpRegistry& registry) {
  registry.Add(OpDef("onnx::NegativeLogLikelihoodLoss")
                   .In("input")
                   .In("target")
                   .OptIn("weight")
                   .Out("loss")
                   .Attr("reduction", "mean")
                   .Attr("opset", 12)
                   .Traits(kWidenHalf)
                   .Infer(InferLoss)
                   .Kernel(LikelihoodKernel));
  registry.Add(OpDef("onnx::SoftmaxCrossEntropyLoss")
                   .In("scores")
                   .In("labels")
                   .OptIn("weights")
                   .Out("output")
                   .OptOut("log_prob")
                   .Attr("reduction", "mean")
                   .Attr("opset", 12)
                   .Traits(kWidenHalf)
                   .Infer(InferLoss)
                   .Kernel(CrossEntropyKernel));
}

}  // namespace atc

// Random operators: onnx::RandomNormal, onnx::RandomUniform, their Like forms, onnx::Bernoulli, onnx::Multinomial and
// onnx::Dropout.
//
// Numbers are a function of the seed (or, without one, of the node's name) and of the element's place, so that a model
// gives the same results at each run.
#include <cmath>
#include <cstring>
#include <numbers>

#include "compiler/ir/half.h"
#include "compiler/ir/infer_context.h"
#include "compiler/ops/dispatch.h"
#include "compiler/ops/families.h"
#include "compiler/ops/math.h"

namespace atc {
namespace {

// SplitMix64 (Steele, Lea, Flood 2014): a counter and a mixing function.
class Generator {
 public:
  explicit Generator(const Node& node) {
    if (const float* seed = node.attrs.FindAs<float>("seed")) {
      uint32_t bits;
      std::memcpy(&bits, seed, sizeof bits);
      state_ = bits;
      return;
    }
    if (const int64_t* seed = node.attrs.FindAs<int64_t>("seed")) {
      state_ = static_cast<uint64_t>(*seed);
      return;
    }
    state_ = 0xcbf29ce484222325;  // FNV-1a of the name
    for (const char c : node.name) state_ = (state_ ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  }
  // In [0, 1), 53 bits.
  double Uniform() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
  }
  // Mean 0, deviation 1, by Box and Muller's transform.
  double Normal() {
    const double radius = std::sqrt(-2 * math::Log(1 - Uniform()));
    return radius * math::Cos(2 * std::numbers::pi * Uniform());
  }

 private:
  uint64_t state_;
};

// Attribute dtype (a number of ONNX), else the type of input 0.
template <typename Context>
DataType ResultType(const Context& ctx) {
  const int64_t* named = ctx.node().attrs.template FindAs<int64_t>("dtype");
  if (named != nullptr) return DataTypeFromOnnx(static_cast<int>(*named));
  if (ctx.HasInput(0)) return ctx.InType(0);
  return DT_FLOAT;
}

template <typename Context>
Shape ResultShape(const Context& ctx) {
  if (!ctx.node().def->FindAttr("shape")) return ctx.InShape(0);
  const Shape shape(ctx.template Attr<std::vector<int64_t>>("shape"));
  for (const int64_t dim : shape.dims()) {
    if (dim < 0) ctx.Fail("shape " + ToString(shape) + " has a negative dim");
  }
  return shape;
}

// Every element of output 0 from draw(), in row-major order.
template <typename Draw>
void Fill(KernelContext& ctx, const Shape& shape, DataType dtype, Draw draw) {
  Tensor& y = ctx.Out(0, dtype, shape);
  if (IsHalf(dtype)) {
    const auto narrow = dtype == DT_FLOAT16 ? FloatToHalf : FloatToBFloat16;
    for (int64_t i = 0; i < y.NumElements(); ++i) y.MutableData<uint16_t>()[i] = narrow(static_cast<float>(draw(i)));
    return;
  }
  Dispatch(NumberAndBoolTypes{}, ctx, dtype, [&]<typename T>() {
    for (int64_t i = 0; i < y.NumElements(); ++i) y.MutableData<T>()[i] = static_cast<T>(draw(i));
  });
}

void InferRandom(InferContext& ctx) { ctx.SetOut(0, ResultType(ctx), ResultShape(ctx)); }

void NormalKernel(KernelContext& ctx) {
  Generator generator(ctx.node());
  const double mean = ctx.Attr<float>("mean"), scale = ctx.Attr<float>("scale");
  Fill(ctx, ResultShape(ctx), ResultType(ctx), [&](int64_t) { return mean + scale * generator.Normal(); });
}

void UniformKernel(KernelContext& ctx) {
  Generator generator(ctx.node());
  const double low = ctx.Attr<float>("low"), high = ctx.Attr<float>("high");
  Fill(ctx, ResultShape(ctx), ResultType(ctx), [&](int64_t) { return low + (high - low) * generator.Uniform(); });
}

void BernoulliKernel(KernelContext& ctx) {
  Generator generator(ctx.node());
  const std::vector<double> p = ToDoubles(ctx.In(0));
  Fill(ctx, ctx.InShape(0), ResultType(ctx), [&](int64_t i) { return generator.Uniform() < p[i] ? 1 : 0; });
}

template <typename Context>
Shape SamplesShape(const Context& ctx) {
  const Shape& x = ctx.InShape(0);
  if (x.HasRank() && x.rank() != 2) ctx.Fail("input " + ToString(x) + " must have rank 2");
  const int64_t samples = ctx.template Attr<int64_t>("sample_size");
  if (samples < 0) ctx.Fail("sample_size is " + std::to_string(samples));
  return {x.HasRank() ? x[0] : kUnknownDim, samples};
}

DataType IndexType(const Node& node) { return DataTypeFromOnnx(static_cast<int>(node.Attr<int64_t>("dtype"))); }

void InferMultinomial(InferContext& ctx) { ctx.SetOut(0, IndexType(ctx.node()), SamplesShape(ctx)); }

// Classes drawn by the softmax of each row of logarithms.
void MultinomialKernel(KernelContext& ctx) {
  Generator generator(ctx.node());
  const Shape shape = SamplesShape(ctx);
  const int64_t classes = ctx.InShape(0)[1];
  if (classes == 0) ctx.Fail("input " + ToString(ctx.InShape(0)) + " has no classes");
  std::vector<double> sums = ToDoubles(ctx.In(0));
  for (int64_t row = 0; row < shape[0]; ++row) {
    double* p = sums.data() + row * classes;
    const double largest = *std::max_element(p, p + classes);
    double sum = 0;
    for (int64_t c = 0; c < classes; ++c) p[c] = sum += math::Exp(p[c] - largest);
  }
  Fill(ctx, shape, IndexType(ctx.node()), [&](int64_t i) {
    const double* p = sums.data() + i / shape[1] * classes;
    const int64_t c = std::upper_bound(p, p + classes, generator.Uniform() * p[classes - 1]) - p;
    return static_cast<double>(std::min(c, classes - 1));
  });
}

// ---- dropout ----

// Up to opset 9 the mask had the type of the data.
DataType MaskType(const Node& node, DataType data) { return node.Attr<int64_t>("opset") < 10 ? data : DT_BOOL; }

void InferDropout(InferContext& ctx) {
  ctx.SetOut(0, ctx.InType(0), ctx.InShape(0));
  ctx.SetOut(1, MaskType(ctx.node(), ctx.InType(0)), ctx.InShape(0));
}

// Keeps an element with probability 1 - ratio and scales it by 1 / (1 - ratio); passes all on unless training_mode.
void DropoutKernel(KernelContext& ctx) {
  for (const size_t i : {1, 2}) {
    if (ctx.HasInput(i) && ctx.In(i).NumElements() != 1) {
      ctx.Fail("ratio and training_mode must be scalars, input " + std::to_string(i) + " is " + ToString(ctx.InShape(i)));
    }
  }
  const bool trains = ctx.HasInput(2) && ToDoubles(ctx.In(2))[0] != 0;
  const double ratio = !trains ? 0 : ctx.HasInput(1) ? ToDoubles(ctx.In(1))[0] : 0.5;
  if (!(ratio >= 0 && ratio < 1)) ctx.Fail("ratio is " + std::to_string(ratio) + ", wanted 0 <= ratio < 1");
  const int64_t count = ctx.In(0).NumElements();
  std::vector<bool> keep(static_cast<size_t>(count), true);
  if (ratio == 0) {
    ctx.SetOut(0, ctx.In(0));
  } else {
    Generator generator(ctx.node());
    for (int64_t i = 0; i < count; ++i) keep[i] = generator.Uniform() >= ratio;
    Dispatch(FloatTypes{}, ctx, ctx.InType(0), [&]<typename T>() {
      const T* x = ctx.In(0).Data<T>();
      T* y = ctx.Out(0, ctx.InType(0), ctx.InShape(0)).template MutableData<T>();
      for (int64_t i = 0; i < count; ++i) y[i] = keep[i] ? static_cast<T>(static_cast<double>(x[i]) / (1 - ratio)) : T{0};
    });
  }
  if (!ctx.WantsOutput(1)) return;
  const DataType type = MaskType(ctx.node(), ctx.InType(0));
  Dispatch(NumberAndBoolTypes{}, ctx, type, [&]<typename T>() {
    T* mask = ctx.Out(1, type, ctx.InShape(0)).template MutableData<T>();
    for (int64_t i = 0; i < count; ++i) mask[i] = static_cast<T>(keep[i]);
  });
}

OpDef Random(OpDef def) { return def.Attr("opset", 1).Traits(kStateful).On(Unit::kAiCpu); }

}  // namespace

void RegisterRandomOps(OpRegistry& registry) {
  registry.Add(Random(OpDef("onnx::Bernoulli").In("input").Out("output")).Infer(InferRandom).Kernel(BernoulliKernel));
  registry.Add(Random(OpDef("onnx::Dropout").In("data").OptIn("ratio").KeepDtype().OptIn("training_mode"))
                   .Out("output")
                   .OptOut("mask")
                   .Traits(kWidenHalf)
                   .Infer(InferDropout)
                   .Kernel(DropoutKernel));
  registry.Add(Random(OpDef("onnx::Multinomial").In("input").Out("output"))
                   .Attr("sample_size", 1)
                   .Attr("dtype", 6)
                   .Infer(InferMultinomial)
                   .Kernel(MultinomialKernel));
  for (const bool like : {false, true}) {
    OpDef normal(like ? "onnx::RandomNormalLike" : "onnx::RandomNormal");
    OpDef uniform(like ? "onnx::RandomUniformLike" : "onnx::RandomUniform");
    for (OpDef* def : {&normal, &uniform}) {
      if (like) {
        def->In("input");
      } else {
        def->Attr("shape", std::vector<int64_t>{});
      }
      def->Out("output");
    }
    registry.Add(Random(normal).Attr("mean", 0.0f).Attr("scale", 1.0f).Infer(InferRandom).Kernel(NormalKernel));
    registry.Add(Random(uniform).Attr("low", 0.0f).Attr("high", 1.0f).Infer(InferRandom).Kernel(UniformKernel));
  }
}

}  // namespace atc

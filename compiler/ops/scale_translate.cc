// ScaleAndTranslate: images sampled at places that a scale and a translation give, by kernels of several widths. TensorFlow
// resizes by it with antialiasing, and for the kernels that its other resizing operators lack.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "compiler/ir/infer_context.h"
#include "compiler/ir/kernel_context.h"
#include "compiler/ops/families.h"
#include "compiler/ops/math.h"
#include "compiler/ops/operand_shape.h"
#include "compiler/ops/scalar.h"

namespace atc {
namespace {

// A kernel is even; `weight` is asked for distances from 0 on.
struct SampleKernel {
  const char* name;
  double radius;
  double (*weight)(double distance);
};

template <int kLobes>
double Lanczos(double x) {
  if (x > kLobes) return 0;
  if (x <= 1e-3) return 1;
  const double angle = std::numbers::pi * x;
  return kLobes * math::Sin(angle) * math::Sin(angle / kLobes) / (angle * angle);
}

double Box(double x) { return x < 0.5 ? 1 : x == 0.5 ? 0.5 : 0; }

double Triangle(double x) { return std::max(0.0, 1 - x); }

// Of a third of the radius as standard deviation.
double Gaussian(double x) { return x >= 1.5 ? 0 : math::Exp(-2 * x * x); }

double KeysCubic(double x) {
  if (x >= 2) return 0;
  return x >= 1 ? ((-0.5 * x + 2.5) * x - 4) * x + 2 : (1.5 * x - 2.5) * x * x + 1;
}

// Mitchell and Netravali's with B = C = 1/3.
double MitchellCubic(double x) {
  if (x >= 2) return 0;
  return x >= 1 ? ((-7.0 / 18 * x + 2) * x - 10.0 / 3) * x + 16.0 / 9 : (7.0 / 6 * x - 2) * x * x + 8.0 / 9;
}

// Sorted.
constexpr SampleKernel kKernels[] = {
    {"box", 0.5, Box},           {"gaussian", 1.5, Gaussian},   {"keyscubic", 2, KeysCubic},
    {"lanczos1", 1, Lanczos<1>}, {"lanczos3", 3, Lanczos<3>},   {"lanczos5", 5, Lanczos<5>},
    {"mitchellcubic", 2, MitchellCubic}, {"triangle", 1, Triangle},
};

// The inputs that one output element is made of: consecutive ones from `first` on; none outside of the image.
struct Span {
  int64_t first = 0;
  std::vector<double> weights;
};

std::vector<Span> Spans(int64_t out, int64_t in, double scale, double translation, bool antialias, const SampleKernel& kernel) {
  const double step = 1 / scale, shift = -translation / scale;
  const double stretch = antialias ? std::max(step, 1.0) : 1.0, radius = kernel.radius * stretch;
  std::vector<Span> spans(static_cast<size_t>(out));
  for (int64_t o = 0; o < out; ++o) {
    const double at = (static_cast<double>(o) + 0.5) * step + shift;
    if (!(at >= 0 && at <= static_cast<double>(in))) continue;
    const double last = static_cast<double>(in - 1);
    const auto begin = static_cast<int64_t>(std::clamp(std::ceil(at - radius - 0.5), 0.0, last));
    const auto end = static_cast<int64_t>(std::clamp(std::floor(at + radius - 0.5), 0.0, last));
    Span& span = spans[static_cast<size_t>(o)];
    span.first = begin;
    double sum = 0;
    for (int64_t i = begin; i <= end; ++i) {
      span.weights.push_back(kernel.weight(std::fabs(static_cast<double>(i) + 0.5 - at) / stretch));
      sum += span.weights.back();
    }
    for (double& weight : span.weights) weight = std::fabs(sum) < 1e-35 ? 0 : weight / sum;
  }
  return spans;
}

void Infer(InferContext& ctx) {
  RequireRank(ctx, 0, 4, 4);
  for (const size_t i : {1, 2, 3}) RequireElements(ctx, i, 2);
  RequireIntegers(ctx, 1);
  Shape shape = Shape::UnknownDims(4);
  if (ctx.InShape(0).HasRank()) shape = ctx.InShape(0);
  const auto size = ctx.Ints(1);
  const bool listed = size && size->elements.size() == 2;
  for (size_t d = 0; d < 2; ++d) shape[d + 1] = listed ? size->elements[d].value_or(kUnknownDim) : kUnknownDim;
  ctx.SetOut(0, DT_FLOAT, shape);
}

void Kernel(KernelContext& ctx) {
  const std::string name = ctx.Attr<std::string>("kernel_type");
  const auto* kernel = std::find_if(std::begin(kKernels), std::end(kKernels), [&](const SampleKernel& k) { return name == k.name; });
  if (kernel == std::end(kKernels)) ctx.Fail("kernel_type is '" + name + "', which is not known");
  const Tensor& x = ctx.In(0);
  const std::vector<int64_t> size = ToInts(ctx.In(1));
  const std::vector<double> scale = ToDoubles(ctx.In(2)), translation = ToDoubles(ctx.In(3));
  if (x.rank() != 4 || size.size() != 2 || scale.size() != 2 || translation.size() != 2) {
    ctx.Fail("images " + ToString(x.shape()) + " must be NHWC, and size, scale and translation two numbers each");
  }
  if (size[0] < 1 || size[1] < 1 || x.dim(1) < 1 || x.dim(2) < 1) {
    ctx.Fail("images " + ToString(x.shape()) + " and size must have elements");
  }
  if (!(scale[0] > 0) || !(scale[1] > 0)) ctx.Fail("scale must be positive");
  const bool antialias = ctx.Attr<bool>("antialias");
  const std::vector<Span> rows = Spans(size[0], x.dim(1), scale[0], translation[0], antialias, *kernel);
  const std::vector<Span> columns = Spans(size[1], x.dim(2), scale[1], translation[1], antialias, *kernel);
  const int64_t batch = x.dim(0), height = x.dim(1), width = x.dim(2), channels = x.dim(3);
  const std::vector<double> values = ToDoubles(x);
  float* y = ctx.Out(0, DT_FLOAT, {batch, size[0], size[1], channels}).MutableData<float>();
  // Rows first: one line of the input's width for each row of the output.
  std::vector<double> line(static_cast<size_t>(width * channels));
  for (int64_t n = 0; n < batch; ++n) {
    for (const Span& row : rows) {
      std::fill(line.begin(), line.end(), 0.0);
      for (size_t r = 0; r < row.weights.size(); ++r) {
        const double* from = values.data() + (n * height + row.first + static_cast<int64_t>(r)) * width * channels;
        for (size_t i = 0; i < line.size(); ++i) line[i] += row.weights[r] * from[i];
      }
      for (const Span& column : columns) {
        for (int64_t c = 0; c < channels; ++c) {
          double sum = 0;
          for (size_t k = 0; k < column.weights.size(); ++k) {
            sum += column.weights[k] * line[static_cast<size_t>((column.first + static_cast<int64_t>(k)) * channels + c)];
          }
          *y++ = static_cast<float>(sum);
        }
      }
    }
  }
}

}  // namespace

void RegisterScaleTranslateOps(OpRegistry& registry) {
  registry.Add(OpDef("ScaleAndTranslate")
                   .In("images")
                   .In("size")
                   .In("scale").KeepDtype()
                   .In("translation").KeepDtype()
                   .Out("y")
                   .Attr("kernel_type", "lanczos3")
                   .Attr("antialias", true)
                   .Infer(Infer)
                   .Kernel(Kernel));
}

}  // namespace atc

// Signal operators: onnx::DFT, onnx::STFT, the windows, onnx::MelWeightMatrix.
#include <cmath>
#include <numbers>
#include <optional>

#include "compiler/ir/half.h"
#include "compiler/ir/infer_context.h"
#include "compiler/ops/dispatch.h"
#include "compiler/ops/expand.h"
#include "compiler/ops/families.h"
#include "compiler/ops/math.h"
#include "compiler/ops/operand_shape.h"

namespace atc {
namespace {

struct Complex {
  double re = 0, im = 0;
};

// exp(sign * 2 pi i k / n) for k in [0, n).
std::vector<Complex> Roots(int64_t n, int sign) {
  std::vector<Complex> roots(static_cast<size_t>(n));
  for (int64_t k = 0; k < n; ++k) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n);
    roots[k] = {math::Cos(angle), sign * math::Sin(angle)};
  }
  return roots;
}

int64_t SmallestFactor(int64_t n) {
  for (int64_t p = 2; p * p <= n; ++p) {
    if (n % p == 0) return p;
  }
  return n;
}

// The transform of n elements, `stride` apart, by the mixed-radix rule of Cooley and Tukey: the transforms of every
// p-th element, for the smallest factor p of n, are put together. `roots` are those of the whole length, of which this
// part uses every `root_step`-th.
void Transform(const Complex* in, int64_t stride, int64_t n, const std::vector<Complex>& roots, int64_t root_step,
               Complex* out) {
  if (n == 1) {
    out[0] = in[0];
    return;
  }
  const int64_t p = SmallestFactor(n), m = n / p, whole = static_cast<int64_t>(roots.size());
  std::vector<Complex> parts(static_cast<size_t>(n));
  for (int64_t q = 0; q < p; ++q) Transform(in + q * stride, stride * p, m, roots, root_step * p, parts.data() + q * m);
  for (int64_t k = 0; k < n; ++k) {
    Complex sum;
    const int64_t turn = k * root_step;  // below the whole length
    for (int64_t q = 0, at = 0; q < p; ++q) {
      const Complex &v = parts[q * m + k % m], &root = roots[at];
      sum.re += v.re * root.re - v.im * root.im;
      sum.im += v.re * root.im + v.im * root.re;
      at += turn;
      if (at >= whole) at -= whole;
    }
    out[k] = sum;
  }
}

// The one integer of operand i.
int64_t ScalarInt(const KernelContext& ctx, size_t i) {
  if (ctx.In(i).NumElements() != 1) {
    ctx.Fail(ctx.node().def->InputName(i) + " has " + std::to_string(ctx.In(i).NumElements()) + " elements, wanted 1");
  }
  return ToInts(ctx.In(i))[0];
}

struct Dft {
  size_t axis;
  int64_t length;
  bool inverse, onesided;
  Shape shape;  // of the output
};

// `length` and `axis` as operands give them.
template <typename Context>
Dft FitDft(const Context& ctx, std::optional<int64_t> length, int64_t axis) {
  const Shape& x = ctx.InShape(0);
  const auto rank = static_cast<int64_t>(x.rank());
  Dft dft;
  dft.inverse = ctx.template Attr<int64_t>("inverse") != 0;
  dft.onesided = ctx.template Attr<int64_t>("onesided") != 0;
  if (rank < 2 || axis < -rank || axis >= rank || axis == -1 || axis == rank - 1) {
    ctx.Fail("axis " + std::to_string(axis) + " must name a signal axis of input " + ToString(x) +
             ", whose last axis holds real and imaginary part");
  }
  dft.axis = static_cast<size_t>(axis < 0 ? axis + rank : axis);
  const bool real_result = dft.inverse && dft.onesided;
  const int64_t here = x[dft.axis];
  dft.length = length ? *length : here < 0 ? kUnknownDim : real_result ? 2 * (here - 1) : here;
  if (dft.length != kUnknownDim && dft.length < 1) {
    ctx.Fail("the transform has length " + std::to_string(dft.length) + ", wanted at least 1");
  }
  dft.shape = x;
  dft.shape[dft.axis] = dft.length != kUnknownDim && dft.onesided && !dft.inverse ? dft.length / 2 + 1 : dft.length;
  dft.shape[x.rank() - 1] = real_result ? 1 : 2;
  return dft;
}

// Opset 17 has the axis as an attribute, 20 as an operand.
bool AxisIsOperand(const Node& node) { return node.Attr<int64_t>("opset") >= 20; }

void InferDft(InferContext& ctx) {
  const Shape& x = ctx.InShape(0);
  if (!x.HasRank()) return ctx.SetOut(0, ctx.InType(0), x);
  std::optional<int64_t> axis, length;
  if (!AxisIsOperand(ctx.node())) {
    axis = ctx.Attr<int64_t>("axis");
  } else if (!ctx.HasInput(2)) {
    axis = -2;
  } else {
    axis = KnownScalar(ctx, 2);
  }
  if (ctx.HasInput(1)) {
    length = KnownScalar(ctx, 1);
    if (!length) axis.reset();
  }
  ctx.SetOut(0, ctx.InType(0), axis ? FitDft(ctx, length, *axis).shape : Shape::UnknownDims(x.rank()));
}

void DftKernel(KernelContext& ctx) {
  const int64_t axis = !AxisIsOperand(ctx.node()) ? ctx.Attr<int64_t>("axis")
                       : ctx.HasInput(2)          ? ScalarInt(ctx, 2)
                                                  : -2;
  const Dft dft = FitDft(ctx, ctx.HasInput(1) ? std::optional(ScalarInt(ctx, 1)) : std::nullopt, axis);
  const Tensor& x = ctx.In(0);
  const int64_t parts = x.dim(x.rank() - 1), out_parts = dft.shape[x.rank() - 1];
  if (parts != 1 && parts != 2) ctx.Fail("the last dim of input " + ToString(x.shape()) + " must be 1 or 2");
  const int64_t in_size = x.dim(dft.axis), bins = dft.shape[dft.axis];
  int64_t outer = 1, inner = 1;
  for (size_t d = 0; d < dft.axis; ++d) outer *= x.dim(d);
  for (size_t d = dft.axis + 1; d + 1 < x.rank(); ++d) inner *= x.dim(d);
  const std::vector<Complex> roots = Roots(dft.length, dft.inverse ? 1 : -1);
  const double scale = dft.inverse ? 1 / static_cast<double>(dft.length) : 1;
  Tensor& y = ctx.Out(0, x.dtype(), dft.shape);
  Dispatch(FloatTypes{}, ctx, x.dtype(), [&]<typename T>() {
    std::vector<Complex> signal(static_cast<size_t>(dft.length)), result(static_cast<size_t>(dft.length));
    for (int64_t o = 0; o < outer * inner; ++o) {
      std::fill(signal.begin(), signal.end(), Complex{});
      for (int64_t i = 0; i < std::min(in_size, dft.length); ++i) {
        const T* from = x.Data<T>() + ((o / inner * in_size + i) * inner + o % inner) * parts;
        signal[i] = {static_cast<double>(from[0]), parts == 2 ? static_cast<double>(from[1]) : 0.0};
      }
      if (dft.inverse && dft.onesided) {  // the other half by conjugate symmetry
        for (int64_t i = dft.length / 2 + 1; i < dft.length; ++i) {
          signal[i] = {signal[dft.length - i].re, -signal[dft.length - i].im};
        }
      }
      Transform(signal.data(), 1, dft.length, roots, 1, result.data());
      for (int64_t k = 0; k < bins; ++k) {
        T* to = y.MutableData<T>() + ((o / inner * bins + k) * inner + o % inner) * out_parts;
        to[0] = static_cast<T>(result[k].re * scale);
        if (out_parts == 2) to[1] = static_cast<T>(result[k].im * scale);
      }
    }
  });
}

struct Frames {
  int64_t step, length, bins;
  Shape shape;
};

// `step` and `length` are -1 while unknown.
template <typename Context>
Frames FitFrames(const Context& ctx, int64_t step, int64_t length) {
  const Shape& x = ctx.InShape(0);
  // Exporters write a real signal without its last axis of one part, and runtimes accept it.
  if (x.rank() != 2 && x.rank() != 3)
    ctx.Fail("signal " + ToString(x) + " must be [batch, length] or [batch, length, parts]");
  if (ctx.HasInput(2) && ctx.InShape(2).HasRank()) {
    const Shape& window = ctx.InShape(2);
    if (window.rank() != 1 || (length >= 0 && window[0] >= 0 && window[0] != length)) {
      ctx.Fail("window " + ToString(window) + " must have the " + std::to_string(length) + " elements of a frame");
    }
    if (length < 0) length = window[0];
  } else if (length < 0 && !ctx.HasInput(2) && !ctx.HasInput(3)) {
    length = x[1];
  }
  Frames f{step, length, kUnknownDim, {x[0], kUnknownDim, kUnknownDim, 2}};
  if (length == 0 || (length > 0 && x[1] >= 0 && length > x[1]) || step == 0 || step < -1 || length < -1) {
    ctx.Fail("frames of " + std::to_string(length) + " elements, " + std::to_string(step) +
             " apart, do not fit a signal of " + std::to_string(x[1]));
  }
  if (length > 0) f.bins = f.shape[2] = ctx.template Attr<int64_t>("onesided") != 0 ? length / 2 + 1 : length;
  if (length > 0 && step > 0 && x[1] >= 0) f.shape[1] = (x[1] - length) / step + 1;
  return f;
}

template <typename Context>
[[noreturn]] void FailOnFrames(const Context& ctx, int64_t length, int64_t step) {
  ctx.Fail("frames of " + std::to_string(length) + " elements, " + std::to_string(step) +
           " apart, are wanted; both must be at least 1");
}

template <typename Context>
[[noreturn]] void FailOnParts(const Context& ctx, const Shape& signal) {
  ctx.Fail("the last dim of signal " + ToString(signal) + " must be 1 or 2");
}

void InferStft(InferContext& ctx) {
  if (!ctx.InShape(0).HasRank()) return ctx.SetOut(0, ctx.InType(0), Shape::UnknownDims(4));
  const std::optional<int64_t> step = KnownScalar(ctx, 1), length = KnownScalar(ctx, 3);
  if (step.value_or(1) < 1 || length.value_or(1) < 1) FailOnFrames(ctx, length.value_or(kUnknownDim), step.value_or(kUnknownDim));
  const Frames frames = FitFrames(ctx, step.value_or(kUnknownDim), length.value_or(kUnknownDim));
  if (const Shape& x = ctx.InShape(0); x.rank() == 3 && x[2] >= 0 && x[2] != 1 && x[2] != 2) FailOnParts(ctx, x);
  ctx.SetOut(0, ctx.InType(0), frames.shape);
}

void StftKernel(KernelContext& ctx) {
  const Tensor& x = ctx.In(0);
  const Frames f = FitFrames(ctx, ScalarInt(ctx, 1), ctx.HasInput(3) ? ScalarInt(ctx, 3) : -1);
  if (f.length < 1 || f.step < 1) FailOnFrames(ctx, f.length, f.step);
  const int64_t parts = x.shape().rank() == 3 ? x.dim(2) : 1, frames = f.shape[1];
  if (parts != 1 && parts != 2) FailOnParts(ctx, x.shape());
  const std::vector<double> window =
      ctx.HasInput(2) ? ToDoubles(ctx.In(2)) : std::vector<double>(static_cast<size_t>(f.length), 1.0);
  const std::vector<Complex> roots = Roots(f.length, -1);
  Tensor& y = ctx.Out(0, x.dtype(), f.shape);
  Dispatch(FloatTypes{}, ctx, x.dtype(), [&]<typename T>() {
    std::vector<Complex> frame(static_cast<size_t>(f.length)), result(static_cast<size_t>(f.length));
    T* to = y.MutableData<T>();
    for (int64_t n = 0; n < x.dim(0) * frames; ++n) {
      const T* from = x.Data<T>() + (n / frames * x.dim(1) + n % frames * f.step) * parts;
      for (int64_t i = 0; i < f.length; ++i) {
        frame[i] = {static_cast<double>(from[i * parts]) * window[i],
                    parts == 2 ? static_cast<double>(from[i * 2 + 1]) * window[i] : 0.0};
      }
      Transform(frame.data(), 1, f.length, roots, 1, result.data());
      for (int64_t k = 0; k < f.bins; ++k) {
        *to++ = static_cast<T>(result[k].re);
        *to++ = static_cast<T>(result[k].im);
      }
    }
  });
}

DataType OutputType(const Node& node) {
  return DataTypeFromOnnx(static_cast<int>(node.Attr<int64_t>("output_datatype")));
}

void Store(KernelContext& ctx, const Shape& shape, const std::vector<double>& values) {
  const DataType dtype = OutputType(ctx.node());
  Tensor& y = ctx.Out(0, dtype, shape);
  if (IsHalf(dtype)) {
    const auto narrow = dtype == DT_FLOAT16 ? FloatToHalf : FloatToBFloat16;
    for (size_t i = 0; i < values.size(); ++i) y.MutableData<uint16_t>()[i] = narrow(static_cast<float>(values[i]));
    return;
  }
  Dispatch(NumberTypes{}, ctx, dtype, [&]<typename T>() {
    for (size_t i = 0; i < values.size(); ++i) y.MutableData<T>()[i] = static_cast<T>(values[i]);
  });
}

template <typename Context>
void CheckWindowSize(const Context& ctx, int64_t size) {
  if (size < 0 || size > INT32_MAX) ctx.Fail("the size of the window is " + std::to_string(size));
}

void InferWindow(InferContext& ctx) {
  const std::optional<int64_t> size = KnownScalar(ctx, 0);
  if (size) CheckWindowSize(ctx, *size);
  ctx.SetOut(0, OutputType(ctx.node()), {size.value_or(kUnknownDim)});
}

// w(n) = a0 - a1 cos(2 pi n / N) + a2 cos(4 pi n / N); N is the size, one less when the window is not periodic.
void WindowKernel(KernelContext& ctx) {
  struct Coefficients {
    const char* type;
    double a0, a1, a2;
  };
  static constexpr Coefficients kWindows[] = {{"onnx::BlackmanWindow", 0.42, 0.5, 0.08},
                                              {"onnx::HammingWindow", 25.0 / 46.0, 1 - 25.0 / 46.0, 0},
                                              {"onnx::HannWindow", 0.5, 0.5, 0}};
  const auto w = std::find_if(std::begin(kWindows), std::end(kWindows),
                              [&](const Coefficients& c) { return ctx.node().type() == c.type; });
  const int64_t size = ScalarInt(ctx, 0);
  CheckWindowSize(ctx, size);
  const int64_t period = ctx.Attr<int64_t>("periodic") != 0 ? size : size - 1;
  std::vector<double> values;
  for (int64_t n = 0; n < size; ++n) {
    const double angle = period == 0 ? std::numbers::pi  // a window of one element is its peak
                                     : 2 * std::numbers::pi * static_cast<double>(n) / static_cast<double>(period);
    values.push_back(w->a0 - w->a1 * math::Cos(angle) + w->a2 * math::Cos(2 * angle));
  }
  Store(ctx, {size}, values);
}

template <typename Context>
void CheckMelNumbers(const Context& ctx, int64_t mels, int64_t length, int64_t rate) {
  if (mels >= 1 && length >= 1 && rate >= 1 && mels <= INT32_MAX && length <= INT32_MAX) return;
  ctx.Fail("num_mel_bins, dft_length and sample_rate are " + std::to_string(mels) + ", " + std::to_string(length) +
           " and " + std::to_string(rate) + ", wanted at least 1 each and at most 2147483647 bins and length");
}

void InferMel(InferContext& ctx) {
  const std::optional<int64_t> bins = KnownScalar(ctx, 0), length = KnownScalar(ctx, 1), rate = KnownScalar(ctx, 2);
  CheckMelNumbers(ctx, bins.value_or(1), length.value_or(1), rate.value_or(1));
  RequireElements(ctx, 3, 1);
  RequireElements(ctx, 4, 1);
  ctx.SetOut(0, OutputType(ctx.node()), {length ? *length / 2 + 1 : kUnknownDim, bins.value_or(kUnknownDim)});
}

// Triangular filters between points that are evenly spaced on the mel scale, mel = 2595 log10(1 + hertz / 700).
void MelKernel(KernelContext& ctx) {
  const int64_t mels = ScalarInt(ctx, 0), length = ScalarInt(ctx, 1), rate = ScalarInt(ctx, 2);
  if (ctx.In(3).NumElements() != 1 || ctx.In(4).NumElements() != 1) ctx.Fail("the edge frequencies must be scalars");
  const double low_hertz = ToDoubles(ctx.In(3))[0], high_hertz = ToDoubles(ctx.In(4))[0];
  CheckMelNumbers(ctx, mels, length, rate);
  const double ln10 = math::Log(10.0);
  const auto mel = [&](double hertz) { return 2595 * math::Log(1 + hertz / 700) / ln10; };
  const double low = mel(low_hertz), step = (mel(high_hertz) - low) / static_cast<double>(mels + 2);
  const int64_t bins = length / 2 + 1;
  std::vector<int64_t> points;
  for (int64_t i = 0; i < mels + 2; ++i) {
    const double hertz = 700 * (math::Exp((static_cast<double>(i) * step + low) / 2595 * ln10) - 1);
    points.push_back(
        static_cast<int64_t>(std::floor(static_cast<double>(length + 1) * hertz / static_cast<double>(rate))));
  }
  std::vector<double> values(static_cast<size_t>(bins * mels), 0.0);
  const auto set = [&](int64_t bin, int64_t m, double value) {
    if (bin >= 0 && bin < bins) values[bin * mels + m] = value;
  };
  for (int64_t m = 0; m < mels; ++m) {
    const int64_t lower = points[m], centre = points[m + 1], higher = points[m + 2];
    if (lower == centre) set(centre, m, 1);
    for (int64_t j = std::max<int64_t>(lower, 0); lower < centre && j <= std::min(centre, bins); ++j) {
      set(j, m, static_cast<double>(j - lower) / static_cast<double>(centre - lower));
    }
    for (int64_t j = std::max<int64_t>(centre, 0); centre < higher && j < std::min(higher, bins); ++j) {
      set(j, m, static_cast<double>(higher - j) / static_cast<double>(higher - centre));
    }
  }
  Store(ctx, {bins, mels}, values);
}

}  // namespace

void RegisterSignalOps(OpRegistry& registry) {
  for (const char* type : {"onnx::BlackmanWindow", "onnx::HammingWindow", "onnx::HannWindow"}) {
    registry.Add(OpDef(type)
                     .In("size")
                     .Out("output")
                     .Attr("output_datatype", 1)
                     .Attr("periodic", 1)
                     .Attr("opset", 17)
                     .Infer(InferWindow)
                     .Kernel(WindowKernel));
  }
  registry.Add(OpDef("onnx::DFT")
                   .In("input")
                   .OptIn("dft_length")
                   .OptIn("axis")
                   .Out("output")
                   .Attr("axis", 1)
                   .Attr("inverse", 0)
                   .Attr("onesided", 0)
                   .Attr("opset", 17)
                   .Traits(kWidenHalf)
                   .Infer(InferDft)
                   .Kernel(DftKernel));
  registry.Add(OpDef("onnx::MelWeightMatrix")
                   .In("num_mel_bins")
                   .In("dft_length")
                   .In("sample_rate")
                   .In("lower_edge_hertz")
                   .In("upper_edge_hertz")
                   .Out("output")
                   .Attr("output_datatype", 1)
                   .Attr("opset", 17)
                   .On(Unit::kAiCpu)
                   .Infer(InferMel)
                   .Kernel(MelKernel));
  registry.Add(OpDef("onnx::STFT")
                   .In("signal")
                   .In("frame_step")
                   .OptIn("window")
                   .OptIn("frame_length")
                   .Out("output")
                   .Attr("onesided", 1)
                   .Attr("opset", 17)
                   .Traits(kWidenHalf)
                   .Infer(InferStft)
                   .Kernel(StftKernel));
}

}  // namespace atc

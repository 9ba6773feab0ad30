// TensorFlow's quantisation by ranges: integers with the least and the greatest real number that they stand for.
// tf::QuantizeV2, tf::Dequantize, tf::Requantize and tf::RequantizationRange. All in float, as TensorFlow computes it.
#include <algorithm>
#include <cmath>
#include <limits>

#include "compiler/ir/infer_context.h"
#include "compiler/ops/axis_loop.h"
#include "compiler/ops/dispatch.h"
#include "compiler/ops/evaluator.h"
#include "compiler/ops/quantize_number.h"
#include "compiler/ops/tensorflow_families.h"

namespace atc {
namespace {

// A type of 8 to 32 bits as floats see it.
struct Integers {
  float low, high;
  float steps;  // between the least and the greatest
  float half;   // of the numbers of a signed type, 0 of one without sign

  Integers(const KernelContext& ctx, DataType dtype) {
    int64_t least = 0, greatest = 0;
    if (!IntegerRange(dtype, &least, &greatest) || DataTypeBits(dtype) < 8) FailOnType(ctx, dtype);
    low = static_cast<float>(least);
    high = static_cast<float>(greatest);
    steps = static_cast<float>(greatest - least);
    half = least < 0 ? static_cast<float>(greatest - least + 1) / 2 : 0;
  }
};

struct Range {
  float low, high;
};

// Mode MIN_FIRST: the least number is moved onto a whole step.
struct FromMinimum {
  float scale, shift;

  // From reals to integers: round(x * scale) - shift.
  static FromMinimum Quantizing(const Integers& to, const Range& range) {
    if (range.high == range.low) return {0, range.low - to.low};
    const auto scale = static_cast<float>(static_cast<double>(to.steps) / (range.high - range.low));
    return {scale, std::round(range.low * scale) - to.low};
  }
  // And back: (q - low) * scale + shift.
  static FromMinimum Dequantizing(const Integers& from, const Range& range) {
    if (range.high == range.low) return {0, range.low};
    const auto scale = static_cast<float>((range.high - range.low) / static_cast<double>(from.steps));
    return {scale, std::round(range.low / scale) * scale};
  }
  float Quantized(float x) const { return std::round(x * scale) - shift; }
  float Real(float q, const Integers& from) const { return (q - from.low) * scale + shift; }
};

// One range for the tensor (axis -1), or one for each index of an axis.
struct Slices {
  AxisLoop loop;
  std::vector<Range> ranges;

  Slices(const KernelContext& ctx, const Shape& shape, int64_t axis)
      : loop(shape, axis < 0 ? -1 : CheckedAxis(ctx, axis, shape)) {
    if (axis < 0) loop.length = 1, loop.outer = 1, loop.inner = shape.NumElements();
    const std::vector<double> low = ToDoubles(ctx.In(1)), high = ToDoubles(ctx.In(2));
    if (static_cast<int64_t>(low.size()) != loop.length || low.size() != high.size()) {
      ctx.Fail("the ranges have " + std::to_string(low.size()) + " and " + std::to_string(high.size()) +
               " elements, wanted " + std::to_string(loop.length) + " for input " + ToString(shape));
    }
    for (size_t i = 0; i < low.size(); ++i) {
      if (low[i] > high[i]) {
        ctx.Fail("the range from " + std::to_string(low[i]) + " to " + std::to_string(high[i]) + " is empty");
      }
      ranges.push_back({static_cast<float>(low[i]), static_cast<float>(high[i])});
    }
  }

  // Calls visit(element) for those of slice s.
  template <typename Visit>
  void ForEach(size_t s, Visit visit) const {
    for (int64_t o = 0; o < loop.outer; ++o) {
      for (int64_t i = 0; i < loop.inner; ++i) visit(loop.Offset(o, static_cast<int64_t>(s), i));
    }
  }
};

enum class Mode { kMinCombined, kMinFirst, kScaled };

Mode ModeOf(const KernelContext& ctx) {
  const std::string mode = ctx.Attr<std::string>("mode");
  if (mode == "MIN_COMBINED") return Mode::kMinCombined;
  if (mode == "MIN_FIRST") return Mode::kMinFirst;
  if (mode == "SCALED") return Mode::kScaled;
  ctx.Fail("mode is '" + mode + "', wanted MIN_COMBINED, MIN_FIRST or SCALED");
}

// Holds 0, and is not so narrow that its steps vanish.
Range Widened(const Range& range, float least_width) {
  const float low = std::min(0.0f, range.low);
  const float width = std::max({1.0f, std::fabs(range.low), std::fabs(range.high)}) * least_width;
  return {low, std::max(0.0f, std::max(range.high, low + width))};
}

void InferQuantize(InferContext& ctx) {
  const int64_t axis = ctx.Attr<int64_t>("axis");
  const Shape& x = ctx.InShape(0);
  Shape range;
  if (axis >= 0) {
    range = Shape({x.HasRank() && axis < static_cast<int64_t>(x.rank()) ? x[static_cast<size_t>(axis)] : kUnknownDim});
  }
  ctx.SetOut(0, ctx.Attr<DataType>("T"), x);
  ctx.SetOut(1, DT_FLOAT, range);
  ctx.SetOut(2, DT_FLOAT, range);
}

void QuantizeKernel(KernelContext& ctx) {
  const DataType dtype = ctx.Attr<DataType>("T");
  const Integers to(ctx, dtype);
  const Mode mode = ModeOf(ctx);
  const Tensor& x = ctx.In(0);
  if (x.dtype() != DT_FLOAT) FailOnType(ctx, x.dtype());
  const int64_t axis = ctx.Attr<int64_t>("axis");
  const Slices slices(ctx, x.shape(), axis);
  const bool even = ctx.Attr<std::string>("round_mode") == "HALF_TO_EVEN";
  const float narrowed = to.low + (ctx.Attr<bool>("narrow_range") ? 1.0f : 0.0f);
  const float* from = x.Data<float>();
  Tensor& y = ctx.Out(0, dtype, x.shape());
  const Shape range_shape = axis < 0 ? Shape() : Shape({slices.loop.length});
  float* const lows = ctx.Out(1, DT_FLOAT, range_shape).MutableData<float>();
  float* const highs = ctx.Out(2, DT_FLOAT, range_shape).MutableData<float>();
  QuantizedWriter writer(y, true);
  for (size_t s = 0; s < slices.ranges.size(); ++s) {
    Range range = Widened(slices.ranges[s], ctx.Attr<float>("ensure_minimum_range"));
    const auto clamped = [&](int64_t i) { return std::max(std::min(from[i], range.high), range.low); };
    if (mode == Mode::kMinCombined) {
      const auto scale = static_cast<float>(static_cast<double>(to.steps) / (range.high - range.low));
      slices.ForEach(s, [&](int64_t i) {
        const float value = (clamped(i) - range.low) * scale;
        writer.Write(i, to.half > 0 ? std::round(value - to.half) : std::floor(value + 0.5f));
      });
    } else if (mode == Mode::kMinFirst) {
      const FromMinimum steps = FromMinimum::Quantizing(to, range);
      slices.ForEach(s, [&](int64_t i) { writer.Write(i, steps.Quantized(from[i])); });
    } else {
      // The side that needs the smaller scale decides, so that neither leaves the integers.
      constexpr float kNone = std::numeric_limits<float>::max();
      const float scale = std::min(narrowed * range.low > 0 ? narrowed / range.low : kNone,
                                   to.high * range.high > 0 ? to.high / range.high : kNone);
      range = {narrowed / scale, to.high / scale};
      slices.ForEach(s, [&](int64_t i) {
        const float value = clamped(i) * scale;
        writer.Write(i, even ? std::nearbyint(value) : std::round(value));
      });
    }
    lows[s] = range.low;
    highs[s] = range.high;
  }
}

void InferDequantize(InferContext& ctx) { ctx.SetOut(0, ctx.Attr<DataType>("dtype"), ctx.InShape(0)); }

void DequantizeKernel(KernelContext& ctx) {
  const DataType dtype = ctx.Attr<DataType>("dtype");
  if (!IsHalf(dtype) && dtype != DT_FLOAT) FailOnType(ctx, dtype);
  const Tensor& x = ctx.In(0);
  const Integers from(ctx, x.dtype());
  const Mode mode = ModeOf(ctx);
  const Slices slices(ctx, x.shape(), ctx.Attr<int64_t>("axis"));
  const float narrowed = from.low + (ctx.Attr<bool>("narrow_range") ? 1.0f : 0.0f);
  const std::vector<double> q = ToDoubles(x);
  std::vector<float> y(q.size());
  for (size_t s = 0; s < slices.ranges.size(); ++s) {
    const Range& range = slices.ranges[s];
    const FromMinimum steps = FromMinimum::Dequantizing(from, range);
    const float width = (range.high - range.low) / from.steps;
    const float symmetric = from.low == 0 ? range.high / from.high : std::max(range.low / narrowed, range.high / from.high);
    slices.ForEach(s, [&](int64_t i) {
      const auto value = static_cast<float>(q[static_cast<size_t>(i)]);
      y[static_cast<size_t>(i)] = mode == Mode::kMinCombined ? (value + from.half) * width + range.low
                                  : mode == Mode::kMinFirst  ? steps.Real(value, from)
                                                             : value * symmetric;
    });
  }
  const Tensor stored = Narrow(Tensor::From(DT_FLOAT, x.shape(), y), dtype);
  std::copy_n(stored.Data(), stored.NumBytes(), ctx.Out(0, dtype, x.shape()).MutableData());
}

// The range that inputs i and i + 1 hold.
Range OneRange(const KernelContext& ctx, size_t i) {
  if (ctx.In(i).NumElements() != 1 || ctx.In(i + 1).NumElements() != 1) ctx.Fail("a range must be two numbers");
  return {static_cast<float>(ToDoubles(ctx.In(i))[0]), static_cast<float>(ToDoubles(ctx.In(i + 1))[0])};
}

void SetRange(KernelContext& ctx, size_t i, const Range& range) {
  ctx.Out(i, DT_FLOAT, {}).MutableData<float>()[0] = range.low;
  ctx.Out(i + 1, DT_FLOAT, {}).MutableData<float>()[0] = range.high;
}

void InferRequantize(InferContext& ctx) {
  ctx.SetOut(0, ctx.Attr<DataType>("out_type"), ctx.InShape(0));
  ctx.SetOut(1, DT_FLOAT, {});
  ctx.SetOut(2, DT_FLOAT, {});
}

// To the range that inputs 3 and 4 ask for; both sides in mode MIN_FIRST.
void RequantizeKernel(KernelContext& ctx) {
  const DataType dtype = ctx.Attr<DataType>("out_type");
  const Tensor& x = ctx.In(0);
  const Integers from(ctx, x.dtype()), to(ctx, dtype);
  const Range wanted = OneRange(ctx, 3);
  const FromMinimum real = FromMinimum::Dequantizing(from, OneRange(ctx, 1)), steps = FromMinimum::Quantizing(to, wanted);
  const std::vector<double> q = ToDoubles(x);
  QuantizedWriter writer(ctx.Out(0, dtype, x.shape()), true);
  for (size_t i = 0; i < q.size(); ++i) {
    writer.Write(static_cast<int64_t>(i), steps.Quantized(real.Real(static_cast<float>(q[i]), from)));
  }
  SetRange(ctx, 1, wanted);
}

void InferRequantizationRange(InferContext& ctx) {
  ctx.SetOut(0, DT_FLOAT, {});
  ctx.SetOut(1, DT_FLOAT, {});
}

// What the least and the greatest element stand for, widened to hold 0.
void RequantizationRangeKernel(KernelContext& ctx) {
  const Tensor& x = ctx.In(0);
  const Integers from(ctx, x.dtype());
  const FromMinimum real = FromMinimum::Dequantizing(from, OneRange(ctx, 1));
  const std::vector<double> q = ToDoubles(x);
  Range used{0, 0};
  if (!q.empty()) {
    const auto [least, greatest] = std::minmax_element(q.begin(), q.end());
    used.low = std::min(0.0f, real.Real(static_cast<float>(*least), from));
    used.high = std::max(0.0f, real.Real(static_cast<float>(*greatest), from));
  }
  SetRange(ctx, 0, used);
}

}  // namespace

void RegisterRangeQuantizationOps(OpRegistry& registry) {
  registry.Add(OpDef("tf::Dequantize").In("input").KeepDtype().In("min_range").KeepDtype().In("max_range").KeepDtype()
                   .Out("output").Attr("mode", "MIN_COMBINED").Attr("narrow_range", false).Attr("axis", -1)
                   .Attr("dtype", DT_FLOAT).Infer(InferDequantize).Kernel(DequantizeKernel));
  registry.Add(OpDef("tf::QuantizeV2").In("input").KeepDtype().In("min_range").KeepDtype().In("max_range").KeepDtype()
                   .Out("output").Out("output_min").Out("output_max").RequiredAttr("T").Attr("mode", "MIN_COMBINED")
                   .Attr("round_mode", "HALF_AWAY_FROM_ZERO").Attr("narrow_range", false).Attr("axis", -1)
                   .Attr("ensure_minimum_range", 0.01f).Infer(InferQuantize).Kernel(QuantizeKernel));
  registry.Add(OpDef("tf::RequantizationRange").In("input").KeepDtype().In("input_min").KeepDtype().In("input_max")
                   .KeepDtype().Out("output_min").Out("output_max").Infer(InferRequantizationRange)
                   .Kernel(RequantizationRangeKernel));
  registry.Add(OpDef("tf::Requantize").In("input").KeepDtype().In("input_min").KeepDtype().In("input_max").KeepDtype()
                   .In("requested_output_min").KeepDtype().In("requested_output_max").KeepDtype().Out("output")
                   .Out("output_min").Out("output_max").RequiredAttr("out_type").Infer(InferRequantize)
                   .Kernel(RequantizeKernel));
}

}  // namespace atc

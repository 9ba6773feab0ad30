// Quantisation simulated in floats: FakeQuantWithMinMaxArgs, ...Vars and ...VarsPerChannel.
#include <algorithm>
#include <cmath>
#include <limits>

#include "compiler/ops/axis_loop.h"
#include "compiler/ops/dispatch.h"
#include "compiler/ops/families.h"
#include "compiler/ops/infer_util.h"

namespace atc {
namespace {

// The range moved so that zero is one of its steps (TensorFlow, fake_quant_ops_functor.h).
struct Range {
  float low, high, scale;
};

Range Nudged(float min, float max, int64_t bits, bool narrow) {
  const float first = narrow ? 1.0f : 0.0f, last = static_cast<float>((int64_t{1} << bits) - 1);
  const float scale = (max - min) / (last - first);
  const float zero = first - min / scale;
  const float nudged = zero < first ? first : zero > last ? last : std::round(zero);
  return {(first - nudged) * scale, (last - nudged) * scale, scale};
}

float Quantized(float x, const Range& range) {
  const float clamped = std::min(std::max(x, range.low), range.high);
  return std::floor((clamped - range.low) / range.scale + 0.5f) * range.scale + range.low;
}

template <bool kArgs>
void FakeQuantKernel(KernelContext& ctx) {
  const int64_t bits = ctx.Attr<int64_t>("num_bits");
  const bool narrow = ctx.Attr<bool>("narrow_range");
  if (bits < 2 || bits > 16) ctx.Fail("num_bits is " + std::to_string(bits) + ", wanted 2 to 16");
  const Tensor& x = ctx.In(0);
  if (x.dtype() != DT_FLOAT) FailOnType(ctx, x.dtype());
  std::vector<double> low, high;
  if constexpr (kArgs) {
    low = {static_cast<double>(ctx.Attr<float>("min"))};
    high = {static_cast<double>(ctx.Attr<float>("max"))};
  } else {
    low = ToDoubles(ctx.In(1));
    high = ToDoubles(ctx.In(2));
  }
  const size_t channels = low.size();
  if (channels == 0 || high.size() != channels || (channels > 1 && (x.rank() == 0 || x.dim(x.rank() - 1) != static_cast<int64_t>(channels)))) {
    ctx.Fail("min and max have " + std::to_string(channels) + " and " + std::to_string(high.size()) +
             " elements, x has shape " + ToString(x.shape()));
  }
  std::vector<Range> ranges;
  for (size_t c = 0; c < channels; ++c) {
    ranges.push_back(Nudged(static_cast<float>(low[c]), static_cast<float>(high[c]), bits, narrow));
  }
  float* y = ctx.Out(0, DT_FLOAT, x.shape()).MutableData<float>();
  for (int64_t i = 0; i < x.NumElements(); ++i) {
    const size_t c = static_cast<size_t>(i) % channels;
    y[i] = low[c] == 0 && high[c] == 0 ? 0 : Quantized(x.Data<float>()[i], ranges[c]);
  }
}

// To integers that are symmetric around 0, and back. The scale maps the range so that neither end leaves the integers.
struct Symmetric {
  float low, high, scale, inverse;

  Symmetric(float range_low, float range_high, float first, float last) : low(range_low), high(range_high) {
    const float from_low = first * low > 0 ? first / low : std::numeric_limits<float>::max();
    const float from_high = last * high > 0 ? last / high : std::numeric_limits<float>::max();
    const bool by_low = from_low < from_high;
    scale = std::min(from_low, from_high);
    inverse = by_low ? low / first : high / last;
    (by_low ? high : low) = (by_low ? last : first) * inverse;
  }
};

// tf::QuantizeAndDequantize: the ranges, one for the tensor or one for each index of an axis, are given or those of x.
void QuantizeAndDequantizeKernel(KernelContext& ctx) {
  const bool v3 = ctx.node().type() == "tf::QuantizeAndDequantizeV3";
  const int64_t bits = v3 ? OneInt(ctx, 3, "num_bits") : ctx.Attr<int64_t>("num_bits");
  if (bits < 2 || bits > 24) ctx.Fail("num_bits is " + std::to_string(bits) + ", wanted 2 to 24");
  const bool is_signed = ctx.Attr<bool>("signed_input"), given = ctx.Attr<bool>("range_given");
  const Tensor& x = ctx.In(0);
  if (x.dtype() != DT_FLOAT) FailOnType(ctx, x.dtype());
  const int64_t axis = ctx.Attr<int64_t>("axis");
  AxisLoop loop(x.shape(), axis < 0 ? -1 : CheckedAxis(ctx, axis, x.shape()));
  if (axis < 0) loop.outer = loop.length = 1, loop.inner = x.NumElements();
  std::vector<double> lows, highs;
  if (given) {
    lows = ToDoubles(ctx.In(1));
    highs = ToDoubles(ctx.In(2));
    if (static_cast<int64_t>(lows.size()) != loop.length || lows.size() != highs.size()) {
      ctx.Fail("the ranges have " + std::to_string(lows.size()) + " and " + std::to_string(highs.size()) +
               " elements, wanted " + std::to_string(loop.length));
    }
  }
  const auto steps = static_cast<float>(int64_t{1} << (is_signed ? bits - 1 : bits));
  const float first = is_signed ? -steps + (ctx.Attr<bool>("narrow_range") ? 1.0f : 0.0f) : 0.0f, last = steps - 1;
  const bool even = ctx.Attr<std::string>("round_mode") == "HALF_TO_EVEN";
  const float* from = x.Data<float>();
  float* y = ctx.Out(0, DT_FLOAT, x.shape()).MutableData<float>();
  for (int64_t k = 0; k < loop.length; ++k) {
    const auto for_each = [&](auto visit) {
      for (int64_t o = 0; o < loop.outer; ++o) {
        for (int64_t i = 0; i < loop.inner; ++i) visit(loop.Offset(o, k, i));
      }
    };
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    float low = kInfinity, high = -kInfinity;
    if (given) {
      low = static_cast<float>(lows[static_cast<size_t>(k)]);
      high = static_cast<float>(highs[static_cast<size_t>(k)]);
    } else {
      for_each([&](int64_t i) { low = std::min(low, from[i]), high = std::max(high, from[i]); });
    }
    const Symmetric range(low, high, first, last);
    for_each([&](int64_t i) {
      const float value = std::min(std::max(from[i], range.low), range.high) * range.scale;
      y[i] = (even ? std::nearbyint(value) : std::floor(value + 0.5f)) * range.inverse;
    });
  }
}

}  // namespace

void RegisterFakeQuantOps(OpRegistry& registry) {
  for (const char* version : {"V2", "V3", "V4"}) {
    OpDef def(Name(std::string("tf::QuantizeAndDequantize") + version));
    def.In("input").In("input_min").In("input_max");
    if (std::string_view(version) == "V3") def.In("num_bits");
    registry.Add(def.Out("output").Attr("signed_input", true).Attr("num_bits", 8).Attr("range_given", false)
                     .Attr("round_mode", "HALF_TO_EVEN").Attr("narrow_range", false).Attr("axis", -1)
                     .Infer(InferSameAsInput).Kernel(QuantizeAndDequantizeKernel));
  }
  registry.Add(OpDef("FakeQuantWithMinMaxArgs").In("x").Out("y").Attr("min", -6.0f).Attr("max", 6.0f)
                   .Attr("num_bits", 8).Attr("narrow_range", false).Traits(kWidenHalf).Infer(InferSameAsInput)
                   .Kernel(FakeQuantKernel<true>));
  for (const char* type : {"FakeQuantWithMinMaxVars", "FakeQuantWithMinMaxVarsPerChannel"}) {
    registry.Add(OpDef(type).In("x").In("min").KeepDtype().In("max").KeepDtype().Out("y").Attr("num_bits", 8)
                     .Attr("narrow_range", false).Traits(kWidenHalf).Infer(InferSameAsInput)
                     .Kernel(FakeQuantKernel<false>));
  }
}

}  // namespace atc

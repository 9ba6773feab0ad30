// Quantisation simulated in floats: FakeQuantWithMinMaxArgs, ...Vars and ...VarsPerChannel.
#include <cmath>

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

}  // namespace

void RegisterFakeQuantOps(OpRegistry& registry) {
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

// The quantisation operators of Ascend's model compression: AscendQuant, AscendDequant and AscendAntiQuant. Scales
// multiply, twice in sqrt_mode.
#include <algorithm>
#include <bit>
#include <cmath>

#include "compiler/ir/infer_context.h"
#include "compiler/ops/dispatch.h"
#include "compiler/ops/evaluator.h"
#include "compiler/ops/tensorflow_families.h"
#include "compiler/ops/quantize_number.h"

namespace atc {
namespace {

// GE's number of a type.
DataType Named(const Node& node, Name attr) { return static_cast<DataType>(node.Attr<int64_t>(attr)); }

double Factor(const KernelContext& ctx) {
  const double scale = ctx.Attr<float>("scale");
  return ctx.Attr<bool>("sqrt_mode") ? scale * scale : scale;
}

double Rounded(const KernelContext& ctx, const std::string& mode, double x) {
  if (mode == "Round") return std::nearbyint(x);
  if (mode == "Floor") return std::floor(x);
  if (mode == "Ceil") return std::ceil(x);
  if (mode == "Trunc") return std::trunc(x);
  ctx.Fail("round_mode is '" + mode + "', wanted Round, Floor, Ceil or Trunc");
}

void InferQuant(InferContext& ctx) { ctx.SetOut(0, Named(ctx.node(), "dst_type"), ctx.InShape(0)); }

// y = round(x * scale + offset), saturated.
void QuantKernel(KernelContext& ctx) {
  const DataType dtype = Named(ctx.node(), "dst_type");
  if (dtype != DT_INT8 && dtype != DT_INT4) FailOnType(ctx, dtype);
  const std::string mode = ctx.Attr<std::string>("round_mode");
  const double factor = Factor(ctx), offset = ctx.Attr<float>("offset");
  const std::vector<double> x = ToDoubles(ctx.In(0));
  Tensor& y = ctx.Out(0, dtype, ctx.InShape(0));
  std::fill_n(y.MutableData(), y.NumBytes(), std::byte{0});
  QuantizedWriter writer(y, true);
  for (size_t i = 0; i < x.size(); ++i) {
    writer.Write(static_cast<int64_t>(i), Rounded(ctx, mode, static_cast<float>(x[i] * factor + offset)));
  }
}

void InferReal(InferContext& ctx) { ctx.SetOut(0, Named(ctx.node(), "dtype"), ctx.InShape(0)); }

void Store(KernelContext& ctx, const std::vector<float>& values) {
  const DataType dtype = Named(ctx.node(), "dtype");
  if (!IsHalf(dtype) && dtype != DT_FLOAT) FailOnType(ctx, dtype);
  const Tensor y = Narrow(Tensor::From(DT_FLOAT, ctx.InShape(0), values), dtype);
  std::copy_n(y.Data(), y.NumBytes(), ctx.Out(0, dtype, ctx.InShape(0)).MutableData());
}

// y = (x + offset) * scale.
void AntiQuantKernel(KernelContext& ctx) {
  const double factor = Factor(ctx), offset = ctx.Attr<float>("offset");
  std::vector<float> y;
  for (const double x : ToDoubles(ctx.In(0))) y.push_back(static_cast<float>((x + offset) * factor));
  Store(ctx, y);
}

// The scale of each channel (the last axis), or one for all. 64-bit scales hold a float in their low half.
void DequantKernel(KernelContext& ctx) {
  const Tensor &x = ctx.In(0), &scales = ctx.In(1);
  if (x.dtype() != DT_INT32) FailOnType(ctx, x.dtype());
  std::vector<double> factors;
  if (scales.dtype() == DT_UINT64) {
    for (const uint64_t bits : scales.Span<uint64_t>()) {
      factors.push_back(static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(bits))));
    }
  } else {
    factors = ToDoubles(scales);
  }
  const int64_t channels = x.rank() == 0 ? 1 : x.shape().dims().back();
  const auto count = static_cast<int64_t>(factors.size());
  if (count != 1 && count != channels) {
    ctx.Fail("deq_scale has " + std::to_string(count) + " elements, wanted 1 or the " + std::to_string(channels) +
             " channels of x");
  }
  const bool twice = ctx.Attr<bool>("sqrt_mode"), relu = ctx.Attr<bool>("relu_flag");
  std::vector<float> y;
  for (int64_t i = 0; i < x.NumElements(); ++i) {
    const double factor = factors[static_cast<size_t>(i % count)];
    const double value = x.Data<int32_t>()[i] * factor * (twice ? factor : 1);
    y.push_back(static_cast<float>(relu ? std::max(value, 0.0) : value));
  }
  Store(ctx, y);
}

}  // namespace

void RegisterAscendQuantOps(OpRegistry& registry) {
  registry.Add(OpDef("AscendAntiQuant").In("x").Out("y").RequiredAttr("scale").RequiredAttr("offset")
                   .Attr("dtype", static_cast<int64_t>(DT_FLOAT)).Attr("sqrt_mode", false).Infer(InferReal)
                   .Kernel(AntiQuantKernel));
  registry.Add(OpDef("AscendDequant").In("x").In("deq_scale").KeepDtype().Out("y").Attr("sqrt_mode", false)
                   .Attr("relu_flag", false).Attr("dtype", static_cast<int64_t>(DT_FLOAT)).Infer(InferReal)
                   .Kernel(DequantKernel));
  registry.Add(OpDef("AscendQuant").In("x").KeepDtype().Out("y").RequiredAttr("scale").RequiredAttr("offset")
                   .Attr("sqrt_mode", false).Attr("round_mode", "Round").Attr("dst_type", static_cast<int64_t>(DT_INT8))
                   .Infer(InferQuant).Kernel(QuantKernel));
}

}  // namespace atc

// Division by a local or whole norm: LRN (AscendIR: half width, alpha as it is), onnx::LRN (size, alpha / size),
// onnx::LpNormalization.
#include <cmath>

#include "compiler/ir/infer_context.h"
#include "compiler/ops/dispatch.h"
#include "compiler/ops/families.h"
#include "compiler/ops/infer_util.h"
#include "compiler/ops/math.h"

namespace atc {
namespace {

// y = x / (bias + alpha * sum of squares over channels [c - before, c + after]) ^ beta
void RunLrn(KernelContext& ctx, int64_t before, int64_t after, double alpha) {
  const Tensor& x = ctx.In(0);
  if (x.rank() < 2) ctx.Fail("x " + ToString(x.shape()) + " must have a rank of at least 2");
  const double beta = ctx.Attr<float>("beta"), bias = ctx.Attr<float>("bias");
  const int64_t batch = x.dim(0), channels = x.dim(1);
  const int64_t inner = batch * channels == 0 ? 0 : x.NumElements() / (batch * channels);
  Tensor& y = ctx.Out(0, x.dtype(), x.shape());
  Dispatch(FloatTypes{}, ctx, x.dtype(), [&]<typename T>() {
    for (int64_t n = 0; n < batch; ++n) {
      const T* from = x.Data<T>() + n * channels * inner;
      T* to = y.MutableData<T>() + n * channels * inner;
      for (int64_t c = 0; c < channels; ++c) {
        const int64_t first = std::max<int64_t>(0, c - before), last = std::min(channels - 1, c + after);
        for (int64_t i = 0; i < inner; ++i) {
          double sum = 0;
          for (int64_t k = first; k <= last; ++k) {
            const double v = static_cast<double>(from[k * inner + i]);
            sum += v * v;
          }
          to[c * inner + i] = static_cast<T>(static_cast<double>(from[c * inner + i]) /
                                             math::Pow(bias + alpha * sum, beta));
        }
      }
    }
  });
}

void LrnKernel(KernelContext& ctx) {
  const int64_t radius = ctx.Attr<int64_t>("depth_radius");
  if (ctx.Attr<std::string>("norm_region") != "ACROSS_CHANNELS" || radius < 0) {
    ctx.Fail("norm_region must be ACROSS_CHANNELS and depth_radius at least 0");
  }
  RunLrn(ctx, radius, radius, ctx.Attr<float>("alpha"));
}

// The window of an even size is one longer on the high side.
void OnnxLrnKernel(KernelContext& ctx) {
  const int64_t size = ctx.Attr<int64_t>("size");
  if (size < 1) ctx.Fail("size is " + std::to_string(size) + ", wanted at least 1");
  RunLrn(ctx, (size - 1) / 2, size / 2, static_cast<double>(ctx.Attr<float>("alpha")) / static_cast<double>(size));
}

void InferLpNormalization(InferContext& ctx) {
  if (ctx.InShape(0).HasRank()) NormalizeAxis(ctx, ctx.Attr<int64_t>("axis"), ctx.InShape(0).rank());
  InferSameAsInput(ctx);
}

// x / norm along one axis; 0 where the norm is 0.
void LpNormalizationKernel(KernelContext& ctx) {
  const Tensor& x = ctx.In(0);
  const int64_t p = ctx.Attr<int64_t>("p");
  if (p != 1 && p != 2) ctx.Fail("p is " + std::to_string(p) + ", wanted 1 or 2");
  const auto rank = static_cast<int64_t>(x.rank());
  int64_t axis = ctx.Attr<int64_t>("axis");
  if (axis < -rank || axis >= rank) ctx.Fail("axis " + std::to_string(axis) + " is outside the rank of x");
  if (axis < 0) axis += rank;
  int64_t inner = 1;
  for (int64_t d = axis + 1; d < rank; ++d) inner *= x.dim(d);
  const int64_t length = x.dim(axis);
  Tensor& y = ctx.Out(0, x.dtype(), x.shape());
  Dispatch(FloatTypes{}, ctx, x.dtype(), [&]<typename T>() {
    const int64_t outer = length * inner == 0 ? 0 : x.NumElements() / (length * inner);
    for (int64_t o = 0; o < outer * inner; ++o) {
      const int64_t base = o / inner * length * inner + o % inner;
      double norm = 0;
      for (int64_t i = 0; i < length; ++i) {
        const double v = static_cast<double>(x.Data<T>()[base + i * inner]);
        norm += p == 1 ? std::abs(v) : v * v;
      }
      if (p == 2) norm = std::sqrt(norm);
      for (int64_t i = 0; i < length; ++i) {
        const double v = static_cast<double>(x.Data<T>()[base + i * inner]);
        y.MutableData<T>()[base + i * inner] = static_cast<T>(norm == 0 ? 0 : v / norm);
      }
    }
  });
}

}  // namespace

void RegisterResponseNormOps(OpRegistry& registry) {
  registry.Add(OpDef("LRN")
                   .In("x")
                   .Out("y")
                   .Attr("depth_radius", 5)
                   .Attr("bias", 1.0f)
                   .Attr("alpha", 1.0f)
                   .Attr("beta", 0.5f)
                   .Attr("norm_region", "ACROSS_CHANNELS")
                   .Traits(kWidenHalf)
                   .Infer(InferSameAsInput)
                   .Kernel(LrnKernel));
  registry.Add(OpDef("onnx::LRN")
                   .In("X")
                   .Out("Y")
                   .Attr("size", 0)
                   .Attr("alpha", 1e-4f)
                   .Attr("beta", 0.75f)
                   .Attr("bias", 1.0f)
                   .Attr("opset", 1)
                   .Traits(kWidenHalf)
                   .Infer(InferSameAsInput)
                   .Kernel(OnnxLrnKernel));
  registry.Add(OpDef("onnx::LpNormalization")
                   .In("input")
                   .Out("output")
                   .Attr("axis", -1)
                   .Attr("p", 2)
                   .Attr("opset", 1)
                   .Traits(kWidenHalf)
                   .Infer(InferLpNormalization)
                   .Kernel(LpNormalizationKernel));
}

}  // namespace atc

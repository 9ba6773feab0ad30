// Average pooling: AvgPoolV2 and AvgPool3D as AscendIR has them, onnx::AveragePool with dilations for any number of
// spatial axes, GlobalAveragePool; and the poolings by p-norm, onnx::LpPool and GlobalLpPool.
//
// Sums are taken in double, whatever the element type, and rounded once.
#include <cmath>

#include "compiler/ir/infer_context.h"
#include "compiler/ops/data_format.h"
#include "compiler/ops/dispatch.h"
#include "compiler/ops/families.h"
#include "compiler/ops/math.h"
#include "compiler/ops/pool_spec.h"

namespace atc {
namespace {

using Ints = std::vector<int64_t>;

void InferPool(InferContext& ctx) {
  const Shape& x = ctx.InShape(0);
  const Format format = x.HasRank() ? DataFormatOf(ctx.node(), x.rank()) : FORMAT_ND;
  ctx.SetOut(0, ctx.InType(0), x.HasRank() ? PoolOutput(ctx).shape : Shape::UnknownRank(), format);
}

// Calls result(sum of map(element) over the window, covered elements, elements and padding) for each output.
template <typename Map, typename Result>
void PoolSums(KernelContext& ctx, Map map, Result result) {
  const PoolFit fit = PoolOutput(ctx);
  const Tensor x = ChannelsFirstInput(ctx, 0);
  int64_t in = 1, out = 1;
  for (const WindowAxis& axis : fit.axes) {
    in *= axis.in;
    out *= axis.out;
  }
  Tensor y = ChannelsFirstOutput(ctx, x.dtype(), ChannelsFirst(ctx.node(), fit.shape));
  Dispatch(FloatTypes{}, ctx, x.dtype(), [&]<typename T>() {
    ForEachWindow(fit.axes, [&](int64_t o, const std::vector<WindowRun>& runs, int64_t padded_area) {
      for (int64_t p = 0; p < fit.planes; ++p) {
        double sum = 0;
        int64_t count = 0;
        for (const WindowRun& run : runs) {
          const T* from = x.Data<T>() + p * in + run.offset;
          for (int64_t i = 0; i < run.count; ++i) sum += map(static_cast<double>(from[i * run.step]));
          count += run.count;
        }
        y.MutableData<T>()[p * out + o] = static_cast<T>(result(sum, count, padded_area));
      }
    });
  });
  FinishChannelsFirst(ctx, y);
}

// AvgPoolV2 says `exclusive`, the others the opposite, `count_include_pad`, as a bool or an int.
bool CountsPadding(const Node& node) {
  if (node.def->FindAttr("exclusive") != nullptr) return !node.Attr<bool>("exclusive");
  const AttrDef* declared = node.def->FindAttr("count_include_pad");
  return std::holds_alternative<bool>(declared->fallback) ? node.Attr<bool>("count_include_pad")
                                                          : node.Attr<int64_t>("count_include_pad") != 0;
}

void AveragePoolKernel(KernelContext& ctx) {
  const bool with_padding = CountsPadding(ctx.node());
  const int64_t fixed =
      ctx.node().def->FindAttr("divisor_override") != nullptr ? ctx.Attr<int64_t>("divisor_override") : 0;
  PoolSums(
      ctx, [](double v) { return v; },
      [&](double sum, int64_t count, int64_t padded_area) {
        const int64_t divisor = fixed != 0 ? fixed : with_padding ? padded_area : count;
        return divisor == 0 ? 0.0 : sum / static_cast<double>(divisor);  // a window on nothing but padding
      });
}

// The p-norm's power of an element; p 1 and 2 exactly.
double PowerOf(double v, double p) {
  v = std::abs(v);
  return p == 1 ? v : p == 2 ? v * v : math::Pow(v, p);
}

double RootOf(double sum, double p) { return p == 1 ? sum : p == 2 ? std::sqrt(sum) : math::Pow(sum, 1 / p); }

void LpPoolKernel(KernelContext& ctx) {
  const double p = static_cast<double>(ctx.Attr<int64_t>("p"));
  if (p < 1) ctx.Fail("p is " + std::to_string(ctx.Attr<int64_t>("p")) + ", wanted at least 1");
  PoolSums(
      ctx, [p](double v) { return PowerOf(v, p); }, [p](double sum, int64_t, int64_t) { return RootOf(sum, p); });
}

// One result a plane: `result(sum of map(element), elements)`.
template <typename Map, typename Result>
void GlobalSums(KernelContext& ctx, Map map, Result result) {
  const Tensor& x = ctx.In(0);
  if (x.rank() < 2) ctx.Fail("x " + ToString(x.shape()) + " must have a rank of at least 2");
  int64_t plane = 1;
  for (size_t d = 2; d < x.rank(); ++d) plane *= x.shape()[d];
  Tensor& y = ctx.Out(0, x.dtype(), GlobalPoolShape(x.shape()));
  Dispatch(FloatTypes{}, ctx, x.dtype(), [&]<typename T>() {
    for (int64_t p = 0; p < y.NumElements(); ++p) {
      double sum = 0;
      for (int64_t i = 0; i < plane; ++i) sum += map(static_cast<double>(x.Data<T>()[p * plane + i]));
      y.MutableData<T>()[p] = static_cast<T>(result(sum, plane));
    }
  });
}

void GlobalAverageKernel(KernelContext& ctx) {
  GlobalSums(
      ctx, [](double v) { return v; }, [](double sum, int64_t count) { return sum / static_cast<double>(count); });
}

void GlobalLpKernel(KernelContext& ctx) {
  const double p = static_cast<double>(ctx.Attr<float>("p"));
  GlobalSums(
      ctx, [p](double v) { return PowerOf(v, p); }, [p](double sum, int64_t) { return RootOf(sum, p); });
}

}  // namespace

void RegisterAveragePoolOps(OpRegistry& registry) {
  registry.Add(OpDef("AvgPool3D")
                   .In("x")
                   .Out("y")
                   .RequiredAttr("ksize")
                   .RequiredAttr("strides")
                   .RequiredAttr("pads")
                   .Attr("ceil_mode", false)
                   .Attr("count_include_pad", true)
                   .Attr("divisor_override", 0)
                   .Attr("data_format", "NDHWC")
                   .Attr("auto_pad", "NOTSET")  // private: ONNX's padding mode until the sizes are known
                   .Traits(kWidenHalf)
                   .Infer(InferPool)
                   .Kernel(AveragePoolKernel));
  registry.Add(OpDef("AvgPoolV2")
                   .In("x")
                   .Out("y")
                   .RequiredAttr("ksize")
                   .RequiredAttr("strides")
                   .Attr("padding_mode", "CALCULATED")
                   .Attr("pads", Ints(4, 0))
                   .Attr("data_format", "NCHW")
                   .Attr("global_pooling", false)
                   .Attr("ceil_mode", false)
                   .Attr("exclusive", true)
                   .Attr("divisor_override", 0)
                   .Traits(kWidenHalf)
                   .Infer(InferPool)
                   .Kernel(AveragePoolKernel));
  registry.Add(
      OpDef("GlobalAveragePool").In("x").Out("y").Traits(kWidenHalf).Infer(InferGlobalPool).Kernel(GlobalAverageKernel));
  registry.Add(OpDef("GlobalLpPool").In("x").Out("y").Attr("p", 2.0f).Traits(kWidenHalf).Infer(InferGlobalPool).Kernel(
      GlobalLpKernel));
  for (const char* type : {"onnx::AveragePool", "onnx::LpPool"}) {
    const bool average = std::string_view(type) == "onnx::AveragePool";
    OpDef def(type);
    def.In("X").Out("Y").Attr("kernel_shape", Ints{});
    def.Attr("strides", Ints{}).Attr("pads", Ints{}).Attr("dilations", Ints{});
    def.Attr("auto_pad", "NOTSET").Attr("ceil_mode", 0).Attr("opset", 1);
    def.Attr(average ? "count_include_pad" : "p", average ? 0 : 2);
    registry.Add(def.Traits(kWidenHalf).Infer(InferPool).Kernel(average ? AveragePoolKernel : LpPoolKernel));
  }
}

}  // namespace atc

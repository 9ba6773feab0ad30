// Convolution: Conv2D and Conv3D as AscendIR has them, filters as [out, in, spatial...] for either data_format, and onnx::Conv for any number of spatial axes.
//
// Beyond AscendIR's text, `auto_pad` (private) holds ONNX's padding mode until the sizes are known: inference and kernel
// resolve it, whoever needs numbers asks for the window.
#include <optional>

#include "compiler/ir/infer_context.h"
#include "compiler/ops/conv_kernel.h"
#include "compiler/ops/conv_spec.h"
#include "compiler/ops/data_format.h"
#include "compiler/ops/dispatch.h"
#include "compiler/ops/families.h"

namespace atc {
namespace {

DataType SumType(DataType x) { return x == DT_INT8 || x == DT_UINT8 ? DT_INT32 : x; }

void InferConv(InferContext& ctx) {
  const Shape &x = ctx.InShape(0), &w = ctx.InShape(1);
  const DataType dtype = SumType(ctx.InType(0));
  if (!x.HasRank() && !w.HasRank()) return ctx.SetOut(0, dtype, Shape::UnknownRank());
  const size_t rank = x.HasRank() ? x.rank() : w.rank();
  const ConvOutput out = ConvOutputShape(ctx, x.HasRank() ? x : Shape::UnknownDims(rank),
                                         w.HasRank() ? w : Shape::UnknownDims(rank));
  ctx.SetOut(0, dtype, out.shape, DataFormatOf(ctx.node(), rank));
}

Tensor ToInt32(const Tensor& tensor) {
  if (tensor.dtype() == DT_INT32) return tensor;
  Tensor wide = Tensor::Allocate(DT_INT32, tensor.shape());
  if (tensor.dtype() == DT_INT8) {
    std::copy_n(tensor.Data<int8_t>(), tensor.NumElements(), wide.MutableData<int32_t>());
  } else {
    std::copy_n(tensor.Data<uint8_t>(), tensor.NumElements(), wide.MutableData<int32_t>());
  }
  return wide;
}

void ConvKernel(KernelContext& ctx) {
  const ConvOutput out = ConvOutputShape(ctx, ctx.InShape(0), ctx.InShape(1));
  Tensor x = ChannelsFirstInput(ctx, 0), w = ctx.In(1), bias = ctx.HasInput(2) ? ctx.In(2) : Tensor();
  if (SumType(x.dtype()) == DT_INT32) {
    x = ToInt32(x);
    w = ToInt32(w);
  }
  Dispatch(Types<float, double, int32_t>{}, ctx, x.dtype(), [&]<typename T>() {
    using Sum = std::conditional_t<std::is_same_v<T, int32_t>, uint32_t, T>;
    if (w.dtype() != x.dtype() || (bias.defined() && bias.dtype() != x.dtype())) {
      ctx.Fail("x, filter and bias must have one element type");
    }
    Tensor y = ChannelsFirstOutput(ctx, x.dtype(), ChannelsFirst(ctx.node(), out.shape));
    Convolve<Sum>(out.sizes, x.Data<Sum>(), w.Data<Sum>(), bias.defined() ? bias.Data<Sum>() : nullptr,
                  y.MutableData<Sum>());
    FinishChannelsFirst(ctx, y);
  });
}

OpDef AscendConv(Name type, size_t spatial, const char* data_format) {
  OpDef def(type);
  def.In("x").In("filter").OptIn("bias").OptIn("offset_w").Out("y");
  def.RequiredAttr("strides").RequiredAttr("pads");
  def.Attr("dilations", std::vector<int64_t>(spatial + 2, 1)).Attr("groups", 1);
  def.Attr("data_format", data_format).Attr("offset_x", 0).Attr("auto_pad", "NOTSET");
  return def.Traits(kHeavy | kWidenHalf).On(Unit::kCube).Infer(InferConv).Kernel(ConvKernel);
}

}  // namespace

void RegisterConvolutionOps(OpRegistry& registry) {
  registry.Add(AscendConv("Conv2D", 2, "NHWC"));
  registry.Add(AscendConv("Conv3D", 3, "NDHWC"));
  registry.Add(OpDef("onnx::Conv")
                   .In("X")
                   .In("W")
                   .OptIn("B")
                   .Out("Y")
                   .Attr("strides", std::vector<int64_t>{})
                   .Attr("pads", std::vector<int64_t>{})
                   .Attr("dilations", std::vector<int64_t>{})
                   .Attr("kernel_shape", std::vector<int64_t>{})
                   .Attr("group", 1)
                   .Attr("auto_pad", "NOTSET")
                   .Attr("opset", 1)
                   .Traits(kHeavy | kWidenHalf)
                   .On(Unit::kCube)
                   .Infer(InferConv)
                   .Kernel(ConvKernel));
}

}  // namespace atc

// Products of quantised tensors: onnx::ConvInteger, onnx::MatMulInteger (int32 results), onnx::QLinearConv and
// onnx::QLinearMatMul (rescaled and quantised again). Sums are exact in int32 and wrap beyond it.
#include <cmath>

#include "compiler/ir/infer_context.h"
#include "compiler/ops/conv_spec.h"
#include "compiler/ops/dispatch.h"
#include "compiler/ops/families.h"
#include "compiler/ops/operand_shape.h"
#include "compiler/ops/product.h"
#include "compiler/ops/quantize_number.h"

namespace atc {
namespace {

Tensor Optional(const KernelContext& ctx, size_t i) { return ctx.HasInput(i) ? ctx.In(i) : Tensor(); }

Tensor Shifted(const KernelContext& ctx, size_t tensor, size_t zero_point, int64_t axis) {
  std::string fault;
  Tensor result = ShiftedToInt32(ctx.In(tensor), Optional(ctx, zero_point), axis, &fault);
  if (!fault.empty()) ctx.Fail(fault);
  return result;
}

Tensor ConvolveInt32(const KernelContext& ctx, const Tensor& x, const Tensor& w, const Tensor& bias) {
  const ConvOutput out = ConvOutputShape(ctx, x.shape(), w.shape());
  if (bias.defined() && (bias.dtype() != DT_INT32 || bias.NumElements() != out.sizes.out_channels)) {
    ctx.Fail("B " + ToString(bias.shape()) + " must be int32, one element an output channel");
  }
  Tensor y = Tensor::Allocate(DT_INT32, out.shape);
  Convolve<uint32_t>(out.sizes, x.Data<uint32_t>(), w.Data<uint32_t>(),
                     bias.defined() ? bias.Data<uint32_t>() : nullptr, y.MutableData<uint32_t>());
  return y;
}

ProductFit Fit(const KernelContext& ctx, const Shape& a, const Shape& b) {
  ProductFit fit = FitProduct(a, b, false, false);
  if (!fit.fault.empty()) ctx.Fail(fit.fault);
  return fit;
}

// Operand numbers of x and w, per operator.
template <size_t X, size_t W>
void InferConvAs(InferContext& ctx, DataType dtype) {
  const Shape &x = ctx.InShape(X), &w = ctx.InShape(W);
  if (!x.HasRank() && !w.HasRank()) return ctx.SetOut(0, dtype, Shape::UnknownRank());
  const Shape unknown = Shape::UnknownDims(x.HasRank() ? x.rank() : w.rank());
  ctx.SetOut(0, dtype, ConvOutputShape(ctx, x.HasRank() ? x : unknown, w.HasRank() ? w : unknown).shape);
}

void InferMatMulAs(InferContext& ctx, size_t b, DataType dtype) {
  if (!ctx.InShape(0).HasRank() || !ctx.InShape(b).HasRank()) return ctx.SetOut(0, dtype, Shape::UnknownRank());
  const ProductFit fit = FitProduct(ctx.InShape(0), ctx.InShape(b), false, false);
  if (!fit.fault.empty()) ctx.Fail(fit.fault);
  ctx.SetOut(0, dtype, fit.out);
}

// A vector zero point or scale of a goes by its rows, one of b by its columns.
constexpr int64_t kRows = -2, kColumns = -1;

int64_t RowsOf(const Shape& a) { return a.rank() < 2 ? kColumns : kRows; }

// Fails when a scale or zero point, operand i, does not fit a tensor of `shape` along `axis`.
void RequireParameter(const InferContext& ctx, size_t i, const Shape& shape, int64_t axis) {
  if (!ctx.HasInput(i) || !shape.HasRank()) return;
  const std::string fault = ParameterFault(ctx.InShape(i), shape, axis);
  if (!fault.empty()) ctx.Fail(ctx.node().def->InputName(i) + ": " + fault);
}

void InferConvInteger(InferContext& ctx) {
  InferConvAs<0, 1>(ctx, DT_INT32);
  RequireParameter(ctx, 2, ctx.InShape(0), 1);
  RequireParameter(ctx, 3, ctx.InShape(1), 0);
}

// The scales and zero points of result and operands: `axis_a` and `axis_b` of the result are those of the operands' own.
void RequireScales(const InferContext& ctx, const Shape& y, int64_t axis_a, int64_t axis_b) {
  for (const size_t i : {1, 6, 7}) RequireParameter(ctx, i, y, axis_a);
  RequireParameter(ctx, 4, y, axis_b);
}

void InferQLinearConv(InferContext& ctx) {
  InferConvAs<0, 3>(ctx, ctx.InType(7));
  RequireParameter(ctx, 2, ctx.InShape(0), 1);
  RequireParameter(ctx, 5, ctx.InShape(3), 0);
  RequireScales(ctx, ctx.Out(0).origin_shape, 1, 1);
  if (ctx.InShape(3).HasRank()) RequireElements(ctx, 8, ctx.InShape(3)[0]);
}

void InferMatMulInteger(InferContext& ctx) {
  InferMatMulAs(ctx, 1, DT_INT32);
  if (ctx.InShape(0).HasRank()) RequireParameter(ctx, 2, ctx.InShape(0), RowsOf(ctx.InShape(0)));
  RequireParameter(ctx, 3, ctx.InShape(1), kColumns);
}

void InferQLinearMatMul(InferContext& ctx) {
  InferMatMulAs(ctx, 3, ctx.InType(7));
  if (ctx.InShape(0).HasRank()) RequireParameter(ctx, 2, ctx.InShape(0), RowsOf(ctx.InShape(0)));
  RequireParameter(ctx, 5, ctx.InShape(3), kColumns);
  const Shape& y = ctx.Out(0).origin_shape;
  if (y.HasRank()) RequireScales(ctx, y, RowsOf(y), kColumns);
}

void Store(KernelContext& ctx, const Tensor& y) {
  std::copy_n(y.Data(), y.NumBytes(), ctx.Out(0, y.dtype(), y.shape()).MutableData());
}

void ConvIntegerKernel(KernelContext& ctx) {
  Store(ctx, ConvolveInt32(ctx, Shifted(ctx, 0, 2, 1), Shifted(ctx, 1, 3, 0), Tensor()));
}

Tensor MultiplyInt32(const ProductFit& fit, const Tensor& a, const Tensor& b) {
  Tensor y = Tensor::Allocate(DT_INT32, fit.out);
  MultiplyBatches<uint32_t>(fit, a, b, y);
  return y;
}

void MatMulIntegerKernel(KernelContext& ctx) {
  const Tensor a = Shifted(ctx, 0, 2, RowsOf(ctx.InShape(0))), b = Shifted(ctx, 1, 3, kColumns);
  Store(ctx, MultiplyInt32(Fit(ctx, a.shape(), b.shape()), a, b));
}

// round(sum * (scale_a * scale_b) / scale_y) + zero point, saturated, in double, which holds the product of two float
// scales exactly. Scales one for each element of y.
void Requantize(KernelContext& ctx, const Shape& shape, const std::vector<double>& sums, const std::vector<double>& scale_a,
                const std::vector<double>& scale_b, const std::vector<double>& scale_y,
                const std::vector<double>& zero_y) {
  Tensor& y = ctx.Out(0, ctx.InType(7), shape);
  if (!IsQuantizedType(y.dtype())) FailOnType(ctx, y.dtype());
  QuantizedWriter writer(y, true);
  int64_t low, high;
  const bool integer = IntegerRange(y.dtype(), &low, &high);
  for (int64_t i = 0; i < y.NumElements(); ++i) {
    const double value = sums[i] * (scale_a[i] * scale_b[i]) / scale_y[i];
    writer.Write(i, (integer ? std::nearbyint(value) : value) + zero_y[i]);
  }
}

// Operand i spread over the result along `axis`.
std::vector<double> Spread(const KernelContext& ctx, size_t i, const Shape& shape, int64_t axis) {
  std::string fault;
  std::vector<double> result = SpreadAlong(ctx.In(i), shape, axis, 0, &fault);
  if (!fault.empty()) ctx.Fail(fault);
  return result;
}

void QLinearConvKernel(KernelContext& ctx) {
  const Tensor sums = ConvolveInt32(ctx, Shifted(ctx, 0, 2, 1), Shifted(ctx, 3, 5, 0), Optional(ctx, 8));
  const Shape& shape = sums.shape();
  Requantize(ctx, shape, ToDoubles(sums), Spread(ctx, 1, shape, 1), Spread(ctx, 4, shape, 1), Spread(ctx, 6, shape, 1),
             Spread(ctx, 7, shape, 1));
}

// The tensor less its zero point in double, which holds the difference of any two 8-bit floats.
Tensor ShiftedFloats(const KernelContext& ctx, size_t tensor, size_t zero_point, int64_t axis) {
  const Tensor& x = ctx.In(tensor);
  std::vector<double> values = ToDoubles(x);
  const std::vector<double> zero = Spread(ctx, zero_point, x.shape(), axis);
  for (size_t i = 0; i < values.size(); ++i) values[i] -= zero[i];
  return Tensor::From<double>(DT_DOUBLE, x.shape(), values);
}

// Products of integers are summed in int32, those of 8-bit floats in double.
Tensor MultiplyOperands(const KernelContext& ctx) {
  const int64_t rows = RowsOf(ctx.InShape(0));
  const bool floats = IsFloating(ctx.InType(0));
  if (floats != IsFloating(ctx.InType(3))) {
    ctx.Fail("a is " + std::string(DataTypeName(ctx.InType(0))) + ", b is " + std::string(DataTypeName(ctx.InType(3))) +
             "; both must be integers or both 8-bit floats");
  }
  const ProductFit fit = Fit(ctx, ctx.InShape(0), ctx.InShape(3));
  if (!floats) return MultiplyInt32(fit, Shifted(ctx, 0, 2, rows), Shifted(ctx, 3, 5, kColumns));
  Tensor sums = Tensor::Allocate(DT_DOUBLE, fit.out);
  MultiplyBatches<double>(fit, ShiftedFloats(ctx, 0, 2, rows), ShiftedFloats(ctx, 3, 5, kColumns), sums);
  return sums;
}

void QLinearMatMulKernel(KernelContext& ctx) {
  const Tensor sums = MultiplyOperands(ctx);
  const Shape& shape = sums.shape();
  const int64_t rows = RowsOf(shape);
  Requantize(ctx, shape, ToDoubles(sums), Spread(ctx, 1, shape, rows), Spread(ctx, 4, shape, kColumns), Spread(ctx, 6, shape, rows),
             Spread(ctx, 7, shape, rows));
}

OpDef WithWindow(OpDef def) {
  for (const char* list : {"strides", "pads", "dilations", "kernel_shape"}) def.Attr(list, std::vector<int64_t>{});
  return def.Attr("group", 1).Attr("auto_pad", "NOTSET").Attr("opset", 10);
}

}  // namespace

void RegisterQuantizedLinearOps(OpRegistry& registry) {
  registry.Add(WithWindow(OpDef("onnx::ConvInteger").In("x").In("w").OptIn("x_zero_point").OptIn("w_zero_point"))
                   .Out("y")
                   .Traits(kHeavy)
                   .On(Unit::kCube)
                   .Infer(InferConvInteger)
                   .Kernel(ConvIntegerKernel));
  registry.Add(OpDef("onnx::MatMulInteger")
                   .In("A")
                   .In("B")
                   .OptIn("a_zero_point")
                   .OptIn("b_zero_point")
                   .Out("Y")
                   .Attr("opset", 10)
                   .Traits(kHeavy)
                   .On(Unit::kCube)
                   .Infer(InferMatMulInteger)
                   .Kernel(MatMulIntegerKernel));
  OpDef conv("onnx::QLinearConv");
  for (const char* name : {"x", "x_scale", "x_zero_point", "w", "w_scale", "w_zero_point", "y_scale", "y_zero_point"}) {
    conv.In(name);
  }
  registry.Add(WithWindow(conv.OptIn("B").Out("y"))
                   .Traits(kHeavy)
                   .On(Unit::kCube)
                   .Infer(InferQLinearConv)
                   .Kernel(QLinearConvKernel));
  OpDef matmul("onnx::QLinearMatMul");
  for (const char* name : {"a", "a_scale", "a_zero_point", "b", "b_scale", "b_zero_point", "y_scale", "y_zero_point"}) {
    matmul.In(name);
  }
  registry.Add(matmul.Out("y")
                   .Attr("opset", 10)
                   .Traits(kHeavy)
                   .On(Unit::kCube)
                   .Infer(InferQLinearMatMul)
                   .Kernel(QLinearMatMulKernel));
}

}  // namespace atc

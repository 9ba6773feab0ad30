// Matrix products: MatMulV2 (two dims, optional bias), BatchMatMulV2 (NumPy's rules for batch dims and vectors), GEMM.
#include "compiler/ir/infer_context.h"
#include "compiler/ops/dispatch.h"
#include "compiler/ops/families.h"
#include "compiler/ops/product.h"

namespace atc {
namespace {

DataType SumType(DataType x) { return x == DT_INT8 ? DT_INT32 : x; }

template <typename Context>
ProductFit Fit(const Context& ctx) {
  const Shape &a = ctx.InShape(0), &b = ctx.InShape(1);
  const bool batched = ctx.node().def->FindAttr("adj_x1") != nullptr;
  if (!batched && (a.rank() != 2 || b.rank() != 2)) {
    ctx.Fail("operands " + ToString(a) + " and " + ToString(b) + " must have rank 2");
  }
  ProductFit fit = FitProduct(a, b, ctx.template Attr<bool>(batched ? "adj_x1" : "transpose_x1"),
                              ctx.template Attr<bool>(batched ? "adj_x2" : "transpose_x2"));
  if (!fit.fault.empty()) ctx.Fail(fit.fault);
  return fit;
}

void InferMatMul(InferContext& ctx) {
  const DataType dtype = SumType(ctx.InType(0));
  if (ctx.InShape(0).HasRank() && ctx.InShape(1).HasRank()) return ctx.SetOut(0, dtype, Fit(ctx).out);
  const bool two_dims = ctx.node().def->FindAttr("transpose_x1") != nullptr;
  ctx.SetOut(0, dtype, two_dims ? Shape::UnknownDims(2) : Shape::UnknownRank());
}

Tensor WidenInt8(const Tensor& tensor) {
  if (tensor.dtype() != DT_INT8) return tensor;
  Tensor wide = Tensor::Allocate(DT_INT32, tensor.shape());
  std::copy_n(tensor.Data<int8_t>(), tensor.NumElements(), wide.MutableData<int32_t>());
  return wide;
}

void MatMulKernel(KernelContext& ctx) {
  const ProductFit fit = Fit(ctx);
  const Tensor a = WidenInt8(ctx.In(0)), b = WidenInt8(ctx.In(1));
  const Tensor bias = ctx.HasInput(2) ? ctx.In(2) : Tensor();
  if (a.dtype() != b.dtype() || (bias.defined() && bias.dtype() != a.dtype())) {
    ctx.Fail("the operands must have one element type; found " + std::string(DataTypeName(ctx.InType(0))) + " and " +
             std::string(DataTypeName(ctx.InType(1))));
  }
  if (bias.defined() && bias.NumElements() != fit.n) {
    ctx.Fail("bias " + ToString(bias.shape()) + " has not the " + std::to_string(fit.n) + " elements of a result row");
  }
  Tensor& y = ctx.Out(0, a.dtype(), fit.out);
  Dispatch(Types<float, double, int32_t, int64_t, uint32_t, uint64_t>{}, ctx, a.dtype(), [&]<typename Element>() {
    // Signed integers go through their unsigned twins: the bits are the same and overflow is defined.
    using T = std::conditional_t<std::is_same_v<Element, int32_t>, uint32_t,
                                 std::conditional_t<std::is_same_v<Element, int64_t>, uint64_t, Element>>;
    MultiplyBatches<T>(fit, a, b, y);
    if (!bias.defined()) return;
    T* out = y.MutableData<T>();
    for (int64_t i = 0; i < y.NumElements(); ++i) out[i] += bias.Data<T>()[i % fit.n];
  });
}

// GEMM: alpha * op(a) op(b) + beta * c, with alpha and beta as tensors of one element.
ProductFit FitGemm(const Shape& a, const Shape& b, bool transpose_a, bool transpose_b, std::string* fault) {
  ProductFit fit;
  if (a.rank() != 2 || b.rank() != 2) {
    *fault = "operands " + ToString(a) + " and " + ToString(b) + " must have rank 2";
  } else {
    fit = FitProduct(a, b, transpose_a, transpose_b);
    *fault = fit.fault;
  }
  return fit;
}

void InferGemm(InferContext& ctx) {
  if (!ctx.InShape(0).HasRank() || !ctx.InShape(1).HasRank()) return ctx.SetOut(0, ctx.InType(2), Shape::UnknownDims(2));
  std::string fault;
  const ProductFit fit = FitGemm(ctx.InShape(0), ctx.InShape(1), ctx.Attr<bool>("transpose_a"), ctx.Attr<bool>("transpose_b"), &fault);
  if (!fault.empty()) ctx.Fail(fault);
  ctx.SetOut(0, ctx.InType(2), fit.out);
}

void GemmKernel(KernelContext& ctx) {
  std::string fault;
  const ProductFit fit = FitGemm(ctx.InShape(0), ctx.InShape(1), ctx.Attr<bool>("transpose_a"), ctx.Attr<bool>("transpose_b"), &fault);
  if (!fault.empty()) ctx.Fail(fault);
  const Tensor a = WidenInt8(ctx.In(0)), b = WidenInt8(ctx.In(1)), &c = ctx.In(2);
  if (a.dtype() != b.dtype() || a.dtype() != c.dtype() || ctx.InType(3) != c.dtype() || ctx.InType(4) != c.dtype()) {
    ctx.Fail("a and b must have one element type, and c, alpha and beta that of the sums");
  }
  if (!(c.shape() == fit.out) || ctx.In(3).NumElements() != 1 || ctx.In(4).NumElements() != 1) {
    ctx.Fail("c must have the shape " + ToString(fit.out) + ", alpha and beta one element");
  }
  Tensor& y = ctx.Out(0, c.dtype(), fit.out);
  Dispatch(Types<float, double, int32_t>{}, ctx, c.dtype(), [&]<typename Element>() {
    using T = std::conditional_t<std::is_same_v<Element, int32_t>, uint32_t, Element>;
    Tensor product = Tensor::Allocate(c.dtype(), fit.out);
    MultiplyBatches<T>(fit, a, b, product);
    const T alpha = *ctx.In(3).Data<T>(), beta = *ctx.In(4).Data<T>();
    T* out = y.MutableData<T>();
    // With beta 0, c does not count, whatever it holds.
    for (int64_t i = 0; i < y.NumElements(); ++i) {
      out[i] = alpha * product.Data<T>()[i] + (beta == T{0} ? T{0} : beta * c.Data<T>()[i]);
    }
  });
}

OpDef Definition(Name type, Name transpose_1, Name transpose_2) {
  return OpDef(type)
      .In("x1")
      .In("x2")
      .OptIn("bias")
      .OptIn("offset_w")
      .Out("y")
      .Attr(transpose_1, false)
      .Attr(transpose_2, false)
      .Attr("offset_x", 0)
      .Traits(kHeavy | kWidenHalf)
      .On(Unit::kCube)
      .Infer(InferMatMul)
      .Kernel(MatMulKernel);
}

}  // namespace

void RegisterMatMulOps(OpRegistry& registry) {
  registry.Add(Definition("BatchMatMulV2", "adj_x1", "adj_x2"));
  registry.Add(OpDef("GEMM").In("a").In("b").In("c").In("alpha").In("beta").Out("y").Attr("transpose_a", false)
                   .Attr("transpose_b", false).Traits(kHeavy | kWidenHalf).On(Unit::kCube).Infer(InferGemm)
                   .Kernel(GemmKernel));
  registry.Add(Definition("MatMulV2", "transpose_x1", "transpose_x2"));
}

}  // namespace atc

// Matrix products: MatMulV2 (two dims, optional bias) and BatchMatMulV2 (NumPy's rules for batch dims and vectors).
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
  registry.Add(Definition("MatMulV2", "transpose_x1", "transpose_x2"));
}

}  // namespace atc

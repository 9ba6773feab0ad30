// Matrix products: MatMulV2 (two dims, optional bias) and BatchMatMulV2 (NumPy's rules for batch dims and vectors).
#include "compiler/ir/infer_context.h"
#include "compiler/ops/dispatch.h"
#include "compiler/ops/families.h"
#include "compiler/ops/matrix_product.h"

namespace atc {
namespace {

DataType SumType(DataType x) { return x == DT_INT8 ? DT_INT32 : x; }

// How the operands of a product line up. Vectors become matrices of one row (x1) or column (x2), whose unit dim the
// result does not have.
struct Product {
  Shape a, b;  // of rank 2 at least
  bool transpose_a, transpose_b;
  bool vector_a, vector_b;
  Shape batch;  // broadcast
  int64_t m, n, k;
  Shape out;
};

template <typename Context>
Product FitProduct(const Context& ctx, Shape a, Shape b) {
  const bool batched = ctx.node().def->FindAttr("adj_x1") != nullptr;
  Product p;
  p.transpose_a = ctx.template Attr<bool>(batched ? "adj_x1" : "transpose_x1");
  p.transpose_b = ctx.template Attr<bool>(batched ? "adj_x2" : "transpose_x2");
  p.vector_a = batched && a.rank() == 1;
  p.vector_b = batched && b.rank() == 1;
  if (a.rank() == 0 || b.rank() == 0 || (!batched && (a.rank() != 2 || b.rank() != 2))) {
    ctx.Fail("operands " + ToString(a) + " and " + ToString(b) + " have the wrong rank, wanted " +
             (batched ? "at least 1" : "2"));
  }
  p.a = p.vector_a ? Shape{p.transpose_a ? a[0] : 1, p.transpose_a ? 1 : a[0]} : a;
  p.b = p.vector_b ? Shape{p.transpose_b ? 1 : b[0], p.transpose_b ? b[0] : 1} : b;
  const size_t ra = p.a.rank(), rb = p.b.rank();
  p.m = p.a[p.transpose_a ? ra - 1 : ra - 2];
  p.k = p.a[p.transpose_a ? ra - 2 : ra - 1];
  p.n = p.b[p.transpose_b ? rb - 2 : rb - 1];
  const int64_t depth = p.b[p.transpose_b ? rb - 1 : rb - 2];
  if (p.k >= 0 && depth >= 0 && p.k != depth) {
    ctx.Fail("operands " + ToString(a) + " and " + ToString(b) + " do not fit: " + std::to_string(p.k) +
             " columns against " + std::to_string(depth) + " rows");
  }
  const Shape batch_a(std::vector<int64_t>(p.a.dims().begin(), p.a.dims().end() - 2));
  const Shape batch_b(std::vector<int64_t>(p.b.dims().begin(), p.b.dims().end() - 2));
  if (!BroadcastShapes(batch_a, batch_b, &p.batch)) {
    ctx.Fail("batch dims of " + ToString(a) + " and " + ToString(b) + " do not broadcast");
  }
  p.out = p.batch;
  if (!p.vector_a) p.out.dims().push_back(p.m);
  if (!p.vector_b) p.out.dims().push_back(p.n);
  return p;
}

void InferMatMul(InferContext& ctx) {
  const DataType dtype = SumType(ctx.InType(0));
  const Shape &a = ctx.InShape(0), &b = ctx.InShape(1);
  if (a.HasRank() && b.HasRank()) return ctx.SetOut(0, dtype, FitProduct(ctx, a, b).out);
  const bool two_dims = ctx.node().def->FindAttr("transpose_x1") != nullptr;
  ctx.SetOut(0, dtype, two_dims ? Shape::UnknownDims(2) : Shape::UnknownRank());
}

// Element offsets of each batch of an operand, in the order of the broadcast batch.
std::vector<int64_t> BatchOffsets(const Shape& operand, const Shape& batch) {
  const size_t own = operand.rank() - 2, lead = batch.rank() - own;
  const std::vector<int64_t> strides = operand.Strides();
  std::vector<int64_t> offsets{0};
  for (size_t d = 0; d < batch.rank(); ++d) {
    const int64_t step = d < lead || operand[d - lead] == 1 ? 0 : strides[d - lead];
    std::vector<int64_t> next;
    for (const int64_t offset : offsets) {
      for (int64_t i = 0; i < batch[d]; ++i) next.push_back(offset + i * step);
    }
    offsets = std::move(next);
  }
  return offsets;
}

Tensor WidenInt8(const Tensor& tensor) {
  if (tensor.dtype() != DT_INT8) return tensor;
  Tensor wide = Tensor::Allocate(DT_INT32, tensor.shape());
  std::copy_n(tensor.Data<int8_t>(), tensor.NumElements(), wide.MutableData<int32_t>());
  return wide;
}

template <typename T>
void Multiply(const Product& p, const Tensor& a, const Tensor& b, Tensor& y) {
  const auto ref = [](const Tensor& tensor, int64_t offset, const Shape& shape, bool transpose) {
    const int64_t row = shape[shape.rank() - 1];
    return MatrixRef<T>{tensor.Data<T>() + offset, transpose ? 1 : row, transpose ? row : 1};
  };
  T* out = y.MutableData<T>();
  if (p.b.rank() == 2 && !p.transpose_a) {  // one matrix on the right: the batches are further rows
    MatrixProduct<T>(p.batch.NumElements() * p.m, p.n, p.k, ref(a, 0, p.a, false), ref(b, 0, p.b, p.transpose_b), out,
                     p.n);
    return;
  }
  const std::vector<int64_t> from_a = BatchOffsets(p.a, p.batch), from_b = BatchOffsets(p.b, p.batch);
  for (size_t i = 0; i < from_a.size(); ++i) {
    MatrixProduct<T>(p.m, p.n, p.k, ref(a, from_a[i], p.a, p.transpose_a), ref(b, from_b[i], p.b, p.transpose_b),
                     out + static_cast<int64_t>(i) * p.m * p.n, p.n);
  }
}

void MatMulKernel(KernelContext& ctx) {
  const Product p = FitProduct(ctx, ctx.InShape(0), ctx.InShape(1));
  const Tensor a = WidenInt8(ctx.In(0)), b = WidenInt8(ctx.In(1));
  const Tensor bias = ctx.HasInput(2) ? ctx.In(2) : Tensor();
  if (a.dtype() != b.dtype() || (bias.defined() && bias.dtype() != a.dtype())) {
    ctx.Fail("the operands must have one element type; found " + std::string(DataTypeName(ctx.InType(0))) + " and " +
             std::string(DataTypeName(ctx.InType(1))));
  }
  if (bias.defined() && bias.NumElements() != p.n) {
    ctx.Fail("bias " + ToString(bias.shape()) + " has not the " + std::to_string(p.n) + " elements of a result row");
  }
  Tensor& y = ctx.Out(0, a.dtype(), p.out);
  Dispatch(Types<float, double, int32_t, int64_t, uint32_t, uint64_t>{}, ctx, a.dtype(), [&]<typename Element>() {
    // Signed integers go through their unsigned twins: the bits are the same and overflow is defined.
    using T = std::conditional_t<std::is_same_v<Element, int32_t>, uint32_t,
                                 std::conditional_t<std::is_same_v<Element, int64_t>, uint64_t, Element>>;
    Multiply<T>(p, a, b, y);
    if (!bias.defined()) return;
    T* out = y.MutableData<T>();
    for (int64_t i = 0; i < y.NumElements(); ++i) out[i] += bias.Data<T>()[i % p.n];
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

// Triangles of matrices, and the identity matrix.
#include "compiler/ops/axis_loop.h"
#include "compiler/ops/dispatch.h"
#include "compiler/ops/families.h"
#include "compiler/ops/infer_util.h"
#include "compiler/ops/scalar.h"

namespace atc {
namespace {

// Keeps what lies on the k-th diagonal and above (upper) or below it, for the last two dims; the rest becomes 0.
void TriluKernel(KernelContext& ctx) {
  const Shape& shape = ctx.InShape(0);
  if (shape.rank() < 2) ctx.Fail("input " + ToString(shape) + " must have rank 2 or more");
  const bool upper = ctx.Attr<int64_t>("upper") != 0;
  const int64_t rows = shape[shape.rank() - 2], columns = shape[shape.rank() - 1];
  int64_t k = ctx.HasInput(1) ? OneInt(ctx, 1, "k") : 0;
  k = std::min(std::max(k, -rows - columns), rows + columns);  // beyond these nothing changes
  Tensor& out = ctx.Out(0, ctx.InType(0), shape);
  DispatchMovable(ctx, ctx.InType(0), [&]<typename T>() {
    const T* x = ctx.In(0).Data<T>();
    T* y = out.MutableData<T>();
    for (int64_t i = 0, n = out.NumElements(); i < n; ++i) {
      const int64_t distance = i % columns - i / columns % rows;  // 0 on the main diagonal, positive above
      y[i] = (upper ? distance >= k : distance <= k) ? x[i] : T{};
    }
  });
}

DataType EyeType(const Node& node, DataType input) {
  const int64_t number = node.attrs.Get<int64_t>("dtype", 0);
  return number == 0 ? input : DataTypeFromOnnx(static_cast<int>(number));
}

void InferEyeLike(InferContext& ctx) { ctx.SetOut(0, EyeType(ctx.node(), ctx.InType(0)), ctx.InShape(0)); }

// Ones on the k-th diagonal of a matrix of the input's shape, zeros elsewhere.
void EyeLikeKernel(KernelContext& ctx) {
  const Shape& shape = ctx.InShape(0);
  if (shape.rank() != 2) ctx.Fail("input " + ToString(shape) + " must have rank 2");
  const DataType dtype = EyeType(ctx.node(), ctx.InType(0));
  const Tensor one = ScalarOf(dtype, 1);
  if (!one.defined()) FailOnType(ctx, dtype);
  Tensor& out = ctx.Out(0, dtype, shape);
  const int64_t k = ctx.Attr<int64_t>("k");
  DispatchMovable(ctx, dtype, [&]<typename T>() {
    T* y = out.MutableData<T>();
    std::fill_n(y, out.NumElements(), T{});
    if (k <= -shape[0] || k >= shape[1]) return;
    for (int64_t row = std::max<int64_t>(0, -k); row < shape[0] && row + k < shape[1]; ++row) {
      y[row * shape[1] + row + k] = *one.Data<T>();
    }
  });
}

}  // namespace

void RegisterTriangleOps(OpRegistry& registry) {
  registry.Add(OpDef("Trilu").In("x").OptIn("k").Out("y").Attr("upper", 0).Traits(kHalfNative).Infer(InferSameAsInput)
                   .Kernel(TriluKernel));
  registry.Add(OpDef("onnx::EyeLike").In("input").Out("output").Attr("k", 0).Attr("opset", 0)
                   .Traits(kHalfNative | kHostShape).Infer(InferEyeLike).Kernel(EyeLikeKernel));
}

}  // namespace atc

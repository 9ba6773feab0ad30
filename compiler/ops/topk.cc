// The k largest or smallest elements along an axis and where they were.
#include <algorithm>
#include <numeric>

#include "compiler/ops/axis_loop.h"
#include "compiler/ops/dispatch.h"
#include "compiler/ops/families.h"
#include "compiler/ops/index_type.h"
#include "compiler/ops/infer_util.h"

namespace atc {
namespace {

template <typename Context>
DataType IndicesType(const Context& ctx) {
  if (ctx.node().type() == "TopK") return DT_INT32;
  return CheckedIndexType(ctx, static_cast<DataType>(ctx.template Attr<int64_t>("indices_dtype")));
}

void InferTopK(InferContext& ctx) {
  Shape shape = ctx.InShape(0);
  if (shape.HasRank()) {
    const int64_t axis = NormalizeAxis(ctx, ctx.Attr<int64_t>("dim"), shape.rank());
    const auto k = ctx.KnownInts(1);
    if (k && k->size() == 1 && ((*k)[0] < 0 || (shape[axis] >= 0 && (*k)[0] > shape[axis]))) {
      ctx.Fail("k is " + std::to_string((*k)[0]) + ", axis " + std::to_string(axis) + " of " + ToString(shape) +
               " has fewer elements");
    }
    shape[axis] = k && k->size() == 1 ? (*k)[0] : kUnknownDim;
  }
  ctx.SetOut(0, ctx.InType(0), shape);
  ctx.SetOut(1, IndicesType(ctx), shape);
}

// NaN counts as larger than every number, as in NumPy's sort.
template <typename T>
bool Less(T a, T b) {
  return a < b || (b != b && a == a);
}

// Of equal elements the one with the lower index comes first. `sorted` = false leaves the order open: it is the same.
void TopKKernel(KernelContext& ctx) {
  const Shape& x = ctx.InShape(0);
  const int64_t axis = CheckedAxis(ctx, ctx.Attr<int64_t>("dim"), x);
  const int64_t k = OneInt(ctx, 1, "k");
  if (k < 0 || k > x[axis]) {
    ctx.Fail("k is " + std::to_string(k) + ", it must be between 0 and " + std::to_string(x[axis]) + ", the length of axis " +
             std::to_string(axis));
  }
  const bool largest = ctx.Attr<bool>("largest");
  Shape shape = x;
  shape[axis] = k;
  Tensor& values = ctx.Out(0, ctx.InType(0), shape);
  Tensor indices = ctx.WantsOutput(1) ? ctx.Out(1, IndicesType(ctx), shape) : Tensor();
  const AxisLoop from(x, axis), to(shape, axis);
  std::vector<int64_t> order(from.length);
  Dispatch(NumberTypes{}, ctx, ctx.InType(0), [&]<typename T>() {
    for (int64_t o = 0; o < from.outer; ++o) {
      for (int64_t i = 0; i < from.inner; ++i) {
        const T* data = ctx.In(0).Data<T>() + from.Offset(o, 0, i);
        std::iota(order.begin(), order.end(), 0);
        std::partial_sort(order.begin(), order.begin() + k, order.end(), [&](int64_t a, int64_t b) {
          const T x_a = data[a * from.inner], x_b = data[b * from.inner];
          if (largest ? Less(x_b, x_a) : Less(x_a, x_b)) return true;
          if (largest ? Less(x_a, x_b) : Less(x_b, x_a)) return false;
          return a < b;
        });
        for (int64_t rank = 0; rank < k; ++rank) {
          const int64_t at = to.Offset(o, rank, i);
          values.MutableData<T>()[at] = data[order[rank] * from.inner];
          if (!indices.defined()) continue;
          if (indices.dtype() == DT_INT32) {
            indices.MutableData<int32_t>()[at] = static_cast<int32_t>(order[rank]);
          } else {
            indices.MutableData<int64_t>()[at] = order[rank];
          }
        }
      }
    }
  });
}

OpDef TopK(const char* type) {
  return OpDef(type).In("x").In("k").Out("values").OptOut("indices").Attr("sorted", true).Attr("dim", -1)
      .Attr("largest", true).Traits(kWidenHalf).Infer(InferTopK).Kernel(TopKKernel);
}

}  // namespace

void RegisterTopkOps(OpRegistry& registry) {
  registry.Add(TopK("TopK"));
  registry.Add(TopK("TopKV2").Attr("indices_dtype", static_cast<int>(DT_INT32)));
}

}  // namespace atc

// Writing updates into a copy of a tensor, at places given by indices.
#include <algorithm>

#include "compiler/ops/axis_loop.h"
#include "compiler/ops/dispatch.h"
#include "compiler/ops/families.h"
#include "compiler/ops/indexing.h"
#include "compiler/ops/infer_util.h"
#include "compiler/ops/integer.h"
#include "compiler/ops/operand_shape.h"

namespace atc {
namespace {

enum class Reduction { kNone, kAdd, kMul, kMax, kMin, kDiv };

Reduction ReductionOf(const KernelContext& ctx) {
  const std::string& name = ctx.Attr<std::string>("reduction");
  if (name == "none" || name.empty()) return Reduction::kNone;
  if (name == "add") return Reduction::kAdd;
  if (name == "mul") return Reduction::kMul;
  if (name == "max") return Reduction::kMax;
  if (name == "min") return Reduction::kMin;
  if (name == "div") return Reduction::kDiv;  // TensorFlow's variables know it
  ctx.Fail("attribute reduction is '" + name + "', it must be none, add, mul, div, max or min");
}

template <typename T>
T Combine(Reduction reduction, T a, T b) {
  switch (reduction) {
    case Reduction::kAdd:
      if constexpr (std::is_same_v<T, bool>) return a || b;
      else if constexpr (std::is_integral_v<T>) return integer::Add(a, b);
      else return a + b;
    case Reduction::kMul:
      if constexpr (std::is_same_v<T, bool>) return a && b;
      else if constexpr (std::is_integral_v<T>) return integer::Mul(a, b);
      else return a * b;
    case Reduction::kDiv:
      if constexpr (std::is_same_v<T, bool>) return a;
      else if constexpr (std::is_integral_v<T>) return integer::Div(a, b);
      else return a / b;
    case Reduction::kMax: return a > b || a != a ? a : b;
    case Reduction::kMin: return a < b || a != a ? a : b;
    case Reduction::kNone: break;
  }
  return b;
}

// Output 0 starts as a copy of input 0. Then `walk` is called with a function (to, from, count) that it calls for each run
// of `count` updates: offset in the output, offset in the updates.
template <typename Walk>
void Scatter(KernelContext& ctx, size_t updates, Walk&& walk) {
  if (ctx.InType(updates) != ctx.InType(0)) {
    ctx.Fail("updates are " + std::string(DataTypeName(ctx.InType(updates))) + ", they must have the type of the data, " +
             std::string(DataTypeName(ctx.InType(0))));
  }
  const Reduction reduction = ReductionOf(ctx);
  Tensor& out = ctx.Out(0, ctx.InType(0), ctx.InShape(0));
  if (reduction == Reduction::kNone) {
    DispatchMovable(ctx, ctx.InType(0), [&]<typename T>() {
      T* to_data = out.MutableData<T>();
      std::copy_n(ctx.In(0).Data<T>(), out.NumElements(), to_data);
      walk([&](int64_t to, int64_t from, int64_t count) {
        std::copy_n(ctx.In(updates).Data<T>() + from, count, to_data + to);
      });
    });
    return;
  }
  Dispatch(NumberAndBoolTypes{}, ctx, ctx.InType(0), [&]<typename T>() {
    T* to_data = out.MutableData<T>();
    std::copy_n(ctx.In(0).Data<T>(), out.NumElements(), to_data);
    walk([&](int64_t to, int64_t from, int64_t count) {
      const T* update = ctx.In(updates).Data<T>() + from;
      for (int64_t i = 0; i < count; ++i) to_data[to + i] = Combine(reduction, to_data[to + i], update[i]);
    });
  });
}

template <typename Context>
[[noreturn]] void FailOnUpdate(const Context& ctx, const Shape& update, const Shape& cache, int64_t axis) {
  ctx.Fail("update " + ToString(update) + " must equal the cache " + ToString(cache) + " away from axis " +
           std::to_string(axis) + ", which must not be the batch");
}

template <bool kOnnx>
void ScatterElementsKernel(KernelContext& ctx) {
  const Shape& data = ctx.InShape(0);
  const Shape& index_shape = ctx.InShape(1);
  const int64_t axis = CheckedAxis(ctx, ctx.Attr<int64_t>("axis"), data);
  RequireIndexShape(ctx, data, index_shape, axis);
  if (!(ctx.InShape(2) == index_shape)) {
    ctx.Fail("updates " + ToString(ctx.InShape(2)) + " must have the shape of the indices, " + ToString(index_shape));
  }
  const std::vector<int64_t> indices = CheckedIndices(ctx, 1, data[axis], kOnnx);
  const int64_t axis_stride = data.Strides()[axis];
  const BroadcastPlan plan = PlanAcross(index_shape, data, axis);
  Scatter(ctx, 2, [&](auto&& put) {
    ForEachRow<1>(plan, [&](int64_t at, const std::array<int64_t, 1>& to) {
      for (int64_t i = 0; i < plan.inner(); ++i) {
        put(to[0] + i * plan.strides[0].back() + indices[at + i] * axis_stride, at + i, 1);
      }
    });
  });
}

template <bool kOnnx>
void InferScatterElements(InferContext& ctx) {
  InferSameAsInput(ctx);
  RequireIntegers(ctx, 1);
  RequireOperandShape(ctx, 2, ctx.InShape(1));
  const Shape &data = ctx.InShape(0), &indices = ctx.InShape(1);
  if (!data.HasRank()) return;
  const int64_t axis = NormalizeAxis(ctx, ctx.Attr<int64_t>("axis"), data.rank());
  RequireIndexShape(ctx, data, indices, axis);
  RequireIndices(ctx, 1, data[axis], kOnnx);
}

void InferScatterNd(InferContext& ctx) {
  InferSameAsInput(ctx);
  RequireIntegers(ctx, 1);
  if (!ctx.InShape(0).HasRank() || !ctx.InShape(1).HasRank()) return;
  const Shape wanted = TupleShape(ctx, ctx.InShape(1), ctx.InShape(0), 0);
  RequireOperandShape(ctx, 2, wanted);
  RequireTuples(ctx, 1, 0, 0);
}

void InferTensorScatter(InferContext& ctx) {
  InferSameAsInput(ctx);
  const Shape &cache = ctx.InShape(0), &update = ctx.InShape(1);
  if (!cache.HasRank()) return;
  const int64_t axis = NormalizeAxis(ctx, ctx.Attr<int64_t>("axis"), cache.rank());
  RequireIntegers(ctx, 2);
  RequireElements(ctx, 2, cache[0]);
  if (!update.HasRank()) return;
  bool fits = update.rank() == cache.rank() && axis > 0;
  for (size_t d = 0; fits && d < cache.rank(); ++d) {
    if (update[d] < 0 || cache[d] < 0) continue;
    fits = static_cast<int64_t>(d) == axis ? update[d] <= cache[d] : update[d] == cache[d];
  }
  if (!fits) FailOnUpdate(ctx, update, cache, axis);
}

void ScatterNdKernel(KernelContext& ctx) {
  const TupleIndices tuples(ctx, ctx.In(1), ctx.InShape(0), 0, true);
  if (!(ctx.InShape(2) == tuples.GatheredShape())) {
    ctx.Fail("updates have shape " + ToString(ctx.InShape(2)) + ", indices " + ToString(ctx.InShape(1)) +
             " into data " + ToString(ctx.InShape(0)) + " ask for " + ToString(tuples.GatheredShape()));
  }
  Scatter(ctx, 2, [&](auto&& put) {
    int64_t from = 0;
    for (const int64_t to : tuples.offsets()) {
      put(to, from, tuples.slice());
      from += tuples.slice();
    }
  });
}

// A cache [batch, ..., length, ...] of which each batch entry takes its updates from write_indices[batch] on along `axis`.
void TensorScatterKernel(KernelContext& ctx) {
  const Shape& cache = ctx.InShape(0);
  const Shape& update = ctx.InShape(1);
  const int64_t axis = CheckedAxis(ctx, ctx.Attr<int64_t>("axis"), cache);
  const std::string& mode = ctx.Attr<std::string>("mode");
  if (mode != "linear" && mode != "circular") ctx.Fail("attribute mode is '" + mode + "', it must be linear or circular");
  bool fits = update.rank() == cache.rank() && axis > 0;
  for (size_t d = 0; fits && d < cache.rank(); ++d) {
    fits = static_cast<int64_t>(d) == axis ? update[d] <= cache[d] : update[d] == cache[d];
  }
  if (!fits) FailOnUpdate(ctx, update, cache, axis);
  std::vector<int64_t> starts(cache[0], 0);
  if (ctx.HasInput(2)) {
    if (!IsInteger(ctx.InType(2)) || ctx.In(2).NumElements() != cache[0]) {
      ctx.Fail("write_indices must hold one integer for each of " + std::to_string(cache[0]) + " batch entries");
    }
    starts = ToInts(ctx.In(2));
  }
  const AxisLoop to(cache, axis), from(update, axis);
  for (const int64_t start : starts) {
    if (start < 0 || start >= std::max<int64_t>(to.length, 1) || (mode == "linear" && start + from.length > to.length)) {
      ctx.Fail("write index " + std::to_string(start) + " with " + std::to_string(from.length) +
               " updates leaves a cache of length " + std::to_string(to.length));
    }
  }
  if (to.outer == 0 || to.length == 0) return ctx.SetOut(0, ctx.In(0));
  Scatter(ctx, 1, [&](auto&& put) {
    const int64_t outer_per_batch = to.outer / cache[0];
    for (int64_t o = 0; o < to.outer; ++o) {
      for (int64_t k = 0; k < from.length; ++k) {
        const int64_t place = (starts[o / outer_per_batch] + k) % to.length;
        put(to.Offset(o, place, 0), from.Offset(o, k, 0), to.inner);
      }
    }
  });
}

}  // namespace

void RegisterScatterOps(OpRegistry& registry) {
  const auto scatter = [](const char* type) {
    return OpDef(type).In("data").In("indices").In("updates").Out("y").Attr("reduction", "none").Traits(kWidenHalf);
  };
  registry.Add(scatter("ScatterElements").Attr("axis", 0).Infer(InferScatterElements<false>)
                   .Kernel(ScatterElementsKernel<false>));
  registry.Add(scatter("onnx::ScatterElements").Attr("axis", 0).Attr("opset", 0)
                   .Infer(InferScatterElements<true>).Kernel(ScatterElementsKernel<true>));
  registry.Add(scatter("onnx::ScatterND").Attr("opset", 0).Infer(InferScatterNd).Kernel(ScatterNdKernel));
  registry.Add(OpDef("onnx::TensorScatter").In("past_cache").In("update").OptIn("write_indices").Out("present_cache")
                   .Attr("axis", -2).Attr("mode", "linear").Attr("reduction", "none").Attr("opset", 0)
                   .Traits(kHalfNative).Infer(InferTensorScatter).Kernel(TensorScatterKernel));
}

}  // namespace atc

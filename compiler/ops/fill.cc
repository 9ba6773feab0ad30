// Fill, LinSpace and Range: tensors out of a few numbers.
#include <cmath>

#include "compiler/ir/half.h"
#include "compiler/ir/infer_context.h"
#include "compiler/ops/dispatch.h"
#include "compiler/ops/families.h"
#include "compiler/ops/movement.h"
#include "compiler/ops/operand_shape.h"

namespace atc {
namespace {

void InferFill(InferContext& ctx) {
  const auto dims = ctx.Ints(0);
  if (!dims) return ctx.SetOut(0, ctx.InType(1), Shape::UnknownRank());
  Shape shape = Shape::UnknownDims(dims->elements.size());
  for (size_t i = 0; i < dims->elements.size(); ++i) {
    if (!dims->elements[i]) continue;
    shape[i] = *dims->elements[i];
    if (shape[i] < 0) ctx.Fail("dims holds " + std::to_string(shape[i]));
  }
  const auto value = ctx.Ints(1);
  if (value && value->elements.size() == 1 && shape.rank() <= 1 && shape.IsKnown() && shape.NumElements() <= 64) {
    PartialInts ints{shape, {}};
    ints.elements.assign(static_cast<size_t>(shape.NumElements()), value->elements[0]);
    ctx.SetInts(0, std::move(ints));
  }
  ctx.SetOut(0, ctx.InType(1), std::move(shape));
}

void FillKernel(KernelContext& ctx) {
  const Shape shape(ToInts(ctx.In(0)));
  if (!shape.IsKnown()) ctx.Fail("dims holds a negative number");
  if (ctx.In(1).NumElements() != 1) ctx.Fail("value must be one element");
  MoveToOutput(ctx, 0, shape, ctx.In(1), {0, std::vector<int64_t>(shape.rank(), 0)});
}

// How many numbers start + i * delta lie before limit; for integers computed without rounding.
int64_t IntCount(const KernelContext* ctx, __int128 start, __int128 limit, __int128 delta) {
  if (delta == 0 && ctx) ctx->Fail("delta is 0");
  if (delta == 0) return kUnknownDim;
  const __int128 span = delta > 0 ? limit - start : start - limit;
  const __int128 step = delta > 0 ? delta : -delta;
  const __int128 count = span <= 0 ? 0 : (span + step - 1) / step;
  if (ctx && count > (int64_t{1} << 40)) ctx->Fail("the range has more numbers than can be");
  return static_cast<int64_t>(count);
}

void InferRange(InferContext& ctx) {
  const auto start = ctx.KnownInts(0), limit = ctx.KnownInts(1), delta = ctx.KnownInts(2);
  for (size_t i = 0; i < 3; ++i) RequireElements(ctx, i, 1);
  Shape shape{kUnknownDim};
  if (start && limit && delta && start->size() == 1 && limit->size() == 1 && delta->size() == 1) {
    shape[0] = IntCount(nullptr, (*start)[0], (*limit)[0], (*delta)[0]);
    if (shape[0] >= 0 && shape[0] <= 64) {
      PartialInts ints{shape, {}};
      for (int64_t i = 0; i < shape[0]; ++i) ints.elements.emplace_back((*start)[0] + i * (*delta)[0]);
      ctx.SetInts(0, std::move(ints));
    }
  }
  ctx.SetOut(0, ctx.InType(0), std::move(shape));
}

double At0(const KernelContext& ctx, size_t i) {
  if (ctx.In(i).NumElements() != 1) ctx.Fail("start, limit and delta must be one number each");
  return ToDoubles(ctx.In(i))[0];
}

// Floats in double, rounded once: the type's own rounding would add up along the range.
void FloatRange(KernelContext& ctx) {
  const double start = At0(ctx, 0), limit = At0(ctx, 1), delta = At0(ctx, 2);
  const double count = std::ceil((limit - start) / delta);
  if (delta == 0 || !std::isfinite(count)) ctx.Fail("start, limit and delta do not make a range");
  if (count > 1e12) ctx.Fail("the range has more numbers than can be");
  const int64_t n = std::max<int64_t>(0, static_cast<int64_t>(count));
  Tensor& y = ctx.Out(0, ctx.InType(0), {n});
  for (int64_t i = 0; i < n; ++i) {
    const double value = start + static_cast<double>(i) * delta;
    switch (y.dtype()) {
      case DT_DOUBLE: y.MutableData<double>()[i] = value; break;
      case DT_FLOAT16: y.MutableData<uint16_t>()[i] = FloatToHalf(static_cast<float>(value)); break;
      case DT_BF16: y.MutableData<uint16_t>()[i] = FloatToBFloat16(static_cast<float>(value)); break;
      default: y.MutableData<float>()[i] = static_cast<float>(value);
    }
  }
}

void RangeKernel(KernelContext& ctx) {
  const DataType dtype = ctx.InType(0);
  if (ctx.InType(1) != dtype || ctx.InType(2) != dtype) ctx.Fail("start, limit and delta must have one element type");
  if (dtype == DT_FLOAT || dtype == DT_DOUBLE || IsHalf(dtype)) return FloatRange(ctx);
  Dispatch(IntTypes(), ctx, dtype, [&]<typename T>() {
    for (size_t i = 0; i < 3; ++i) At0(ctx, i);  // one number each
    const T start = *ctx.In(0).Data<T>(), limit = *ctx.In(1).Data<T>(), delta = *ctx.In(2).Data<T>();
    const int64_t n = IntCount(&ctx, start, limit, delta);
    T* y = ctx.Out(0, dtype, {n}).MutableData<T>();
    for (int64_t i = 0; i < n; ++i)
      y[i] = static_cast<T>(static_cast<__int128>(start) + static_cast<__int128>(i) * delta);
  });
}

void InferLinSpace(InferContext& ctx) {
  const auto count = ctx.KnownInts(2);
  ctx.SetOut(0, ctx.InType(0), {count && count->size() == 1 ? (*count)[0] : kUnknownDim});
}

// The last number is `stop` itself.
void LinSpaceKernel(KernelContext& ctx) {
  const double start = At0(ctx, 0), stop = At0(ctx, 1);
  const int64_t count = ToInts(ctx.In(2)).at(0);
  if (count < 1 || count > int64_t{1} << 40) ctx.Fail("num is " + std::to_string(count) + ", wanted at least 1");
  Dispatch(FloatTypes{}, ctx, ctx.InType(0), [&]<typename T>() {
    T* y = ctx.Out(0, ctx.InType(0), {count}).template MutableData<T>();
    const double step = count > 1 ? (stop - start) / static_cast<double>(count - 1) : 0;
    for (int64_t i = 0; i < count; ++i) y[i] = static_cast<T>(start + static_cast<double>(i) * step);
    if (count > 1) y[count - 1] = static_cast<T>(stop);
  });
}

}  // namespace

void RegisterFillOps(OpRegistry& registry) {
  registry.Add(OpDef("Fill").In("dims").In("value").Out("y").Traits(kHalfNative).Infer(InferFill).Kernel(FillKernel));
  registry.Add(OpDef("LinSpace").In("start").In("stop").In("num").Out("output").Traits(kWidenHalf).Infer(InferLinSpace)
                   .Kernel(LinSpaceKernel));
  // Not lowered to fp16: positions beyond 2048 would not be told apart.
  registry.Add(OpDef("Range")
                   .In("start")
                   .In("limit")
                   .In("delta")
                   .Out("y")
                   .Attr("is_closed", false)
                   .Infer(InferRange)
                   .Kernel(RangeKernel));
}

}  // namespace atc

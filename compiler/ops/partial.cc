#include "compiler/ops/partial.h"

#include "compiler/ops/infer_util.h"

namespace atc {
namespace {

bool Fits(int64_t value, DataType dtype) {
  return dtype == DT_INT64 || dtype == DT_BOOL || (dtype == DT_INT32 && value == static_cast<int32_t>(value));
}

}  // namespace

void InferPartialBinary(InferContext& ctx, IntFn fn, DataType dtype) {
  if (dtype == DT_BOOL) {
    InferBroadcastBool(ctx);
  } else {
    InferBroadcast(ctx);
    dtype = ctx.InType(0);
  }
  if (ctx.InType(0) != DT_INT64 && ctx.InType(0) != DT_INT32) return;
  const Shape shape = ctx.num_outputs() > 0 ? ctx.Out(0).origin_shape : Shape::UnknownRank();
  if (!shape.IsKnown() || shape.rank() > 1) return;
  const auto a = ctx.Ints(0);
  const auto b = ctx.Ints(1);
  if (!a || !b) return;
  PartialInts result{shape, {}};
  for (int64_t i = 0; i < shape.NumElements(); ++i) {
    const auto x = BroadcastElement(*a, i);
    const auto y = BroadcastElement(*b, i);
    std::optional<int64_t> element;
    if (x && y) {
      const int64_t value = fn(*x, *y);
      if (Fits(value, dtype)) element = value;
    }
    result.elements.push_back(element);
  }
  ctx.SetInts(0, std::move(result));
}

}  // namespace atc

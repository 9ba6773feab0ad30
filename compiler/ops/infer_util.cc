#include "compiler/ops/infer_util.h"

namespace atc {
namespace {

// Whether a kernel sees both as one type: half types are widened to float.
bool Meet(DataType a, DataType b) {
  const auto is_float = [](DataType t) { return t == DT_FLOAT || IsHalf(t); };
  return a == b || (is_float(a) && is_float(b));
}

void RequireOneType(const InferContext& ctx) {
  for (size_t i = 1; i < ctx.num_inputs(); ++i) {
    if (!ctx.HasInput(i) || Meet(ctx.InType(0), ctx.InType(i))) continue;
    ctx.Fail("element types " + std::string(DataTypeName(ctx.InType(0))) + " and " +
             std::string(DataTypeName(ctx.InType(i))) + " differ: all inputs must have one type");
  }
}

Shape BroadcastInputs(InferContext& ctx) {
  Shape shape = ctx.InShape(0);
  for (size_t i = 1; i < ctx.num_inputs(); ++i) {
    if (!ctx.HasInput(i)) continue;
    Shape wider;
    if (!BroadcastShapes(shape, ctx.InShape(i), &wider)) {
      ctx.Fail("shapes " + ToString(shape) + " and " + ToString(ctx.InShape(i)) +
               " do not broadcast: dims must be equal or 1");
    }
    shape = wider;
  }
  return shape;
}

}  // namespace

void InferSameAsInput(InferContext& ctx) {
  for (size_t i = 0; i < ctx.num_outputs(); ++i) {
    if (ctx.InType(0) == DT_VARIANT) {
      ctx.SetOutLike(i, ctx.In(0));
    } else {
      ctx.SetOut(i, ctx.InType(0), ctx.InShape(0));
    }
  }
}

void InferBroadcast(InferContext& ctx) {
  RequireOneType(ctx);
  ctx.SetOut(0, ctx.InType(0), BroadcastInputs(ctx));
}

void InferBroadcastBool(InferContext& ctx) {
  RequireOneType(ctx);
  ctx.SetOut(0, DT_BOOL, BroadcastInputs(ctx));
}

int64_t NormalizeAxis(const InferContext& ctx, int64_t axis, size_t rank) {
  const auto n = static_cast<int64_t>(rank);
  if (axis < -n || axis >= n) {
    ctx.Fail("axis " + std::to_string(axis) + " is outside [-" + std::to_string(n) + ", " + std::to_string(n) +
             ") of a tensor of rank " + std::to_string(n));
  }
  return axis < 0 ? axis + n : axis;
}

}  // namespace atc

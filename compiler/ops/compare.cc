// Comparisons, boolean logic and selection.
#include "compiler/ops/elementwise.h"
#include "compiler/ops/families.h"
#include "compiler/ops/infer_util.h"
#include "compiler/ops/partial.h"

namespace atc {
namespace {

using EqualityTypes = Types<float, double, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t,
                            bool, std::string>;

struct EqualOp {
  template <typename T>
  bool operator()(const T& a, const T& b) const { return a == b; }
};
struct NotEqualOp {
  template <typename T>
  bool operator()(const T& a, const T& b) const { return !(a == b); }
};
struct LessOp {
  template <typename T>
  bool operator()(T a, T b) const { return a < b; }
};
struct LessEqualOp {
  template <typename T>
  bool operator()(T a, T b) const { return a <= b; }
};
struct GreaterOp {
  template <typename T>
  bool operator()(T a, T b) const { return a > b; }
};
struct GreaterEqualOp {
  template <typename T>
  bool operator()(T a, T b) const { return a >= b; }
};
struct AndOp {
  bool operator()(bool a, bool b) const { return a && b; }
};
struct OrOp {
  bool operator()(bool a, bool b) const { return a || b; }
};
struct NotOp {
  bool operator()(bool x) const { return !x; }
};

// Partial knowledge matters here: exporters test the dims of a shape for -1 and select others instead.
void InferSelect(InferContext& ctx) {
  Shape shape = ctx.InShape(0);
  for (const size_t i : {1, 2}) {
    Shape wider;
    if (!BroadcastShapes(shape, ctx.InShape(i), &wider)) {
      ctx.Fail("shapes " + ToString(ctx.InShape(0)) + ", " + ToString(ctx.InShape(1)) + " and " +
               ToString(ctx.InShape(2)) + " do not broadcast: dims must be equal or 1");
    }
    shape = wider;
  }
  ctx.SetOut(0, ctx.InType(1), shape);
  if ((ctx.InType(1) != DT_INT64 && ctx.InType(1) != DT_INT32) || !shape.IsKnown() || shape.rank() > 1) return;
  const auto condition = ctx.Ints(0);
  const auto then = ctx.Ints(1);
  const auto otherwise = ctx.Ints(2);
  if (!condition || !then || !otherwise) return;
  PartialInts result{shape, {}};
  for (int64_t i = 0; i < shape.NumElements(); ++i) {
    const auto chosen = BroadcastElement(*condition, i);
    const auto a = BroadcastElement(*then, i);
    const auto b = BroadcastElement(*otherwise, i);
    result.elements.push_back(chosen ? (*chosen ? a : b) : a == b ? a : std::nullopt);
  }
  ctx.SetInts(0, std::move(result));
}

void SelectKernel(KernelContext& ctx) {
  if (ctx.InType(0) != DT_BOOL) FailOnType(ctx, ctx.InType(0));
  if (ctx.InType(1) != ctx.InType(2)) {
    ctx.Fail("element types " + std::string(DataTypeName(ctx.InType(1))) + " and " +
             std::string(DataTypeName(ctx.InType(2))) + " of the two choices differ");
  }
  const Shape shape = BroadcastInputShapes(ctx);
  DispatchMovable(ctx, ctx.InType(1), [&]<typename T>() {
    BroadcastTernary<bool, T, T, T>(ctx.In(0), ctx.In(1), ctx.In(2), ctx.Out(0, ctx.InType(1), shape),
                                    [](bool chosen, const T& a, const T& b) { return chosen ? a : b; });
  });
}

struct Comparison {
  const char* type;
  KernelFn kernel;
  InferFn infer;
  uint32_t traits;
};

constexpr Comparison kComparisons[] = {
    {"Equal", CompareKernel<EqualOp, EqualityTypes>, InferIntCompare<EqualOp>, kCommutative},
    {"Greater", CompareKernel<GreaterOp, NumberAndBoolTypes>, InferIntCompare<GreaterOp>, 0},
    {"GreaterEqual", CompareKernel<GreaterEqualOp, NumberAndBoolTypes>, InferIntCompare<GreaterEqualOp>, 0},
    {"Less", CompareKernel<LessOp, NumberAndBoolTypes>, InferIntCompare<LessOp>, 0},
    {"LessEqual", CompareKernel<LessEqualOp, NumberAndBoolTypes>, InferIntCompare<LessEqualOp>, 0},
    {"LogicalAnd", CompareKernel<AndOp, Types<bool>>, InferBroadcastBool, kCommutative},
    {"LogicalOr", CompareKernel<OrOp, Types<bool>>, InferBroadcastBool, kCommutative},
    {"NotEqual", CompareKernel<NotEqualOp, EqualityTypes>, InferIntCompare<NotEqualOp>, kCommutative},
};

}  // namespace

void RegisterCompareOps(OpRegistry& registry) {
  for (const Comparison& op : kComparisons) {
    registry.Add(OpDef(op.type).In("x1").In("x2").Out("y").Traits(kElementwiseTraits | op.traits).Infer(op.infer)
                     .Kernel(op.kernel));
  }
  registry.Add(OpDef("LogicalNot").In("x").Out("y").Traits(kElementwiseTraits).Infer(InferSameAsInput)
                   .Kernel(UnaryKernel<NotOp, Types<bool>>));
  registry.Add(OpDef("SelectV2").In("condition").In("then").In("else").Out("result")
                   .Traits(kElementwise | kLayoutAgnostic | kHalfNative).Infer(InferSelect).Kernel(SelectKernel));
}

}  // namespace atc

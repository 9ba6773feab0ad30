// Functions of two operands that are defined where the plain one is not (a factor or numerator of 0 gives 0), and others
// that frameworks have beside plain arithmetic.
#include <cmath>

#include "compiler/ops/elementwise.h"
#include "compiler/ops/families.h"
#include "compiler/ops/infer_util.h"
#include "compiler/ops/math.h"

namespace atc {
namespace {

// As the type has it: a float rounds a double result once.
template <typename T>
T Narrowed(double value) {
  return static_cast<T>(value);
}

struct DivNoNanOp {
  template <typename T>
  T operator()(T a, T b) const {
    return b == 0 ? T{0} : a / b;
  }
};
struct MulNoNanOp {
  template <typename T>
  T operator()(T a, T b) const {
    return b == 0 ? T{0} : a * b;
  }
};
struct XdivyOp {
  template <typename T>
  T operator()(T x, T y) const {
    return x == 0 ? T{0} : x / y;
  }
};
struct XlogyOp {
  template <typename T>
  T operator()(T x, T y) const {
    return x == 0 ? T{0} : Narrowed<T>(static_cast<double>(x) * math::Log(static_cast<double>(y)));
  }
};
struct Xlog1pyOp {
  template <typename T>
  T operator()(T x, T y) const {
    return x == 0 ? T{0} : Narrowed<T>(static_cast<double>(x) * math::Log1p(static_cast<double>(y)));
  }
};
struct Atan2Op {
  template <typename T>
  T operator()(T y, T x) const {
    return Narrowed<T>(math::Atan2(static_cast<double>(y), static_cast<double>(x)));
  }
};

void ApproximateEqualKernel(KernelContext& ctx) {
  const float tolerance = ctx.Attr<float>("tolerance");
  RequireSameTypes(ctx);
  const Shape shape = BroadcastInputShapes(ctx);
  Dispatch(FloatTypes{}, ctx, ctx.InType(0), [&]<typename T>() {
    BroadcastBinary<T, T, bool>(ctx.In(0), ctx.In(1), ctx.Out(0, DT_BOOL, shape),
                                [=](T a, T b) { return std::fabs(a - b) < static_cast<T>(tolerance); });
  });
}

struct Row {
  const char* type;
  KernelFn kernel;
  const char* a = "x1";
  const char* b = "x2";
  const char* result = "y";
};

constexpr Row kRows[] = {
    {"Atan2", BinaryKernel<Atan2Op, FloatTypes>},   {"DivNoNan", BinaryKernel<DivNoNanOp, FloatTypes>},
    {"MulNoNan", BinaryKernel<MulNoNanOp, FloatTypes>}, {"Xdivy", BinaryKernel<XdivyOp, FloatTypes>},
    {"Xlog1py", BinaryKernel<Xlog1pyOp, FloatTypes>, "x", "y", "z"},   {"Xlogy", BinaryKernel<XlogyOp, FloatTypes>},
};

}  // namespace

void RegisterElementwiseGuardedOps(OpRegistry& registry) {
  for (const Row& op : kRows) {
    registry.Add(OpDef(op.type).In(op.a).In(op.b).Out(op.result).Traits(kElementwiseTraits).Infer(InferBroadcast)
                     .Kernel(op.kernel));
  }
  registry.Add(OpDef("ApproximateEqual").In("x1").In("x2").Out("y").Attr("tolerance", 1e-5f).Traits(kElementwiseTraits)
                   .Infer(InferBroadcastBool).Kernel(ApproximateEqualKernel));
}

}  // namespace atc

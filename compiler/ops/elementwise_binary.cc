// Arithmetic of two broadcast operands.
#include <cmath>

#include "compiler/ops/elementwise.h"
#include "compiler/ops/evaluator.h"
#include "compiler/ops/families.h"
#include "compiler/ops/infer_util.h"
#include "compiler/ops/integer.h"
#include "compiler/ops/math.h"
#include "compiler/ops/partial.h"

namespace atc {
namespace {

struct AddOp {
  template <typename T>
  T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) return integer::Add(a, b);
    else return a + b;
  }
};
struct SubOp {
  template <typename T>
  T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) return integer::Sub(a, b);
    else return a - b;
  }
};
struct MulOp {
  template <typename T>
  T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) return integer::Mul(a, b);
    else return a * b;
  }
};
// Integers truncate towards zero.
struct DivOp {
  template <typename T>
  T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) return integer::Div(a, b);
    else return a / b;
  }
};
struct TruncateDivOp {
  template <typename T>
  T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) return integer::Div(a, b);
    else return std::trunc(a / b);
  }
};
struct FloorDivOp {
  template <typename T>
  T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      return integer::Sub(integer::Div(a, b), static_cast<T>(integer::TruncMod(a, b) != integer::FloorMod(a, b)));
    } else {
      return std::floor(a / b);
    }
  }
};
// std::fmod is exact, so its bits are the same everywhere.
struct ModOp {
  template <typename T>
  T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) return integer::TruncMod(a, b);
    else return std::fmod(a, b);
  }
};
struct FloorModOp {
  template <typename T>
  T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      return integer::FloorMod(a, b);
    } else {
      const T rest = std::fmod(a, b);
      if (rest == 0) return std::copysign(rest, b);
      return (rest < 0) != (b < 0) ? rest + b : rest;
    }
  }
};
// NaN of either side goes through, as in NumPy.
struct MaximumOp {
  template <typename T>
  T operator()(T a, T b) const {
    return a > b || a != a ? a : b;
  }
};
struct MinimumOp {
  template <typename T>
  T operator()(T a, T b) const {
    return a < b || a != a ? a : b;
  }
};
struct SquaredDifferenceOp {
  template <typename T>
  T operator()(T a, T b) const {
    const T d = SubOp()(a, b);
    return MulOp()(d, d);
  }
};
struct PowOp {
  template <typename T>
  T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) return integer::Pow(a, b);
    else return static_cast<T>(math::Pow(a, b));
  }
};
struct AndOp {
  template <typename T>
  T operator()(T a, T b) const {
    return a & b;
  }
};
struct OrOp {
  template <typename T>
  T operator()(T a, T b) const {
    return a | b;
  }
};
struct XorOp {
  template <typename T>
  T operator()(T a, T b) const {
    return a ^ b;
  }
};
// Shifting by the width or more leaves no bit of the number.
struct LeftShiftOp {
  template <typename T>
  T operator()(T a, T b) const {
    constexpr uint64_t kBits = sizeof(T) * 8;
    return static_cast<uint64_t>(b) >= kBits ? T{0} : static_cast<T>(static_cast<uint64_t>(a) << b);
  }
};
struct RightShiftOp {
  template <typename T>
  T operator()(T a, T b) const {
    constexpr uint64_t kBits = sizeof(T) * 8;
    return static_cast<T>(a >> (static_cast<uint64_t>(b) >= kBits ? kBits - 1 : b) >>
                          (static_cast<uint64_t>(b) >= kBits ? 1 : 0));
  }
};

// fmod: 1 the sign of the dividend, 0 that of the divisor.
void OnnxModKernel(KernelContext& ctx) {
  if (ctx.Attr<int64_t>("fmod") != 0) {
    BinaryKernel<ModOp, NumberTypes>(ctx);
  } else {
    BinaryKernel<FloorModOp, NumberTypes>(ctx);
  }
}

// The result has the type of the base, whatever that of the exponent.
void OnnxPowKernel(KernelContext& ctx) {
  const DataType dtype = ctx.InType(0);
  const Tensor x = Widen(ctx.In(0));
  const Tensor y = Widen(ctx.In(1));
  const Shape shape = BroadcastInputShapes(ctx);
  Tensor result = Tensor::Allocate(x.dtype(), shape);
  Dispatch(Types<float, double, int32_t, int64_t>{}, ctx, x.dtype(), [&]<typename T>() {
    Dispatch(NumberTypes{}, ctx, y.dtype(), [&]<typename E>() {
      BroadcastBinary<T, E, T>(x, y, result, [](T base, E exponent) {
        if constexpr (std::is_integral_v<T> && std::is_integral_v<E>) {
          return integer::Pow(base, exponent);
        } else {
          return integer::FromDouble<T>(math::Pow(static_cast<double>(base), static_cast<double>(exponent)));
        }
      });
    });
  });
  Tensor narrow = IsHalf(dtype) ? Narrow(result, dtype) : std::move(result);
  std::copy_n(narrow.Data(), narrow.NumBytes(), ctx.Out(0, dtype, shape).MutableData());
}

struct PReluOp {
  template <typename T>
  T operator()(T x, T slope) const {
    return x < 0 ? MulOp()(x, slope) : x;
  }
};

// `weight` has one element, or one for each place along axis 1.
void PReluKernel(KernelContext& ctx) {
  RequireSameTypes(ctx);
  const Tensor& weight = ctx.In(1);
  const Shape& x = ctx.InShape(0);
  Shape aligned(std::vector<int64_t>(std::max<size_t>(x.rank(), 1), 1));
  if (weight.NumElements() != 1) {
    if (x.rank() < 2 || weight.NumElements() != x[1]) {
      ctx.Fail("weight of shape " + ToString(weight.shape()) + " has neither one element nor as many as axis 1 of x " +
               ToString(x));
    }
    aligned[1] = weight.NumElements();
  }
  if (x.rank() == 0) aligned = Shape();
  Dispatch(FloatTypes{}, ctx, ctx.InType(0), [&]<typename T>() {
    BroadcastBinary<T, T, T>(ctx.In(0), weight.Reshaped(aligned), ctx.Out(0, ctx.InType(0), x), PReluOp());
  });
}

// The shape of x with trailing unit dims, so that its first dim falls on `axis` of `like`.
Shape AlignedShape(const Shape& x, const Shape& like, int64_t axis) {
  const auto rank = static_cast<int64_t>(like.rank());
  if (axis < 0) axis += rank;
  std::vector<int64_t> dims = x.dims();
  if (axis < 0 || axis > rank) return x;  // it fits nowhere, which broadcasting will say
  for (int64_t end = axis + static_cast<int64_t>(dims.size()); end < rank; ++end) dims.push_back(1);
  return Shape(std::move(dims));
}

void InferAlign(InferContext& ctx) {
  const bool known = ctx.InShape(0).HasRank() && ctx.InShape(1).HasRank();
  ctx.SetOut(0, ctx.InType(0),
             known ? AlignedShape(ctx.InShape(0), ctx.InShape(1), ctx.Attr<int64_t>("axis")) : Shape::UnknownRank());
}

void AlignKernel(KernelContext& ctx) {
  ctx.SetOut(0, ctx.In(0).Reshaped(AlignedShape(ctx.InShape(0), ctx.InShape(1), ctx.Attr<int64_t>("axis"))));
}

// Muls and Adds: the attribute takes the type of x.
template <typename Op>
void ScalarKernel(KernelContext& ctx) {
  Dispatch(Types<float, double, int16_t, int32_t, int64_t>{}, ctx, ctx.InType(0), [&]<typename T>() {
    const T value = integer::FromDouble<T>(ctx.Attr<float>("value"));
    MapElements<T, T>(ctx, [value](T x) { return Op()(x, value); });
  });
}

// Base and exponent may be of several types; the base's is the result's.
void InferPow(InferContext& ctx) {
  Shape shape;
  if (!BroadcastShapes(ctx.InShape(0), ctx.InShape(1), &shape)) {
    ctx.Fail("shapes " + ToString(ctx.InShape(0)) + " and " + ToString(ctx.InShape(1)) +
             " do not broadcast: dims must be equal or 1");
  }
  ctx.SetOut(0, ctx.InType(0), shape);
}

OpDef Binary(const char* type, KernelFn kernel, InferFn infer = InferBroadcast, uint32_t traits = 0) {
  return OpDef(type).In("x1").In("x2").Out("y").Traits(kElementwiseTraits | traits).Infer(infer).Kernel(kernel);
}

}  // namespace

void RegisterElementwiseBinaryOps(OpRegistry& registry) {
  registry.Add(Binary("Add", BinaryKernel<AddOp, NumberTypes>, InferIntBinary<AddOp>, kCommutative));
  registry.Add(OpDef("Adds").In("x").Out("y").RequiredAttr("value").Traits(kElementwiseTraits).Infer(InferSameAsInput)
                   .Kernel(ScalarKernel<AddOp>));
  registry.Add(Binary("BitwiseAnd", BinaryKernel<AndOp, IntTypes>, InferBroadcast, kCommutative));
  registry.Add(Binary("BitwiseOr", BinaryKernel<OrOp, IntTypes>, InferBroadcast, kCommutative));
  registry.Add(Binary("BitwiseXor", BinaryKernel<XorOp, IntTypes>, InferBroadcast, kCommutative));
  registry.Add(Binary("FloorDiv", BinaryKernel<FloorDivOp, NumberTypes>, InferIntBinary<FloorDivOp>));
  registry.Add(Binary("FloorMod", BinaryKernel<FloorModOp, NumberTypes>, InferIntBinary<FloorModOp>));
  registry.Add(OpDef("LeftShift").In("x").In("y").Out("z").Traits(kElementwiseTraits).Infer(InferBroadcast)
                   .Kernel(BinaryKernel<LeftShiftOp, IntTypes>));
  registry.Add(Binary("Maximum", BinaryKernel<MaximumOp, NumberTypes>, InferIntBinary<MaximumOp>, kCommutative));
  registry.Add(Binary("Minimum", BinaryKernel<MinimumOp, NumberTypes>, InferIntBinary<MinimumOp>, kCommutative));
  registry.Add(Binary("Mod", BinaryKernel<ModOp, NumberTypes>, InferIntBinary<ModOp>));
  registry.Add(Binary("Mul", BinaryKernel<MulOp, NumberTypes>, InferIntBinary<MulOp>, kCommutative));
  registry.Add(OpDef("Muls").In("x").Out("y").RequiredAttr("value").Traits(kElementwiseTraits).Infer(InferSameAsInput)
                   .Kernel(ScalarKernel<MulOp>));
  registry.Add(OpDef("PRelu").In("x").In("weight").Out("y").Traits(kWidenHalf).Infer(InferSameAsInput)
                   .Kernel(PReluKernel));
  registry.Add(Binary("Pow", BinaryKernel<PowOp, NumberTypes>, InferBroadcast));
  registry.Add(Binary("RealDiv", BinaryKernel<DivOp, NumberTypes>, InferIntBinary<DivOp>));
  registry.Add(OpDef("RightShift").In("x").In("y").Out("z").Traits(kElementwiseTraits).Infer(InferBroadcast)
                   .Kernel(BinaryKernel<RightShiftOp, IntTypes>));
  registry.Add(Binary("SquaredDifference", BinaryKernel<SquaredDifferenceOp, NumberTypes>, InferBroadcast,
                      kCommutative));
  registry.Add(Binary("Sub", BinaryKernel<SubOp, NumberTypes>, InferIntBinary<SubOp>));
  registry.Add(Binary("TruncateDiv", BinaryKernel<TruncateDivOp, NumberTypes>, InferIntBinary<DivOp>));

  // ONNX semantics where the element types decide and are not known while parsing.
  registry.Add(OpDef("onnx::Div").In("A").In("B").Out("C").Attr("opset", 0).Traits(kElementwiseTraits)
                   .Infer(InferIntBinary<DivOp>).Kernel(BinaryKernel<DivOp, NumberTypes>));
  registry.Add(OpDef("onnx::Mod").In("A").In("B").Out("C").Attr("fmod", 0).Attr("opset", 0).Traits(kElementwiseTraits)
                   .Infer(InferBroadcast).Kernel(OnnxModKernel));
  registry.Add(OpDef("onnx::PRelu").In("X").In("slope").Out("Y").Attr("opset", 0).Traits(kElementwiseTraits)
                   .Infer(InferBroadcast).Kernel(BinaryKernel<PReluOp, NumberTypes>));
  registry.Add(OpDef("onnx::Pow").In("X").In("Y").Out("Z").Attr("opset", 0)
                   .Traits(kElementwise | kLayoutAgnostic | kHalfNative).Infer(InferPow).Kernel(OnnxPowKernel));
  // The `axis` of broadcasting before opset 7: x reshaped so that numpy's rule puts it there.
  registry.Add(OpDef("onnx::AlignToAxis").In("x").In("like").Out("y").RequiredAttr("axis")
                   .Traits(kShapeOnly | kHalfNative).Infer(InferAlign).Kernel(AlignKernel));
}

}  // namespace atc

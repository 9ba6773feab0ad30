// Reductions over axes. Floats accumulate in double, integers wrap; an empty set yields the operation's neutral element.
#include <cmath>
#include <limits>
#include <memory>

#include "compiler/ops/broadcast.h"
#include "compiler/ops/dispatch.h"
#include "compiler/ops/families.h"
#include "compiler/ops/infer_util.h"
#include "compiler/ops/integer.h"
#include "compiler/ops/math.h"

namespace atc {
namespace {

// ---- which axes ----

// A flag of either kind: bool in AscendIR, 0 or 1 in ONNX; false where the operator has none.
template <typename Context>
bool Flag(const Context& ctx, Name name) {
  const AttrValue* value = ctx.node().attrs.Find(name);
  if (value == nullptr) {
    const AttrDef* declared = ctx.node().def->FindAttr(name);
    if (declared == nullptr) return false;
    value = &declared->fallback;
  }
  if (const bool* flag = std::get_if<bool>(value)) return *flag;
  const auto* number = std::get_if<int64_t>(value);
  return number != nullptr && *number != 0;
}

template <typename Context>
bool KeepsDims(const Context& ctx) {
  for (const Name name : {Name("keep_dims"), Name("keepdims"), Name("keepdim")}) {
    if (ctx.node().def->FindAttr(name)) return Flag(ctx, name);
  }
  return true;
}

// Axes that an attribute names; else they are input 1, and when that is absent too the flag noop_with_empty_axes decides
// between all axes and none.
const std::vector<int64_t>* AxesAttr(const Node& node) {
  for (const Name name : {Name("axes"), Name("axis")}) {
    if (const auto* axes = node.attrs.FindAs<std::vector<int64_t>>(name)) return axes;
  }
  return nullptr;
}

// `reduced[d]` from a list of axes; false at the first axis out of range, which is put into `bad`.
bool MarkAxes(const std::vector<int64_t>& axes, bool all, size_t rank, std::vector<bool>* reduced, int64_t* bad) {
  reduced->assign(rank, axes.empty() && all);
  const auto n = static_cast<int64_t>(rank);
  for (const int64_t axis : axes) {
    if (axis < -n || axis >= n) {
      *bad = axis;
      return false;
    }
    (*reduced)[axis < 0 ? axis + n : axis] = true;
  }
  return true;
}

std::string BadAxis(int64_t axis, const Shape& shape) {
  return "axis " + std::to_string(axis) + " is outside the rank of input " + ToString(shape);
}

Shape ReducedShape(const Shape& shape, const std::vector<bool>& reduced, bool keep) {
  std::vector<int64_t> dims;
  for (size_t d = 0; d < shape.rank(); ++d) {
    if (!reduced[d]) {
      dims.push_back(shape[d]);
    } else if (keep) {
      dims.push_back(1);
    }
  }
  return Shape(std::move(dims));
}

// ---- inference ----

Shape InferReduced(InferContext& ctx) {
  const Shape& x = ctx.InShape(0);
  const bool keep = KeepsDims(ctx);
  std::optional<std::vector<int64_t>> axes;
  if (const auto* attr = AxesAttr(ctx.node())) {
    axes = *attr;
  } else if (ctx.HasInput(1)) {
    axes = ctx.KnownInts(1);
  } else {
    axes.emplace();
  }
  if (!x.HasRank()) return Shape::UnknownRank();
  if (!axes) {
    if (keep) return Shape::UnknownDims(x.rank());
    const Shape& count = ctx.InShape(1);  // distinct axes, so their number gives the rank
    if (!count.HasRank() || !count.IsKnown() || count.NumElements() == 0 ||
        count.NumElements() > static_cast<int64_t>(x.rank())) {
      return Shape::UnknownRank();
    }
    return Shape::UnknownDims(x.rank() - count.NumElements());
  }
  std::vector<bool> reduced;
  int64_t bad = 0;
  if (!MarkAxes(*axes, !Flag(ctx, "noop_with_empty_axes"), x.rank(), &reduced, &bad)) ctx.Fail(BadAxis(bad, x));
  return ReducedShape(x, reduced, keep);
}

void InferReduce(InferContext& ctx) { ctx.SetOut(0, ctx.InType(0), InferReduced(ctx)); }

// Of a vector whose elements are all known the result is known too.
template <int64_t (*kFold)(int64_t, int64_t)>
void InferReduceInts(InferContext& ctx) {
  const Shape shape = InferReduced(ctx);
  ctx.SetOut(0, ctx.InType(0), shape);
  if (ctx.InType(0) != DT_INT64 || !ctx.InShape(0).HasRank() || ctx.InShape(0).rank() != 1 || !shape.IsKnown() ||
      shape.NumElements() != 1) {
    return;
  }
  const auto values = ctx.KnownInts(0);
  if (!values || values->empty()) return;
  int64_t result = (*values)[0];
  for (size_t i = 1; i < values->size(); ++i) result = kFold(result, (*values)[i]);
  ctx.SetInts(0, PartialInts{shape, {result}});
}

// ---- kernels ----

// Sums of floats are kept in double, those of integers wrap in 64 bits.
template <typename T>
using Wide = std::conditional_t<std::is_floating_point_v<T>, double,
                                std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>>;

template <typename T>
Wide<T> WideAdd(Wide<T> a, Wide<T> b) {
  if constexpr (std::is_floating_point_v<T>) return a + b;
  else return integer::Add(a, b);
}
template <typename T>
Wide<T> WideMul(Wide<T> a, Wide<T> b) {
  if constexpr (std::is_floating_point_v<T>) return a * b;
  else return integer::Mul(a, b);
}

template <typename T>
struct SumOp {
  using Acc = Wide<T>;
  Acc Init() const { return 0; }
  Acc Step(Acc acc, T x) const { return WideAdd<T>(acc, static_cast<Acc>(x)); }
  T Finish(Acc acc, int64_t) const { return static_cast<T>(acc); }
};
template <typename T>
struct MeanOp : SumOp<T> {
  T Finish(Wide<T> acc, int64_t count) const {
    if constexpr (std::is_floating_point_v<T>) return static_cast<T>(acc / static_cast<double>(count));
    else return static_cast<T>(integer::Div(acc, static_cast<Wide<T>>(count)));
  }
};
template <typename T>
struct ProdOp : SumOp<T> {
  Wide<T> Init() const { return 1; }
  Wide<T> Step(Wide<T> acc, T x) const { return WideMul<T>(acc, static_cast<Wide<T>>(x)); }
};
template <typename T>
struct SumSquareOp : SumOp<T> {
  Wide<T> Step(Wide<T> acc, T x) const {
    return WideAdd<T>(acc, WideMul<T>(static_cast<Wide<T>>(x), static_cast<Wide<T>>(x)));
  }
};
template <typename T>
struct L1Op : SumOp<T> {
  Wide<T> Step(Wide<T> acc, T x) const {
    return WideAdd<T>(acc, x < 0 ? WideMul<T>(static_cast<Wide<T>>(x), static_cast<Wide<T>>(-1))
                                 : static_cast<Wide<T>>(x));
  }
};
template <typename T>
struct L2Op : SumSquareOp<T> {
  T Finish(Wide<T> acc, int64_t) const { return integer::FromDouble<T>(std::sqrt(static_cast<double>(acc))); }
};
template <typename T>
struct LogSumOp : SumOp<T> {
  T Finish(Wide<T> acc, int64_t) const { return integer::FromDouble<T>(math::Log(static_cast<double>(acc))); }
};

// NaN wins over every number, as in NumPy.
template <typename T>
struct MaxOp {
  using Acc = std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>;
  Acc Init() const {
    using Limits = std::numeric_limits<T>;
    return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
  }
  Acc Step(Acc acc, T x) const { return acc > x || acc != acc ? acc : x; }
  T Finish(Acc acc, int64_t) const { return acc; }
};
template <typename T>
struct MinOp : MaxOp<T> {
  using Acc = typename MaxOp<T>::Acc;
  Acc Init() const {
    using Limits = std::numeric_limits<T>;
    return Limits::has_infinity ? Limits::infinity() : Limits::max();
  }
  Acc Step(Acc acc, T x) const { return acc < x || acc != acc ? acc : x; }
};

// log(sum(exp(x))) relative to the largest x so far.
template <typename T>
struct LogSumExpOp {
  struct Acc {
    double largest, sum;
  };
  Acc Init() const { return {-std::numeric_limits<double>::infinity(), 0.0}; }
  Acc Step(Acc acc, T value) const {
    const auto x = static_cast<double>(value);
    if (x == -std::numeric_limits<double>::infinity()) return acc;
    if (x == acc.largest) return {acc.largest, acc.sum + 1.0};
    if (x > acc.largest) return {x, acc.sum * math::Exp(acc.largest - x) + 1.0};
    return {acc.largest, acc.sum + math::Exp(x - acc.largest)};
  }
  T Finish(Acc acc, int64_t) const { return integer::FromDouble<T>(acc.largest + math::Log(acc.sum)); }
};

struct ReducePlan {
  Shape kept;      // of the input, 1 along the reduced axes
  Shape out;
  int64_t count;   // elements that one result stands for
};

ReducePlan PlanReduce(const KernelContext& ctx) {
  const Shape& x = ctx.InShape(0);
  std::vector<int64_t> axes;
  if (const auto* attr = AxesAttr(ctx.node())) {
    axes = *attr;
  } else if (ctx.HasInput(1)) {
    axes = ToInts(ctx.In(1));
  }
  std::vector<bool> reduced;
  int64_t bad = 0;
  if (!MarkAxes(axes, !Flag(ctx, "noop_with_empty_axes"), x.rank(), &reduced, &bad)) ctx.Fail(BadAxis(bad, x));
  ReducePlan plan{ReducedShape(x, reduced, true), ReducedShape(x, reduced, KeepsDims(ctx)), 1};
  for (size_t d = 0; d < x.rank(); ++d) {
    if (reduced[d]) plan.count *= x[d];
  }
  return plan;
}

template <typename T, typename Op>
void Reduce(KernelContext& ctx, const Op& op) {
  using Acc = decltype(op.Init());
  const ReducePlan plan = PlanReduce(ctx);
  Tensor& out = ctx.Out(0, kDataTypeOf<T>, plan.out);
  const int64_t results = out.NumElements();
  const auto accumulators = std::make_unique<Acc[]>(results);
  std::fill_n(accumulators.get(), results, op.Init());
  const BroadcastPlan loop = PlanBroadcast(ctx.InShape(0), {plan.kept});
  const int64_t n = loop.inner();
  const bool step = loop.strides[0].back() != 0;
  ForEachRow<1>(loop, [&](int64_t at, const std::array<int64_t, 1>& to) {
    const T* x = ctx.In(0).Data<T>() + at;
    Acc* acc = accumulators.get() + to[0];
    if (step) {
      for (int64_t i = 0; i < n; ++i) acc[i] = op.Step(acc[i], x[i]);
    } else {
      Acc local = *acc;
      for (int64_t i = 0; i < n; ++i) local = op.Step(local, x[i]);
      *acc = local;
    }
  });
  T* y = out.MutableData<T>();
  for (int64_t i = 0; i < results; ++i) y[i] = op.Finish(accumulators[i], plan.count);
}

template <template <typename> typename Op, typename List>
void ReduceKernel(KernelContext& ctx) {
  Dispatch(List{}, ctx, ctx.InType(0), [&]<typename T>() { Reduce<T>(ctx, Op<T>()); });
}

// max(norm, epsilon) with norm = (sum |x|^p)^(1/p).
struct LpOp {
  double p, epsilon;
  double Init() const { return 0.0; }
  double Step(double acc, double x) const {
    const double magnitude = std::fabs(x);
    return acc + (p == 1 ? magnitude : p == 2 ? magnitude * magnitude : math::Pow(magnitude, p));
  }
  double Finish(double acc, int64_t) const {
    const double norm = p == 1 ? acc : p == 2 ? std::sqrt(acc) : math::Pow(acc, 1 / p);
    return norm < epsilon ? epsilon : norm;
  }
};

void LpNormKernel(KernelContext& ctx) {
  const LpOp op{ctx.Attr<float>("p"), ctx.Attr<float>("epsilon")};
  Dispatch(FloatTypes{}, ctx, ctx.InType(0), [&]<typename T>() { Reduce<T>(ctx, op); });
}

int64_t Product(int64_t a, int64_t b) { return integer::Mul(a, b); }
int64_t Total(int64_t a, int64_t b) { return integer::Add(a, b); }
int64_t Larger(int64_t a, int64_t b) { return a > b ? a : b; }
int64_t Smaller(int64_t a, int64_t b) { return a < b ? a : b; }

struct Reduction {
  const char* type;
  KernelFn kernel;
  InferFn infer;
};

// x, axes -> y with keep_dims and noop_with_empty_axes.
constexpr Reduction kByAxesInput[] = {
    {"ReduceMax", ReduceKernel<MaxOp, NumberAndBoolTypes>, InferReduceInts<Larger>},
    {"ReduceMean", ReduceKernel<MeanOp, NumberTypes>, InferReduce},
    {"ReduceMin", ReduceKernel<MinOp, NumberAndBoolTypes>, InferReduceInts<Smaller>},
    {"ReduceProd", ReduceKernel<ProdOp, NumberTypes>, InferReduceInts<Product>},
    {"ReduceSum", ReduceKernel<SumOp, NumberTypes>, InferReduceInts<Total>},
};

constexpr Reduction kOfBools[] = {
    {"ReduceAll", ReduceKernel<MinOp, Types<bool>>, InferReduce},
    {"ReduceAny", ReduceKernel<MaxOp, Types<bool>>, InferReduce},
};

constexpr Reduction kOnnx[] = {
    {"onnx::ReduceL1", ReduceKernel<L1Op, NumberTypes>, InferReduce},
    {"onnx::ReduceL2", ReduceKernel<L2Op, NumberTypes>, InferReduce},
    {"onnx::ReduceLogSum", ReduceKernel<LogSumOp, NumberTypes>, InferReduce},
    {"onnx::ReduceSumSquare", ReduceKernel<SumSquareOp, NumberTypes>, InferReduce},
};

}  // namespace

void RegisterReductionOps(OpRegistry& registry) {
  for (const Reduction& op : kByAxesInput) {
    registry.Add(OpDef(op.type).In("x").In("axes").Out("y").Attr("keep_dims", false).Attr("noop_with_empty_axes", true)
                     .Traits(kWidenHalf).Infer(op.infer).Kernel(op.kernel));
  }
  registry.Add(OpDef("ReduceLogSumExp").In("x").In("axes").Out("y").Attr("keep_dims", false)
                   .Attr("noop_with_empty_axes", false).Traits(kWidenHalf).Infer(InferReduce)
                   .Kernel(ReduceKernel<LogSumExpOp, NumberTypes>));
  registry.Add(OpDef("ReduceSumD").In("x").Out("y").RequiredAttr("axes").Attr("keep_dims", false).Traits(kWidenHalf)
                   .Infer(InferReduce).Kernel(ReduceKernel<SumOp, NumberTypes>));
  for (const Reduction& op : kOfBools) {
    registry.Add(OpDef(op.type).In("x").In("axes").Out("y").Attr("keep_dims", false).Traits(kWidenHalf).Infer(op.infer)
                     .Kernel(op.kernel));
  }
  registry.Add(OpDef("LpNormV2").In("x").Out("y").Attr("p", 2.0f).Attr("axes", std::vector<int64_t>{})
                   .Attr("keepdim", false).Attr("epsilon", 1e-12f).Traits(kWidenHalf).Infer(InferReduce)
                   .Kernel(LpNormKernel));
  registry.Add(OpDef("SquareSumV1").In("x").Out("y").RequiredAttr("axis").Attr("keep_dims", false)
                   .Attr("noop_with_empty_axes", false).Traits(kWidenHalf).Infer(InferReduce)
                   .Kernel(ReduceKernel<SumSquareOp, FloatTypes>));
  for (const Reduction& op : kOnnx) {
    registry.Add(OpDef(op.type).In("data").OptIn("axes").Out("reduced").Attr("keepdims", 1)
                     .Attr("noop_with_empty_axes", 0).Attr("opset", 0).Traits(kWidenHalf).Infer(op.infer)
                     .Kernel(op.kernel));
  }
}

}  // namespace atc

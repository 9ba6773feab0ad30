// Outputs whose size depends on the data: NonZero, Compress; and one-hot encoding.
#include "compiler/ops/axis_loop.h"
#include "compiler/ops/dispatch.h"
#include "compiler/ops/families.h"
#include "compiler/ops/infer_util.h"

namespace atc {
namespace {

// ---- NonZero: coordinates of the elements that are not zero, in row-major order ----

void InferNonZero(InferContext& ctx) {
  const Shape& x = ctx.InShape(0);
  const int64_t rank = x.HasRank() ? static_cast<int64_t>(x.rank()) : kUnknownDim;
  const bool transposed = ctx.Attr<bool>("transpose");
  ctx.SetOut(0, ctx.Attr<DataType>("dtype"), transposed ? Shape{rank, kUnknownDim} : Shape{kUnknownDim, rank});
}

// transpose: [rank, n] as ONNX has it, else [n, rank]. A scalar has rank 0, so that only the count remains.
void NonZeroKernel(KernelContext& ctx) {
  std::vector<int64_t> places;
  Dispatch(NumberAndBoolTypes{}, ctx, ctx.InType(0), [&]<typename T>() {
    const auto x = ctx.In(0).Span<T>();
    for (size_t i = 0; i < x.size(); ++i) {
      if (x[i] != T{}) places.push_back(static_cast<int64_t>(i));
    }
  });
  const Shape& shape = ctx.InShape(0);
  const std::vector<int64_t> strides = shape.Strides();
  const auto rank = static_cast<int64_t>(shape.rank());
  const auto count = static_cast<int64_t>(places.size());
  const bool transposed = ctx.Attr<bool>("transpose");
  const DataType dtype = ctx.Attr<DataType>("dtype");
  Tensor& out = ctx.Out(0, dtype, transposed ? Shape{rank, count} : Shape{count, rank});
  Dispatch(IndexTypes{}, ctx, dtype, [&]<typename T>() {
    for (int64_t n = 0; n < count; ++n) {
      for (int64_t d = 0; d < rank; ++d) {
        out.MutableData<T>()[transposed ? d * count + n : n * rank + d] =
            static_cast<T>(places[n] / strides[d] % shape[d]);
      }
    }
  });
}

// ---- Compress: the slices whose condition is true ----

void InferCompress(InferContext& ctx) {
  Shape shape = ctx.InShape(0);
  const auto* axis = ctx.node().attrs.FindAs<int64_t>("axis");
  if (axis == nullptr) return ctx.SetOut(0, ctx.InType(0), Shape{kUnknownDim});
  if (shape.HasRank()) shape[NormalizeAxis(ctx, *axis, shape.rank())] = kUnknownDim;
  ctx.SetOut(0, ctx.InType(0), shape);
}

// Without an axis the input counts as flat. A condition shorter than the axis leaves the rest out.
void CompressKernel(KernelContext& ctx) {
  if (ctx.InType(1) != DT_BOOL) FailOnType(ctx, ctx.InType(1));
  const auto* attr = ctx.node().attrs.FindAs<int64_t>("axis");
  Shape shape = attr ? ctx.InShape(0) : Shape{ctx.In(0).NumElements()};
  const int64_t axis = attr ? CheckedAxis(ctx, *attr, shape) : 0;
  std::vector<int64_t> chosen;
  const auto condition = ctx.In(1).Span<bool>();
  for (int64_t i = 0; i < static_cast<int64_t>(condition.size()); ++i) {
    if (!condition[i]) continue;
    if (i >= shape[axis]) ctx.Fail("condition chooses element " + std::to_string(i) + " of " + std::to_string(shape[axis]));
    chosen.push_back(i);
  }
  const AxisLoop loop(shape, axis);
  shape[axis] = static_cast<int64_t>(chosen.size());
  Tensor& out = ctx.Out(0, ctx.InType(0), shape);
  DispatchMovable(ctx, ctx.InType(0), [&]<typename T>() {
    T* to = out.MutableData<T>();
    for (int64_t o = 0; o < loop.outer; ++o) {
      for (const int64_t k : chosen) to = std::copy_n(ctx.In(0).Data<T>() + loop.Offset(o, k, 0), loop.inner, to);
    }
  });
}

// ---- OneHot of ONNX: indices of any number type, negative ones counted from the end, others out of range all off ----

// One new axis of `depth` at `axis` of the output.
Shape OneHotShape(const Shape& indices, int64_t axis, int64_t depth) {
  std::vector<int64_t> dims = indices.dims();
  dims.insert(dims.begin() + axis, depth);
  return Shape(std::move(dims));
}

// AscendIR gives the two values one by one, and an index that is negative is out of range; ONNX counts it from the end.
bool IsOnnx(const Node& node) { return node.def->FindAttr("opset") != nullptr; }

void InferOneHot(InferContext& ctx) {
  const Shape& indices = ctx.InShape(0);
  if (!indices.HasRank()) return ctx.SetOut(0, ctx.InType(2), indices);
  const int64_t axis = NormalizeAxis(ctx, ctx.Attr<int64_t>("axis"), indices.rank() + 1);
  int64_t depth = kUnknownDim;
  if (const Tensor* constant = ctx.Constant(1); constant && constant->NumElements() == 1) {
    depth = static_cast<int64_t>(ToDoubles(*constant)[0]);
    if (depth < 0) ctx.Fail("depth is " + std::to_string(depth) + ", it must not be negative");
  } else if (const auto ints = ctx.KnownInts(1); ints && ints->size() == 1 && (*ints)[0] >= 0) {
    depth = (*ints)[0];
  }
  ctx.SetOut(0, ctx.InType(2), OneHotShape(indices, axis, depth));
}

void OneHotKernel(KernelContext& ctx) {
  const Shape& shape = ctx.InShape(0);
  const auto rank = static_cast<int64_t>(shape.rank());
  int64_t axis = ctx.Attr<int64_t>("axis");
  if (axis < -rank - 1 || axis > rank) ctx.Fail("axis " + std::to_string(axis) + " is outside the rank of the output");
  if (axis < 0) axis += rank + 1;
  if (ctx.In(1).NumElements() != 1) ctx.Fail("depth must be one number");
  const bool onnx = IsOnnx(ctx.node());
  if (ctx.In(2).NumElements() != (onnx ? 2 : 1) || (!onnx && ctx.In(3).NumElements() != 1)) {
    ctx.Fail(onnx ? "values must be two: for off and for on" : "on_value and off_value must be one element each");
  }
  const double depth_value = ToDoubles(ctx.In(1))[0];
  if (!(depth_value >= 0 && depth_value < 0x1p40)) ctx.Fail("depth must be a number of elements");
  const auto depth = static_cast<int64_t>(depth_value);
  Tensor& out = ctx.Out(0, ctx.InType(2), OneHotShape(shape, axis, depth));
  const std::vector<double> indices = ToDoubles(ctx.In(0));
  const AxisLoop loop(out.shape(), axis);
  DispatchMovable(ctx, ctx.InType(2), [&]<typename T>() {
    const T& off = onnx ? ctx.In(2).Data<T>()[0] : *ctx.In(3).Data<T>();
    const T& on = onnx ? ctx.In(2).Data<T>()[1] : *ctx.In(2).Data<T>();
    T* y = out.MutableData<T>();
    std::fill_n(y, out.NumElements(), off);
    for (int64_t n = 0; n < static_cast<int64_t>(indices.size()); ++n) {
      const double index = onnx && indices[n] < 0 ? indices[n] + depth_value : indices[n];
      if (!(index >= 0 && index < depth_value)) continue;
      y[loop.Offset(n / loop.inner, static_cast<int64_t>(index), n % loop.inner)] = on;
    }
  });
}

}  // namespace

void RegisterSelectionOps(OpRegistry& registry) {
  registry.Add(OpDef("NonZero").In("x").Out("y").Attr("transpose", false).Attr("dtype", DT_INT64).Traits(kWidenHalf)
                   .Infer(InferNonZero).Kernel(NonZeroKernel));
  registry.Add(OpDef("OneHot").In("x").In("depth").In("on_value").In("off_value").Out("y").Attr("axis", -1)
                   .Traits(kHalfNative).Infer(InferOneHot).Kernel(OneHotKernel));
  registry.Add(OpDef("onnx::Compress").In("input").In("condition").Out("output").Attr("opset", 0).Traits(kHalfNative)
                   .Infer(InferCompress).Kernel(CompressKernel));
  registry.Add(OpDef("onnx::OneHot").In("indices").In("depth").In("values").Out("output").Attr("axis", -1)
                   .Attr("opset", 0).Traits(kHalfNative).Infer(InferOneHot).Kernel(OneHotKernel));
}

}  // namespace atc

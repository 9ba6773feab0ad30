// ConcatD and ConcatOffset, and Split in its forms.
#include "compiler/ir/infer_context.h"
#include "compiler/ops/families.h"
#include "compiler/ops/infer_util.h"
#include "compiler/ops/operand_shape.h"
#include "compiler/ops/movement.h"

namespace atc {
namespace {

using Ints = std::vector<int64_t>;

// ---- ConcatD ----

void InferConcat(InferContext& ctx) {
  Shape shape = Shape::UnknownRank();
  for (size_t i = 0; i < ctx.num_inputs(); ++i) {
    if (ctx.InShape(i).HasRank()) shape = ctx.InShape(i);
  }
  if (!shape.HasRank()) return ctx.SetOut(0, ctx.InType(0), shape);
  const auto axis = static_cast<size_t>(NormalizeAxis(ctx, ctx.Attr<int64_t>("concat_dim"), shape.rank()));
  shape[axis] = 0;
  PartialInts joined;
  bool ints_known = shape.rank() == 1;
  for (size_t i = 0; i < ctx.num_inputs(); ++i) {
    const Shape& x = ctx.InShape(i);
    const auto ints = ctx.Ints(i);
    ints_known = ints_known && ints && ints->shape.rank() == 1;
    if (ints_known) joined.elements.insert(joined.elements.end(), ints->elements.begin(), ints->elements.end());
    if (!x.HasRank()) {
      shape[axis] = kUnknownDim;
      continue;
    }
    if (x.rank() != shape.rank()) {
      ctx.Fail("input " + std::to_string(i) + " " + ToString(x) + " has another rank than the others, " +
               std::to_string(shape.rank()));
    }
    for (size_t d = 0; d < x.rank(); ++d) {
      if (d == axis) {
        shape[d] = shape[d] < 0 || x[d] < 0 ? kUnknownDim : shape[d] + x[d];
      } else if (shape[d] < 0) {
        shape[d] = x[d];
      } else if (x[d] >= 0 && x[d] != shape[d]) {
        ctx.Fail("input " + std::to_string(i) + " " + ToString(x) + " has " + std::to_string(x[d]) + " on axis " +
                 std::to_string(d) + ", the inputs before it " + std::to_string(shape[d]));
      }
    }
  }
  if (ints_known && joined.elements.size() <= 64) {
    joined.shape = Shape{static_cast<int64_t>(joined.elements.size())};
    ctx.SetInts(0, std::move(joined));
  }
  ctx.SetOut(0, ctx.InType(0), std::move(shape));
}

void ConcatKernel(KernelContext& ctx) {
  Shape shape = ctx.InShape(0);
  const auto rank = static_cast<int64_t>(shape.rank());
  int64_t axis = ctx.Attr<int64_t>("concat_dim");
  if (axis < -rank || axis >= rank) ctx.Fail("concat_dim " + std::to_string(axis) + " is outside the rank of x0");
  if (axis < 0) axis += rank;
  shape[axis] = 0;
  for (size_t i = 0; i < ctx.num_inputs(); ++i) {
    Shape x = ctx.InShape(i);
    if (x.rank() != shape.rank()) ctx.Fail("input " + std::to_string(i) + " has another rank than input 0");
    shape[axis] += x[axis];
    x[axis] = shape[axis];
    if (!(x == shape)) {
      ctx.Fail("input " + std::to_string(i) + " " + ToString(ctx.InShape(i)) + " does not fit to input 0 " +
               ToString(ctx.InShape(0)));
    }
  }
  Tensor& y = ctx.Out(0, ctx.InType(0), shape);
  Region target{0, shape.Strides()};
  for (size_t i = 0; i < ctx.num_inputs(); ++i) {
    const Tensor& x = ctx.In(i);
    MoveRegion(ctx, x.shape(), x, {0, x.shape().Strides()}, &y, target);
    target.offset += x.dim(axis) * target.strides[axis];
  }
}

// ---- Split ----

// Equal parts; where they cannot be equal the last is smaller, as ONNX has it since opset 18.
Ints EqualParts(int64_t dim, size_t count) {
  const int64_t part = (dim + static_cast<int64_t>(count) - 1) / static_cast<int64_t>(count);
  Ints sizes;
  for (size_t i = 0; i < count; ++i) {
    sizes.push_back(std::min(part, dim));
    dim -= sizes.back();
  }
  return sizes;
}

// `sizes` as elements that are known or not; empty where the parts are to be equal.
void InferParts(InferContext& ctx, size_t x_input, const std::optional<Ints>& axis_given,
                std::vector<std::optional<int64_t>> sizes, bool equal) {
  const Shape& x = ctx.InShape(x_input);
  const DataType dtype = ctx.InType(x_input);
  const size_t count = ctx.num_outputs();
  if (!x.HasRank() || !axis_given || axis_given->size() != 1) {
    for (size_t i = 0; i < count; ++i) {
      ctx.SetOut(i, dtype, x.HasRank() ? Shape::UnknownDims(x.rank()) : Shape::UnknownRank());
    }
    return;
  }
  const auto axis = static_cast<size_t>(NormalizeAxis(ctx, (*axis_given)[0], x.rank()));
  if (equal && x[axis] >= 0) {
    sizes.clear();
    for (const int64_t size : EqualParts(x[axis], count)) sizes.emplace_back(size);
  }
  sizes.resize(count);
  const auto ints = x.rank() == 1 ? ctx.Ints(x_input) : std::nullopt;
  int64_t total = 0;
  for (size_t i = 0; i < count; ++i) {
    Shape shape = x;
    shape[axis] = sizes[i] ? *sizes[i] : kUnknownDim;
    if (ints && total >= 0 && sizes[i] && total + *sizes[i] <= static_cast<int64_t>(ints->elements.size())) {
      const auto begin = ints->elements.begin() + total;
      ctx.SetInts(i, {shape, {begin, begin + *sizes[i]}});
    }
    total = total < 0 || !sizes[i] ? -1 : total + *sizes[i];
    ctx.SetOut(i, dtype, std::move(shape));
  }
  if (total >= 0 && x[axis] >= 0 && total != x[axis]) {
    ctx.Fail("the parts sum up to " + std::to_string(total) + ", axis " + std::to_string(axis) + " of x " +
             ToString(x) + " has " + std::to_string(x[axis]));
  }
}

void InferSplit(InferContext& ctx) { InferParts(ctx, 1, ctx.KnownInts(0), {}, true); }

void InferSplitAttr(InferContext& ctx, const char* attr) {
  InferParts(ctx, 0, Ints{ctx.Attr<int64_t>(attr)}, {}, true);
}
void InferSplitD(InferContext& ctx) { InferSplitAttr(ctx, "split_dim"); }
void InferOnnxSplit(InferContext& ctx) { InferSplitAttr(ctx, "axis"); }

void InferSplitV(InferContext& ctx) {
  RequireIntegers(ctx, 1);
  RequireElements(ctx, 1, static_cast<int64_t>(ctx.num_outputs()));
  for (const int64_t size : ctx.KnownInts(1).value_or(Ints{})) {
    if (size < 0) ctx.Fail("a part has the size " + std::to_string(size));
  }
  const auto sizes = ctx.Ints(1);
  InferParts(ctx, 0, ctx.KnownInts(2), sizes ? sizes->elements : std::vector<std::optional<int64_t>>{}, false);
}

void RunSplit(KernelContext& ctx, const Tensor& x, int64_t axis, const Ints* sizes_given) {
  const auto rank = static_cast<int64_t>(x.rank());
  if (axis < -rank || axis >= rank) ctx.Fail("axis " + std::to_string(axis) + " is outside the rank of x");
  if (axis < 0) axis += rank;
  const Ints sizes = sizes_given ? *sizes_given : EqualParts(x.dim(axis), ctx.num_outputs());
  int64_t total = 0;
  for (const int64_t size : sizes) {
    if (size < 0) ctx.Fail("a part has the size " + std::to_string(size));
    total += size;
  }
  if (total != x.dim(axis) || sizes.size() != ctx.num_outputs()) {
    ctx.Fail(std::to_string(sizes.size()) + " parts of " + std::to_string(total) + " in all are wanted from axis " +
             std::to_string(axis) + " of x " + ToString(x.shape()) + " for " + std::to_string(ctx.num_outputs()) +
             " outputs");
  }
  Region source{0, x.shape().Strides()};
  for (size_t i = 0; i < sizes.size(); ++i) {
    Shape shape = x.shape();
    shape[axis] = sizes[i];
    MoveToOutput(ctx, i, shape, x, source);
    source.offset += sizes[i] * source.strides[axis];
  }
}

int64_t ScalarAt(KernelContext& ctx, size_t i) {
  const Ints values = ToInts(ctx.In(i));
  if (values.size() != 1) ctx.Fail("split_dim must be one number");
  return values[0];
}

void SplitKernel(KernelContext& ctx) { RunSplit(ctx, ctx.In(1), ScalarAt(ctx, 0), nullptr); }
void SplitDKernel(KernelContext& ctx) { RunSplit(ctx, ctx.In(0), ctx.Attr<int64_t>("split_dim"), nullptr); }
void OnnxSplitKernel(KernelContext& ctx) { RunSplit(ctx, ctx.In(0), ctx.Attr<int64_t>("axis"), nullptr); }
void SplitVKernel(KernelContext& ctx) {
  const Ints sizes = ToInts(ctx.In(1));
  RunSplit(ctx, ctx.In(0), ScalarAt(ctx, 2), &sizes);
}

// ---- ConcatOffset ----

// Input 0 is the axis; output i says where part i begins in the whole: 0, and along the axis the sizes before it.
void InferConcatOffset(InferContext& ctx) {
  const auto axis = ctx.KnownInts(0);
  std::optional<int64_t> sum = 0;
  for (size_t i = 1; i < ctx.num_inputs(); ++i) {
    ctx.SetOut(i - 1, DT_INT32, ctx.InShape(i));
    const auto part = ctx.Ints(i);
    if (!axis || axis->size() != 1 || !part || part->shape.rank() != 1) continue;
    const auto at = static_cast<size_t>(NormalizeAxis(ctx, (*axis)[0], part->elements.size()));
    PartialInts offset{part->shape, std::vector<std::optional<int64_t>>(part->elements.size(), int64_t{0})};
    offset.elements[at] = sum;
    ctx.SetInts(i - 1, std::move(offset));
    sum = sum && part->elements[at] ? std::optional(*sum + *part->elements[at]) : std::nullopt;
  }
}

void ConcatOffsetKernel(KernelContext& ctx) {
  const int64_t axis = ScalarAt(ctx, 0);
  int64_t sum = 0;
  for (size_t i = 1; i < ctx.num_inputs(); ++i) {
    const Ints part = ToInts(ctx.In(i));
    const auto rank = static_cast<int64_t>(part.size());
    if (axis < -rank || axis >= rank || ctx.InShape(i) != ctx.InShape(1)) {
      ctx.Fail("shape " + std::to_string(i - 1) + " does not fit the others and axis " + std::to_string(axis));
    }
    const auto at = static_cast<size_t>(axis < 0 ? axis + rank : axis);
    int32_t* y = ctx.Out(i - 1, DT_INT32, ctx.InShape(i)).MutableData<int32_t>();
    std::fill_n(y, part.size(), 0);
    y[at] = static_cast<int32_t>(sum);
    sum += part[at];
  }
}

}  // namespace

void RegisterConcatSplitOps(OpRegistry& registry) {
  registry.Add(OpDef("ConcatOffset")
                   .In("concat_dim")
                   .DynIn("x")
                   .DynOut("y")
                   .Attr("N", 1)
                   .Infer(InferConcatOffset)
                   .Kernel(ConcatOffsetKernel));
  registry.Add(OpDef("ConcatD")
                   .DynIn("x")
                   .Out("y")
                   .RequiredAttr("concat_dim")
                   .Attr("N", 1)
                   .Traits(kHalfNative)
                   .Infer(InferConcat)
                   .Kernel(ConcatKernel));
  registry.Add(OpDef("Split")
                   .In("split_dim")
                   .In("x")
                   .DynOut("y")
                   .RequiredAttr("num_split")
                   .Traits(kHalfNative)
                   .Infer(InferSplit)
                   .Kernel(SplitKernel));
  registry.Add(OpDef("SplitD")
                   .In("x")
                   .DynOut("y")
                   .RequiredAttr("split_dim")
                   .RequiredAttr("num_split")
                   .Traits(kHalfNative)
                   .Infer(InferSplitD)
                   .Kernel(SplitDKernel));
  registry.Add(OpDef("SplitV")
                   .In("x")
                   .In("size_splits")
                   .In("split_dim")
                   .DynOut("y")
                   .RequiredAttr("num_split")
                   .Traits(kHalfNative)
                   .Infer(InferSplitV)
                   .Kernel(SplitVKernel));
  // ONNX's Split into num_outputs parts of a dim that is not known when the model is read.
  registry.Add(OpDef("onnx::Split")
                   .In("input")
                   .DynOut("outputs")
                   .Attr("axis", 0)
                   .Attr("num_outputs", 0)
                   .Attr("opset", 18)
                   .Traits(kHalfNative)
                   .Infer(InferOnnxSplit)
                   .Kernel(OnnxSplitKernel));
}

}  // namespace atc

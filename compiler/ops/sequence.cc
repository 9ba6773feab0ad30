// ONNX's operators on sequences: DT_VARIANT tensors of rank 1 whose elements are tensors.
#include <algorithm>

#include "compiler/ops/families.h"
#include "compiler/ops/infer_util.h"
#include "compiler/ops/nested.h"
#include "compiler/ops/pieces.h"

namespace atc {
namespace {

// ---- inference ----

void SetSequence(InferContext& ctx, size_t i, int64_t length, const TensorDesc& element) {
  TensorDesc sequence(DT_VARIANT, {length});
  if (element.dtype != DT_UNDEFINED) sequence.element = std::make_shared<const TensorDesc>(element);
  ctx.SetOutLike(i, sequence);
}

// What the elements of input i are; undefined where that is not known.
TensorDesc ElementOf(const InferContext& ctx, size_t i) {
  if (ctx.InType(i) != DT_VARIANT) {
    ctx.Fail("input " + std::to_string(i) + " is a " + std::string(DataTypeName(ctx.InType(i))) +
             " tensor; a sequence is wanted");
  }
  return ctx.In(i).element ? *ctx.In(i).element : TensorDesc();
}

int64_t LengthOf(const InferContext& ctx, size_t i) {
  const Shape& shape = ctx.InShape(i);
  return shape.HasRank() && shape.rank() == 1 ? shape[0] : kUnknownDim;
}

void InferConstruct(InferContext& ctx) {
  TensorDesc element = ctx.In(0);
  for (size_t i = 1; i < ctx.num_inputs(); ++i) element = MergedDesc(ctx, element, ctx.In(i), "an element");
  SetSequence(ctx, 0, static_cast<int64_t>(ctx.num_inputs()), element);
}

void InferEmpty(InferContext& ctx) {
  SetSequence(ctx, 0, 0,
              TensorDesc(DataTypeFromOnnx(static_cast<int>(ctx.Attr<int64_t>("dtype"))), Shape::UnknownRank()));
}

void InferInsert(InferContext& ctx) {
  const int64_t length = LengthOf(ctx, 0);
  const TensorDesc element = MergedDesc(ctx, ElementOf(ctx, 0), ctx.In(1), "an element");
  SetSequence(ctx, 0, length < 0 ? kUnknownDim : length + 1, element);
}

void InferErase(InferContext& ctx) {
  const int64_t length = LengthOf(ctx, 0);
  SetSequence(ctx, 0, length < 1 ? kUnknownDim : length - 1, ElementOf(ctx, 0));
}

void InferAt(InferContext& ctx) {
  const TensorDesc element = ElementOf(ctx, 0);
  if (element.dtype == DT_UNDEFINED) ctx.Fail("what the elements of its sequence are is not known");
  ctx.SetOutLike(0, element);
}

void InferLength(InferContext& ctx) {
  ElementOf(ctx, 0);
  ctx.SetOut(0, DT_INT64, {});
  if (const int64_t length = LengthOf(ctx, 0); length >= 0) ctx.SetInts(0, {{}, {length}});
}

void InferSplit(InferContext& ctx) {
  Shape shape = ctx.InShape(0);
  if (!shape.HasRank()) return SetSequence(ctx, 0, kUnknownDim, TensorDesc(ctx.InType(0), shape));
  const auto axis = static_cast<size_t>(NormalizeAxis(ctx, ctx.Attr<int64_t>("axis"), shape.rank()));
  const int64_t size = shape[axis];
  int64_t length = kUnknownDim;
  shape[axis] = kUnknownDim;
  if (!ctx.HasInput(1)) {
    length = size;
    shape[axis] = 1;
    if (ctx.Attr<int64_t>("keepdims") == 0) shape.dims().erase(shape.dims().begin() + static_cast<std::ptrdiff_t>(axis));
  } else if (const auto parts = ctx.Ints(1)) {
    const int64_t part = parts->elements.size() == 1 ? parts->elements[0].value_or(0) : 0;
    if (parts->shape.rank() == 1) {
      length = parts->shape[0];
    } else if (size >= 0 && part > 0) {
      length = (size + part - 1) / part;
      if (size % part == 0) shape[axis] = part;
    }
  }
  SetSequence(ctx, 0, length, TensorDesc(ctx.InType(0), shape));
}

void InferConcat(InferContext& ctx) {
  const TensorDesc element = ElementOf(ctx, 0);
  if (element.dtype == DT_UNDEFINED) ctx.Fail("what the elements of its sequence are is not known");
  Shape shape = element.origin_shape;
  const int64_t axis = ctx.Attr<int64_t>("axis"), length = LengthOf(ctx, 0);
  if (shape.HasRank() && ctx.Attr<int64_t>("new_axis") != 0) {
    const auto at = NormalizeAxis(ctx, axis, shape.rank() + 1);
    shape.dims().insert(shape.dims().begin() + at, length);
  } else if (shape.HasRank()) {
    const auto at = static_cast<size_t>(NormalizeAxis(ctx, axis, shape.rank()));
    shape[at] = shape[at] < 0 || length < 0 ? kUnknownDim : shape[at] * length;
  }
  ctx.SetOut(0, element.dtype, shape);
}

// ---- kernels ----

using Elements = std::vector<Tensor>;

Elements ElementsOf(const KernelContext& ctx, size_t i) {
  if (!ctx.HasInput(i) || ctx.InType(i) != DT_VARIANT) ctx.Fail("input " + std::to_string(i) + " is no sequence");
  return {ctx.In(i).Span<Tensor>().begin(), ctx.In(i).Span<Tensor>().end()};
}

void SetSequence(KernelContext& ctx, size_t i, const Elements& elements) {
  ctx.SetOut(i, Tensor::From<Tensor>(DT_VARIANT, {static_cast<int64_t>(elements.size())}, elements));
}

// Input i counted from the start, within [-count, limit).
size_t Position(const KernelContext& ctx, size_t i, size_t count, size_t limit) {
  const std::vector<int64_t> values = ToInts(ctx.In(i));
  if (values.size() != 1) ctx.Fail("its position must be one number");
  const auto n = static_cast<int64_t>(count);
  if (values[0] < -n || values[0] >= static_cast<int64_t>(limit)) {
    ctx.Fail("position " + std::to_string(values[0]) + " is outside a sequence of " + std::to_string(n) + " elements");
  }
  return static_cast<size_t>(values[0] < 0 ? values[0] + n : values[0]);
}

void ConstructKernel(KernelContext& ctx) {
  Elements elements;
  for (size_t i = 0; i < ctx.num_inputs(); ++i) elements.push_back(ctx.In(i));
  SetSequence(ctx, 0, elements);
}

void EmptyKernel(KernelContext& ctx) { SetSequence(ctx, 0, {}); }

void InsertKernel(KernelContext& ctx) {
  Elements elements = ElementsOf(ctx, 0);
  const size_t at = ctx.HasInput(2) ? Position(ctx, 2, elements.size(), elements.size() + 1) : elements.size();
  elements.insert(elements.begin() + static_cast<std::ptrdiff_t>(at), ctx.In(1));
  SetSequence(ctx, 0, elements);
}

void EraseKernel(KernelContext& ctx) {
  Elements elements = ElementsOf(ctx, 0);
  if (elements.empty()) ctx.Fail("an empty sequence has nothing to erase");
  const size_t at = ctx.HasInput(1) ? Position(ctx, 1, elements.size(), elements.size()) : elements.size() - 1;
  elements.erase(elements.begin() + static_cast<std::ptrdiff_t>(at));
  SetSequence(ctx, 0, elements);
}

void AtKernel(KernelContext& ctx) {
  const Elements elements = ElementsOf(ctx, 0);
  ctx.SetOut(0, elements[Position(ctx, 1, elements.size(), elements.size())]);
}

void LengthKernel(KernelContext& ctx) {
  ctx.Out(0, DT_INT64, {}).MutableData<int64_t>()[0] = static_cast<int64_t>(ElementsOf(ctx, 0).size());
}

void SplitKernel(KernelContext& ctx) {
  const Tensor& x = ctx.In(0);
  const size_t axis = CheckedAxis(ctx, ctx.Attr<int64_t>("axis"), x.rank());
  const int64_t size = x.dim(axis);
  Elements elements;
  if (!ctx.HasInput(1)) {
    const bool keep = ctx.Attr<int64_t>("keepdims") != 0;
    for (int64_t i = 0; i < size; ++i) elements.push_back(keep ? Piece(ctx, x, axis, i, 1) : Element(ctx, x, axis, i));
    return SetSequence(ctx, 0, elements);
  }
  std::vector<int64_t> parts = ToInts(ctx.In(1));
  if (ctx.In(1).rank() == 0) {
    const int64_t part = parts[0];
    if (part < 1) ctx.Fail("parts of " + std::to_string(part) + " elements are wanted; the least is 1");
    parts.clear();
    for (int64_t begin = 0; begin < size; begin += part) parts.push_back(std::min(part, size - begin));
  }
  int64_t begin = 0;
  for (const int64_t part : parts) {
    elements.push_back(Piece(ctx, x, axis, begin, part));
    begin += part;
  }
  if (begin != size) {
    ctx.Fail("the parts sum up to " + std::to_string(begin) + ", axis " + std::to_string(axis) + " has " +
             std::to_string(size) + " elements");
  }
  SetSequence(ctx, 0, elements);
}

void ConcatKernel(KernelContext& ctx) {
  const Elements elements = ElementsOf(ctx, 0);
  const int64_t axis = ctx.Attr<int64_t>("axis");
  ctx.SetOut(0, ctx.Attr<int64_t>("new_axis") != 0 ? Stack(ctx, elements, axis) : Join(ctx, elements, axis));
}

// ---- SequenceMap: a graph for each element ----

template <typename Context>
Graph& BodyOf(Context& ctx) {
  Graph* body = FindNested(ctx.node(), "body");
  if (body == nullptr) ctx.Fail("its graph 'body' is missing");
  if (NumFormals(*body) == 0 || ctx.num_inputs() < NumFormals(*body)) {
    ctx.Fail("its body takes " + std::to_string(NumFormals(*body)) + " inputs, the node has " +
             std::to_string(ctx.num_inputs()));
  }
  return *body;
}

void InferMap(InferContext& ctx) {
  Graph& body = BodyOf(ctx);
  std::vector<InferContext::NestedInput> formals;
  for (size_t i = 0; i < NumFormals(body); ++i) {
    if (ctx.InType(i) == DT_VARIANT) {
      formals.push_back({ElementOf(ctx, i), {}});
    } else {
      formals.push_back(ctx.Given(i));
    }
  }
  const std::vector<TensorDesc> results = InferNested(ctx, body, std::move(formals));
  for (size_t i = 0; i < results.size(); ++i) SetSequence(ctx, i, LengthOf(ctx, 0), results[i]);
}

void MapKernel(KernelContext& ctx) {
  const Graph& body = BodyOf(ctx);
  const size_t length = ElementsOf(ctx, 0).size();
  std::vector<Elements> outputs(ctx.num_outputs());
  if (outputs.size() > NumResults(body)) ctx.Fail("it has more outputs than its body");
  for (size_t e = 0; e < length; ++e) {
    std::vector<Tensor> formals;
    for (size_t i = 0; i < NumFormals(body); ++i) {
      if (!ctx.HasInput(i)) ctx.Fail("input " + std::to_string(i) + " is missing");
      if (ctx.InType(i) != DT_VARIANT) {
        formals.push_back(ctx.In(i));
        continue;
      }
      if (ctx.In(i).NumElements() != static_cast<int64_t>(length)) {
        ctx.Fail("its sequences have " + std::to_string(length) + " and " + std::to_string(ctx.In(i).NumElements()) +
                 " elements");
      }
      formals.push_back(ctx.In(i).Data<Tensor>()[e]);
    }
    std::vector<Tensor> results = RunNested(ctx, body, std::move(formals));
    for (size_t i = 0; i < outputs.size(); ++i) outputs[i].push_back(std::move(results[i]));
  }
  for (size_t i = 0; i < outputs.size(); ++i) SetSequence(ctx, i, outputs[i]);
}

}  // namespace

void RegisterSequenceOps(OpRegistry& registry) {
  const auto add = [&](OpDef def, InferFn infer, KernelFn kernel) {
    registry.Add(def.On(Unit::kAiCpu).Infer(infer).Kernel(kernel));
  };
  add(OpDef("ConcatFromSequence").In("input_sequence").Out("concat_result").RequiredAttr("axis").Attr("new_axis", 0),
      InferConcat, ConcatKernel);
  add(OpDef("SequenceAt").In("input_sequence").In("position").Out("tensor"), InferAt, AtKernel);
  add(OpDef("SequenceConstruct").DynIn("inputs").Out("output_sequence"), InferConstruct, ConstructKernel);
  // dtype is ONNX's number.
  add(OpDef("SequenceEmpty").Out("output").Attr("dtype", 1), InferEmpty, EmptyKernel);
  add(OpDef("SequenceErase").In("input_sequence").OptIn("position").Out("output_sequence"), InferErase, EraseKernel);
  add(OpDef("SequenceInsert").In("input_sequence").In("tensor").OptIn("position").Out("output_sequence"), InferInsert,
      InsertKernel);
  add(OpDef("SequenceLength").In("input_sequence").Out("length"), InferLength, LengthKernel);
  add(OpDef("SplitToSequence").In("input").OptIn("split").Out("output_sequence").Attr("axis", 0).Attr("keepdims", 1),
      InferSplit, SplitKernel);
  // Graph body: an element of each sequence, each tensor as it is -> an element of each output.
  add(OpDef("onnx::SequenceMap").DynIn("inputs").DynOut("out_sequence").Attr("opset", 17), InferMap, MapKernel);
}

}  // namespace atc

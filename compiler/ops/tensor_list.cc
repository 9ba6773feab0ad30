// TensorFlow's tensor lists: DT_VARIANT tensors of rank 1 whose elements are tensors, undefined where nothing was set yet.
#include <algorithm>

#include "compiler/ops/families.h"
#include "compiler/ops/infer_util.h"
#include "compiler/ops/nested.h"
#include "compiler/ops/pieces.h"

namespace atc {
namespace {

using Elements = std::vector<Tensor>;
using Ints = std::vector<int64_t>;

// The shape that operand i says elements have: a vector of dims, or one negative number for any.
Shape WantedShape(const InferContext& ctx, size_t i) {
  if (!ctx.HasInput(i)) return Shape::UnknownRank();
  const auto ints = ctx.Ints(i);
  if (!ints || !ints->shape.HasRank() || ints->shape.rank() == 0) return Shape::UnknownRank();
  Shape shape;
  for (const auto& dim : ints->elements) shape.dims().push_back(dim && *dim >= 0 ? *dim : kUnknownDim);
  return shape;
}

// Both hold: a dim that one of them knows is known.
Shape Both(const Shape& a, const Shape& b) {
  if (!a.HasRank()) return b;
  if (!b.HasRank() || a.rank() != b.rank()) return a;
  Shape shape = a;
  for (size_t d = 0; d < a.rank(); ++d) shape[d] = a[d] < 0 ? b[d] : a[d];
  return shape;
}

TensorDesc ElementOf(const InferContext& ctx, size_t i) {
  if (ctx.InType(i) != DT_VARIANT) {
    ctx.Fail("input " + std::to_string(i) + " is a " + std::string(DataTypeName(ctx.InType(i))) +
             " tensor; a tensor list is wanted");
  }
  TensorDesc element = ctx.In(i).element ? *ctx.In(i).element : TensorDesc();
  if (element.dtype == DT_UNDEFINED) {
    const DataType* named = ctx.node().attrs.FindAs<DataType>("element_dtype");
    element = TensorDesc(named ? *named : DT_UNDEFINED, Shape::UnknownRank());
  }
  return element;
}

int64_t LengthOf(const InferContext& ctx, size_t i) {
  const Shape& shape = ctx.InShape(i);
  return shape.HasRank() && shape.rank() == 1 ? shape[0] : kUnknownDim;
}

void SetList(InferContext& ctx, size_t i, int64_t length, const TensorDesc& element) {
  TensorDesc list(DT_VARIANT, {length});
  if (element.dtype != DT_UNDEFINED) list.element = std::make_shared<const TensorDesc>(element);
  ctx.SetOutLike(i, list);
}

Shape Behind(int64_t length, Shape shape) {
  if (shape.HasRank()) shape.dims().insert(shape.dims().begin(), length);
  return shape;
}

Shape WithoutFirst(Shape shape) {
  if (shape.HasRank() && shape.rank() > 0) shape.dims().erase(shape.dims().begin());
  return shape;
}

int64_t KnownNumber(const InferContext& ctx, size_t i) {
  const auto number = ctx.KnownInts(i);
  return number && number->size() == 1 ? (*number)[0] : kUnknownDim;
}

void InferReserve(InferContext& ctx) {
  SetList(ctx, 0, KnownNumber(ctx, 1), TensorDesc(ctx.Attr<DataType>("element_dtype"), WantedShape(ctx, 0)));
}
void InferEmpty(InferContext& ctx) {
  SetList(ctx, 0, 0, TensorDesc(ctx.Attr<DataType>("element_dtype"), WantedShape(ctx, 0)));
}
void InferFromTensor(InferContext& ctx) {
  const Shape& x = ctx.InShape(0);
  SetList(ctx, 0, x.HasRank() && x.rank() > 0 ? x[0] : kUnknownDim, TensorDesc(ctx.InType(0), WithoutFirst(x)));
}
void InferGetItem(InferContext& ctx) {
  const TensorDesc element = ElementOf(ctx, 0);
  ctx.SetOut(0, element.dtype, Both(element.origin_shape, WantedShape(ctx, 2)));
}
void InferSetItem(InferContext& ctx) {
  const int64_t length = ctx.Attr<bool>("resize_if_index_out_of_bounds") ? kUnknownDim : LengthOf(ctx, 0);
  TensorDesc element = ElementOf(ctx, 0);
  if (element.dtype == DT_UNDEFINED) element = TensorDesc(ctx.InType(2), Shape::UnknownRank());
  SetList(ctx, 0, length, element);
}
void InferPushBack(InferContext& ctx) {
  const int64_t length = LengthOf(ctx, 0);
  TensorDesc element = ElementOf(ctx, 0);
  if (element.dtype == DT_UNDEFINED) element = TensorDesc(ctx.InType(1), Shape::UnknownRank());
  SetList(ctx, 0, length < 0 ? kUnknownDim : length + 1, element);
}
void InferPopBack(InferContext& ctx) {
  const int64_t length = LengthOf(ctx, 0);
  const TensorDesc element = ElementOf(ctx, 0);
  SetList(ctx, 0, length < 1 ? kUnknownDim : length - 1, element);
  ctx.SetOut(1, element.dtype, Both(element.origin_shape, WantedShape(ctx, 1)));
}
void InferLength(InferContext& ctx) {
  const int64_t length = LengthOf(ctx, 0);
  ctx.SetOut(0, DT_INT32, {});
  if (length >= 0) ctx.SetInts(0, {{}, {length}});
}
void InferStack(InferContext& ctx) {
  const TensorDesc element = ElementOf(ctx, 0);
  ctx.SetOut(0, element.dtype, Behind(LengthOf(ctx, 0), Both(element.origin_shape, WantedShape(ctx, 1))));
}
void InferGather(InferContext& ctx) {
  const TensorDesc element = ElementOf(ctx, 0);
  const Shape& indices = ctx.InShape(1);
  ctx.SetOut(0, element.dtype,
             Behind(indices.HasRank() && indices.rank() == 1 ? indices[0] : kUnknownDim,
                    Both(element.origin_shape, WantedShape(ctx, 2))));
}
void InferScatter(InferContext& ctx) {
  SetList(ctx, 0, ctx.HasInput(3) && KnownNumber(ctx, 3) >= 0 ? KnownNumber(ctx, 3) : kUnknownDim,
          TensorDesc(ctx.InType(0), WithoutFirst(ctx.InShape(0))));
}
void InferScatterInto(InferContext& ctx) {
  TensorDesc element = ElementOf(ctx, 0);
  if (element.dtype == DT_UNDEFINED || !element.origin_shape.HasRank()) {
    element = TensorDesc(ctx.InType(1), WithoutFirst(ctx.InShape(1)));
  }
  SetList(ctx, 0, LengthOf(ctx, 0), element);
}
void InferConcat(InferContext& ctx) {
  const TensorDesc element = ElementOf(ctx, 0);
  Shape shape = Both(element.origin_shape, WantedShape(ctx, 1));
  if (shape.HasRank() && shape.rank() > 0) shape[0] = kUnknownDim;
  ctx.SetOut(0, element.dtype, shape);
  ctx.SetOut(1, DT_INT64, {LengthOf(ctx, 0)});
}
void InferSplit(InferContext& ctx) {
  Shape element = ctx.InShape(0);
  if (element.HasRank() && element.rank() > 0) element[0] = kUnknownDim;
  const Shape& lengths = ctx.InShape(2);
  SetList(ctx, 0, lengths.HasRank() && lengths.rank() == 1 ? lengths[0] : kUnknownDim,
          TensorDesc(ctx.InType(0), element));
}
void InferResize(InferContext& ctx) { SetList(ctx, 0, KnownNumber(ctx, 1), ElementOf(ctx, 0)); }

// ---- kernels ----

Elements ElementsOf(const KernelContext& ctx, size_t i) {
  if (!ctx.HasInput(i) || ctx.InType(i) != DT_VARIANT) ctx.Fail("input " + std::to_string(i) + " is no tensor list");
  return {ctx.In(i).Span<Tensor>().begin(), ctx.In(i).Span<Tensor>().end()};
}

void SetList(KernelContext& ctx, const Elements& elements) {
  ctx.SetOut(0, Tensor::From<Tensor>(DT_VARIANT, {static_cast<int64_t>(elements.size())}, elements));
}

int64_t Number(const KernelContext& ctx, size_t i, const char* what) {
  const Ints numbers = ToInts(ctx.In(i));
  if (numbers.size() != 1) ctx.Fail(std::string(what) + " must be one number");
  return numbers[0];
}

size_t Place(const KernelContext& ctx, int64_t index, size_t length) {
  if (index < 0 || index >= static_cast<int64_t>(length)) {
    ctx.Fail("element " + std::to_string(index) + " of a list of " + std::to_string(length) + " is wanted");
  }
  return static_cast<size_t>(index);
}

size_t Count(const KernelContext& ctx, int64_t count) {
  if (count < 0 || count > int64_t{1} << 32) ctx.Fail("a list of " + std::to_string(count) + " elements is wanted");
  return static_cast<size_t>(count);
}

// Zeros of a shape that the operand gives whole, where no element was set; `like` may say what it does not.
Tensor Unset(const KernelContext& ctx, size_t shape_input, const Elements& all) {
  for (const Tensor& tensor : all) {
    if (tensor.defined()) return Tensor::Allocate(tensor.dtype(), tensor.shape());
  }
  Shape shape;
  if (ctx.HasInput(shape_input) && ctx.InShape(shape_input).rank() == 1) shape = Shape(ToInts(ctx.In(shape_input)));
  const DataType* dtype = ctx.node().attrs.FindAs<DataType>("element_dtype");
  if (!shape.IsKnown() || !dtype || (ctx.HasInput(shape_input) && ctx.InShape(shape_input).rank() != 1)) {
    ctx.Fail("an element of the list was never set, and its shape is not known");
  }
  return Tensor::Allocate(*dtype, shape);
}

// No elements: the shape behind the count is that of the operand, dims that it leaves open being 0.
Tensor Nothing(const KernelContext& ctx, size_t shape_input) {
  Shape shape;
  if (ctx.HasInput(shape_input) && ctx.InShape(shape_input).rank() == 1) shape = Shape(ToInts(ctx.In(shape_input)));
  for (int64_t& dim : shape.dims()) dim = std::max<int64_t>(dim, 0);
  const DataType* dtype = ctx.node().attrs.FindAs<DataType>("element_dtype");
  if (!dtype) ctx.Fail("a list without elements has no known type");
  return Tensor::Allocate(*dtype, Behind(0, shape));
}

Tensor Stacked(const KernelContext& ctx, Elements elements, size_t shape_input) {
  if (elements.empty()) return Nothing(ctx, shape_input);
  for (size_t i = 0; i < elements.size(); ++i) {
    if (!elements[i].defined()) elements[i] = Unset(ctx, shape_input, elements);
  }
  return Stack(ctx, elements, 0);
}

void ReserveKernel(KernelContext& ctx) { SetList(ctx, Elements(Count(ctx, Number(ctx, 1, "num_elements")))); }
void EmptyKernel(KernelContext& ctx) { SetList(ctx, {}); }
void FromTensorKernel(KernelContext& ctx) {
  const Tensor& x = ctx.In(0);
  if (x.rank() == 0) ctx.Fail("a scalar has no elements for a list");
  Elements elements;
  for (int64_t i = 0; i < x.dim(0); ++i) elements.push_back(Element(ctx, x, 0, i));
  SetList(ctx, elements);
}
void GetItemKernel(KernelContext& ctx) {
  const Elements elements = ElementsOf(ctx, 0);
  const Tensor& element = elements[Place(ctx, Number(ctx, 1, "index"), elements.size())];
  ctx.SetOut(0, element.defined() ? element : Unset(ctx, 2, elements));
}
void SetItemKernel(KernelContext& ctx) {
  Elements elements = ElementsOf(ctx, 0);
  const int64_t index = Number(ctx, 1, "index");
  if (ctx.Attr<bool>("resize_if_index_out_of_bounds") && index >= static_cast<int64_t>(elements.size())) {
    elements.resize(Count(ctx, index + 1));
  }
  elements[Place(ctx, index, elements.size())] = ctx.In(2);
  SetList(ctx, elements);
}
void PushBackKernel(KernelContext& ctx) {
  Elements elements = ElementsOf(ctx, 0);
  elements.push_back(ctx.In(1));
  SetList(ctx, elements);
}
void PopBackKernel(KernelContext& ctx) {
  Elements elements = ElementsOf(ctx, 0);
  if (elements.empty()) ctx.Fail("an empty list has no last element");
  const Tensor last = elements.back().defined() ? elements.back() : Unset(ctx, 1, elements);
  elements.pop_back();
  SetList(ctx, elements);
  ctx.SetOut(1, last);
}
void LengthKernel(KernelContext& ctx) {
  *ctx.Out(0, DT_INT32, {}).MutableData<int32_t>() = static_cast<int32_t>(ElementsOf(ctx, 0).size());
}
void StackKernel(KernelContext& ctx) { ctx.SetOut(0, Stacked(ctx, ElementsOf(ctx, 0), 1)); }
void GatherKernel(KernelContext& ctx) {
  const Elements elements = ElementsOf(ctx, 0);
  Elements chosen;
  for (const int64_t index : ToInts(ctx.In(1))) chosen.push_back(elements[Place(ctx, index, elements.size())]);
  ctx.SetOut(0, Stacked(ctx, chosen, 2));
}

void Scatter(KernelContext& ctx, Elements elements, const Tensor& x, const Ints& indices, bool grow) {
  if (x.rank() == 0 || x.dim(0) != static_cast<int64_t>(indices.size())) {
    ctx.Fail(std::to_string(indices.size()) + " indices do not fit a tensor of shape " + ToString(x.shape()));
  }
  for (size_t i = 0; i < indices.size(); ++i) {
    if (grow && indices[i] >= static_cast<int64_t>(elements.size())) elements.resize(Count(ctx, indices[i] + 1));
    elements[Place(ctx, indices[i], elements.size())] = Element(ctx, x, 0, static_cast<int64_t>(i));
  }
  SetList(ctx, elements);
}

void ScatterKernel(KernelContext& ctx) {
  const int64_t wanted = ctx.HasInput(3) ? Number(ctx, 3, "num_elements") : -1;
  Scatter(ctx, Elements(wanted < 0 ? 0 : Count(ctx, wanted)), ctx.In(0), ToInts(ctx.In(1)), wanted < 0);
}
void ScatterIntoKernel(KernelContext& ctx) {
  Scatter(ctx, ElementsOf(ctx, 0), ctx.In(1), ToInts(ctx.In(2)), true);
}
void ConcatKernel(KernelContext& ctx) {
  const Elements elements = ElementsOf(ctx, 0);
  Tensor& lengths = ctx.Out(1, DT_INT64, {static_cast<int64_t>(elements.size())});
  for (size_t i = 0; i < elements.size(); ++i) {
    if (!elements[i].defined() || elements[i].rank() == 0) ctx.Fail("an element was never set, or is a scalar");
    lengths.MutableData<int64_t>()[i] = elements[i].dim(0);
  }
  if (!elements.empty()) return ctx.SetOut(0, Join(ctx, elements, 0));
  const Tensor nothing = Nothing(ctx, 1);
  ctx.SetOut(0, nothing.Reshaped(nothing.rank() > 1 ? Behind(0, WithoutFirst(WithoutFirst(nothing.shape()))) : Shape{0}));
}
void SplitKernel(KernelContext& ctx) {
  Elements elements;
  int64_t begin = 0;
  for (const int64_t length : ToInts(ctx.In(2))) {
    elements.push_back(Piece(ctx, ctx.In(0), 0, begin, length));
    begin += length;
  }
  if (begin != ctx.In(0).dim(0)) ctx.Fail("lengths sum up to " + std::to_string(begin) + ", the tensor has " + std::to_string(ctx.In(0).dim(0)));
  SetList(ctx, elements);
}
void ResizeKernel(KernelContext& ctx) {
  Elements elements = ElementsOf(ctx, 0);
  elements.resize(Count(ctx, Number(ctx, 1, "size")));
  SetList(ctx, elements);
}

}  // namespace

void RegisterTensorListOps(OpRegistry& registry) {
  // Lists are made while the model runs: as constants they would have elements without values. Their elements keep the
  // type that the model gives them, as what takes them out expects it.
  const auto op = [](const char* name, InferFn infer, KernelFn kernel) {
    return OpDef("tf::" + std::string(name)).Attr("element_dtype", AttrValue(DT_FLOAT))
        .Traits(kNoFold).On(Unit::kAiCpu).Infer(infer).Kernel(kernel);
  };
  registry.Add(op("EmptyTensorList", InferEmpty, EmptyKernel).In("element_shape").In("max_num_elements").Out("handle"));
  registry.Add(op("TensorListConcatV2", InferConcat, ConcatKernel).In("input_handle").OptIn("element_shape")
                   .OptIn("leading_dims").Out("tensor").Out("lengths"));
  registry.Add(op("TensorListFromTensor", InferFromTensor, FromTensorKernel).In("tensor").In("element_shape")
                   .Out("output_handle"));
  registry.Add(op("TensorListGather", InferGather, GatherKernel).In("input_handle").In("indices").OptIn("element_shape")
                   .Out("values"));
  registry.Add(op("TensorListGetItem", InferGetItem, GetItemKernel).In("input_handle").In("index")
                   .OptIn("element_shape").Out("item"));
  registry.Add(op("TensorListLength", InferLength, LengthKernel).In("input_handle").Out("length"));
  registry.Add(op("TensorListPopBack", InferPopBack, PopBackKernel).In("input_handle").OptIn("element_shape")
                   .Out("output_handle").Out("tensor"));
  registry.Add(op("TensorListPushBack", InferPushBack, PushBackKernel).In("input_handle").In("tensor")
                   .Out("output_handle"));
  registry.Add(op("TensorListReserve", InferReserve, ReserveKernel).In("element_shape").In("num_elements").Out("handle"));
  registry.Add(op("TensorListResize", InferResize, ResizeKernel).In("input_handle").In("size").Out("output_handle"));
  registry.Add(op("TensorListScatterIntoExistingList", InferScatterInto, ScatterIntoKernel).In("input_handle")
                   .In("tensor").In("indices").Out("output_handle"));
  registry.Add(op("TensorListScatterV2", InferScatter, ScatterKernel).In("tensor").In("indices").In("element_shape")
                   .OptIn("num_elements").Out("output_handle"));
  registry.Add(op("TensorListSetItem", InferSetItem, SetItemKernel).In("input_handle").In("index").In("item")
                   .Out("output_handle").Attr("resize_if_index_out_of_bounds", false));
  registry.Add(op("TensorListSplit", InferSplit, SplitKernel).In("tensor").In("element_shape").In("lengths")
                   .Out("output_handle"));
  registry.Add(op("TensorListStack", InferStack, StackKernel).In("input_handle").OptIn("element_shape").Out("tensor")
                   .Attr("num_elements", -1));
}

}  // namespace atc

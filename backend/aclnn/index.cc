// Gathering, scattering, searching.
#include <limits>

#include "backend/aclnn/recipes.h"
#include "backend/aclnn/type_rules.h"

namespace atc::aclnn {
namespace {

using Ints = std::vector<int64_t>;

Value Index(Builder& b, std::string_view name) {
  const Value index = b.In(name);
  if (b.TypeOf(index) != DT_INT32 && b.TypeOf(index) != DT_INT64) {
    b.Refuse("argument " + std::string(name) + " has type " + std::string(DataTypeName(b.TypeOf(index))) + ", not INT32 or INT64");
  }
  return index;
}

// Rows along a dim; the detail names the index.
void GatherRows(Builder& b) {
  const std::string_view data = b.InputName(0);
  const Value x = b.In(data);
  const bool embedding = data == "weight";
  const int64_t axis = embedding ? 0 : b.Axis(b.Int("dim"), b.Rank(x));
  // Negative places count from the end.
  b.Out(b.Op("GatherV2", {x, Index(b, b.detail()), b.Const(atc::Tensor::Scalar(axis))}, {{"negative_index_support", true}}));
}

void IndexSelect(Builder& b) {
  if (b.ViewOf("index").shape.rank() > 1) b.Refuse("argument index must have at most 1 dim");
  GatherRows(b);
}

// One element of self for each of index, whose other dims may be smaller.
void Gather(Builder& b) {
  const Value x = b.In("self");
  const Value index = Index(b, "index");
  if (b.Rank(x) != b.Rank(index)) b.Refuse("arguments self and index must have one rank");
  const int64_t axis = b.Axis(b.Int("dim"), b.Rank(x));
  Value data = x;
  for (size_t i = 0; i < b.Rank(x); ++i) {
    const int64_t count = b.ShapeOf(index)[i];
    if (static_cast<int64_t>(i) == axis || count == b.ShapeOf(x)[i]) continue;
    if (count > b.ShapeOf(x)[i]) b.Refuse("argument index is larger than argument self in dim " + std::to_string(i));
    data = b.Op("StridedSliceV2", {data, b.ConstInts({0}), b.ConstInts({count}), b.ConstInts({static_cast<int64_t>(i)}), b.ConstInts({1})});
  }
  b.Out(b.Op("onnx::GatherElements", {data, index}, {{"axis", axis}, {"opset", 13}}));
}

void GatherNd(Builder& b) {
  Value indices = Index(b, "indices");
  b.Out(b.Op("GatherNd", {b.In("self"), indices}, {{"negative_index_support", b.Flag("negativeIndexSupport")}}));
}

// What of updates lies under an index of smaller dims.
Value Under(Builder& b, Value updates, Value index) {
  for (size_t i = 0; i < b.Rank(index); ++i) {
    const int64_t count = b.ShapeOf(index)[i];
    if (count == b.ShapeOf(updates)[i]) continue;
    if (count > b.ShapeOf(updates)[i]) b.Refuse("argument index is larger than argument src in dim " + std::to_string(i));
    updates = b.Op("StridedSliceV2", {updates, b.ConstInts({0}), b.ConstInts({count}), b.ConstInts({static_cast<int64_t>(i)}), b.ConstInts({1})});
  }
  return updates;
}

Value ScatterInto(Builder& b, Value data, Value index, Value updates, int64_t axis, const char* reduction) {
  return b.Op("onnx::ScatterElements", {data, index, updates}, {{"axis", axis}, {"reduction", reduction}, {"opset", 18}});
}

struct Scattered {
  Value data, index, updates;
  int64_t axis;
};

Scattered ScatterOperands(Builder& b) {
  Scattered s{b.Wide(b.InputName(0)), Index(b, "index"), b.Wide("src"), 0};
  if (b.TypeOf(s.data) != b.TypeOf(s.updates)) b.Refuse("argument src must have the type of the data");
  if (b.Rank(s.data) != b.Rank(s.index) || b.Rank(s.updates) != b.Rank(s.index)) b.Refuse("the data, index and src must have one rank");
  s.axis = b.Axis(b.Int("dim"), b.Rank(s.data));
  s.updates = Under(b, s.updates, s.index);
  return s;
}

void Scatter(Builder& b) {
  constexpr const char* kReductions[] = {"none", "add", "mul"};
  const int64_t reduce = b.Int("reduce");
  if (reduce < 0 || reduce > 2) b.Refuse("argument reduce is 0 (none), 1 (add) or 2 (mul), not " + std::to_string(reduce));
  const Scattered s = ScatterOperands(b);
  b.Out(ScatterInto(b, s.data, s.index, s.updates, s.axis, kReductions[reduce]));
}

void ScatterAdd(Builder& b) {
  const Scattered s = ScatterOperands(b);
  b.Out(ScatterInto(b, s.data, s.index, s.updates, s.axis, "add"));
}

void ScatterValue(Builder& b) {
  constexpr const char* kReductions[] = {"none", "add", "mul"};
  const int64_t reduce = b.Int("reduce");
  if (reduce < 0 || reduce > 2) b.Refuse("argument reduce is 0 (none), 1 (add) or 2 (mul), not " + std::to_string(reduce));
  const Value x = b.Wide(b.InputName(0));
  const Value index = Index(b, "index");
  const Value updates = b.Expand(b.ScalarValue("value", b.TypeOf(x)), b.ShapeOf(index));
  b.Out(ScatterInto(b, x, index, updates, b.Axis(b.Int("dim"), b.Rank(x)), kReductions[reduce]));
}

double Lowest(DataType dtype, bool highest) {
  if (ClassOf(dtype) == TypeClass::kFloat) {
    return highest ? std::numeric_limits<double>::infinity() : -std::numeric_limits<double>::infinity();
  }
  const int bits = DataTypeBits(dtype);
  const bool positive = dtype == DT_UINT8 || dtype == DT_UINT16 || dtype == DT_UINT32 || dtype == DT_UINT64;
  if (highest) return static_cast<double>(positive ? (1ULL << bits) - 1 : (1ULL << (bits - 1)) - 1);
  return positive ? 0 : -static_cast<double>(1ULL << (bits - 1));
}

// Without the data's own element, each place begins with what does not change a result.
void ScatterReduce(Builder& b) {
  constexpr const char* kReductions[] = {"none", "add", "mul", "max", "min", "add"};
  const int64_t reduce = b.Int("reduce");
  if (reduce < 0 || reduce > 5) b.Refuse("argument reduce is 0 to 5 (none, add, mul, max, min, mean), not " + std::to_string(reduce));
  const Scattered s = ScatterOperands(b);
  const DataType dtype = b.TypeOf(s.data);
  const bool mean = reduce == 5;
  Value data = s.data;
  const Value ones = b.Expand(b.Number(1, DT_INT64), b.ShapeOf(s.index));
  const Value zeros = b.Expand(b.Number(0, DT_INT64), b.ShapeOf(data));
  if (!b.Flag("includeSelf") && reduce != 0) {
    const Value hit = b.Op("Greater", {ScatterInto(b, zeros, s.index, ones, s.axis, "add"), b.Number(0, DT_INT64)});
    const double start = reduce == 2 ? 1 : reduce == 3 ? Lowest(dtype, false) : reduce == 4 ? Lowest(dtype, true) : 0;
    data = b.Op("SelectV2", {hit, b.Number(start, dtype), data});
  }
  Value result = ScatterInto(b, data, s.index, s.updates, s.axis, kReductions[reduce]);
  if (mean) {
    const Value counts = ScatterInto(b, zeros, s.index, ones, s.axis, "add");
    const Value all = b.Flag("includeSelf") ? b.Op("Add", {counts, b.Number(1, DT_INT64)}) : b.Op("Maximum", {counts, b.Number(1, DT_INT64)});
    const bool integers = ClassOf(dtype) == TypeClass::kInteger;
    result = b.Op(integers ? "FloorDiv" : "RealDiv", {result, b.Cast(all, dtype)});
  }
  b.Out(result);
}

// Whole slices; the detail names the data.
void ScatterNd(Builder& b) {
  const Value x = b.In(b.detail());
  const Value updates = b.In("updates");
  if (b.TypeOf(x) != b.TypeOf(updates)) b.Refuse("argument updates must have the type of the data");
  b.Out(b.Op("onnx::ScatterND", {x, Index(b, "indices"), updates}, {{"opset", 18}}));
}

// self + alpha * source at the rows of index.
void IndexAdd(Builder& b) {
  const Value x = b.Wide("self");
  const Value index = Index(b, "index");
  Value source = b.Cast(b.Wide("source"), b.TypeOf(x));
  const int64_t axis = b.Axis(b.Int("dim"), b.Rank(x));
  if (b.Number("alpha") != 1) source = b.Op("Mul", {source, b.ScalarValue("alpha", b.TypeOf(x))});
  Ints dims(b.Rank(source), 1);
  if (!dims.empty()) dims[axis] = b.ShapeOf(index).NumElements();
  b.Out(ScatterInto(b, x, b.Expand(b.Reshape(index, dims), b.ShapeOf(source)), source, axis, "add"));
}

// The value in all elements that stand at the places of index along a dim.
void IndexFill(Builder& b) {
  const Value x = b.In(b.InputName(0));
  const int64_t axis = b.Axis(b.Int("dim"), b.Rank(x));
  Value index = b.KindOf("index") == ArgKind::kInts ? b.ConstInts(b.Ints("index")) : Index(b, "index");
  if (b.Rank(index) > 1) b.Refuse("argument index must have at most 1 dim");
  const int64_t count = b.ShapeOf(index).NumElements();
  if (b.Rank(x) == 0 || count == 0) return b.Out(count == 0 ? b.Op("Identity", {x}) : b.ScalarValue("value", b.TypeOf(x)));
  Ints dims(b.Rank(x), 1);
  dims[axis] = count;
  Ints shape = b.ShapeOf(x).dims();
  shape[axis] = count;
  index = b.Expand(b.Reshape(index, dims), Shape(shape));
  b.Out(ScatterInto(b, x, index, b.Expand(b.ScalarValue("value", b.TypeOf(x)), Shape(shape)), axis, "none"));
}

// Where the mask is set, elements of source in their order.
void MaskedScatter(Builder& b) {
  const Value x = b.In("selfRef");
  const Value source = b.In("source");
  if (b.TypeOf(source) != b.TypeOf(x)) b.Refuse("argument source must have the type of argument selfRef");
  const int64_t count = b.ShapeOf(source).NumElements();
  const int64_t elements = b.ShapeOf(x).NumElements();
  const Value mask = b.Reshape(b.Expand(b.ToBool(b.In("mask")), b.ShapeOf(x)), {elements});
  if (elements == 0 || count == 0) return b.Out(b.Op("Identity", {x}));
  const Value before = b.Op("Cumsum", {b.Cast(mask, DT_INT64), b.Const(atc::Tensor::Scalar(int64_t{0}))}, {{"exclusive", true}});
  // Places that the mask leaves out name any element.
  const Value place = b.Op("SelectV2", {mask, before, b.Number(0, DT_INT64)});
  const Value taken = b.Op("GatherV2", {b.Reshape(source, {count}), place, b.Const(atc::Tensor::Scalar(int64_t{0}))});
  b.Out(b.Reshape(b.Op("SelectV2", {mask, taken, b.Reshape(x, {elements})}), b.ShapeOf(x).dims()));
}

// Elements of self as if it had one dim; negative places count from the end.
void Take(Builder& b) {
  const Value x = b.In("self");
  const Value flat = b.Reshape(x, {b.ShapeOf(x).NumElements()});
  b.Out(b.Op("GatherV2", {flat, Index(b, "index"), b.Const(atc::Tensor::Scalar(int64_t{0}))}, {{"negative_index_support", true}}));
}

// Each element (the detail "flat") or each slice of a dim, so many times in a row.
void RepeatInterleave(Builder& b) {
  Value x = b.In("self");
  const bool flat = std::string_view(b.detail()) == "flat";
  if (flat || b.Rank(x) == 0) x = b.Reshape(x, {b.ShapeOf(x).NumElements()});
  const int64_t axis = flat ? 0 : b.Axis(b.Int("dim"), b.Rank(x));
  const int64_t repeats = b.Int("repeats");
  const int64_t wanted = b.Int("outputSize");
  Ints dims = b.ShapeOf(x).dims();
  // Without the product, which may be too large for any number.
  const bool fits = repeats > 0 && dims[axis] > 0 ? wanted % repeats == 0 && wanted / repeats == dims[axis] : wanted == 0;
  if (repeats < 0 || !fits) {
    b.Refuse("argument outputSize is " + std::to_string(wanted) + ", not " + std::to_string(dims[axis]) + " elements " +
             std::to_string(repeats) + " times");
  }
  dims.insert(dims.begin() + axis + 1, 1);
  x = b.Reshape(x, dims);
  dims[axis + 1] = repeats;
  x = b.Expand(x, Shape(dims));
  dims[axis] = wanted;
  dims.erase(dims.begin() + axis + 1);
  b.Out(b.Reshape(x, dims));
}

void PlacesOfNonzero(Builder& b, bool dims_first) {
  b.WantType("out", {DT_INT64});
  b.OutDynamic("out", b.Op("NonZero", {b.In("self")}, {{"transpose", dims_first}, {"dtype", DT_INT64}}));
}
void Nonzero(Builder& b) { PlacesOfNonzero(b, false); }
void NonzeroV2(Builder& b) { PlacesOfNonzero(b, true); }

// Distinct elements, in order whether or not that is asked for.
void Unique2(Builder& b) {
  const Value x = b.In("self");
  const auto found = b.Ops("onnx::Unique", {x}, {{"sorted", 1}, {"opset", 11}}, 4);
  b.OutDynamic("valueOut", found[0]);
  const Shape& wanted = b.ViewOf("inverseOut").shape;
  if (b.Flag("returnInverse")) {
    b.WantType("inverseOut", {DT_INT64});
    b.Out("inverseOut", wanted == b.ShapeOf(x) ? b.Reshape(found[2], wanted.dims()) : found[2]);
  }
  if (!b.Flag("returnCounts")) return;
  b.WantType("countsOut", {DT_INT64});
  b.OutDynamic("countsOut", found[3]);
}

void MaskedSelect(Builder& b) {
  const Value x = b.In("self");
  const Value mask = b.ToBool(b.In("mask"));
  Shape shape;
  if (!BroadcastShapes(b.ShapeOf(x), b.ShapeOf(mask), &shape)) b.Refuse("the shapes of self and mask do not broadcast");
  const Ints flat{shape.NumElements()};
  b.OutDynamic("out", b.Op("onnx::Compress", {b.Reshape(b.Expand(x, shape), flat), b.Reshape(b.Expand(mask, shape), flat)}, {{"opset", 11}}));
}

void OneHot(Builder& b) {
  const Value index = Index(b, "self");
  Value on = b.In("onValue");
  Value off = b.In("offValue");
  if (b.ShapeOf(on).NumElements() != 1 || b.ShapeOf(off).NumElements() != 1) b.Refuse("arguments onValue and offValue must hold one element each");
  b.Common(on, off);
  const auto classes = b.Int("numClasses");
  if (classes < 0) b.Refuse("argument numClasses is " + std::to_string(classes));
  // No class is what an index of none may name.
  const int64_t axis = b.Int("axis");
  if (axis < -1 || axis > static_cast<int64_t>(b.Rank(index))) b.Refuse("argument axis is " + std::to_string(axis));
  b.Out(b.Op("OneHot", {index, b.Number(static_cast<double>(classes), DT_INT32), b.Reshape(on, {}), b.Reshape(off, {})}, {{"axis", axis}}));
}

}  // namespace

std::vector<Recipe> IndexRecipes() {
  return {
      {"Embedding", GatherRows, "indices"},
      {"Gather", Gather},
      {"GatherNd", GatherNd},
      {"GatherV2", GatherRows, "index"},
      {"IndexAdd", IndexAdd},
      {"IndexFill", IndexFill},
      {"IndexFillTensor", IndexFill},
      {"IndexSelect", IndexSelect, "index"},
      {"InplaceIndexFill", IndexFill},
      {"InplaceIndexFillTensor", IndexFill},
      {"InplaceMaskedScatter", MaskedScatter},
      {"InplaceScatter", Scatter},
      {"InplaceScatterValue", ScatterValue},
      {"MaskedSelect", MaskedSelect},
      {"Nonzero", Nonzero},
      {"NonzeroV2", NonzeroV2},
      {"OneHot", OneHot},
      {"RepeatInterleaveInt", RepeatInterleave, "flat"},
      {"RepeatInterleaveIntWithDim", RepeatInterleave, "dim"},
      {"Scatter", Scatter},
      {"ScatterAdd", ScatterAdd},
      {"ScatterNd", ScatterNd, "data"},
      {"ScatterNdUpdate", ScatterNd, "varRef"},
      {"ScatterReduce", ScatterReduce},
      {"ScatterValue", ScatterValue},
      {"Take", Take},
      {"Unique2", Unique2},
  };
}

}  // namespace atc::aclnn

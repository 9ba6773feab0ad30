// What moves elements without computing: shapes, joining, cutting, padding, filling.
#include <algorithm>
#include <cmath>

#include "backend/aclnn/recipes.h"
#include "backend/aclnn/type_rules.h"

namespace atc::aclnn {
namespace {

using Ints = std::vector<int64_t>;

void Expand(Builder& b) {
  const Value x = b.In("self");
  Ints size = b.Ints("size");
  const size_t rank = b.Rank(x);
  if (size.size() < rank) b.Refuse("argument size has fewer dims than argument self");
  // -1 keeps the dim.
  for (size_t i = 0; i < size.size(); ++i) {
    const size_t lead = size.size() - rank;
    if (size[i] == -1 && i >= lead) size[i] = b.ShapeOf(x)[i - lead];
    if (size[i] < 0) b.Refuse("argument size holds " + std::to_string(size[i]));
  }
  b.Out(b.Op("BroadcastTo", {x, b.ConstInts(size)}));
}

void Repeat(Builder& b) {
  Value x = b.In("self");
  const Ints repeats = b.Ints("repeats");
  if (repeats.size() < b.Rank(x)) b.Refuse("argument repeats has fewer numbers than argument self has dims");
  Ints dims(repeats.size() - b.Rank(x), 1);
  for (const int64_t dim : b.ShapeOf(x).dims()) dims.push_back(dim);
  for (const int64_t repeat : repeats) {
    if (repeat < 0) b.Refuse("argument repeats holds " + std::to_string(repeat));
  }
  b.Out(b.Op("Tile", {b.Reshape(x, dims), b.ConstInts(repeats)}));
}

void Permute(Builder& b) {
  const Value x = b.In("self");
  const Ints dims = b.Ints("dims");
  if (dims.size() != b.Rank(x)) b.Refuse("argument dims has " + std::to_string(dims.size()) + " numbers for " + std::to_string(b.Rank(x)) + " dims");
  if (dims.empty()) return b.Out(b.Op("Identity", {x}));
  b.Out(b.Op("Transpose", {x, b.ConstInts(b.Axes(dims, b.Rank(x)))}));
}

void Flatten(Builder& b) {
  const Value x = b.In("self");
  const int64_t axis = b.Int("axis");
  const auto rank = static_cast<int64_t>(b.Rank(x));
  if (axis < -rank || axis > rank) b.Refuse("argument axis is beyond the dims");
  int64_t rows = 1;
  for (int64_t i = 0; i < (axis < 0 ? axis + rank : axis); ++i) rows *= b.ShapeOf(x)[i];
  const int64_t count = b.ShapeOf(x).NumElements();
  b.Out(b.Reshape(x, {rows, rows == 0 ? 0 : count / rows}));
}

// Members of a list as their common type.
std::vector<Value> SameTypes(Builder& b, std::string_view name) {
  std::vector<Value> values = b.List(name);
  if (values.empty()) b.Refuse("argument " + std::string(name) + " is an empty list");
  for (size_t i = 1; i < values.size(); ++i) b.Common(values[0], values[i]);
  for (Value& value : values) value = b.Cast(value, b.TypeOf(values[0]));
  return values;
}

void Cat(Builder& b) {
  std::vector<Value> values = SameTypes(b, "tensors");
  // Tensors of shape [0] are passed over whatever the others' rank.
  std::vector<Value> kept;
  for (const Value& value : values) {
    if (!(b.ShapeOf(value) == Shape{0})) kept.push_back(value);
  }
  if (kept.empty()) return b.Out(b.Op("Identity", {values[0]}));
  const int64_t axis = b.Axis(b.Int("dim"), b.Rank(kept[0]));
  b.Out(b.Op("ConcatD", kept, {{"concat_dim", axis}, {"N", static_cast<int64_t>(kept.size())}}));
}

void Stack(Builder& b) {
  const std::vector<Value> values = SameTypes(b, "tensors");
  const int64_t axis = b.Axis(b.Int("dim"), b.Rank(values[0]) + 1);
  b.Out(b.Op("Pack", values, {{"axis", axis}, {"N", static_cast<int64_t>(values.size())}}));
}

void SplitAt(Builder& b, const Ints& sizes) {
  const Value x = b.In("self");
  if (b.Rank(x) == 0) b.Refuse("a scalar cannot be split");
  const int64_t axis = b.Axis(b.Int("dim"), b.Rank(x));
  int64_t sum = 0;
  for (const int64_t size : sizes) sum += size;
  if (sum != b.ShapeOf(x)[axis]) b.Refuse("the sizes add up to " + std::to_string(sum) + "; the dim has " + std::to_string(b.ShapeOf(x)[axis]));
  b.OutList("out", b.Ops("SplitV", {x, b.ConstInts(sizes), b.Const(atc::Tensor::Scalar(axis))},
                         {{"num_split", static_cast<int64_t>(sizes.size())}}, sizes.size()));
}

void SplitWithSize(Builder& b) { SplitAt(b, b.Ints("splitSize")); }

// Parts of splitSections elements, the last one of what is left.
void SplitTensor(Builder& b) {
  const Value x = b.In("self");
  const int64_t part = b.Int("splitSections");
  if (part <= 0 || b.Rank(x) == 0) b.Refuse("argument splitSections must be above 0, and argument self no scalar");
  Ints sizes;
  for (int64_t left = b.ShapeOf(x)[b.Axis(b.Int("dim"), b.Rank(x))]; left > 0; left -= part) sizes.push_back(std::min(left, part));
  SplitAt(b, sizes);
}

Value SliceOf(Builder& b, Value x, const Ints& starts, const Ints& ends, const Ints& axes, const Ints& steps) {
  return b.Op("StridedSliceV2", {x, b.ConstInts(starts), b.ConstInts(ends), b.ConstInts(axes), b.ConstInts(steps)});
}

void Slice(Builder& b) {
  const Value x = b.In("self");
  if (b.Int("step") <= 0) b.Refuse("argument step must be above 0");
  b.Out(SliceOf(b, x, {b.Int("start")}, {b.Int("end")}, {b.Axis(b.Int("dim"), b.Rank(x))}, {b.Int("step")}));
}

void SliceV2(Builder& b) {
  const Value x = b.In("self");
  const Ints starts = b.Ints("starts");
  const Ints steps = b.Ints("steps");
  if (b.Ints("ends").size() != starts.size() || b.Ints("axes").size() != starts.size() || steps.size() != starts.size()) {
    b.Refuse("arguments starts, ends, axes and steps must have one length");
  }
  for (const int64_t step : steps) {
    if (step <= 0) b.Refuse("argument steps holds " + std::to_string(step) + "; steps are above 0");
  }
  b.Out(SliceOf(b, x, starts, b.Ints("ends"), b.Axes(b.Ints("axes"), b.Rank(x)), steps));
}

// Pairs from the last dim on, as ONNX's list of all beginnings, then all ends.
Ints OnnxPads(Builder& b, const Ints& pads, size_t rank) {
  if (pads.size() % 2 != 0 || pads.size() / 2 > rank) {
    b.Refuse("a list of " + std::to_string(pads.size()) + " pads does not fit " + std::to_string(rank) + " dims");
  }
  Ints result(2 * rank, 0);
  for (size_t i = 0; i < pads.size() / 2; ++i) {
    result[rank - 1 - i] = pads[2 * i];
    result[2 * rank - 1 - i] = pads[2 * i + 1];
  }
  return result;
}

void ConstantPad(Builder& b) {
  const Value x = b.In("self");
  b.Out(b.Op("onnx::Pad", {x, b.ConstInts(OnnxPads(b, b.Ints("pad"), b.Rank(x))), b.ScalarValue("value", b.TypeOf(x))},
             {{"mode", "constant"}, {"opset", 13}}));
}

// The detail is the mode and the number of padded dims: "reflect2".
void EdgePad(Builder& b) {
  const Value x = b.In("self");
  std::string mode = b.detail();
  const size_t dims = mode.back() - '0';
  mode.pop_back();
  const Ints pads = b.Ints("padding");
  if (pads.size() != 2 * dims || (b.Rank(x) != dims + 1 && b.Rank(x) != dims + 2)) {
    b.Refuse("argument padding must hold " + std::to_string(2 * dims) + " numbers and argument self have " +
             std::to_string(dims + 1) + " or " + std::to_string(dims + 2) + " dims");
  }
  if (mode == "reflect") {
    for (size_t i = 0; i < pads.size(); ++i) {
      if (pads[i] >= b.ShapeOf(x)[b.Rank(x) - 1 - i / 2]) b.Refuse("a reflection of " + std::to_string(pads[i]) + " is as large as its dim");
    }
  }
  b.Out(b.Op("onnx::Pad", {x, b.ConstInts(OnnxPads(b, pads, b.Rank(x)))}, {{"mode", mode.c_str()}, {"opset", mode == "wrap" ? 19 : 13}}));
}

// A part, with masks of the bits of those dims that begin or end with the tensor, stand for all others, or are made or dropped.
void StridedSlice(Builder& b) {
  b.Out(b.Op("StridedSlice", {b.In("self"), b.ConstInts(b.Ints("begin")), b.ConstInts(b.Ints("end")), b.ConstInts(b.Ints("strides"))},
             {{"begin_mask", b.Int("beginMask")}, {"end_mask", b.Int("endMask")}, {"ellipsis_mask", b.Int("ellipsisMask")},
              {"new_axis_mask", b.Int("newAxisMask")}, {"shrink_axis_mask", b.Int("shrinkAxisMask")}}));
}

// Channels of the groups by turns.
void ChannelShuffle(Builder& b) {
  const Value x = b.In("self");
  const Shape shape = b.ShapeOf(x);
  const int64_t groups = b.Int("groups");
  if (shape.rank() < 3 || groups < 1 || shape[1] % groups != 0) {
    b.Refuse("argument groups is " + std::to_string(groups) + "; it must divide the channels of " + ToString(shape));
  }
  const int64_t inner = shape.NumElements() / std::max<int64_t>(1, shape[0] * shape[1]);
  const Value grouped = b.Reshape(x, {shape[0], groups, shape[1] / groups, inner});
  b.Out(b.Reshape(b.Op("Transpose", {grouped, b.ConstInts({0, 2, 1, 3})}), shape.dims()));
}

// The detail is "upper" or "lower".
void Triangle(Builder& b) {
  const Value x = b.In(b.InputName(0));
  if (b.Rank(x) < 2) b.Refuse("a triangle is taken of 2 dims or more");
  b.Out(b.Op("Trilu", {x, b.Const(atc::Tensor::Scalar(b.Int("diagonal")))}, {{"upper", *b.detail() == 'u' ? 1 : 0}}));
}

void Flip(Builder& b) {
  const Value x = b.In("self");
  b.Out(b.Op("ReverseV2", {x, b.ConstInts(b.Axes(b.Ints("dims"), b.Rank(x)))}));
}

void Roll(Builder& b) {
  Value x = b.In("x");
  const Ints shifts = b.Ints("shifts");
  const Ints dims = b.Ints("dims");
  const Ints shape = b.ShapeOf(x).dims();
  if (dims.empty()) {
    x = b.Op("tf::Roll", {b.Reshape(x, {b.ShapeOf(x).NumElements()}), b.ConstInts(shifts), b.ConstInts({0})});
    return b.Out(b.Reshape(x, shape));
  }
  if (dims.size() != shifts.size()) b.Refuse("arguments shifts and dims must have one length");
  // A dim may be named again: its shifts add up.
  Ints axes, sums;
  for (size_t i = 0; i < dims.size(); ++i) {
    const int64_t axis = b.Axis(dims[i], b.Rank(x));
    const auto found = std::find(axes.begin(), axes.end(), axis);
    if (found != axes.end()) {
      sums[found - axes.begin()] += shifts[i];
    } else {
      axes.push_back(axis);
      sums.push_back(shifts[i]);
    }
  }
  if (b.Rank(x) == 0) return b.Out(b.Op("Identity", {x}));
  b.Out(b.Op("tf::Roll", {x, b.ConstInts(sums), b.ConstInts(axes)}));
}

void Copy(Builder& b) {
  const View& target = b.ViewOf("selfRef");
  const Value source = b.Cast(b.In("src"), target.dtype);
  b.Out(b.ShapeOf(source) == target.shape ? b.Op("Identity", {source}) : b.Expand(source, target.shape));
}

void FillScalar(Builder& b) {
  const View& target = b.ViewOf("selfRef");
  b.Out(b.Op("Fill", {b.ConstInts(target.shape.dims()), b.ScalarValue("value", target.dtype)}));
}

void FillTensor(Builder& b) {
  const View& target = b.ViewOf("selfRef");
  const Value value = b.In("value");
  if (b.ShapeOf(value).NumElements() != 1) b.Refuse("argument value must hold one element");
  b.Out(b.Op("BroadcastTo", {b.Cast(b.Reshape(value, {}), target.dtype), b.ConstInts(target.shape.dims())}));
}

// The detail is the number.
void FillWith(Builder& b) {
  const View& target = b.ViewOf("selfRef");
  b.Out(b.Op("Fill", {b.ConstInts(target.shape.dims()), b.Number(*b.detail() - '0', target.dtype)}));
}

void MaskedFill(Builder& b) {
  const View& target = b.ViewOf("selfRef");
  Value value = b.In("value");
  value = value ? b.Cast(b.Reshape(value, {}), target.dtype) : b.ScalarValue("value", target.dtype);
  b.Out(b.Op("SelectV2", {b.ToBool(b.In("mask")), value, b.In("selfRef")}));
}

// start, start + step, ...
Value Steps(Builder& b, int64_t count, DataType dtype) {
  const Value index = b.Op("Range", {b.Const(atc::Tensor::Scalar(int64_t{0})), b.Const(atc::Tensor::Scalar(count)),
                                     b.Const(atc::Tensor::Scalar(int64_t{1}))});
  const Value scaled = b.Op("Mul", {b.Cast(index, dtype), b.ScalarValue("step", dtype)});
  return b.Op("Add", {scaled, b.ScalarValue("start", dtype)});
}

// Start, end, step in the output's type.
void Range(Builder& b) {
  const DataType dtype = b.ViewOf("out").dtype;
  const DataType computed = ClassOf(dtype) == TypeClass::kInteger ? dtype : dtype == DT_DOUBLE ? DT_DOUBLE : DT_FLOAT;
  const double start = b.Number("start");
  const double end = b.Number("end");
  const double step = b.Number("step");
  const double steps = (end - start) / step;
  const Shape& out = b.ViewOf("out").shape;
  // Without a finite number of steps the output says how many there are, and the elements are what the numbers give.
  if (!std::isfinite(steps) && step != 0 && out.rank() == 1) return b.Out(Steps(b, out[0], computed));
  if (step == 0 || steps < 0) b.Refuse("no steps of " + std::to_string(step) + " lead from start to end");
  // Of aclnnRange the end belongs to it, of aclnnArange not: the detail.
  const bool closed = *b.detail() == 'c';
  const int64_t count = closed ? static_cast<int64_t>(std::floor(steps)) + 1 : static_cast<int64_t>(std::ceil(steps));
  b.Out(Steps(b, count, computed));
}

void Eye(Builder& b) {
  const View& out = b.ViewOf("out");
  if (!(out.shape == Shape{b.Int("n"), b.Int("m")})) b.Refuse("argument out has shape " + ToString(out.shape) + ", not [n,m]");
  b.Out(b.Op("onnx::EyeLike", {b.Op("Fill", {b.ConstInts(out.shape.dims()), b.Number(0, out.dtype)})}, {{"opset", 9}}));
}

}  // namespace

std::vector<Recipe> MovementRecipes() {
  return {
      {"Arange", Range, "open"},
      {"Cat", Cat},
      {"ChannelShuffle", ChannelShuffle},
      {"CircularPad2d", EdgePad, "wrap2"},
      {"CircularPad3d", EdgePad, "wrap3"},
      {"ConstantPadNd", ConstantPad},
      {"Expand", Expand},
      {"Eye", Eye},
      {"Flatten", Flatten},
      {"Flip", Flip},
      {"InplaceCopy", Copy},
      {"InplaceFillScalar", FillScalar},
      {"InplaceFillTensor", FillTensor},
      {"InplaceMaskedFillScalar", MaskedFill},
      {"InplaceMaskedFillTensor", MaskedFill},
      {"InplaceOne", FillWith, "1"},
      {"InplaceTril", Triangle, "lower"},
      {"InplaceTriu", Triangle, "upper"},
      {"InplaceZero", FillWith, "0"},
      {"Permute", Permute},
      {"Range", Range, "closed"},
      {"ReflectionPad1d", EdgePad, "reflect1"},
      {"ReflectionPad2d", EdgePad, "reflect2"},
      {"ReflectionPad3d", EdgePad, "reflect3"},
      {"Repeat", Repeat},
      {"ReplicationPad1d", EdgePad, "edge1"},
      {"ReplicationPad2d", EdgePad, "edge2"},
      {"ReplicationPad3d", EdgePad, "edge3"},
      {"Roll", Roll},
      {"Slice", Slice},
      {"SliceV2", SliceV2},
      {"SplitTensor", SplitTensor},
      {"SplitWithSize", SplitWithSize},
      {"Stack", Stack},
      {"StridedSlice", StridedSlice},
      {"Tril", Triangle, "lower"},
      {"Triu", Triangle, "upper"},
  };
}

}  // namespace atc::aclnn

#include "compiler/passes/permuted_node.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "compiler/passes/constant_ints.h"

namespace atc {
namespace {

// How an operator names its axes.
enum class AxisForm {
  kAttr,         // one axis, an attribute
  kAttrList,     // some axes, an attribute
  kInput,        // one axis, a constant operand
  kInputList,    // some axes, a constant operand
  kInputPerAxis  // an entry an axis, a constant operand
};

enum class Results { kSameAxes, kDropAxes, kDropUnlessKept, kAddAxes };

struct AxisRow {
  const char* type;
  uint32_t data;  // the operand that turns; kAll: every one
  AxisForm form;
  const char* attr = nullptr;  // that names axes
  uint32_t input = 0;          // that names axes
  Results results = Results::kSameAxes;
  const char* kept = nullptr;  // the attribute (bool) by which dropped axes stay
};

constexpr uint32_t kAll = UINT32_MAX;
constexpr Results kUnlessKept = Results::kDropUnlessKept;

constexpr AxisRow kRows[] = {
    {"ArgMaxV2", 0, AxisForm::kInput, nullptr, 1, Results::kDropAxes},
    {"ConcatD", kAll, AxisForm::kAttr, "concat_dim"},
    {"Cumsum", 0, AxisForm::kInput, nullptr, 1},
    {"HardMax", 0, AxisForm::kAttr, "axis"},
    {"LogSoftmaxV2", 0, AxisForm::kAttrList, "axes"},
    {"LpNormV2", 0, AxisForm::kAttrList, "axes", 0, kUnlessKept, "keepdim"},
    {"ReduceAll", 0, AxisForm::kInputList, nullptr, 1, kUnlessKept, "keep_dims"},
    {"ReduceAny", 0, AxisForm::kInputList, nullptr, 1, kUnlessKept, "keep_dims"},
    {"ReduceLogSumExp", 0, AxisForm::kInputList, nullptr, 1, kUnlessKept, "keep_dims"},
    {"ReduceMax", 0, AxisForm::kInputList, nullptr, 1, kUnlessKept, "keep_dims"},
    {"ReduceMean", 0, AxisForm::kInputList, nullptr, 1, kUnlessKept, "keep_dims"},
    {"ReduceMin", 0, AxisForm::kInputList, nullptr, 1, kUnlessKept, "keep_dims"},
    {"ReduceProd", 0, AxisForm::kInputList, nullptr, 1, kUnlessKept, "keep_dims"},
    {"ReduceSum", 0, AxisForm::kInputList, nullptr, 1, kUnlessKept, "keep_dims"},
    {"ReduceSumD", 0, AxisForm::kAttrList, "axes", 0, kUnlessKept, "keep_dims"},
    {"ReverseV2", 0, AxisForm::kInputList, nullptr, 1},
    {"Slice", 0, AxisForm::kInputPerAxis, nullptr, 1},
    {"SoftmaxV2", 0, AxisForm::kAttrList, "axes"},
    {"Split", 1, AxisForm::kInput, nullptr, 0},
    {"SplitD", 0, AxisForm::kAttr, "split_dim"},
    {"SplitV", 0, AxisForm::kInput, nullptr, 2},
    {"Squeeze", 0, AxisForm::kAttrList, "axis", 0, Results::kDropAxes},
    {"StridedSliceV2", 0, AxisForm::kInputList, nullptr, 3},
    {"Tile", 0, AxisForm::kInputPerAxis, nullptr, 1},
    {"Unsqueeze", 0, AxisForm::kAttrList, "axes", 0, Results::kAddAxes},
    {"onnx::Split", 0, AxisForm::kAttr, "axis"},
};

const AxisRow* RowOf(const Node& node) {
  for (const AxisRow& row : kRows) {
    if (node.type() == row.type) return &row;
  }
  return nullptr;
}

// The axes that the node names, from 0 on; nothing when they are not constant, or not named at all.
std::optional<Axes> NamedAxes(const Graph& graph, const Node& node, const AxisRow& row, size_t rank) {
  Axes axes;
  switch (row.form) {
    case AxisForm::kAttr: axes = {node.Attr<int64_t>(row.attr)}; break;
    case AxisForm::kAttrList: axes = node.Attr<Axes>(row.attr); break;
    case AxisForm::kInput:
    case AxisForm::kInputList: {
      // Those of a slice are all when they are not named.
      if (node.type() == "StridedSliceV2" && (node.inputs.size() <= 3 || node.inputs[3] == kNoId)) {
        const auto begin = ConstantInts(graph, node, 1);
        if (!begin || begin->size() > rank) return std::nullopt;
        axes.resize(begin->size());
        std::iota(axes.begin(), axes.end(), int64_t{0});
        return axes;
      }
      const auto given = ConstantInts(graph, node, row.input);
      if (!given) return std::nullopt;
      axes = *given;
      break;
    }
    case AxisForm::kInputPerAxis: {
      const auto given = ConstantInts(graph, node, row.input);
      if (!given || given->size() != rank) return std::nullopt;
      return Axes{};
    }
  }
  // All of them or none, by further attributes.
  if (axes.empty()) return std::nullopt;
  const size_t counted = row.results == Results::kAddAxes ? rank + axes.size() : rank;
  for (int64_t& axis : axes) {
    if (axis < 0) axis += static_cast<int64_t>(counted);
    if (axis < 0 || axis >= static_cast<int64_t>(counted)) return std::nullopt;
  }
  return axes;
}

bool Has(const Axes& axes, size_t axis) {
  return std::find(axes.begin(), axes.end(), static_cast<int64_t>(axis)) != axes.end();
}

// Of results without `dropped` (axes of y).
Axes WithoutAxes(const Axes& order, const Axes& dropped) {
  Axes left;
  for (size_t i = 0; i < order.size(); ++i) {
    if (Has(dropped, i)) continue;
    const auto gone = std::count_if(dropped.begin(), dropped.end(), [&](int64_t axis) { return order[axis] < order[i]; });
    left.push_back(order[i] - gone);
  }
  return left;
}

// Of results with new axes, which stand at the same places in both orders.
Axes WithAxes(const Axes& order, const Axes& added) {
  const size_t rank = order.size() + added.size();
  Axes places;  // of the old axes
  for (size_t i = 0; i < rank; ++i) {
    if (!Has(added, i)) places.push_back(static_cast<int64_t>(i));
  }
  Axes wider(rank);
  size_t next = 0;
  for (size_t i = 0; i < rank; ++i) wider[i] = Has(added, i) ? static_cast<int64_t>(i) : places[order[next++]];
  return wider;
}

// Axes or entries an axis of y as those of x.
Axes Renamed(const Axes& axes, const Axes& order) {
  Axes renamed;
  for (const int64_t axis : axes) renamed.push_back(order[axis]);
  return renamed;
}

Axes Reordered(const Axes& entries, const Axes& order) {
  Axes reordered(entries.size());
  for (size_t i = 0; i < entries.size(); ++i) reordered[order[i]] = entries[i];
  return reordered;
}

bool IsScalar(const Graph& graph, ValueId value) {
  const Shape& shape = graph.desc(value).origin_shape;
  return shape.IsKnown() && shape.NumElements() == 1 && shape.rank() == 0;
}

std::optional<PermutedNode> FindElementwise(const Graph& graph, const Node& node, const Axes& order) {
  PermutedNode found;
  found.order = order;
  for (uint32_t i = 0; i < node.inputs.size(); ++i) {
    if (node.inputs[i] == kNoId || IsScalar(graph, node.inputs[i])) continue;
    const Shape& shape = graph.desc(node.inputs[i]).origin_shape;
    const bool whole = shape.HasRank() && shape.rank() == order.size();
    const Tensor* constant = graph.Constant(node.inputs[i]);
    if (constant == nullptr ? !whole : constant->rank() > order.size()) return std::nullopt;
    found.data.push_back(i);
  }
  return found;
}

constexpr const char* kPads[] = {"MirrorPad", "PadV3"};

bool IsPad(const Node& node) {
  return std::any_of(std::begin(kPads), std::end(kPads), [&](const char* type) { return node.type() == type; });
}

// Constants of a lower rank are spread over the last axes.
Tensor Turned(const Tensor& tensor, const Axes& order) {
  const Tensor whole = tensor.Materialized();
  std::vector<int64_t> dims(order.size() - whole.rank(), 1);
  dims.insert(dims.end(), whole.shape().dims().begin(), whole.shape().dims().end());
  return whole.Reshaped(Shape(dims));
}

// A constant operand of y's order as one of x's.
void TurnConstant(Graph& graph, Node& node, uint32_t input, const Axes& order) {
  const Tensor wide = Turned(*graph.ConstantInput(node, input), order);
  const ValueId before = node.inputs[input];
  const std::string name = graph.producer(before).name;
  const OriginId origin = graph.producer(before).origin;
  const Axes back = InverseOrder(order);
  Shape shape = wide.shape();
  for (size_t i = 0; i < back.size(); ++i) shape[i] = wide.dim(back[i]);
  const auto moved = static_cast<size_t>(std::count_if(wide.shape().dims().begin(), wide.shape().dims().end(),
                                                       [](int64_t dim) { return dim != 1; }));
  if (moved <= 1) {
    graph.SetInput(node, input, graph.AddConst(name, wide.Reshaped(shape), origin));
    return;
  }
  // Turned by a Transpose of constants, which folding takes in.
  const ValueId constant = graph.AddConst(name, wide, origin);
  const ValueId perm = graph.AddConst(name + "_perm", Tensor::Ints(back), origin);
  Node& turn = graph.Add("Transpose", name + "_turned", {constant, perm}, 1);
  turn.origin = origin;
  graph.desc(turn.outputs[0]) = TensorDesc(wide.dtype(), shape);
  graph.SetInput(node, input, turn.outputs[0]);
}

void SetInts(Graph& graph, Node& node, uint32_t input, const Axes& ints, bool scalar) {
  Tensor tensor = Tensor::Ints(ints);
  if (scalar) tensor = tensor.Reshaped(Shape(std::vector<int64_t>{}));
  const ValueId value = graph.AddConst(node.name + "_axes", std::move(tensor), node.origin);
  while (node.inputs.size() <= input) graph.AddInput(node, kNoId);
  graph.SetInput(node, input, value);
}

void PermutePads(Graph& graph, Node& node, const Axes& order) {
  const Axes pads = *ConstantInts(graph, node, 1);
  const size_t rank = order.size();
  const bool pairs = node.Attr<bool>("paddings_contiguous");
  Axes turned(pads.size());
  for (size_t i = 0; i < rank; ++i) {
    const auto to = static_cast<size_t>(order[i]);
    for (size_t end = 0; end < 2; ++end) turned[pairs ? 2 * to + end : end * rank + to] = pads[pairs ? 2 * i + end : end * rank + i];
  }
  Tensor tensor = Tensor::Ints(turned).Reshaped(graph.ConstantInput(node, 1)->shape());
  graph.SetInput(node, 1, graph.AddConst(node.name + "_paddings", std::move(tensor), node.origin));
}

}  // namespace

Axes InverseOrder(const Axes& order) {
  Axes inverse(order.size());
  for (size_t i = 0; i < order.size(); ++i) inverse[order[i]] = static_cast<int64_t>(i);
  return inverse;
}

Axes ComposedOrder(const Axes& first, const Axes& second) {
  Axes composed;
  for (const int64_t axis : second) composed.push_back(first[axis]);
  return composed;
}

bool IsIdentityOrder(const Axes& order) {
  for (size_t i = 0; i < order.size(); ++i) {
    if (order[i] != static_cast<int64_t>(i)) return false;
  }
  return true;
}

std::optional<Axes> OrderOf(const Graph& graph, const Node& node) {
  std::optional<Axes> order;
  if (node.type() == "Transpose") order = ConstantInts(graph, node, 1);
  if (node.type() == "TransposeD") order = node.Attr<Axes>("perm");
  if (!order) return std::nullopt;
  for (int64_t& axis : *order) {
    if (axis < 0) axis += static_cast<int64_t>(order->size());
  }
  return order;
}

std::optional<PermutedNode> FindPermuted(const Graph& graph, const Node& node, const Axes& order) {
  if (node.fused || !node.subgraphs.empty() || node.Is(kStateful)) return std::nullopt;
  if (node.Is(kElementwise | kLayoutAgnostic)) return FindElementwise(graph, node, order);
  const auto fits = [&](uint32_t input) {
    const Shape& shape = graph.desc(node.inputs[input]).origin_shape;
    return node.inputs[input] != kNoId && shape.HasRank() && shape.rank() == order.size();
  };
  if (IsPad(node)) {
    const auto pads = ConstantInts(graph, node, 1);
    if (!pads || pads->size() != 2 * order.size() || !fits(0)) return std::nullopt;
    return PermutedNode{{0}, order};
  }
  const AxisRow* row = RowOf(node);
  if (row == nullptr) return std::nullopt;
  PermutedNode found;
  for (uint32_t i = 0; i < node.inputs.size(); ++i) {
    if (row->data != kAll && row->data != i) continue;
    if (!fits(i)) return std::nullopt;
    found.data.push_back(i);
  }
  const std::optional<Axes> axes = NamedAxes(graph, node, *row, order.size());
  if (!axes) return std::nullopt;
  if (node.type() == "Slice" && !ConstantInts(graph, node, 2)) return std::nullopt;
  if (node.type() == "StridedSliceV2") {
    for (const char* mask : {"ellipsis_mask", "new_axis_mask", "shrink_axis_mask"}) {
      if (node.Attr<int64_t>(mask) != 0) return std::nullopt;
    }
  }
  const bool drops = row->results == Results::kDropAxes || (row->results == kUnlessKept && !node.Attr<bool>(row->kept));
  found.order = drops ? WithoutAxes(order, *axes) : row->results == Results::kAddAxes ? WithAxes(order, *axes) : order;
  return found;
}

void PermuteParameters(Graph& graph, Node& node, const PermutedNode& permuted, const Axes& order) {
  for (const uint32_t input : permuted.data) {
    if (graph.ConstantInput(node, input) != nullptr) TurnConstant(graph, node, input, order);
  }
  if (node.Is(kElementwise | kLayoutAgnostic)) return;
  if (IsPad(node)) return PermutePads(graph, node, order);
  const AxisRow& row = *RowOf(node);
  if (row.form == AxisForm::kInputPerAxis) {
    const uint32_t lists = node.type() == "Slice" ? 2 : 1;
    for (uint32_t i = 0; i < lists; ++i) {
      SetInts(graph, node, row.input + i, Reordered(*ConstantInts(graph, node, row.input + i), order), false);
    }
    return;
  }
  const Axes axes = *NamedAxes(graph, node, row, order.size());
  // New axes stand where they stood.
  const Axes renamed = row.results == Results::kAddAxes ? axes : Renamed(axes, order);
  switch (row.form) {
    case AxisForm::kAttr: node.attrs.Set(row.attr, renamed[0]); break;
    case AxisForm::kAttrList: node.attrs.Set(row.attr, AttrValue(renamed)); break;
    case AxisForm::kInput: {
      const bool scalar = graph.ConstantInput(node, row.input)->rank() == 0;
      SetInts(graph, node, row.input, renamed, scalar);
      break;
    }
    default: SetInts(graph, node, row.input, renamed, false);
  }
}

TensorDesc TurnedBack(const TensorDesc& desc, const Axes& order) {
  TensorDesc turned = desc;
  const Axes back = InverseOrder(order);
  Shape shape = desc.origin_shape;
  for (size_t i = 0; i < back.size() && shape.HasRank(); ++i) {
    shape[i] = desc.origin_shape[back[i]];
    if (!desc.ranges.empty()) turned.ranges[i] = desc.ranges[back[i]];
    if (!desc.symbols.empty()) turned.symbols[i] = desc.symbols[back[i]];
  }
  turned.SetShape(shape);
  turned.SetFormat(FORMAT_ND);
  return turned;
}

}  // namespace atc

#include "compiler/ops/strided_view.h"

#include <algorithm>
#include <string_view>

namespace atc {

// ---- the view ----

StridedView StridedView::Of(const Shape& shape) {
  StridedView view;
  const std::vector<int64_t> strides = shape.Strides();
  for (size_t d = 0; d < shape.rank(); ++d) {
    view.dims_.emplace_back();
    Append(view.dims_.back(), {shape[d], strides[d]});
  }
  return view;
}

void StridedView::Append(Dim& dim, Factor factor) {
  if (factor.size == 1) return;
  if (!dim.empty() && dim.back().stride == factor.size * factor.stride) {
    dim.back() = {dim.back().size * factor.size, factor.stride};
  } else {
    dim.push_back(factor);
  }
}

int64_t StridedView::Size(size_t dim) const {
  int64_t size = 1;
  for (const Factor& factor : dims_[dim]) size *= factor.size;
  return size;
}

std::optional<int64_t> StridedView::Stride(size_t dim) const {
  if (dims_[dim].size() > 1) return std::nullopt;
  return dims_[dim].empty() ? 0 : dims_[dim][0].stride;
}

std::vector<int64_t> StridedView::Offsets(size_t first, size_t last) const {
  std::vector<int64_t> offsets = {offset_};
  for (size_t d = first; d < last; ++d) {
    for (const Factor& factor : dims_[d]) {
      std::vector<int64_t> next;
      for (const int64_t offset : offsets) {
        for (int64_t i = 0; i < factor.size; ++i) next.push_back(offset + i * factor.stride);
      }
      offsets = std::move(next);
    }
  }
  return offsets;
}

bool StridedView::Reshape(const std::vector<int64_t>& sizes) {
  Dim all;
  for (const Dim& dim : dims_) {
    for (const Factor& factor : dim) Append(all, factor);
  }
  std::vector<Dim> made;
  size_t at = 0;
  for (const int64_t size : sizes) {
    int64_t left = size;
    made.emplace_back();
    while (left > 1) {
      if (at == all.size()) return false;
      Factor& factor = all[at];
      if (left % factor.size == 0) {
        Append(made.back(), factor);
        left /= factor.size;
        ++at;
      } else if (factor.size % left == 0) {
        const int64_t inner = factor.size / left;
        Append(made.back(), {left, factor.stride * inner});
        factor.size = inner;
        left = 1;
      } else {
        return false;
      }
    }
    if (left != 1) return false;
  }
  dims_ = std::move(made);
  return at == all.size();
}

bool StridedView::Permute(const std::vector<int64_t>& perm) {
  if (perm.size() != dims_.size()) return false;
  std::vector<Dim> made;
  for (const int64_t from : perm) {
    const int64_t dim = from < 0 ? from + static_cast<int64_t>(dims_.size()) : from;
    if (dim < 0 || dim >= static_cast<int64_t>(dims_.size())) return false;
    made.push_back(dims_[static_cast<size_t>(dim)]);
  }
  dims_ = std::move(made);
  return true;
}

bool StridedView::Broadcast(const std::vector<int64_t>& sizes) {
  if (sizes.size() < dims_.size()) return false;
  dims_.insert(dims_.begin(), sizes.size() - dims_.size(), Dim());
  for (size_t d = 0; d < sizes.size(); ++d) {
    const int64_t have = Size(d);
    if (have == sizes[d]) continue;
    if (have != 1 || sizes[d] < 1) return false;
    dims_[d] = {{sizes[d], 0}};
  }
  return true;
}

bool StridedView::Narrow(size_t dim, int64_t begin, int64_t size) {
  if (begin < 0 || size < 1 || begin + size > Size(dim)) return false;
  if (size == Size(dim)) return true;
  Dim& factors = dims_[dim];
  // The inner factors stay whole.
  int64_t inner = 1;
  for (size_t i = 1; i < factors.size(); ++i) inner *= factors[i].size;
  if (size % inner != 0 || begin % inner != 0) return false;
  offset_ += begin / inner * factors[0].stride;
  factors[0].size = size / inner;
  const Dim before = std::exchange(factors, {});
  for (const Factor& factor : before) Append(factors, factor);
  return true;
}

bool StridedView::Select(size_t dim, int64_t index) {
  if (!Narrow(dim, index, 1)) return false;
  dims_.erase(dims_.begin() + static_cast<std::ptrdiff_t>(dim));
  return true;
}

// ---- operators ----

namespace {

bool IsType(const Node& node, std::initializer_list<std::string_view> types) {
  return std::any_of(types.begin(), types.end(), [&](std::string_view type) { return node.type().str() == type; });
}

std::optional<std::vector<int64_t>> Ints(const Graph& graph, const Node& node, uint32_t input) {
  if (input >= node.inputs.size() || node.inputs[input] == kNoId) return std::nullopt;
  const Tensor* constant = graph.Constant(node.inputs[input]);
  if (constant == nullptr || !IsInteger(constant->dtype())) return std::nullopt;
  return ToInts(constant->Materialized());
}

std::optional<std::vector<int64_t>> Perm(const Graph& graph, const Node& node) {
  if (const auto* perm = node.attrs.FindAs<std::vector<int64_t>>("perm")) return *perm;
  return Ints(graph, node, 1);
}

std::optional<size_t> Axis(std::optional<std::vector<int64_t>> value, size_t rank) {
  if (!value || value->size() != 1) return std::nullopt;
  const int64_t axis = (*value)[0] < 0 ? (*value)[0] + static_cast<int64_t>(rank) : (*value)[0];
  return axis < 0 || axis >= static_cast<int64_t>(rank) ? std::nullopt : std::optional(static_cast<size_t>(axis));
}

bool ApplyGather(const Graph& graph, const Node& node, StridedView* view) {
  const auto index = Ints(graph, node, 1);
  const auto axis = Axis(Ints(graph, node, 2), view->rank());
  if (!index || index->size() != 1 || graph.desc(node.inputs[1]).origin_shape.rank() != 0 || !axis) return false;
  if (node.Attr<int64_t>("batch_dims") != 0) return false;
  return view->Select(*axis, (*index)[0] < 0 ? (*index)[0] + view->Size(*axis) : (*index)[0]);
}

// Outputs lie one behind the other along the axis.
bool ApplySplit(const Graph& graph, const Node& node, uint32_t output, StridedView* view) {
  std::optional<std::vector<int64_t>> named;
  if (IsType(node, {"SplitD"})) named = {{node.Attr<int64_t>("split_dim")}};
  if (IsType(node, {"Split"})) named = Ints(graph, node, 0);
  if (IsType(node, {"SplitV"})) named = Ints(graph, node, 2);
  if (IsType(node, {"onnx::Split"})) named = {{node.Attr<int64_t>("axis")}};
  const auto axis = Axis(named, view->rank());
  if (!axis) return false;
  int64_t begin = 0;
  for (uint32_t i = 0; i < output; ++i) begin += graph.desc(node.outputs[i]).origin_shape[*axis];
  return view->Narrow(*axis, begin, graph.desc(node.outputs[output]).origin_shape[*axis]);
}

bool ApplySlice(const Graph& graph, const Node& node, StridedView* view) {
  const auto begin = Ints(graph, node, 1);
  const Shape& to = graph.desc(node.outputs[0]).origin_shape;
  if (!begin || to.rank() != view->rank()) return false;
  std::vector<int64_t> axes;
  if (IsType(node, {"StridedSliceV2"})) {
    for (const char* mask : {"begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask"}) {
      if (node.attrs.Get<int64_t>(mask, 0) != 0) return false;
    }
    if (node.inputs.size() > 3 && node.inputs[3] != kNoId) {
      const auto named = Ints(graph, node, 3);
      if (!named) return false;
      axes = *named;
    }
    if (node.inputs.size() > 4 && node.inputs[4] != kNoId) {
      const auto steps = Ints(graph, node, 4);
      if (!steps || std::any_of(steps->begin(), steps->end(), [](int64_t step) { return step != 1; })) return false;
    }
  }
  for (size_t i = 0; i < begin->size(); ++i) {
    const auto axis = Axis(std::vector{axes.empty() ? static_cast<int64_t>(i) : axes[i]}, view->rank());
    if (!axis) return false;
    const int64_t size = view->Size(*axis);
    const int64_t from = std::clamp<int64_t>((*begin)[i] < 0 ? (*begin)[i] + size : (*begin)[i], 0, size);
    if (!view->Narrow(*axis, from, to[*axis])) return false;
  }
  return true;
}

}  // namespace

std::optional<uint32_t> ViewedInput(const Node& node) {
  if (node.type() == "Split") return 1;
  if (node.Is(kShapeOnly)) return 0;
  if (IsType(node, {"BroadcastTo", "Expand", "GatherV2", "Slice", "SplitD", "SplitV", "StridedSliceV2", "Tile",
                    "Transpose", "TransposeD", "onnx::Split"})) {
    return 0;
  }
  return std::nullopt;
}

bool ApplyView(const Graph& graph, const Node& node, uint32_t output, StridedView* view) {
  const Shape& to = graph.desc(node.outputs[output]).origin_shape;
  if (!to.IsKnown()) return false;
  if (IsType(node, {"Transpose", "TransposeD"})) {
    const auto perm = Perm(graph, node);
    return perm && view->Permute(*perm);
  }
  if (node.type() == "GatherV2") return ApplyGather(graph, node, view);
  if (IsType(node, {"Split", "SplitD", "SplitV", "onnx::Split"})) return ApplySplit(graph, node, output, view);
  if (IsType(node, {"Slice", "StridedSliceV2"})) return ApplySlice(graph, node, view);
  // What repeats a dim of one element broadcasts it.
  if (IsType(node, {"BroadcastTo", "Expand", "Tile"})) return view->Broadcast(to.dims());
  return view->Reshape(to.dims());
}

bool InvertView(const Graph& graph, const Node& node, StridedView* view) {
  const Shape& from = graph.desc(node.inputs[0]).origin_shape;
  if (!from.IsKnown()) return false;
  if (node.Is(kShapeOnly)) return view->Reshape(from.dims());
  const auto perm = IsType(node, {"Transpose", "TransposeD"}) ? Perm(graph, node) : std::nullopt;
  if (!perm || perm->size() != from.rank()) return false;
  std::vector<int64_t> inverse(perm->size());
  for (size_t i = 0; i < perm->size(); ++i) {
    const int64_t at = (*perm)[i] < 0 ? (*perm)[i] + static_cast<int64_t>(perm->size()) : (*perm)[i];
    if (at < 0 || at >= static_cast<int64_t>(perm->size())) return false;
    inverse[static_cast<size_t>(at)] = static_cast<int64_t>(i);
  }
  return view->Permute(inverse);
}

}  // namespace atc

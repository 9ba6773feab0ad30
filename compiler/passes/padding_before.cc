#include "compiler/passes/padding_before.h"

#include <algorithm>

#include "compiler/ir/stream_label.h"
#include "compiler/ir/user_dtype.h"
#include "compiler/passes/constant_ints.h"

namespace atc {
namespace {

using Ints = std::vector<int64_t>;

}  // namespace

std::optional<ConstantPadding> ConstantPaddingOf(const Graph& graph, const Node& pad) {
  const bool onnx = pad.type() == "onnx::Pad";
  if (!onnx && !(pad.type() == "PadV3")) return std::nullopt;
  const Shape& shape = graph.desc(pad.inputs[0]).origin_shape;
  const auto list = HasInput(pad, 1) ? ConstantInts(graph, pad, 1) : std::nullopt;
  if (pad.Attr<std::string>("mode") != "constant" || !list || !shape.HasRank()) return std::nullopt;
  std::optional<Ints> axes;
  if (HasInput(pad, 3) && !(axes = ConstantInts(graph, pad, 3))) return std::nullopt;
  const size_t rank = shape.rank(), count = axes ? axes->size() : rank;
  if (list->size() != 2 * count) return std::nullopt;
  ConstantPadding found{Ints(rank, 0), Ints(rank, 0)};
  const bool pairs = !onnx && pad.Attr<bool>("paddings_contiguous");
  for (size_t i = 0; i < count; ++i) {
    int64_t axis = axes ? (*axes)[i] : static_cast<int64_t>(i);
    if (axis < 0) axis += static_cast<int64_t>(rank);
    if (axis < 0 || axis >= static_cast<int64_t>(rank)) return std::nullopt;
    found.begin[axis] = (*list)[pairs ? 2 * i : i];
    found.end[axis] = (*list)[pairs ? 2 * i + 1 : i + count];
    if (found.begin[axis] < 0 || found.end[axis] < 0) return std::nullopt;
  }
  found.value = pad.attrs.Get<float>("value", 0.0f);
  if (HasInput(pad, 2)) {
    const Tensor* value = graph.ConstantInput(pad, 2);
    if (value == nullptr || value->NumElements() != 1 || !(IsFloating(value->dtype()) || IsInteger(value->dtype()))) {
      return std::nullopt;
    }
    found.value = ToDoubles(value->Materialized())[0];
  }
  return found;
}

std::optional<PaddingBefore> FindPaddingBefore(const Graph& graph, const Node& node, uint32_t data, bool channels_last) {
  PaddingBefore found;
  const Node* pad = &graph.producer(node.inputs[data]);
  Ints inserted;
  const auto shares = [&](const Node& other) {
    return StreamLabelOf(other) == StreamLabelOf(node) && !HasUserDtype(other) && other.control_in.empty() &&
           other.control_out.empty();
  };
  if (pad->type() == "Unsqueeze" && graph.value(pad->outputs[0]).uses.size() == 1 && shares(*pad)) {
    inserted = pad->Attr<Ints>("axes");
    const auto rank = static_cast<int64_t>(graph.desc(pad->outputs[0]).origin_shape.dims().size());
    for (int64_t& axis : inserted) axis += axis < 0 ? rank : 0;
    found.unsqueeze = pad->id;
    pad = &graph.producer(pad->inputs[0]);
  }
  const std::optional<ConstantPadding> padding = ConstantPaddingOf(graph, *pad);
  if (!padding || !shares(*pad)) return std::nullopt;
  found.pad = pad->id;
  found.value = padding->value;
  std::vector<std::pair<int64_t, int64_t>> edges;  // of all axes
  size_t next = 0;
  for (size_t i = 0; i < padding->begin.size() + inserted.size(); ++i) {
    const bool is_new = std::find(inserted.begin(), inserted.end(), static_cast<int64_t>(i)) != inserted.end();
    edges.push_back(is_new ? std::pair<int64_t, int64_t>() : std::pair(padding->begin[next], padding->end[next]));
    next += is_new ? 0 : 1;
  }
  if (edges.size() < 3) return std::nullopt;
  const size_t channels = channels_last ? edges.size() - 1 : 1;
  const std::pair<int64_t, int64_t> none;
  if (edges[0] != none || edges[channels] != none) return std::nullopt;
  for (size_t i = 1; i < edges.size(); ++i) {
    if (i != channels) found.edges.push_back(edges[i]);
  }
  return found;
}

void BypassPadding(Graph& graph, Node& node, uint32_t data, const PaddingBefore& padding) {
  const Node& pad = graph.node(padding.pad);
  const ValueId x = pad.inputs[0];
  node.origin = graph.origins().Union(node.origin, pad.origin);
  if (padding.unsqueeze == kNoId) {
    graph.SetInput(node, data, x);
  } else {
    Node& unsqueeze = graph.node(padding.unsqueeze);
    graph.SetInput(unsqueeze, 0, x);
    TensorDesc& desc = graph.desc(unsqueeze.outputs[0]);
    const Shape& shape = graph.desc(x).origin_shape;
    const Ints axes = unsqueeze.Attr<Ints>("axes");
    const auto rank = static_cast<int64_t>(desc.origin_shape.rank());
    Shape wide = desc.origin_shape;
    size_t next = 0;
    for (int64_t i = 0; i < rank; ++i) {
      const bool is_new = std::any_of(axes.begin(), axes.end(), [&](int64_t axis) { return axis == i || axis + rank == i; });
      wide[static_cast<size_t>(i)] = is_new ? 1 : shape[next++];
    }
    desc.SetShape(wide);
    desc.ranges.clear();
    desc.symbols.clear();
  }
  if (graph.value(pad.outputs[0]).uses.empty()) graph.Remove(padding.pad);
}

std::vector<int64_t> JoinedPads(const PaddingBefore& padding, const std::vector<WindowAxis>& axes) {
  Ints pads;
  for (size_t d = 0; d < axes.size(); ++d) {
    pads.push_back(padding.edges[d].first + axes[d].pad_begin);
    pads.push_back(padding.edges[d].second + axes[d].pad_end);
  }
  return pads;
}

}  // namespace atc

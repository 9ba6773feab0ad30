#include "compiler/plan/parts.h"

#include <algorithm>
#include <unordered_set>

#include "compiler/ir/blocked_formats.h"
#include "compiler/ir/device_slot.h"
#include "compiler/ir/stream_label.h"
#include "compiler/ir/tensor.h"
#include "compiler/plan/buffers.h"

namespace atc {
namespace {

constexpr int64_t kPartAlign = 32;  // bytes

// Where the operands and the axis of an operator are.
struct PartRow {
  const char* type;
  bool joins;
  uint32_t data;           // the input that parts; of what joins all are data
  const char* axis;        // the attribute, or
  uint32_t axis_input = 0;  // the input that holds it
  bool new_axis = false;   // the whole has one dim more than its parts
};

constexpr PartRow kPartRows[] = {
    {"ConcatD", true, 0, "concat_dim"},         {"Pack", true, 0, "axis", 0, true},
    {"Split", false, 1, nullptr, 0},            {"SplitD", false, 0, "split_dim"},
    {"SplitV", false, 0, nullptr, 2},           {"Unpack", false, 0, "axis", 0, true},
    {"onnx::Split", false, 0, "axis"},
};

const PartRow* FindRow(const Node& node) {
  const auto row = std::find_if(std::begin(kPartRows), std::end(kPartRows),
                                [&](const PartRow& r) { return node.type() == r.type; });
  return row == std::end(kPartRows) ? nullptr : row;
}

int64_t StorageBytes(const TensorDesc& desc) {
  return static_cast<int64_t>(DataTypeBytes(desc.dtype, desc.shape.NumElements()));
}

bool IsPlainBytes(const TensorDesc& desc) {
  return desc.shape.IsKnown() && desc.origin_shape.IsKnown() && desc.dtype != DT_UNDEFINED && desc.dtype != DT_STRING &&
         desc.dtype != DT_VARIANT && DataTypeBits(desc.dtype) % 8 == 0;
}

// The axis in [0, rank of the whole).
std::optional<size_t> AxisOf(const Graph& graph, const Node& node, const PartRow& row, size_t rank) {
  int64_t axis = 0;
  if (row.axis != nullptr) {
    axis = node.Attr<int64_t>(row.axis);
  } else {
    const Tensor* given = graph.ConstantInput(node, row.axis_input);
    if (given == nullptr || given->NumElements() != 1 || !IsInteger(given->dtype())) return std::nullopt;
    axis = ToInts(given->Materialized())[0];
  }
  if (axis < 0) axis += static_cast<int64_t>(rank);
  if (axis < 0 || axis >= static_cast<int64_t>(rank)) return std::nullopt;
  return static_cast<size_t>(axis);
}

// Whether parts along the axis lie one after the other in a tensor of this desc.
bool LiesInParts(const TensorDesc& whole, bool channels_last, size_t axis) {
  if (channels_last || IsBlocked(whole.format)) {
    // Without padding both views are alike from sample to sample, and only there.
    return axis == 0 && whole.shape.NumElements() == whole.origin_shape.NumElements();
  }
  if (!(whole.shape == whole.origin_shape)) return false;
  for (size_t d = 0; d < axis; ++d) {
    if (whole.shape[d] != 1) return false;
  }
  return true;
}

class Marker {
 public:
  explicit Marker(Graph& graph) : graph_(graph) {}

  std::vector<NodeId> Run(NoTaskKinds kinds, const std::function<bool(const Node&, bool joins)>& allow) {
    std::vector<NodeId> marked;
    for (const NodeId id : graph_.TopologicalOrder()) {
      Node& node = graph_.node(id);
      const PartRow* row = FindRow(node);
      if (row == nullptr || !(row->joins ? kinds.joins : kinds.parts) || StatedByUser(node)) continue;
      const std::optional<Parts> parts = FindParts(graph_, node);
      if (!parts || !(row->joins ? CanJoin(*parts) : CanPart(*parts))) continue;
      if (allow && !allow(node, row->joins)) continue;
      node.attrs.Set(kNoTaskFlag, true);
      node.attrs.Set(row->joins ? "_no_padding_continuous_input" : "_no_padding_continuous_output", true);
      node.attrs.Set(row->joins ? "_output_reuse_input" : "_input_reuse_output", true);
      node.attrs.Set("_reuse_input_on_dim_index", int64_t{0});
      node.stream = -1;
      node.Because("task", row->joins ? "none: its inputs are written into its output" : "none: its outputs lie in its input");
      marked.push_back(id);
    }
    return marked;
  }

 private:
  static bool StatedByUser(const Node& node) {
    return !StreamLabelOf(node).empty() || node.attrs.Get<bool>(kNoReuseFlag, false);
  }

  bool SizesFit(const Parts& parts) const {
    return !parts.values.empty() && std::all_of(parts.values.begin(), parts.values.end(), [&](ValueId part) {
      const int64_t bytes = StorageBytes(graph_.desc(part));
      return bytes > 0 && bytes % kPartAlign == 0;
    });
  }

  // Whose bytes a value's are; kNoId where they are part of another value's.
  ValueId Written(ValueId value) const {
    while (AliasesInput(graph_, graph_.producer(value))) value = graph_.producer(value).inputs[0];
    const Node& producer = graph_.producer(value);
    const bool part = producer.attrs.Get<bool>(kNoTaskFlag, false) && !FindRow(producer)->joins;
    return part ? kNoId : value;
  }

  // Whether the model gives these bytes away.
  bool Leaves(ValueId first) const {
    std::vector<ValueId> open = {first};
    while (!open.empty()) {
      const ValueId value = open.back();
      open.pop_back();
      for (const Use& use : graph_.value(value).uses) {
        const Node& user = graph_.node(use.node);
        if (user.type() == "NetOutput") return true;
        if (AliasesInput(graph_, user) && use.input == 0) open.insert(open.end(), user.outputs.begin(), user.outputs.end());
      }
    }
    return false;
  }

  bool CanJoin(const Parts& parts) {
    if (!SizesFit(parts)) return false;
    std::vector<ValueId> written;
    for (const ValueId part : parts.values) {
      const ValueId value = Written(part);
      if (value == kNoId || claimed_.contains(value) || Leaves(value)) return false;
      const Node& producer = graph_.producer(value);
      if (producer.Is(kNoTask) || !producer.subgraphs.empty() || producer.attrs.Get<bool>(kNoReuseFlag, false)) return false;
      written.push_back(value);
    }
    std::sort(written.begin(), written.end());
    if (std::adjacent_find(written.begin(), written.end()) != written.end()) return false;
    claimed_.insert(written.begin(), written.end());
    return true;
  }

  bool CanPart(const Parts& parts) const {
    if (!SizesFit(parts)) return false;
    const ValueId whole = Written(parts.whole);
    if (whole != kNoId && graph_.producer(whole).type() == "Const") return false;
    return std::none_of(parts.values.begin(), parts.values.end(), [&](ValueId part) { return Leaves(part); });
  }

  Graph& graph_;
  std::unordered_set<ValueId> claimed_;  // lies in what joins it
};

}  // namespace

std::optional<Parts> FindParts(const Graph& graph, const Node& node) {
  const PartRow* row = FindRow(node);
  if (row == nullptr || node.outputs.empty() || node.inputs.size() <= row->data) return std::nullopt;
  Parts parts;
  parts.whole = row->joins ? node.outputs[0] : node.inputs[row->data];
  parts.values = row->joins ? node.inputs : node.outputs;
  const auto usable = [&](ValueId value) { return value != kNoId && IsPlainBytes(graph.desc(value)); };
  if (!usable(parts.whole) || !std::all_of(parts.values.begin(), parts.values.end(), usable)) return std::nullopt;
  const TensorDesc& whole = graph.desc(parts.whole);
  const std::optional<size_t> axis = AxisOf(graph, node, *row, whole.origin_shape.rank());
  if (!axis || !LiesInParts(whole, HoldsChannelsLast(graph, parts.whole), *axis)) return std::nullopt;
  int64_t at = 0;
  for (const ValueId part : parts.values) {
    const TensorDesc& desc = graph.desc(part);
    if (desc.dtype != whole.dtype || (!row->new_axis && desc.format != whole.format)) return std::nullopt;
    if (row->new_axis && !(desc.shape == desc.origin_shape)) return std::nullopt;
    if (HoldsChannelsLast(graph, part) != HoldsChannelsLast(graph, parts.whole)) return std::nullopt;
    parts.at.push_back(at);
    at += StorageBytes(desc);
  }
  if (at != StorageBytes(whole)) return std::nullopt;
  return parts;
}

std::optional<Parts> MarkedParts(const Graph& graph, const Node& node) {
  return node.attrs.Get<bool>(kNoTaskFlag, false) ? FindParts(graph, node) : std::nullopt;
}

bool AliasesInput(const Graph& graph, const Node& node) {
  if (node.inputs.empty() || node.inputs[0] == kNoId || graph.Constant(node.inputs[0]) != nullptr) return false;
  return node.Is(kShapeOnly) || KeepsSlot(graph, node);
}

std::vector<NodeId> MarkNoTask(Graph& graph, NoTaskKinds kinds, const std::function<bool(const Node&, bool joins)>& allow) {
  return Marker(graph).Run(kinds, allow);
}

}  // namespace atc

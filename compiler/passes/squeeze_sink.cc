#include "compiler/passes/squeeze_sink.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compiler/ir/stream_label.h"
#include "compiler/ir/user_dtype.h"
#include "compiler/ops/data_format.h"

namespace atc {
namespace {

using Ints = std::vector<int64_t>;

constexpr const char* kWindows[] = {"AvgPoolV2", "Conv2D", "Conv2DTranspose", "Conv3D", "Conv3DTranspose", "MaxPoolV3"};

// Axes of the wider tensor, sorted.
std::optional<Ints> AxesOf(const Graph& graph, const Node& node) {
  const bool narrows = node.type() == "Squeeze";
  if (!narrows && !(node.type() == "Unsqueeze")) return std::nullopt;
  const Shape& wide = graph.desc(narrows ? node.inputs[0] : node.outputs[0]).origin_shape;
  if (!wide.HasRank()) return std::nullopt;
  Ints axes = node.Attr<Ints>(narrows ? "axis" : "axes");
  for (int64_t& axis : axes) axis += axis < 0 ? static_cast<int64_t>(wide.rank()) : 0;
  std::sort(axes.begin(), axes.end());
  return axes.empty() ? std::nullopt : std::optional(axes);
}

bool Has(const Ints& axes, size_t axis) { return std::binary_search(axes.begin(), axes.end(), static_cast<int64_t>(axis)); }

// `narrow`, with dims of 1 at `axes`.
template <typename List>
List Widened(const List& narrow, const Ints& axes, typename List::value_type one) {
  List wide;
  size_t next = 0;
  for (size_t i = 0; i < narrow.size() + axes.size(); ++i) wide.push_back(Has(axes, i) ? one : narrow[next++]);
  return wide;
}

TensorDesc WidenedDesc(const TensorDesc& narrow, const Ints& axes, Format format) {
  TensorDesc wide = narrow;
  wide.SetShape(Shape(Widened(narrow.origin_shape.dims(), axes, int64_t{1})));
  if (!narrow.ranges.empty()) wide.ranges = Widened(narrow.ranges, axes, DimRange{1, 1});
  if (!narrow.symbols.empty()) wide.symbols = Widened(narrow.symbols, axes, std::string());
  wide.SetFormat(format);
  return wide;
}

class Sinker {
 public:
  Sinker(Graph& graph, PassContext& context) : graph_(graph), context_(context) {}

  bool Run() {
    for (const NodeId id : graph_.TopologicalOrder()) {
      Node& node = graph_.node(id);
      if (!node.alive || node.outputs.size() != 1 || node.inputs.empty()) continue;
      if (node.type() == "Unsqueeze") {
        Cancel(node);
      } else {
        Sink(node);
      }
    }
    return changed_;
  }

 private:
  // The Squeeze that gives this value behind a window operator, or behind what has been moved to one.
  const Node* SqueezeOf(ValueId value) const {
    if (value == kNoId) return nullptr;
    const Node& squeeze = graph_.producer(value);
    if (!(squeeze.type() == "Squeeze") || !AxesOf(graph_, squeeze)) return nullptr;
    const Node& behind = graph_.producer(squeeze.inputs[0]);
    const bool window = std::any_of(std::begin(kWindows), std::end(kWindows), [&](const char* type) { return behind.type() == type; });
    return window || moved_.contains(behind.id) ? &squeeze : nullptr;
  }

  void Cancel(Node& unsqueeze) {
    const Node* squeeze = SqueezeOf(unsqueeze.inputs[0]);
    if (squeeze == nullptr || AxesOf(graph_, *squeeze) != AxesOf(graph_, unsqueeze)) return;
    if (!context_.journal.Allow("Unsqueeze of Squeeze", {squeeze, &unsqueeze})) return;
    const NodeId before = squeeze->id;
    Node& producer = graph_.producer(squeeze->inputs[0]);
    producer.origin = graph_.origins().Union(producer.origin, unsqueeze.origin);
    context_.journal.Made(producer);
    graph_.ReplaceUses(unsqueeze.outputs[0], squeeze->inputs[0]);
    graph_.Remove(unsqueeze.id);
    if (graph_.value(graph_.node(before).outputs[0]).uses.empty()) graph_.Remove(before);
    changed_ = true;
  }

  // The operands that widen; nothing for operators that are not known to work on wider ones too.
  std::optional<std::vector<uint32_t>> Operands(const Node& node, const Ints& axes, size_t rank) const {
    if (node.fused || node.Is(kStateful) || HasUserDtype(node)) return std::nullopt;
    std::vector<uint32_t> operands;
    if (node.type() == "BatchNorm") {
      // The channels stay the second axis.
      if (IsChannelsLast(node) || node.Attr<bool>("is_training") || axes.front() < 2) return std::nullopt;
      return std::vector<uint32_t>{0};
    }
    const bool joins = node.type() == "ConcatD";
    if (!joins && !node.Is(kElementwise | kLayoutAgnostic)) return std::nullopt;
    for (uint32_t i = 0; i < node.inputs.size(); ++i) {
      if (node.inputs[i] == kNoId) continue;
      const Shape& shape = graph_.desc(node.inputs[i]).origin_shape;
      if (!shape.HasRank() || shape.rank() > rank || (joins && shape.rank() != rank)) return std::nullopt;
      if (shape.rank() == 0) continue;
      if (shape.rank() != rank && graph_.Constant(node.inputs[i]) == nullptr) return std::nullopt;
      operands.push_back(i);
    }
    return operands;
  }

  void Sink(Node& node) {
    const Node* squeeze = nullptr;
    for (const ValueId input : node.inputs) {
      if (squeeze == nullptr) squeeze = SqueezeOf(input);
    }
    if (squeeze == nullptr || StreamLabelOf(*squeeze) != StreamLabelOf(node)) return;
    const Ints axes = *AxesOf(graph_, *squeeze);
    const TensorDesc narrow = graph_.desc(node.outputs[0]);
    const size_t rank = graph_.desc(squeeze->outputs[0]).origin_shape.rank();
    if (!narrow.origin_shape.HasRank() || narrow.origin_shape.rank() != rank) return;
    const auto operands = Operands(node, axes, rank);
    if (!operands || !context_.journal.Allow("Squeeze + " + node.type().str(), {squeeze, &node})) return;
    const Format format = graph_.desc(squeeze->inputs[0]).origin_format;
    for (const uint32_t input : *operands) Widen(node, input, axes, rank, format);
    if (node.type() == "ConcatD") {
      int64_t axis = node.Attr<int64_t>("concat_dim");
      if (axis < 0) axis += static_cast<int64_t>(rank);
      for (const int64_t added : axes) axis += added <= axis ? 1 : 0;
      node.attrs.Set("concat_dim", axis);
    }
    const ValueId y = node.outputs[0];
    const std::vector<Use> uses = graph_.value(y).uses;
    graph_.desc(y) = WidenedDesc(narrow, axes, format);
    Node& behind = graph_.Add("Squeeze", node.name + "/squeeze", {y}, 1);
    behind.attrs.Set("axis", AttrValue(axes));
    behind.origin = node.origin;
    CopyStreamLabels(node, behind);
    graph_.desc(behind.outputs[0]) = narrow;
    for (const Use& use : uses) graph_.SetInput(graph_.node(use.node), use.input, behind.outputs[0]);
    context_.journal.Made(node);
    context_.journal.Made(behind);
    moved_.insert(node.id);
    changed_ = true;
  }

  void Widen(Node& node, uint32_t input, const Ints& axes, size_t rank, Format format) {
    const ValueId value = node.inputs[input];
    Node& producer = graph_.producer(value);
    if (const Tensor* constant = graph_.Constant(value)) {
      Ints dims(rank - constant->rank(), 1);
      dims.insert(dims.end(), constant->shape().dims().begin(), constant->shape().dims().end());
      const Tensor wide = constant->Reshaped(Shape(Widened(dims, axes, int64_t{1})));
      graph_.SetInput(node, input, graph_.AddConst(producer.name, wide, producer.origin));
      return;
    }
    if (producer.type() == "Squeeze" && AxesOf(graph_, producer) == axes) {
      graph_.SetInput(node, input, producer.inputs[0]);
      if (graph_.value(value).uses.empty()) graph_.Remove(producer.id);
      return;
    }
    Node& unsqueeze = graph_.Add("Unsqueeze", node.name + "/unsqueeze", {value}, 1);
    unsqueeze.attrs.Set("axes", AttrValue(axes));
    unsqueeze.origin = node.origin;
    CopyStreamLabels(node, unsqueeze);
    graph_.desc(unsqueeze.outputs[0]) = WidenedDesc(graph_.desc(value), axes, format);
    graph_.SetInput(node, input, unsqueeze.outputs[0]);
    context_.journal.Made(unsqueeze);
  }

  Graph& graph_;
  PassContext& context_;
  std::set<NodeId> moved_;
  bool changed_ = false;
};

}  // namespace

bool SqueezeSinkPass(Graph& graph, PassContext& context) { return Sinker(graph, context).Run(); }

}  // namespace atc

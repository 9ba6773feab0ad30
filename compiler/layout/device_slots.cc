#include "compiler/layout/device_slots.h"

#include <algorithm>
#include <span>
#include <vector>

#include "compiler/ir/blocked_formats.h"
#include "compiler/ir/device_slot.h"
#include "compiler/ir/tensor.h"
#include "compiler/layout/format_rules.h"

namespace atc {
namespace {

constexpr Form kBlocks{FORMAT_NC1HWC0, FORMAT_NCHW};

const std::vector<int64_t> kToFirst = {0, 3, 1, 2}, kToLast = {0, 2, 3, 1};  // where channels go

// Values that may lie channels last: at first all that can begin, pass on or end a region, then without those that
// somebody needs as the origin view says, until nothing changes.
class Region {
 public:
  explicit Region(Graph& graph) : graph_(graph), order_(graph.TopologicalOrder()), in_(graph.value_capacity(), false) {}

  void Mark() {
    for (const NodeId id : order_) {
      for (const ValueId value : graph_.node(id).outputs) in_[value] = CanLie(value);
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (const NodeId id : order_) {
        const Node& node = graph_.node(id);
        const bool stays = Gives(node) && std::all_of(node.outputs.begin(), node.outputs.end(),
                                                      [&](ValueId value) { return !in_[value] || AllTake(value); });
        for (const ValueId value : node.outputs) {
          if (!in_[value] || stays) continue;
          in_[value] = false;
          changed = true;
        }
      }
    }
    for (const NodeId id : order_) {
      Node& node = graph_.node(id);
      std::vector<int64_t> marked;
      for (size_t i = 0; i < node.outputs.size(); ++i) {
        if (in_[node.outputs[i]]) marked.push_back(static_cast<int64_t>(i));
      }
      if (!marked.empty()) node.attrs.Set(kChannelsLastSlots, std::move(marked));
    }
  }

 private:
  bool CanLie(ValueId value) const {
    const TensorDesc& desc = graph_.desc(value);
    const Node& node = graph_.producer(value);
    if (const auto order = MovedOrder(graph_, node); order && *order != kToFirst) return false;
    return !node.Is(kSource) && node.subgraphs.empty() && desc.origin_shape.IsKnown() && FormOf(desc).IsPlain() &&
           Fits(desc, kBlocks);
  }

  bool LiesLast(ValueId value) const { return in_[value] || FormOf(graph_.desc(value)) == kBlocks; }

  // The operands that must lie like the result.
  MoveRule Moved(const Node& node) const { return RuleOfMove(graph_, node, FORMAT_NCHW); }

  bool IsAgnostic(const Node& node) const {
    return node.Is(kLayoutAgnostic) && node.outputs.size() == 1 && !node.inputs.empty();
  }

  // Whether the node can give its marked outputs channels last.
  bool Gives(const Node& node) const {
    if (const auto order = MovedOrder(graph_, node)) {
      return *order == kToFirst && !LiesLast(node.inputs[0]) && graph_.Constant(node.inputs[0]) == nullptr;
    }
    if (node.type() == "TransData") return FormOf(graph_.desc(node.inputs[0])) == kBlocks;
    if (const MoveRule rule = Moved(node); rule.data > 0) {
      const auto data = std::span(node.inputs).subspan(rule.first, rule.data);
      return std::all_of(data.begin(), data.end(), [&](ValueId input) { return LiesLast(input); }) &&
             std::all_of(node.outputs.begin(), node.outputs.end(), [&](ValueId output) { return in_[output]; });
    }
    return IsAgnostic(node) && SameTypesLast(node);
  }

  // Of an elementwise node: one operand of the result's shape at least, all such channels last, and what is broadcast as
  // the origin view says.
  bool SameTypesLast(const Node& node) const {
    const TensorDesc& output = graph_.desc(node.outputs[0]);
    size_t last = 0;
    for (const ValueId input : node.inputs) {
      if (input == kNoId) continue;
      const TensorDesc& desc = graph_.desc(input);
      if (!SameBlocks(desc.dtype, output.dtype)) return false;
      const bool like_output = desc.origin_shape == output.origin_shape && desc.origin_shape.NumElements() != 1;
      if (like_output != LiesLast(input)) return false;
      last += like_output;
    }
    return last > 0;
  }

  bool AllTake(ValueId value) const {
    const std::vector<Use>& uses = graph_.value(value).uses;
    return !uses.empty() && std::all_of(uses.begin(), uses.end(), [&](const Use& use) { return Takes(use); });
  }

  // Whether the reader is as well off with channels last.
  bool Takes(const Use& use) const {
    const Node& node = graph_.node(use.node);
    if (node.type() == "NetOutput") return false;
    if (const auto order = MovedOrder(graph_, node)) return *order == kToLast && use.input == 0;
    if (node.type() == "TransData") return FormOf(graph_.desc(node.outputs[0])) == kBlocks;
    if (node.outputs.empty() ||
        !std::all_of(node.outputs.begin(), node.outputs.end(), [&](ValueId v) { return in_[v]; })) {
      return false;
    }
    if (const MoveRule rule = Moved(node); rule.data > 0) return rule.IsData(use.input);
    return IsAgnostic(node);
  }

  Graph& graph_;
  std::vector<NodeId> order_;
  std::vector<bool> in_;
};

}  // namespace

void ChooseDeviceSlots(Graph& graph) {
  Region(graph).Mark();
  for (const NodeId id : graph.TopologicalOrder()) {
    Node& node = graph.node(id);
    if (!KeepsSlot(graph, node) || graph.Constant(node.inputs[0]) != nullptr) continue;
    node.attrs.Set(kDeviceAlias, true);
    node.Because("task", "none: the device holds both views alike");
  }
}

}  // namespace atc

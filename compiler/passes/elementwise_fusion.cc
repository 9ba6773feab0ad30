#include "compiler/passes/elementwise_fusion.h"

#include <algorithm>
#include <set>
#include <vector>

#include "compiler/ir/stream_label.h"
#include "compiler/ir/user_dtype.h"
#include "compiler/passes/fused_node.h"

namespace atc {
namespace {

bool IsFloatTensor(const TensorDesc& desc) { return desc.dtype == DT_FLOAT || IsHalf(desc.dtype); }

// Grows a convex group from `seed` along its users, in topological order.
class Group {
 public:
  Group(const Graph& graph, const std::vector<uint32_t>& position, NodeId seed)
      : graph_(graph), position_(position), members_{seed} {
    size_t best = 1;
    while (members_.size() < kMaxFusedNodes) {
      const NodeId next = Next();
      if (next == kNoId) break;
      members_.push_back(next);
      if (Leaving().size() == 1) best = members_.size();
    }
    members_.resize(best);
  }

  const std::vector<NodeId>& members() const { return members_; }

  // Values of members that others use.
  std::vector<ValueId> Leaving() const {
    std::vector<ValueId> leaving;
    for (const NodeId id : members_) {
      for (const ValueId value : graph_.node(id).outputs) {
        const auto& uses = graph_.value(value).uses;
        if (std::any_of(uses.begin(), uses.end(), [&](const Use& use) { return !Has(use.node); })) {
          leaving.push_back(value);
        }
      }
    }
    return leaving;
  }

 private:
  bool Has(NodeId id) const { return std::find(members_.begin(), members_.end(), id) != members_.end(); }

  // What runs on another stream than the seed stays out.
  bool CanJoin(const Node& node) const {
    const Node& seed = graph_.node(members_.front());
    return CanFuseElementwise(graph_, node, graph_.desc(seed.outputs[0])) && StreamLabelOf(node) == StreamLabelOf(seed);
  }

  NodeId Next() const {
    std::vector<NodeId> users;
    for (const NodeId id : members_) {
      for (const ValueId value : graph_.node(id).outputs) {
        for (const Use& use : graph_.value(value).uses) {
          if (!Has(use.node) && CanJoin(graph_.node(use.node))) users.push_back(use.node);
        }
      }
    }
    std::sort(users.begin(), users.end(), [&](NodeId a, NodeId b) { return position_[a] < position_[b]; });
    for (const NodeId user : users) {
      if (!OutsideInputDependsOnGroup(graph_.node(user))) return user;
    }
    return kNoId;
  }

  // A path out of the group and back in would become a cycle.
  bool OutsideInputDependsOnGroup(const Node& node) const {
    const uint32_t first = position_[members_.front()];
    std::set<NodeId> seen;
    std::vector<NodeId> stack;
    const auto push_producers = [&](const Node& at) {
      for (const ValueId input : at.inputs) {
        if (input == kNoId) continue;
        const NodeId producer = graph_.value(input).producer;
        if (position_[producer] > first && seen.insert(producer).second) stack.push_back(producer);
      }
    };
    for (const ValueId input : node.inputs) {
      if (input == kNoId) continue;
      const NodeId producer = graph_.value(input).producer;
      if (!Has(producer) && position_[producer] > first && seen.insert(producer).second) stack.push_back(producer);
    }
    while (!stack.empty()) {
      const NodeId at = stack.back();
      stack.pop_back();
      if (Has(at)) return true;
      push_producers(graph_.node(at));
    }
    return false;
  }

  const Graph& graph_;
  const std::vector<uint32_t>& position_;
  std::vector<NodeId> members_;
};

bool FuseFrom(Graph& graph, PassContext& context, bool heavy) {
  bool changed = false;
  const std::vector<NodeId> order = graph.TopologicalOrder();
  std::vector<uint32_t> position(graph.node_capacity());
  for (uint32_t i = 0; i < order.size(); ++i) position[order[i]] = i;
  for (const NodeId id : order) {
    const Node& node = graph.node(id);
    if (!node.alive || node.fused || node.outputs.empty() || HasUserDtype(node)) continue;
    const TensorDesc& desc = graph.desc(node.outputs[0]);
    if (!IsFloatTensor(desc) || node.Is(kHeavy) != heavy) continue;
    if (!heavy && !CanFuseElementwise(graph, node, desc)) continue;
    if (heavy && node.outputs.size() != 1) continue;
    const Group group(graph, position, id);
    if (group.members().size() < 2) continue;
    std::vector<const Node*> before;
    for (const NodeId member : group.members()) before.push_back(&graph.node(member));
    if (!context.journal.Allow(heavy ? node.type().str() + " + elementwise" : "elementwise chain", before)) continue;
    std::string types;
    for (const Node* member : before) types += (types.empty() ? "" : "+") + member->type().str();
    Node& fused = MakeFused(graph, group.members(), id, heavy ? node.type() : Name("FusedElementwise"),
                            group.Leaving()[0]);
    fused.Because("fusion", types);
    context.journal.Made(fused);
    position.resize(graph.node_capacity(), 0);
    position[fused.id] = position[group.members().back()];
    changed = true;
  }
  return changed;
}

}  // namespace

bool CanFuseElementwise(const Graph& graph, const Node& node, const TensorDesc& like) {
  if (!node.Is(kElementwise | kWidenHalf) || node.Is(kStateful) || node.fused || node.outputs.size() != 1) return false;
  if (!node.control_in.empty() || !node.control_out.empty() || HasUserDtype(node)) return false;
  const TensorDesc& output = graph.desc(node.outputs[0]);
  if (output.dtype != like.dtype || !(output.origin_shape == like.origin_shape)) return false;
  for (const ValueId input : node.inputs) {
    if (input != kNoId && graph.desc(input).dtype != like.dtype) return false;
  }
  return true;
}

bool HeavyElementwiseFusionPass(Graph& graph, PassContext& context) { return FuseFrom(graph, context, true); }

bool ElementwiseChainFusionPass(Graph& graph, PassContext& context) { return FuseFrom(graph, context, false); }

}  // namespace atc

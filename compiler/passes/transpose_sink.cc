#include "compiler/passes/transpose_sink.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "compiler/ir/stream_label.h"
#include "compiler/ir/user_dtype.h"
#include "compiler/passes/permuted_node.h"

namespace atc {
namespace {

constexpr size_t kMostNodes = 256;  // of a region

// Transposes and the elements that they move.
struct Cost {
  int64_t count = 0;
  int64_t elements = 0;

  void Add(const Shape& shape) {
    ++count;
    elements += shape.IsKnown() ? shape.NumElements() : 0;
  }
  friend auto operator<=>(const Cost&, const Cost&) = default;
};

// The operators behind a Transpose that may compute in the order before it.
class Region {
 public:
  Region(Graph& graph, const std::vector<uint32_t>& position, NodeId root)
      : graph_(graph), position_(position), root_(root), label_(StreamLabelOf(graph.node(root))), first_new_(graph.node_capacity()) {
    Enter(root);
    while (!waiting_.empty() && nodes_.size() < kMostNodes) {
      const auto [at, id] = *waiting_.begin();
      waiting_.erase(waiting_.begin());
      Take(graph.node(id));
    }
    Trim();
  }

  bool Pays() const {
    if (nodes_.empty()) return false;
    const Cost saved = Saved();
    return saved > Cost() || (saved == Cost() && FusesUpwards());
  }

  std::vector<const Node*> Members() const {
    std::vector<const Node*> members;
    for (const NodeId id : transposes_) members.push_back(&graph_.node(id));
    for (const NodeId id : nodes_) members.push_back(&graph_.node(id));
    return members;
  }

  void Rewrite(Journal& journal) {
    // Users outside are told apart before anything moves.
    std::map<ValueId, std::vector<Use>> outside;
    for (const auto& [value, order] : orders_) outside[value] = Outside(value);
    for (const NodeId id : nodes_) RewriteNode(graph_.node(id));
    for (const auto& [value, uses] : outside) {
      if (!graph_.producer(value).alive || transposed_.contains(value)) continue;
      Leave(value, uses, journal);
    }
    for (const NodeId id : transposes_) {
      if (graph_.value(graph_.node(id).outputs[0]).uses.empty()) graph_.Remove(id);
    }
  }

 private:
  void Enter(NodeId transpose) {
    const Node& node = graph_.node(transpose);
    transposes_.insert(transpose);
    transposed_.insert(node.outputs[0]);
    Turn(node.outputs[0], *OrderOf(graph_, node));
  }

  void Turn(ValueId value, const Axes& order) {
    orders_[value] = order;
    for (const Use& use : graph_.value(value).uses) waiting_.emplace(position_[use.node], use.node);
  }

  bool IsInside(NodeId id) const { return std::find(nodes_.begin(), nodes_.end(), id) != nodes_.end(); }

  // A Transpose of the same order.
  bool Matches(ValueId value, const Axes& order) const {
    const Node& producer = graph_.producer(value);
    return OrderOf(graph_, producer) == order && StreamLabelOf(producer) == label_;
  }

  void Take(const Node& node) {
    if (IsInside(node.id) || OrderOf(graph_, node) || HasUserDtype(node) || StreamLabelOf(node) != label_) return;
    const Axes* order = nullptr;
    for (const ValueId input : node.inputs) {
      const auto it = input == kNoId ? orders_.end() : orders_.find(input);
      if (it == orders_.end()) continue;
      if (order != nullptr && *order != it->second) return;
      order = &it->second;
    }
    const Axes turned = *order;
    const std::optional<PermutedNode> permuted = FindPermuted(graph_, node, turned);
    if (!permuted) return;
    size_t inside = 0, foreign = 0;
    std::set<ValueId> operands;
    for (const uint32_t input : permuted->data) {
      const ValueId value = node.inputs[input];
      operands.insert(value);
      if (graph_.Constant(value) != nullptr) continue;
      orders_.contains(value) || Matches(value, turned) ? ++inside : ++foreign;
    }
    // What turns must be data: not a list of axes that happens to be transposed.
    for (const ValueId input : node.inputs) {
      if (input != kNoId && orders_.contains(input) && !operands.contains(input)) return;
    }
    if (foreign > inside) return;
    for (const uint32_t input : permuted->data) {
      const ValueId value = node.inputs[input];
      if (!orders_.contains(value) && graph_.Constant(value) == nullptr && Matches(value, turned)) {
        Enter(graph_.value(value).producer);
      }
    }
    nodes_.push_back(node.id);
    rules_[node.id] = {*permuted, turned};
    for (const ValueId output : node.outputs) Turn(output, permuted->order);
  }

  std::vector<Use> Outside(ValueId value) const {
    std::vector<Use> uses;
    for (const Use& use : graph_.value(value).uses) {
      if (!IsInside(use.node)) uses.push_back(use);
    }
    std::sort(uses.begin(), uses.end(), [](const Use& a, const Use& b) { return std::tie(a.node, a.input) < std::tie(b.node, b.input); });
    return uses;
  }

  // The order of a Transpose that reads the value.
  std::optional<Axes> Reorders(const Use& use) const {
    return use.input == 0 ? OrderOf(graph_, graph_.node(use.node)) : std::nullopt;
  }

  // Operators at the end of the region that cost more Transposes than they save stay outside.
  void Trim() {
    for (size_t i = nodes_.size(); i-- > 0;) {
      const Node& node = graph_.node(nodes_[i]);
      const bool last = std::all_of(node.outputs.begin(), node.outputs.end(), [&](ValueId output) {
        const auto& uses = graph_.value(output).uses;
        return std::none_of(uses.begin(), uses.end(), [&](const Use& use) { return IsInside(use.node); });
      });
      if (!last) continue;
      const Cost with = Saved();
      const std::vector<NodeId> nodes = nodes_;
      const std::map<ValueId, Axes> orders = orders_;
      nodes_.erase(nodes_.begin() + static_cast<ptrdiff_t>(i));
      for (const ValueId output : node.outputs) orders_.erase(output);
      if (Saved() > with) continue;
      nodes_ = nodes;
      orders_ = orders;
    }
  }

  Cost Saved() const {
    Cost before, after;
    for (const NodeId id : transposes_) before.Add(graph_.desc(graph_.node(id).outputs[0]).origin_shape);
    for (const auto& [value, order] : orders_) {
      bool kept = false;
      for (const Use& use : Outside(value)) {
        const std::optional<Axes> second = transposed_.contains(value) ? std::nullopt : Reorders(use);
        if (!second) {
          kept = true;
          continue;
        }
        const Shape& shape = graph_.desc(value).origin_shape;
        before.Add(shape);
        if (!IsIdentityOrder(ComposedOrder(order, *second))) after.Add(shape);
      }
      if (kept) after.Add(graph_.desc(value).origin_shape);
    }
    std::set<std::pair<ValueId, Axes>> brought;
    for (const NodeId id : nodes_) {
      const auto& [permuted, order] = rules_.at(id);
      for (const uint32_t input : permuted.data) {
        const ValueId value = graph_.node(id).inputs[input];
        if (orders_.contains(value) || graph_.Constant(value) != nullptr || !brought.emplace(value, order).second) continue;
        after.Add(graph_.desc(value).origin_shape);
      }
    }
    return {before.count - after.count, before.elements - after.elements};
  }

  // Elementwise operators then stand right behind what may take them in.
  bool FusesUpwards() const {
    const Node& above = graph_.producer(graph_.node(root_).inputs[0]);
    if (transposes_.size() != 1 || !(above.Is(kHeavy) || above.Is(kElementwise)) || above.outputs.size() != 1) return false;
    return graph_.value(above.outputs[0]).uses.size() == 1 && graph_.node(nodes_.front()).Is(kElementwise);
  }

  void RewriteNode(Node& node) {
    const auto& [permuted, order] = rules_.at(node.id);
    PermuteParameters(graph_, node, permuted, order);
    for (const uint32_t input : permuted.data) {
      const ValueId value = node.inputs[input];
      if (graph_.Constant(value) != nullptr) continue;
      if (transposed_.contains(value)) {
        graph_.SetInput(node, input, graph_.producer(value).inputs[0]);
      } else if (!orders_.contains(value) && !IsTurnedConstant(value)) {
        graph_.SetInput(node, input, Brought(value, order, node));
      }
    }
    for (const ValueId output : node.outputs) graph_.desc(output) = TurnedBack(graph_.desc(output), permuted.order);
  }

  // Made by PermuteParameters.
  bool IsTurnedConstant(ValueId value) const {
    const Node& producer = graph_.producer(value);
    return producer.id >= first_new_ && graph_.Constant(producer.inputs[0]) != nullptr;
  }

  ValueId Brought(ValueId value, const Axes& order, const Node& user) {
    const auto [it, added] = brought_.try_emplace({value, order}, kNoId);
    if (added) it->second = AddTranspose(value, InverseOrder(order), user.name + "/turned", user, TurnedBack(graph_.desc(value), order));
    return it->second;
  }

  ValueId AddTranspose(ValueId x, const Axes& order, const std::string& name, const Node& like, const TensorDesc& desc) {
    const ValueId perm = graph_.AddConst(name + "_perm", Tensor::Ints(order), graph_.node(root_).origin);
    Node& node = graph_.Add("Transpose", name, {x, perm}, 1);
    node.origin = graph_.origins().Union(graph_.node(root_).origin, like.origin);
    CopyStreamLabels(graph_.node(root_), node);
    graph_.desc(node.outputs[0]) = desc;
    made_.push_back(node.id);
    return node.outputs[0];
  }

  // Users outside get the value in the order that they know.
  void Leave(ValueId value, const std::vector<Use>& uses, Journal& journal) {
    const Axes& order = orders_.at(value);
    ValueId back = kNoId;
    for (const Use& use : uses) {
      Node& user = graph_.node(use.node);
      const std::optional<Axes> second = Reorders(use);
      if (!second) {
        if (back == kNoId) {
          TensorDesc desc = graph_.desc(value);
          Shape shape = desc.origin_shape;
          for (size_t i = 0; i < order.size() && shape.HasRank(); ++i) shape[i] = desc.origin_shape[order[i]];
          TensorDesc outer(desc.dtype, shape);
          if (!desc.ranges.empty() || !desc.symbols.empty()) {
            for (size_t i = 0; i < order.size(); ++i) {
              if (!desc.ranges.empty()) outer.ranges.push_back(desc.ranges[order[i]]);
              if (!desc.symbols.empty()) outer.symbols.push_back(desc.symbols[order[i]]);
            }
          }
          back = AddTranspose(value, order, graph_.node(root_).name + "_sunk", graph_.producer(value), outer);
        }
        graph_.SetInput(user, use.input, back);
        continue;
      }
      const Axes both = ComposedOrder(order, *second);
      if (IsIdentityOrder(both) && !GivesInterface(user, value)) {
        graph_.ReplaceUses(user.outputs[0], value);
        graph_.Remove(user.id);
      } else {
        graph_.SetInput(user, 0, value);
        if (user.type() == "TransposeD") {
          user.attrs.Set("perm", AttrValue(both));
        } else {
          graph_.SetInput(user, 1, graph_.AddConst(user.name + "_perm", Tensor::Ints(both), user.origin));
        }
      }
    }
    for (const NodeId id : made_) journal.Made(graph_.node(id));
    made_.clear();
  }

  // An output of the model keeps a node of its own where it would be an input.
  bool GivesInterface(const Node& user, ValueId value) const {
    if (!graph_.producer(value).Is(kSource)) return false;
    const auto& uses = graph_.value(user.outputs[0]).uses;
    return std::any_of(uses.begin(), uses.end(), [&](const Use& use) { return graph_.node(use.node).type() == "NetOutput"; });
  }

  struct Rule {
    PermutedNode permuted;
    Axes order;  // of the operands
  };

  Graph& graph_;
  const std::vector<uint32_t>& position_;  // in topological order
  const NodeId root_;
  const std::string label_;
  const size_t first_new_;  // nodes from here on are the rewrite's
  std::set<NodeId> transposes_;         // whose results enter the region
  std::set<ValueId> transposed_;        // those results
  std::map<ValueId, Axes> orders_;      // of values of the region: as others know them = Transpose(as they become, order)
  std::vector<NodeId> nodes_;           // in topological order
  std::map<NodeId, Rule> rules_;
  std::set<std::pair<uint32_t, NodeId>> waiting_;
  std::map<std::pair<ValueId, Axes>, ValueId> brought_;
  std::vector<NodeId> made_;
};

}  // namespace

bool TransposeSinkPass(Graph& graph, PassContext& context) {
  bool changed = false;
  const std::vector<NodeId> order = graph.TopologicalOrder();
  std::vector<uint32_t> position(graph.node_capacity());
  for (uint32_t i = 0; i < order.size(); ++i) position[order[i]] = i;
  for (const NodeId id : order) {
    const Node& node = graph.node(id);
    if (!node.alive || !OrderOf(graph, node) || graph.producer(node.inputs[0]).type() == "Const") continue;
    Region region(graph, position, id);
    if (!region.Pays()) continue;
    const std::vector<const Node*> members = region.Members();
    if (!context.journal.Allow("Transpose through " + std::to_string(members.size() - 1) + " operators", members)) continue;
    region.Rewrite(context.journal);
    changed = true;
    // New nodes stand right behind what they read.
    for (NodeId made = static_cast<NodeId>(position.size()); made < graph.node_capacity(); ++made) {
      uint32_t at = 0;
      for (const ValueId input : graph.node(made).inputs) at = std::max(at, position[graph.value(input).producer]);
      position.push_back(at);
    }
  }
  return changed;
}

}  // namespace atc

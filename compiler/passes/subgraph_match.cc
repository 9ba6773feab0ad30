#include "compiler/passes/subgraph_match.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "compiler/ir/stream_label.h"
#include "compiler/ir/user_dtype.h"
#include "compiler/passes/permuted_node.h"

namespace atc {
namespace {

bool IsOneOf(const Node& node, std::initializer_list<std::string_view> types) {
  return types.size() == 0 || std::any_of(types.begin(), types.end(), [&](std::string_view type) {
           return node.type().str() == type;
         });
}

}  // namespace

std::optional<double> ScalarOf(const Graph& graph, ValueId value) {
  const Tensor* constant = value == kNoId ? nullptr : graph.Constant(value);
  if (constant == nullptr || constant->NumElements() != 1) return std::nullopt;
  const DataType dtype = constant->dtype();
  if (!IsFloating(dtype) && !IsInteger(dtype)) return std::nullopt;
  return ToDoubles(constant->Materialized())[0];
}

bool Near(double value, double wanted) { return std::abs(value - wanted) <= 1e-5 * std::abs(wanted); }

SubgraphMatch::SubgraphMatch(Graph& graph, const Node& root) : graph_(graph), label_(StreamLabelOf(root)) {}

bool SubgraphMatch::MayGo(const Node& node) const {
  return !node.fused && node.subgraphs.empty() && node.control_in.empty() &&
         node.control_out.empty() && !HasUserDtype(node) && StreamLabelOf(node) == label_;
}

const Node* SubgraphMatch::Take(ValueId value, std::initializer_list<std::string_view> types) {
  if (value == kNoId) return nullptr;
  const Node& node = graph_.producer(value);
  if (node.Is(kSource) || !IsOneOf(node, types) || node.outputs.size() != 1 || !MayGo(node)) return nullptr;
  members_.push_back(node.id);
  return &node;
}

const Node* SubgraphMatch::TakeUser(ValueId value, std::initializer_list<std::string_view> types) {
  const std::vector<Use>& uses = graph_.value(value).uses;
  if (uses.empty()) return nullptr;
  const Node& node = graph_.node(uses[0].node);
  const bool alone = std::all_of(uses.begin(), uses.end(), [&](const Use& use) { return use.node == node.id; });
  if (!alone || !IsOneOf(node, types) || node.outputs.size() != 1 || !MayGo(node)) return nullptr;
  members_.push_back(node.id);
  return &node;
}

ValueId SubgraphMatch::BehindWidening(ValueId value) {
  const Node& cast = graph_.producer(value);
  if (!(cast.type() == "Cast") || graph_.desc(value).dtype != DT_FLOAT || !IsHalf(graph_.desc(cast.inputs[0]).dtype)) {
    return value;
  }
  return Take(value, {"Cast"}) ? cast.inputs[0] : value;
}

bool SubgraphMatch::IsClosed(ValueId leaving, std::span<const NodeId> free) const {
  const auto is_member = [&](NodeId id) { return std::find(members_.begin(), members_.end(), id) != members_.end(); };
  for (const NodeId id : members_) {
    if (std::find(free.begin(), free.end(), id) != free.end()) continue;
    for (const ValueId value : graph_.node(id).outputs) {
      if (value == leaving) continue;
      const std::vector<Use>& uses = graph_.value(value).uses;
      if (!std::all_of(uses.begin(), uses.end(), [&](const Use& use) { return is_member(use.node); })) return false;
    }
  }
  return true;
}

std::vector<NodeId> SubgraphMatch::Members() const {
  // Depth first from each member over the others; patterns are small.
  std::vector<NodeId> order;
  const auto visit = [&](const auto& self, NodeId id) -> void {
    if (std::find(order.begin(), order.end(), id) != order.end()) return;
    for (const ValueId input : graph_.node(id).inputs) {
      if (input == kNoId) continue;
      const NodeId producer = graph_.value(input).producer;
      if (std::find(members_.begin(), members_.end(), producer) != members_.end()) self(self, producer);
    }
    order.push_back(id);
  };
  for (const NodeId id : members_) visit(visit, id);
  return order;
}

bool SubgraphMatch::Allow(PassContext& context, std::string_view pattern) const {
  std::vector<const Node*> before;
  for (const NodeId id : Members()) before.push_back(&graph_.node(id));
  return context.journal.Allow(pattern, before);
}

Node& SubgraphMatch::Replace(PassContext& context, const char* type, std::vector<ValueId> inputs,
                             const std::vector<ValueId>& leaving) {
  const Node& last = graph_.producer(leaving[0]);
  const std::string name = last.name;
  const std::vector<NodeId> members = Members();
  OriginId origin = last.origin;
  std::string names;
  for (const NodeId id : members) {
    origin = graph_.origins().Union(origin, graph_.node(id).origin);
    names += (names.empty() ? "" : ", ") + graph_.node(id).name;
  }
  Node& made = graph_.Add(type, "", std::move(inputs), leaving.size());
  made.origin = origin;
  CopyStreamLabels(last, made);
  made.Because("fusion", "took the place of " + names);
  for (size_t i = 0; i < leaving.size(); ++i) {
    if (leaving[i] == kNoId) continue;
    graph_.desc(made.outputs[i]) = graph_.desc(leaving[i]);
    graph_.ReplaceUses(leaving[i], made.outputs[i]);
  }
  for (auto it = members.rbegin(); it != members.rend(); ++it) {
    const std::vector<ValueId>& outputs = graph_.node(*it).outputs;
    const auto unread = [&](ValueId value) { return graph_.value(value).uses.empty(); };
    if (std::all_of(outputs.begin(), outputs.end(), unread)) graph_.Remove(*it);
  }
  graph_.Rename(made, name);
  context.journal.Made(made);
  return made;
}

Node& SubgraphMatch::ReplaceTurned(PassContext& context, const char* type, ValueId x, std::vector<ValueId> others,
                                   const std::vector<int64_t>& order, ValueId leaving) {
  const TensorDesc desc = graph_.desc(leaving);
  const Node& like = graph_.producer(leaving);
  const std::string name = like.name;
  const ValueId perm = graph_.AddConst(name + "/turned_perm", Tensor::Ints(order), like.origin);
  Node& turn = graph_.Add("Transpose", name + "/turned", {x, perm}, 1);
  turn.origin = like.origin;
  CopyStreamLabels(like, turn);
  Shape shape = graph_.desc(x).origin_shape;
  for (size_t d = 0; d < order.size(); ++d) shape[d] = graph_.desc(x).origin_shape[static_cast<size_t>(order[d])];
  graph_.desc(turn.outputs[0]) = TensorDesc(graph_.desc(x).dtype, shape);
  context.journal.Made(turn);
  others.insert(others.begin(), turn.outputs[0]);
  Node& made = Replace(context, type, std::move(others), leaving);
  graph_.desc(made.outputs[0]) = TensorDesc(desc.dtype, shape);
  graph_.Rename(made, name + "/core");
  const ValueId back = graph_.AddConst(name + "/back_perm", Tensor::Ints(InverseOrder(order)), made.origin);
  graph_.desc(Follow(context, made, "Transpose", {back}, name)) = desc;
  return made;
}

ValueId SubgraphMatch::Follow(PassContext& context, const Node& made, const char* type, std::vector<ValueId> others,
                              std::string name) {
  const std::vector<Use> uses = graph_.value(made.outputs[0]).uses;
  std::vector<ValueId> inputs = {made.outputs[0]};
  inputs.insert(inputs.end(), others.begin(), others.end());
  Node& node = graph_.Add(type, std::move(name), std::move(inputs), 1);
  node.origin = made.origin;
  CopyStreamLabels(made, node);
  node.reasons = made.reasons;
  for (const Use& use : uses) graph_.SetInput(graph_.node(use.node), use.input, node.outputs[0]);
  context.journal.Made(node);
  return node.outputs[0];
}

ValueId SubgraphMatch::Constant(ValueId leaving, const char* what, Tensor value) {
  const Node& last = graph_.producer(leaving);
  return graph_.AddConst(last.name + "/" + what, std::move(value), last.origin);
}

}  // namespace atc

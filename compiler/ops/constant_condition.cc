#include "compiler/ops/constant_condition.h"

#include <algorithm>
#include <set>
#include <vector>

#include "compiler/ops/nested.h"

namespace atc {
namespace {

// Orders the nodes of a branch that was moved in as the owner was: the first of them after what it waited for, the last
// before what waited for it. Constants and the like are not ordered.
void TakeOverOrder(Graph& graph, const Node& owner, const std::vector<NodeId>& made) {
  const std::vector<NodeId> before = owner.control_in, after = owner.control_out;
  if (before.empty() && after.empty()) return;
  const std::set<NodeId> moved(made.begin(), made.end());
  const auto ordered = [&](NodeId id) { return moved.contains(id) && !graph.node(id).Is(kSource); };
  for (const NodeId id : moved) {
    const Node& node = graph.node(id);
    if (node.Is(kSource)) continue;
    const bool first = std::none_of(node.control_in.begin(), node.control_in.end(), ordered) &&
                       std::none_of(node.inputs.begin(), node.inputs.end(), [&](ValueId input) {
                         return input != kNoId && ordered(graph.producer(input).id);
                       });
    bool last = std::none_of(node.control_out.begin(), node.control_out.end(), ordered);
    for (const ValueId output : node.outputs) {
      for (const Use& use : graph.value(output).uses) last = last && !ordered(use.node);
    }
    for (const NodeId from : before) {
      if (first) graph.AddControl(from, id);
    }
    for (const NodeId to : after) {
      if (last) graph.AddControl(id, to);
    }
  }
}

// Moves the nodes of `branch` into `graph`, which owns it through `owner`; returns what its outputs have become.
std::vector<ValueId> MoveIn(Graph& graph, const Node& owner, Graph& branch, Journal& journal) {
  std::vector<ValueId> moved(branch.value_capacity(), kNoId);
  const auto map = [&](const std::vector<ValueId>& values) {
    std::vector<ValueId> mapped;
    for (const ValueId value : values) mapped.push_back(value == kNoId ? kNoId : moved[value]);
    return mapped;
  };
  std::vector<ValueId> results;
  std::vector<NodeId> made(branch.node_capacity(), kNoId);
  for (const NodeId id : branch.TopologicalOrder()) {
    Node& from = branch.node(id);
    if (from.type() == "Data") {
      moved[from.outputs[0]] = owner.inputs[static_cast<size_t>(from.Attr<int64_t>("_parent_node_index"))];
      continue;
    }
    if (from.type() == "NetOutput") {
      results = map(from.inputs);
      continue;
    }
    Node& to = graph.Add(*from.def, from.name, map(from.inputs), from.outputs.size());
    to.attrs = from.attrs;
    to.origin = from.origin;
    to.reasons = from.reasons;
    to.fused = std::move(from.fused);
    to.subgraphs = std::move(from.subgraphs);
    for (const Subgraph& nested : to.subgraphs) {
      nested.graph->parent_graph = &graph;
      nested.graph->parent_node = to.id;
    }
    for (size_t i = 0; i < from.outputs.size(); ++i) {
      moved[from.outputs[i]] = to.outputs[i];
      graph.desc(to.outputs[i]) = branch.desc(from.outputs[i]);
    }
    made[id] = to.id;
    for (const NodeId before : from.control_in) {
      if (made[before] != kNoId) graph.AddControl(made[before], to.id);
    }
    journal.Made(to);
  }
  std::erase(made, kNoId);
  TakeOverOrder(graph, owner, made);
  return results;
}

// An output of the model stays its own value: an input or constant that a branch passes on goes through a node.
ValueId OwnValue(Graph& graph, const Node& owner, size_t output, ValueId value) {
  const bool interface = std::any_of(graph.value(owner.outputs[output]).uses.begin(),
                                     graph.value(owner.outputs[output]).uses.end(),
                                     [&](const Use& use) { return graph.node(use.node).type() == "NetOutput"; });
  if (!interface || !graph.producer(value).Is(kSource)) return value;
  Node& copy = graph.Add("Identity", owner.name + "_output_" + std::to_string(output), {value}, 1);
  copy.origin = owner.origin;
  graph.desc(copy.outputs[0]) = graph.desc(value);
  return copy.outputs[0];
}

// The branch that a constant operand 0 takes; null where none is decided.
Graph* TakenBranch(const Graph& graph, const Node& node) {
  const Tensor* condition = graph.ConstantInput(node, 0);
  if (condition == nullptr || condition->deferred()) return nullptr;
  if (node.type() == "If") return FindNested(node, Truth(*condition) ? "then_branch" : "else_branch");
  if (condition->NumElements() != 1 || !IsInteger(condition->dtype())) return nullptr;
  const int64_t index = ToInts(condition->Materialized())[0];
  return CaseBranch(node, index);
}

bool IsFalse(const Tensor* condition) { return condition != nullptr && !condition->deferred() && !Truth(*condition); }

// Whether the condition of a While is false before the first run, whatever the values are.
bool WhileNeverRuns(const Node& node) {
  const Graph* condition = FindNested(node, "cond");
  if (condition == nullptr || condition->NetOutput() == nullptr || condition->NetOutput()->inputs.empty()) return false;
  return IsFalse(condition->Constant(condition->NetOutput()->inputs[0]));
}

// Inputs of a Loop before the carried values: trip count and condition. Its body takes as many before them.
constexpr size_t kBeforeCarried = 2;

bool LoopNeverRuns(const Graph& graph, const Node& node) {
  const Tensor* trips = graph.ConstantInput(node, 0);
  if (trips != nullptr && !trips->deferred() && IsInteger(trips->dtype()) && trips->NumElements() == 1 &&
      ToInts(*trips)[0] <= 0) {
    return true;
  }
  return IsFalse(graph.ConstantInput(node, 1));
}

// What a Loop that never runs gives: the carried values as they came in, and nothing of what the body would have given.
// Empty where that is not known: of a value whose shape only a run tells, or an optional that has to be opened.
std::vector<ValueId> ResultsOfNoRun(Graph& graph, const Node& node, Journal& journal) {
  const Graph* body = FindNested(node, "body");
  if (body == nullptr || NumFormals(*body) < kBeforeCarried) return {};
  const size_t carried = NumFormals(*body) - kBeforeCarried;
  if (node.inputs.size() < kBeforeCarried + carried || NumResults(*body) < 1 + node.outputs.size()) return {};
  const auto result = [&](size_t i) { return body->NetOutput()->inputs[1 + i]; };
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    const ValueId given = i < carried ? node.inputs[kBeforeCarried + i] : result(i);
    if (given == kNoId || result(i) == kNoId) return {};
    const TensorDesc& desc = i < carried ? graph.desc(given) : body->desc(given);
    if (desc.optional != body->desc(result(i)).optional) return {};
    if (i >= carried && (desc.dtype == DT_UNDEFINED || !desc.origin_shape.IsKnown())) return {};
  }
  if (!journal.Allow("Loop that never runs", {&node})) return {};
  std::vector<ValueId> results;
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    if (i < carried) {
      results.push_back(node.inputs[kBeforeCarried + i]);
      continue;
    }
    const TensorDesc& one = body->desc(result(i));
    Shape none = one.origin_shape;
    none.dims().insert(none.dims().begin(), 0);
    results.push_back(graph.AddConst(node.name + "_output_" + std::to_string(i), Tensor::Allocate(one.dtype, none),
                                     node.origin));
    journal.Made(graph.producer(results.back()));
  }
  return results;
}

// What the node's outputs are, where a constant decides that; empty where none does.
std::vector<ValueId> Resolved(Graph& graph, const Node& node, Journal& journal) {
  if (node.type() == "While") {
    if (node.inputs.size() < node.outputs.size() || !WhileNeverRuns(node)) return {};
    if (!journal.Allow("While that never runs", {&node})) return {};
    return node.inputs;
  }
  if (node.type() == "onnx::Loop") {
    return LoopNeverRuns(graph, node) ? ResultsOfNoRun(graph, node, journal) : std::vector<ValueId>();
  }
  if (node.type() != "If" && node.type() != "Case") return {};
  Graph* branch = TakenBranch(graph, node);
  if (branch == nullptr || NumFormals(*branch) > 0 || NumResults(*branch) < node.outputs.size()) return {};
  if (!journal.Allow(node.type().str() + " of a constant condition", {&node})) return {};
  return MoveIn(graph, node, *branch, journal);
}

}  // namespace

bool ResolveConstantConditions(Graph& graph, Journal& journal) {
  bool changed = false;
  for (const NodeId id : graph.TopologicalOrder()) {
    Node& node = graph.node(id);
    for (const Subgraph& nested : node.subgraphs) changed |= ResolveConstantConditions(*nested.graph, journal);
    const std::vector<ValueId> results = Resolved(graph, node, journal);
    if (results.empty()) continue;
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      graph.ReplaceUses(node.outputs[i], OwnValue(graph, node, i, results[i]));
    }
    graph.Remove(id);
    changed = true;
  }
  return changed;
}

}  // namespace atc

#include "compiler/passes/declared_types.h"

#include <algorithm>
#include <optional>

#include "compiler/ir/ascend_aliases.h"
#include "compiler/ir/error.h"
#include "compiler/ops/inference.h"

namespace atc {
namespace {

using Ints = std::vector<int64_t>;

// Makes the nodes that one stands for. The last of them gets its name and origin, and its output takes the place of it.
class Expansion {
 public:
  Expansion(Graph& graph, Node& node, Journal& journal)
      : graph_(graph), node_(node), journal_(journal), name_(node.name), origin_(node.origin) {}

  ValueId Add(const char* type, std::vector<ValueId> inputs, std::vector<std::pair<const char*, AttrValue>> attrs = {}) {
    if (made_.empty()) {
      journal_.Require("AscendIR type " + node_.type().str(), {&node_});
      graph_.Rename(node_, name_ + "_ascendir");
    }
    Node& made = graph_.Add(type, name_ + "_" + type, std::move(inputs), 1);
    for (auto& [name, value] : attrs) made.attrs.Set(name, std::move(value));
    made.origin = origin_;
    made_.push_back(made.id);
    return made.outputs[0];
  }
  std::optional<Ints> KnownInts(ValueId value) const {
    const Tensor* constant = value == kNoId ? nullptr : graph_.Constant(value);
    if (constant == nullptr || !IsInteger(constant->dtype())) return std::nullopt;
    return ToInts(*constant);
  }

  // Puts the value in the place of the node's output.
  bool Finish(ValueId value) {
    const TensorDesc& old = graph_.desc(node_.outputs[0]);
    if (old.dtype != DT_UNDEFINED) graph_.desc(value) = old;
    graph_.ReplaceUses(node_.outputs[0], value);
    Node& last = graph_.producer(value);
    for (const NodeId before : node_.control_in) {
      for (const NodeId id : made_) graph_.AddControl(before, id);
    }
    for (const NodeId after : node_.control_out) graph_.AddControl(last.id, after);
    graph_.Remove(node_.id);
    graph_.Rename(last, name_);
    for (const NodeId id : made_) {
      journal_.Made(graph_.node(id));
      Node& made = graph_.node(id);
      const bool described = std::all_of(made.inputs.begin(), made.inputs.end(), [&](ValueId input) {
        return input == kNoId || graph_.desc(input).dtype != DT_UNDEFINED;
      });
      if (described && graph_.desc(made.outputs[0]).dtype == DT_UNDEFINED) InferNode(graph_, made);
    }
    return true;
  }

  Node& node() { return node_; }
  Graph& graph() { return graph_; }

 private:
  Graph& graph_;
  Node& node_;
  Journal& journal_;
  const std::string name_;
  const OriginId origin_;
  std::vector<NodeId> made_;
};

// The axis is the input at `axis_at`, the others are joined.
bool ConcatAt(Expansion& e, size_t axis_at) {
  std::vector<ValueId> parts = e.node().inputs;
  const std::optional<Ints> axis = e.KnownInts(parts[axis_at]);
  if (!axis || axis->size() != 1) return false;
  parts.erase(parts.begin() + static_cast<ptrdiff_t>(axis_at));
  return e.Finish(
      e.Add("ConcatD", parts, {{"concat_dim", (*axis)[0]}, {"N", static_cast<int64_t>(parts.size())}}));
}

bool Concat(Expansion& e) { return e.node().inputs.size() > 1 && ConcatAt(e, 0); }
bool ConcatV2(Expansion& e) { return e.node().inputs.size() > 1 && ConcatAt(e, e.node().inputs.size() - 1); }

bool BiasAdd(Expansion& e) {
  const std::vector<ValueId> in = e.node().inputs;
  if (in.size() != 2) return false;
  ValueId bias = in[1];
  if (e.node().attrs.Get("data_format", std::string("NHWC")).starts_with("NC")) {
    const TensorDesc& x = e.graph().desc(in[0]);
    if (!x.origin_shape.HasRank()) return false;
    Ints axes;
    for (int64_t axis = 1; axis + 1 < static_cast<int64_t>(x.origin_shape.rank()); ++axis) axes.push_back(axis);
    if (!axes.empty()) bias = e.Add("Unsqueeze", {bias}, {{"axes", axes}});
  }
  return e.Finish(e.Add("Add", {in[0], bias}));
}

struct Rule {
  const char* type;
  bool (*expand)(Expansion&);
};

constexpr Rule kRules[] = {
    {"BiasAdd", BiasAdd}, {"Concat", Concat}, {"ConcatV2", ConcatV2},
};

bool IsDeclared(const Node& node) { return OpRegistry::Get().Find(node.type()) == nullptr && node.fused == nullptr; }

bool Lower(Graph& graph, Node& node, Journal& journal) {
  const std::string type = node.type().str();
  if (const OpDef* def = FindAlias(type, node.attrs)) {
    journal.Require("AscendIR type " + type, {&node});
    node.def = def;
    journal.Made(node);
    return true;
  }
  for (const Rule& rule : kRules) {
    if (type != rule.type) continue;
    Expansion expansion(graph, node, journal);
    return rule.expand(expansion);
  }
  return false;
}

}  // namespace

int LowerDeclaredTypes(Graph& graph, Journal& journal) {
  int lowered = 0;
  journal.EnterPass("AscendIR types");
  for (const NodeId id : graph.TopologicalOrder()) {
    for (const Subgraph& nested : graph.node(id).subgraphs) lowered += LowerDeclaredTypes(*nested.graph, journal);
    if (IsDeclared(graph.node(id)) && Lower(graph, graph.node(id), journal)) ++lowered;
  }
  return lowered;
}

void InferUndescribed(Graph& graph) {
  for (const NodeId id : graph.TopologicalOrder()) {
    Node& node = graph.node(id);
    const bool described = std::all_of(node.outputs.begin(), node.outputs.end(), [&](ValueId output) {
      return graph.desc(output).dtype != DT_UNDEFINED || graph.value(output).uses.empty();
    });
    if (!described) InferNode(graph, node);
  }
}

const Node* FindDeclaredType(const Graph& graph) {
  for (NodeId id = 0; id < graph.node_capacity(); ++id) {
    const Node& node = graph.node(id);
    if (!node.alive) continue;
    if (IsDeclared(node)) return &node;
    for (const Subgraph& nested : node.subgraphs) {
      if (const Node* found = FindDeclaredType(*nested.graph)) return found;
    }
  }
  return nullptr;
}

}  // namespace atc

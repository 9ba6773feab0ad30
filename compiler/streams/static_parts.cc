#include "compiler/streams/static_parts.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>

namespace atc {
namespace {

constexpr uint32_t kNoPart = UINT32_MAX;

constexpr const char* kHostEngine = "DNN_VM_HOST_CPU";

// What part of the graph's structure a node is, rather than an operator. A constant that something waits for, or that
// waits, is none of it.
bool IsConstant(const Node& node) {
  return node.type() == "Const" && node.control_in.empty() && node.control_out.empty();
}

bool IsOperator(const Node& node) { return node.type() != "Data" && node.type() != "NetOutput" && !IsConstant(node); }

bool HasKnownShapes(const Graph& graph, const Node& node) {
  if (!node.subgraphs.empty() || node.engine == kHostEngine || node.type() == "Const") return false;
  if (node.attrs.Get<bool>(kForceUnknownShape, false)) return false;
  const auto known = [&](ValueId id) {
    if (id == kNoId || graph.value(id).uses.empty()) return true;
    const TensorDesc& desc = graph.desc(id);
    return desc.shape.IsKnown() && desc.dtype != DT_STRING && desc.dtype != DT_VARIANT;
  };
  return std::all_of(node.inputs.begin(), node.inputs.end(), known) &&
         std::all_of(node.outputs.begin(), node.outputs.end(), known);
}

// Sets of nodes that are joined one by one.
class Sets {
 public:
  explicit Sets(size_t count) : above_(count) { std::iota(above_.begin(), above_.end(), 0u); }
  uint32_t Of(uint32_t i) {
    while (above_[i] != i) i = above_[i] = above_[above_[i]];
    return i;
  }
  void Join(uint32_t a, uint32_t b) { above_[std::max(Of(a), Of(b))] = std::min(Of(a), Of(b)); }

 private:
  std::vector<uint32_t> above_;
};

template <typename F>
void ForEachBefore(const Graph& graph, const Node& node, F&& visit) {
  for (const ValueId input : node.inputs) {
    if (input != kNoId) visit(graph.producer(input));
  }
  for (const NodeId id : node.control_in) visit(graph.node(id));
}

const OpDef& PartCallDef() {
  static const OpDef* def = new OpDef(OpDef(kPartCall).DynIn("args").DynOut("output"));
  return *def;
}

// Moves one part of the copy into a graph of its own.
class Outliner {
 public:
  Outliner(Graph& graph, const std::vector<NodeId>& part, size_t number)
      : graph_(graph), part_(part), call_(graph.Add(PartCallDef(), kPartCall + ("_" + std::to_string(number)), {}, 0)),
        inside_(graph.AddSubgraph(call_, "f")) {
    inside_.name = graph.name + "_sub_" + std::to_string(number) + "_know";
  }

  void Run() {
    for (const NodeId id : part_) {
      const Node& node = graph_.node(id);
      if (call_.engine.empty() && !node.Is(kSource)) call_.engine = node.engine;
      call_.origin = graph_.origins().Union(call_.origin, node.origin);
    }
    for (const NodeId id : part_) Copy(graph_.node(id));
    LinkOutputs();
    for (const NodeId id : part_) LinkControls(graph_.node(id));
    for (auto id = part_.rbegin(); id != part_.rend(); ++id) {
      Node& node = graph_.node(*id);
      for (const NodeId other : std::vector<NodeId>(node.control_in)) graph_.RemoveControl(other, *id);
      for (const NodeId other : std::vector<NodeId>(node.control_out)) graph_.RemoveControl(*id, other);
      graph_.Remove(*id);
    }
  }

 private:
  ValueId Inside(ValueId value) {
    if (value == kNoId) return kNoId;
    if (const auto found = inside_of_.find(value); found != inside_of_.end()) return found->second;
    if (const Tensor* tensor = graph_.Constant(value)) {
      const Node& producer = graph_.producer(value);
      const ValueId constant = inside_.AddConst(call_.name + "_" + producer.name, *tensor, producer.origin);
      inside_.desc(constant) = graph_.desc(value);
      return inside_of_[value] = constant;
    }
    const auto index = static_cast<int64_t>(call_.inputs.size());
    const ValueId data = inside_.AddData(call_.name + "_arg_" + std::to_string(index), index, graph_.desc(value));
    inside_.producer(data).attrs.Set("_parent_node_index", index);
    graph_.AddInput(call_, value);
    return inside_of_[value] = data;
  }

  void Copy(const Node& node) {
    std::vector<ValueId> inputs;
    for (const ValueId input : node.inputs) inputs.push_back(Inside(input));
    Node& copy = inside_.Add(*node.def, node.name, std::move(inputs), node.outputs.size());
    copy.attrs = node.attrs;
    copy.origin = node.origin;
    copy.reasons = node.reasons;
    copy.engine = node.engine;
    copy.stream = node.stream;
    if (node.fused) copy.fused = node.fused->Clone();
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      inside_.desc(copy.outputs[i]) = graph_.desc(node.outputs[i]);
      inside_of_[node.outputs[i]] = copy.outputs[i];
    }
    node_inside_[node.id] = copy.id;
  }

  // What is used outside leaves by the call.
  void LinkOutputs() {
    std::vector<ValueId> results;
    for (const NodeId id : part_) {
      for (const ValueId output : std::vector<ValueId>(graph_.node(id).outputs)) {
        std::vector<Use> uses;
        for (const Use& use : graph_.value(output).uses) {
          if (use.node != call_.id && !node_inside_.contains(use.node)) uses.push_back(use);
        }
        if (uses.empty()) continue;
        const ValueId result = graph_.AddOutput(call_);
        graph_.desc(result) = graph_.desc(output);
        for (const Use& use : uses) graph_.SetInput(graph_.node(use.node), use.input, result);
        results.push_back(inside_of_.at(output));
      }
    }
    inside_.Add("NetOutput", call_.name + "_results", std::move(results), 0);
  }

  void LinkControls(const Node& node) {
    for (const NodeId from : std::vector<NodeId>(node.control_in)) {
      const auto inside = node_inside_.find(from);
      if (inside != node_inside_.end()) {
        inside_.AddControl(inside->second, node_inside_.at(node.id));
      } else {
        graph_.AddControl(from, call_.id);
      }
    }
    for (const NodeId to : std::vector<NodeId>(node.control_out)) {
      if (!node_inside_.contains(to)) graph_.AddControl(call_.id, to);
    }
  }

  Graph& graph_;
  const std::vector<NodeId>& part_;
  Node& call_;
  Graph& inside_;
  std::map<ValueId, ValueId> inside_of_;
  std::map<NodeId, NodeId> node_inside_;
};

}  // namespace

// How often a path to the node changes between known and unknown shapes decides what may be joined: within one number
// every path stays, as what leaves and comes back has a greater one.
std::vector<std::vector<NodeId>> FindStaticParts(const Graph& graph, int32_t least) {
  if (least < 0) return {};
  const std::vector<NodeId> order = graph.TopologicalOrder();
  std::vector<uint32_t> changes(graph.node_capacity(), 0);
  std::vector<bool> known(graph.node_capacity(), false);
  Sets sets(graph.node_capacity());
  for (const NodeId id : order) {
    const Node& node = graph.node(id);
    if (!IsOperator(node)) continue;
    known[id] = HasKnownShapes(graph, node);
    ForEachBefore(graph, node, [&](const Node& before) {
      if (IsOperator(before)) changes[id] = std::max(changes[id], changes[before.id] + (known[before.id] != known[id]));
    });
    if (!known[id]) continue;
    ForEachBefore(graph, node, [&](const Node& before) {
      if (known[before.id] && changes[before.id] == changes[id]) sets.Join(before.id, id);
    });
  }
  std::vector<uint32_t> part_of_set(graph.node_capacity(), kNoPart);
  std::vector<uint32_t> part_of(graph.node_capacity(), kNoPart);
  std::vector<std::vector<NodeId>> found;
  for (const NodeId id : order) {
    if (!known[id]) continue;
    uint32_t& part = part_of_set[sets.Of(id)];
    if (part == kNoPart) {
      part = static_cast<uint32_t>(found.size());
      found.emplace_back();
    }
    part_of[id] = part;
    found[part].push_back(id);
  }
  for (const NodeId id : order) {
    const Node& node = graph.node(id);
    if (!IsConstant(node)) continue;
    const std::vector<Use>& uses = graph.value(node.outputs[0]).uses;
    if (uses.empty() || part_of[uses[0].node] == kNoPart) continue;
    const uint32_t part = part_of[uses[0].node];
    if (std::all_of(uses.begin(), uses.end(), [&](const Use& use) { return part_of[use.node] == part; })) part_of[id] = part;
  }
  std::vector<std::vector<NodeId>> parts(found.size());
  for (const NodeId id : order) {
    const uint32_t part = part_of[id];
    if (part != kNoPart && found[part].size() >= static_cast<size_t>(least)) parts[part].push_back(id);
  }
  std::erase_if(parts, [](const std::vector<NodeId>& part) { return part.empty(); });
  return parts;
}

std::unique_ptr<Graph> SplitStaticParts(const Graph& graph, const std::vector<std::vector<NodeId>>& parts,
                                        const EngineTable& engines) {
  std::unique_ptr<Graph> copy = graph.Clone();
  for (size_t i = 0; i < parts.size(); ++i) Outliner(*copy, parts[i], i).Run();
  PlaceOnEngines(*copy, engines);  // what is new in it
  if (!parts.empty()) copy->attrs.Set(kDynamicShapePartitioned, true);
  return copy;
}

}  // namespace atc

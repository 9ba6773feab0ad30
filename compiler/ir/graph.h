// The graph: nodes and values with dense 32-bit ids, explicit control edges, nested graphs.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "compiler/ir/attr.h"
#include "compiler/ir/format.h"
#include "compiler/ir/op_def.h"
#include "compiler/ir/origin.h"
#include "compiler/ir/shape.h"

namespace atc {

using NodeId = uint32_t;
using ValueId = uint32_t;
inline constexpr uint32_t kNoId = UINT32_MAX;  // an absent optional input, no producer, no node

// Two views of a tensor: the storage view, as the device holds it, and the origin view, as the source framework sees it.
// They are equal until the layout stage chooses a private format.
struct TensorDesc {
  DataType dtype = DT_UNDEFINED;
  Shape shape;
  Format format = FORMAT_ND;
  Shape origin_shape;
  Format origin_format = FORMAT_ND;
  std::vector<DimRange> ranges;      // of origin_shape; empty: none known
  std::vector<std::string> symbols;  // of origin_shape (ONNX dim_param); empty: none
  // DT_VARIANT: what every element is, as far as it is known; and whether it is an optional (no value or one), rather
  // than a sequence.
  std::shared_ptr<const TensorDesc> element;
  bool optional = false;

  TensorDesc() = default;
  TensorDesc(DataType type, Shape dims, Format layout = FORMAT_ND)
      : dtype(type), shape(dims), format(layout), origin_shape(std::move(dims)), origin_format(layout) {}

  // Sets both views.
  void SetShape(Shape dims) {
    origin_shape = dims;
    shape = std::move(dims);
  }
  void SetFormat(Format layout) { format = origin_format = layout; }
};

struct Use {
  NodeId node;
  uint32_t input;  // index into Node::inputs
};

struct Value {
  NodeId producer = kNoId;
  uint32_t index = 0;  // output number of the producer
  TensorDesc desc;
  std::vector<Use> uses;   // maintained by Graph, in no particular order
  // Placement, from the memory stage on.
  int64_t offset = -1;  // bytes from the start of feature memory (Const: of the weights)
  int64_t size = 0;     // padded bytes
};

// Who decided what, and why: one record per decision on a node.
struct Reason {
  Name aspect;       // "dtype", "format", "engine", "stream", "event", "fusion"
  std::string rule;  // "force_fp16", "NC1HWC0 spread from conv1", ...
};

class Graph;

struct Subgraph {
  Name name;  // "then_branch", "body", ...
  std::unique_ptr<Graph> graph;
};

struct Node {
  NodeId id = kNoId;
  bool alive = true;
  std::string name;  // unique in the whole model
  const OpDef* def = nullptr;
  AttrMap attrs;
  std::vector<ValueId> inputs;   // by definition order; kNoId where an optional one is absent
  std::vector<ValueId> outputs;
  std::vector<NodeId> control_in;   // maintained by Graph
  std::vector<NodeId> control_out;
  std::vector<Subgraph> subgraphs;  // control flow
  std::unique_ptr<Graph> fused;     // what a fused operator stands for: Data nodes by index, NetOutput
  OriginId origin = kNoOrigin;
  std::vector<Reason> reasons;
  // Placement.
  std::string engine;
  int32_t stream = -1;
  std::vector<int64_t> workspace_offset;
  std::vector<int64_t> workspace_bytes;

  Node();
  ~Node();
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  Name type() const { return def->type; }
  bool Is(uint32_t traits) const { return def->Is(traits); }
  // The attribute, or the definition's default. An assertion when neither has this type.
  template <typename T>
  T Attr(Name attr) const {
    if (const T* value = attrs.FindAs<T>(attr)) return *value;
    const AttrDef* declared = def->FindAttr(attr);
    assert(declared && std::holds_alternative<T>(declared->fallback));
    return std::get<T>(declared->fallback);
  }
  void Because(Name aspect, std::string rule) { reasons.push_back({aspect, std::move(rule)}); }
};

class Graph {
 public:
  explicit Graph(std::string name = "graph");
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  std::string name;
  AttrMap attrs;
  // The node that owns this graph, when it is nested.
  Graph* parent_graph = nullptr;
  NodeId parent_node = kNoId;

  // ---- building ----
  // A node with `num_outputs` new values of undefined desc. An empty name becomes "<type>_<number>"; a taken one gets a
  // numeric suffix.
  Node& Add(const OpDef& def, std::string node_name, std::vector<ValueId> inputs, size_t num_outputs);
  // The same with the definition found in OpRegistry; throws Error (E19999) if there is none.
  Node& Add(Name type, std::string node_name, std::vector<ValueId> inputs, size_t num_outputs = 1);
  // A Const node holding `tensor`, desc set; returns its value.
  ValueId AddConst(std::string node_name, Tensor tensor, OriginId origin = kNoOrigin);
  // A Data node with attr `index`, desc set; returns its value.
  ValueId AddData(std::string node_name, int64_t index, TensorDesc desc);
  // A new nested graph under `node`, sharing origins.
  Graph& AddSubgraph(Node& node, Name subgraph_name);
  // A graph for Node::fused, sharing origins and names' uniqueness no more than a subgraph does.
  std::unique_ptr<Graph> MakeNested(std::string nested_name) const;

  // ---- editing: uses and control lists follow ----
  void SetInput(Node& node, uint32_t input, ValueId value);
  void AddInput(Node& node, ValueId value);
  void InsertInput(Node& node, uint32_t at, ValueId value);
  void EraseInput(Node& node, uint32_t at);
  ValueId AddOutput(Node& node);
  void AddControl(NodeId from, NodeId to);
  void RemoveControl(NodeId from, NodeId to);
  // All users of `from` use `to` instead.
  void ReplaceUses(ValueId from, ValueId to);
  // Removes a node whose outputs have no users; its control predecessors are joined to its control successors.
  void Remove(NodeId id);
  void Rename(Node& node, std::string node_name);
  // Gives nodes and values new dense ids in the order of `order`, which holds every alive node after what it depends on.
  // Removed nodes are forgotten. References and ids from before are void.
  void Renumber(const std::vector<NodeId>& order);

  // ---- looking ----
  Node& node(NodeId id) { return nodes_[id]; }
  const Node& node(NodeId id) const { return nodes_[id]; }
  Value& value(ValueId id) { return values_[id]; }
  const Value& value(ValueId id) const { return values_[id]; }
  Node& producer(ValueId id) { return nodes_[values_[id].producer]; }
  const Node& producer(ValueId id) const { return nodes_[values_[id].producer]; }
  TensorDesc& desc(ValueId id) { return values_[id].desc; }
  const TensorDesc& desc(ValueId id) const { return values_[id].desc; }
  Node* Find(std::string_view node_name);
  const Node* Find(std::string_view node_name) const;
  // Value of an input Const; nullptr where the input is absent or no Const.
  const Tensor* ConstantInput(const Node& node, uint32_t input) const;
  const Tensor* Constant(ValueId id) const;

  // Ids from 0 to node_capacity() - 1 have been handed out; removed nodes keep theirs, with alive == false.
  size_t node_capacity() const { return nodes_.size(); }
  size_t value_capacity() const { return values_.size(); }
  size_t num_nodes() const { return num_alive_; }

  // Alive nodes in a topological order over data and control edges: depth first from the outputs' side is not used, so
  // that the order follows insertion where edges allow (stable: the smallest id that is ready comes first).
  // An Error (E19999, names of nodes on the cycle) if there is a cycle.
  std::vector<NodeId> TopologicalOrder() const;
  // Data nodes sorted by attr `index`.
  std::vector<NodeId> Inputs() const;
  // The NetOutput node; nullptr before normalisation.
  Node* NetOutput();
  const Node* NetOutput() const;

  // A deep copy: same ids, constants shared.
  std::unique_ptr<Graph> Clone() const;

  // Everything cheap: arity against definitions, uses and control lists both ways, unique names, no cycle, descs set
  // after inference (`after_inference`), nested graphs. Throws Error (E19999) naming the first fault.
  void Verify(bool after_inference = false) const;

  OriginTable& origins() { return *origins_; }
  const OriginTable& origins() const { return *origins_; }

 private:
  std::string UniqueName(std::string wanted, Name type);
  void AddUse(ValueId value, NodeId node, uint32_t input);
  void DropUse(ValueId value, NodeId node, uint32_t input);

  std::deque<Node> nodes_;  // addresses stay valid
  std::deque<Value> values_;
  size_t num_alive_ = 0;
  std::unordered_map<std::string, NodeId> by_name_;
  std::unordered_map<std::string, int> next_suffix_;
  std::shared_ptr<OriginTable> origins_;
};

}  // namespace atc

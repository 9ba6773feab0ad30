// The graph as a pass sees it. Nodes come in a topological order.
#pragma once

#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "graph/gnode.h"
#include "graph/operator.h"

namespace ge {

class GraphBuffer;
class GraphImpl;
using ConstGraphPtr = std::shared_ptr<const Graph>;

class GE_FUNC_DEV_VISIBILITY GE_FUNC_HOST_VISIBILITY Graph {
 public:
  enum class DumpFormat : uint32_t { kOnnx, kTxt, kReadable };

  // No graph at all.
  Graph() = default;
  // A graph of its own, without nodes. Copies of a Graph stand for the same graph; CopyFrom makes another.
  explicit Graph(const char_t* name);
  explicit Graph(const std::string& name) : Graph(name.c_str()) {}

  // What the outputs reach becomes the graph: operators with the links between them, as SetInput made them. Inputs
  // that no output reaches are added as well.
  Graph& SetInputs(const std::vector<Operator>& inputs);
  Graph& SetOutputs(const std::vector<Operator>& outputs);
  Graph& SetOutputs(const std::vector<std::pair<Operator, std::vector<size_t>>>& outputs);
  Graph& SetOutputs(const std::vector<std::pair<Operator, AscendString>>& outputs);
  Graph& SetTargets(const std::vector<Operator>& targets);
  static GraphPtr ConstructFromInputs(const std::vector<Operator>& inputs, const AscendString& name);
  graphStatus AddOp(const Operator& op);
  // Makes outputs of nodes the outputs of a graph of its own.
  graphStatus SetOutputs(const std::vector<std::pair<GNode, int32_t>>& outputs);

  graphStatus FindOpByName(const char_t* name, Operator& op) const;
  graphStatus FindOpByName(const std::string& name, Operator& op) const { return FindOpByName(name.c_str(), op); }
  graphStatus FindOpByType(const char_t* type, std::vector<Operator>& ops) const;
  graphStatus FindOpByType(const std::string& type, std::vector<Operator>& ops) const {
    return FindOpByType(type.c_str(), ops);
  }
  graphStatus GetAllOpName(std::vector<AscendString>& names) const;

  // A graph of its own with the same nodes. Fails on a graph that is under compilation.
  graphStatus CopyFrom(const Graph& graph);

  // The graph as an om without tasks, values of constants included, so that viewers open it; a graph under compilation
  // can be saved but not loaded into. Fails for operators that the compiler does not run.
  graphStatus SaveToFile(const char_t* file) const;
  graphStatus SaveToFile(const std::string& file) const { return SaveToFile(file.c_str()); }
  graphStatus LoadFromFile(const char_t* file);
  graphStatus LoadFromFile(const std::string& file) { return LoadFromFile(file.c_str()); }
  graphStatus SaveToMem(GraphBuffer& buffer) const;
  graphStatus LoadFromMem(const GraphBuffer& buffer);
  graphStatus LoadFromMem(const uint8_t* data, const size_t size);
  graphStatus LoadFromSerializedModelArray(const void* data, size_t size) {
    return LoadFromMem(static_cast<const uint8_t*>(data), size);
  }

  bool IsValid() const;
  graphStatus SetValid() { return IsValid() ? GRAPH_SUCCESS : GRAPH_FAILED; }
  // For training; without effect here.
  void SetNeedIteration(bool) {}
  graphStatus GetName(AscendString& name) const;
  std::string GetName() const {
    AscendString name;
    GetName(name);
    return std::string(name.GetString(), name.GetLength());
  }

  // Nodes of this graph, and with GetAllNodes those of the graphs nested in it after them.
  std::vector<GNode> GetDirectNode() const;
  std::vector<GNode> GetAllNodes() const;
  GNodePtr FindNodeByName(const AscendString& name) const;

  // Nested graphs, at any depth.
  std::vector<GraphPtr> GetAllSubgraphs() const;
  GraphPtr GetSubGraph(const char* name) const;
  // Keeps a copy of the graph under its name for a node's SetSubgraph; the second forgets it, or takes a nested graph
  // away from its node.
  graphStatus AddSubGraph(const Graph& graph);
  graphStatus RemoveSubgraph(const char* name);
  // Null for the root graph.
  ConstGraphPtr GetParentGraph() const;
  GNodePtr GetParentNode() const;

  // A node of a type that this compiler knows, not yet connected; an invalid handle otherwise.
  GNode AddNodeByOp(const Operator& op);
  // Fails where the input is connected already.
  graphStatus AddDataEdge(GNode& from, const int32_t from_port, GNode& to, const int32_t to_port);
  graphStatus AddControlEdge(GNode& from, GNode& to);
  // Both ports -1: the control edge.
  graphStatus RemoveEdge(GNode& from, const int32_t from_port, GNode& to, const int32_t to_port);
  // Its data edges go; what it waited for is waited for by those who waited for it.
  graphStatus RemoveNode(GNode& node);
  graphStatus RemoveNode(GNode& node, bool contain_subgraph);

  graphStatus GetAttr(const AscendString& name, AttrValue& value) const;
  graphStatus SetAttr(const AscendString& name, const AttrValue& value);

  // The text of a dump, without values of constants.
  graphStatus Dump(DumpFormat format, std::ostream& out) const;
  // To a file that is named after the suffix as the compiler's own dumps are, in the folder of these.
  graphStatus DumpToFile(DumpFormat format, const AscendString& suffix) const;

 private:
  friend struct Access;
  std::shared_ptr<GraphImpl> impl_;
};

}  // namespace ge

// The graph as a pass sees it. Nodes come in a topological order.
#pragma once

#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "graph/gnode.h"
#include "graph/operator.h"

namespace ge {

class GraphImpl;
using ConstGraphPtr = std::shared_ptr<const Graph>;

class GE_FUNC_DEV_VISIBILITY GE_FUNC_HOST_VISIBILITY Graph {
 public:
  enum class DumpFormat : uint32_t { kOnnx, kTxt, kReadable };

  Graph() = default;

  bool IsValid() const;
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

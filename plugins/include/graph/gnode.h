// A handle on a node of the graph. It is good while the node lives, whatever happens around it; afterwards every call
// fails. In a stream pass the graph is read-only and calls that would change it fail.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "graph/ascend_string.h"
#include "graph/attr_value.h"
#include "graph/ge_error_codes.h"
#include "graph/tensor.h"
#include "graph/types.h"

namespace ge {

class GNode;
class Graph;
class NodeImpl;
using GNodePtr = std::shared_ptr<GNode>;
using GraphPtr = std::shared_ptr<Graph>;
using OpBytes = std::vector<uint8_t>;

class GE_FUNC_DEV_VISIBILITY GE_FUNC_HOST_VISIBILITY GNode {
 public:
  GNode();
  ~GNode() = default;

  graphStatus GetType(AscendString& type) const;
  graphStatus GetName(AscendString& name) const;

  // The node behind an input and the number of its output; a null node where nothing is connected.
  std::pair<GNodePtr, int32_t> GetInDataNodesAndPortIndexs(const int32_t index) const;
  // The nodes that read an output, and the numbers of their inputs.
  std::vector<std::pair<GNodePtr, int32_t>> GetOutDataNodesAndPortIndexs(const int32_t index) const;
  std::vector<GNodePtr> GetInControlNodes() const;
  std::vector<GNodePtr> GetOutControlNodes() const;
  // The value of an input that is constant.
  graphStatus GetInputConstData(const int32_t index, Tensor& data) const;

  graphStatus GetInputIndexByName(const AscendString& name, int32_t& index) const;
  graphStatus GetOutputIndexByName(const AscendString& name, int32_t& index) const;
  graphStatus GetDynamicInputIndexesByName(const AscendString& name, std::vector<int32_t>& indexes) const;
  graphStatus GetDynamicOutputIndexesByName(const AscendString& name, std::vector<int32_t>& indexes) const;
  size_t GetInputsSize() const;
  size_t GetOutputsSize() const;

  graphStatus GetInputDesc(const int32_t index, TensorDesc& desc) const;
  graphStatus GetOutputDesc(const int32_t index, TensorDesc& desc) const;
  // An input is described by the output that feeds it: only the shape and type that it has may be given.
  graphStatus UpdateInputDesc(const int32_t index, const TensorDesc& desc);
  graphStatus UpdateOutputDesc(const int32_t index, const TensorDesc& desc);

  graphStatus GetAttr(const AscendString& name, AttrValue& value) const;
  graphStatus SetAttr(const AscendString& name, const AttrValue& value) const;
  template <typename T>
  graphStatus GetAttr(const AscendString& name, T& value) const {
    AttrValue any;
    const graphStatus status = GetAttr(name, any);
    return status == GRAPH_SUCCESS ? any.GetAttrValue(value) : status;
  }
  template <typename T>
  graphStatus SetAttr(const AscendString& name, const T& value) const {
    AttrValue any;
    const graphStatus status = any.SetAttrValue(value);
    return status == GRAPH_SUCCESS ? SetAttr(name, static_cast<const AttrValue&>(any)) : status;
  }
  bool HasAttr(const AscendString& name) const;

  // Attributes of single ports.
  graphStatus GetInputAttr(const AscendString& name, uint32_t index, AttrValue& value) const;
  graphStatus GetOutputAttr(const AscendString& name, uint32_t index, AttrValue& value) const;
  graphStatus SetInputAttr(const AscendString& name, uint32_t index, const AttrValue& value);
  graphStatus SetOutputAttr(const AscendString& name, uint32_t index, const AttrValue& value);

  graphStatus GetSubgraph(uint32_t index, GraphPtr& graph) const;
  // All graphs nested in the root graph of this node.
  graphStatus GetALLSubgraphs(std::vector<GraphPtr>& graphs) const;
  // Gives the node a copy of the graph under a name ("then_branch"), in the place of the one that has this name.
  graphStatus SetSubgraph(const AscendString& name, const Graph& graph);
  // Several, called name0, name1, ... (branches of Case).
  graphStatus SetSubgraphs(const AscendString& name, const std::vector<Graph>& graphs);

 private:
  friend struct Access;
  std::shared_ptr<NodeImpl> impl_;
};

}  // namespace ge

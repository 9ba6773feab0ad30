// What the converters of all source formats do alike: they put nodes and constants into a graph for one source node.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/ir/graph.h"

namespace atc {

class NodeEmitter {
 public:
  const std::string& name() const { return name_; }  // of the source node; never empty
  Graph& graph() { return graph_; }

  // A node of type `type` with the source node's origin; `suffix` names it "<name>/<suffix>", an empty one takes the
  // source node's name. Give the node that yields output 0 the empty suffix. Outputs that the kernel always makes exist,
  // wanted or not. Errors: E10501 no such operator, E14001 inputs or outputs that it does not allow.
  Node& Emit(Name type, std::vector<ValueId> inputs, size_t num_outputs = 1, std::string_view suffix = "");
  ValueId Const(Tensor tensor, std::string_view suffix);
  ValueId ConstInts(const std::vector<int64_t>& ints, std::string_view suffix);  // DT_INT64, rank 1

  // The model is wrong here: throws Error naming node and operator; `message` says what was found and wanted.
  [[noreturn]] void Fail(const std::string& message) const;

 protected:
  // `type` is the source operator's.
  NodeEmitter(Graph& graph, std::string name, std::string type);

  OriginId origin() const { return origin_; }

 private:
  std::string NameOf(std::string_view suffix) const;
  void CheckPorts(const OpDef& def, const std::vector<ValueId>& inputs, size_t num_outputs) const;

  Graph& graph_;
  std::string name_;
  std::string type_;
  OriginId origin_;
};

}  // namespace atc

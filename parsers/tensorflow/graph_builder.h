// Turns a SourceGraph into nodes of a Graph: ports to values, functions in place of their calls, nested graphs and what
// they capture.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "compiler/ir/error.h"
#include "compiler/ir/graph.h"
#include "compiler/ir/options.h"
#include "parsers/known_descs.h"
#include "parsers/tensorflow/convert.h"

namespace atc::tf_parser {

// What a lookup table holds: keys, sorted, and as many values.
struct TableContents {
  Tensor keys, values;
};

// What all graphs of one model share.
struct ModelState {
  const TensorReader* tensors = nullptr;
  const CompileOptions* options = nullptr;
  Diagnostics* diagnostics = nullptr;
  FunctionLibrary functions;
  // The value of a variable by its name; an undefined tensor when there is none. Empty for frozen graphs.
  std::function<Tensor(const std::string& variable)> variable;
  std::vector<std::string> scope_passes;  // scope fusion passes that are asked for
  std::map<std::string, TableContents> tables;  // by resource name
  std::map<std::string, int> removed;  // operators left out, by type, and how many
  std::map<std::string, int> written;  // operators that write into variables
  size_t inlined_nodes = 0;            // that functions have been replaced by so far
  int64_t producer = 0;                // version of the library that wrote the graph; 0 when it does not say

  const proto::FunctionDef* FindFunction(const std::string& name) const;
};

class GraphBuilder {
 public:
  GraphBuilder(ModelState& model, Graph& graph, const SourceGraph& source)
      : model_(model), graph_(graph), source_(source) {}

  // The graph of the model. `inputs` are the nodes that become Data, in order, with their descs; `outputs` become the
  // inputs of NetOutput under the names `output_names`.
  void BuildRoot(const std::vector<std::pair<uint32_t, TensorDesc>>& inputs, const std::vector<Port>& outputs,
                 const std::vector<std::string>& output_names);

  // Converts a function body in place: its arguments are `arguments`. Returns its results.
  std::vector<ValueId> Inline(const SourceGraph& body, const std::string& name, const std::vector<ValueId>& arguments);

  // One argument of a nested graph: a formal one, which the owner's operator feeds, or a value from outside.
  struct Argument {
    ValueId outside = kNoId;  // kNoId: formal
    TensorDesc desc;          // of a formal one
  };
  // A graph nested in `owner`, a node of this builder's graph. Values from outside become inputs of the owner (each once
  // for all its graphs), constants are repeated inside. Gives the results `only` of the body (all when it is empty).
  // Returns what is known of them.
  std::vector<TensorDesc> BuildNested(Node& owner, Name name, const SourceGraph& body,
                                      const std::vector<Argument>& arguments, const std::vector<size_t>& only);

  ModelState& model() { return model_; }
  Graph& graph() { return graph_; }
  const SourceGraph& source() const { return source_; }
  ValueId Resolve(const Port& port) const;  // kNoId when it has no value
  void Bind(const Port& port, ValueId value);
  // Whether a node that is converted takes the port, or it is a result.
  bool IsUsed(const Port& port) const { return used_.contains(port); }
  const TensorDesc& Desc(ValueId value) const;
  const PartialInts* Ints(ValueId value) const { return known_->FindInts(value); }
  void Declare(ValueId value, const TensorDesc& desc) { known_->Declare(value, desc); }
  // The body of the function for a call with these attributes. E12013 when the model has no such function.
  SourceGraph FunctionBody(const std::string& name, const std::map<std::string, const proto::AttrValue*>& attrs);

 private:
  void AddNodes(const std::vector<Port>& roots);
  void AddNode(uint32_t number);
  void AddNetOutput(const std::vector<ValueId>& values, const std::vector<std::string>& names);

  ModelState& model_;
  Graph& graph_;
  const SourceGraph& source_;
  std::string prefix_;  // before the names of all nodes
  std::map<Port, ValueId> values_;
  std::set<Port> used_;
  std::shared_ptr<KnownDescs> known_ = std::make_shared<KnownDescs>();  // one for each graph: functions share theirs
  std::map<std::pair<NodeId, ValueId>, int64_t> captured_inputs_;       // that nodes take for their nested graphs
  int depth_ = 0;                                                       // of function calls
};

}  // namespace atc::tf_parser

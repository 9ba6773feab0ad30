// Turns one GraphProto, or the body of one function of the model, into nodes of a Graph: names to values, order of
// nodes, nested graphs and what they capture.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "compiler/ir/error.h"
#include "compiler/ir/graph.h"
#include "compiler/ir/options.h"
#include "parsers/known_descs.h"
#include "parsers/onnx/check_node.h"
#include "parsers/onnx/tensor_reader.h"

namespace onnx {
class FunctionProto;
class GraphProto;
class ModelProto;
class NodeProto;
class TypeProto;
class ValueInfoProto;
}  // namespace onnx

namespace atc::onnx_parser {

// Versions of the operator sets that a model or function imports, by domain ("ai.onnx" written out).
using Opsets = std::map<std::string, int>;

// What all graphs of one model share.
struct ModelState {
  using FunctionKey = std::tuple<std::string, std::string, std::string>;  // domain, name, overload

  TensorReader* tensors = nullptr;
  const CompileOptions* options = nullptr;
  Diagnostics* diagnostics = nullptr;
  Opsets opsets;
  std::map<FunctionKey, const onnx::FunctionProto*> functions;
  // How many nodes the functions of the model have been replaced by so far.
  size_t inlined_nodes = 0;
  UnknownAttributes unknown_attributes;
  // --input_shape changes dims that the model fixes: dims in value_info no longer hold.
  bool shapes_overridden = false;

  // The function that this node calls; nullptr when it is an operator.
  const onnx::FunctionProto* FunctionOf(const onnx::NodeProto& node) const;
};

class GraphBuilder {
 public:
  GraphBuilder(ModelState& model, Graph& graph, const Opsets& opsets) : model_(model), graph_(graph), opsets_(opsets) {}

  // The graph of the model: Data, nodes, NetOutput.
  void BuildRoot(const onnx::GraphProto& proto);
  // A graph nested in `owner`, which is a node of `outer`'s graph; what is captured becomes further inputs of the owner.
  // `formals` stand in for types that its inputs do not declare. Returns what is known of its outputs.
  static std::vector<TensorDesc> BuildNested(GraphBuilder& outer, Node& owner, Name attr, const onnx::GraphProto& proto,
                                             const std::vector<TensorDesc>& formals);

  ModelState& model() { return model_; }
  Graph& graph() { return graph_; }
  const std::string& prefix() const { return prefix_; }
  // Value of a tensor by its ONNX name; initializers become Const nodes, tensors of enclosing graphs Data nodes, when
  // they are asked for. kNoId when nothing has this name.
  ValueId Resolve(const std::string& tensor);
  // Whether this names an input of a function that its caller left out.
  bool IsAbsent(const std::string& tensor) const {
    const auto it = values_.find(tensor);
    return it != values_.end() && it->second == kNoId;
  }
  // Gives a tensor name its value. E13014 when it has one.
  void Bind(const std::string& tensor, ValueId value);
  // What is known of a tensor: from the graph, by inference, or from the model; undefined dtype when nothing is.
  const TensorDesc& Desc(const std::string& tensor);
  // The body of `function` in place of `call`, whose name `name` comes before the names of its nodes.
  void InlineFunction(const onnx::NodeProto& call, const std::string& name, const onnx::FunctionProto& function);
  // The version imported for a domain, 0 when none is.
  int Opset(const std::string& domain) const;

 private:
  void AddInputs(const onnx::GraphProto& proto, const std::vector<TensorDesc>& formals);
  void AddRootInputs(const onnx::GraphProto& proto);
  void AddNodes(const std::vector<const onnx::NodeProto*>& nodes);
  void AddNode(const onnx::NodeProto& node, size_t number);
  void AddNetOutput(const std::vector<std::string>& tensors);
  void NoteInitializers(const onnx::GraphProto& proto);
  ValueId Capture(const std::string& tensor);

  ModelState& model_;
  Graph& graph_;
  const Opsets& opsets_;
  std::string prefix_;             // before the names of all nodes: "<graph>/"
  GraphBuilder* outer_ = nullptr;  // the enclosing scope of a nested graph
  std::map<std::string, ValueId> values_;
  std::map<std::string, TensorDesc> descs_;
  std::shared_ptr<KnownDescs> known_ = std::make_shared<KnownDescs>();  // one for each graph: functions share theirs
  std::map<std::string, const onnx::TensorProto*> initializers_;
  std::map<std::string, const onnx::SparseTensorProto*> sparse_initializers_;
  std::vector<ValueId> captured_;  // values of outer_'s graph, in order of the Data nodes made for them
  int64_t num_formals_ = 0;
  // Captures that nodes of this graph have taken for their nested graphs: (node, value) -> input number.
  std::map<std::pair<NodeId, ValueId>, int64_t> captured_inputs_;
  int function_depth_ = 0;
};

// Positions of `nodes` in an order in which every tensor is made before it is used, nested graphs included; the order
// given is kept where it can be. E13014 when there is a cycle or a tensor is made twice.
std::vector<size_t> SortNodes(const std::vector<const onnx::NodeProto*>& nodes);

// A type as a desc: sequences and optionals are DT_VARIANT, symbols are kept.
TensorDesc DescribeType(const onnx::TypeProto& type);
TensorDesc DescribeValue(const onnx::ValueInfoProto& info);

}  // namespace atc::onnx_parser

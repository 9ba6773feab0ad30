// How one ONNX operator becomes nodes of the graph. Converters live in one file per operator family and are found by
// domain, type and the opset of the model.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/ir/graph.h"
#include "parsers/node_emitter.h"

namespace onnx {
class AttributeProto;
class FunctionProto;
class GraphProto;
class NodeProto;
}  // namespace onnx

namespace atc::onnx_parser {

class GraphBuilder;  // reads a whole GraphProto; see graph_builder.h

// One ONNX node while it is converted. Every node emitted carries the ONNX node's origin.
class NodeContext : public NodeEmitter {
 public:
  NodeContext(GraphBuilder& builder, const onnx::NodeProto& node, std::string name, int opset);

  const std::string& op_type() const;
  const std::string& domain() const;    // "" is written "ai.onnx"
  int opset() const { return opset_; }  // opset of the node's domain in the model

  size_t num_inputs() const;
  bool HasInput(size_t i) const;                   // given, not the empty name, and not an absent input of a function
  ValueId In(size_t i) const;                      // kNoId where absent
  ValueId Named(const std::string& tensor) const;  // a tensor that an attribute names; kNoId where there is none
  std::vector<ValueId> Inputs() const;             // all, kNoId where absent, trailing absent ones left out
  size_t num_outputs() const;                      // outputs listed, trailing empty names left out
  bool WantsOutput(size_t i) const;                // listed and not the empty name
  const Tensor* Constant(size_t i) const;          // initializer or Const, deferred when large; nullptr otherwise
  // Integers of a constant input, e.g. axes; false when it is absent or computed.
  bool ConstantInts(size_t i, std::vector<int64_t>* ints) const;
  // Desc as far as the parser knows it (graph inputs, initializers, inference so far, value_info); undefined dtype when
  // it does not.
  const TensorDesc& Desc(size_t i) const;

  bool HasAttr(std::string_view attr) const;
  int64_t Int(std::string_view attr, int64_t fallback) const;
  float Float(std::string_view attr, float fallback) const;
  std::string String(std::string_view attr, std::string fallback) const;
  std::vector<int64_t> Ints(std::string_view attr, std::vector<int64_t> fallback = {}) const;
  std::vector<float> Floats(std::string_view attr, std::vector<float> fallback = {}) const;
  std::vector<std::string> Strings(std::string_view attr) const;
  Tensor TensorAttr(std::string_view attr) const;        // undefined when absent
  Tensor SparseTensorAttr(std::string_view attr) const;  // made dense
  const onnx::GraphProto* GraphAttr(std::string_view attr) const;
  TensorDesc TypeAttr(std::string_view attr) const;  // undefined dtype when absent
  // Every attribute that has a plain value (ints, floats, strings, their lists, tensors).
  AttrMap PlainAttrs() const;
  // Copies these, each under its own name.
  void CopyAttrs(Node& node) const;

  const onnx::NodeProto& proto() const { return node_; }
  // The nodes of `body` in place of this one, as those of a function that it calls.
  void Inline(const onnx::FunctionProto& body);

  // Binds output i of the ONNX node.
  void SetOutput(size_t i, ValueId value);
  // Emit with all inputs, and SetOutput for every output: for operators that mean the same on both sides.
  Node& Pass(Name type);
  // A node of type "onnx::<op_type>" with all inputs, outputs and attributes, and attr "opset" = opset(): full ONNX
  // semantics, for what AscendIR cannot represent exactly.
  Node& Keep();
  // Converts a graph attribute into a nested graph of `node`; every outer tensor that it uses becomes a further input
  // of `node` (in order of first use, once for all its graphs) and a Data of the nested graph after its formal inputs,
  // with attr "_parent_node_index" = the number of that input. Constants are repeated inside instead.
  // `formals` describe the graph's own inputs where it does not say their types. Returns what is known of its outputs.
  std::vector<TensorDesc> ConvertSubgraph(Node& node, std::string_view attr,
                                          const std::vector<TensorDesc>& formals = {});

 private:
  const onnx::AttributeProto* Find(std::string_view attr) const;

  GraphBuilder& builder_;
  const onnx::NodeProto& node_;
  int opset_;
};

using Converter = std::function<void(NodeContext&)>;

// Converters by (domain, type), each with the opset since which it holds; the newest one not above the model's opset is
// taken, so an operator unchanged since an older opset works at any newer one.
class ConverterRegistry {
 public:
  static const ConverterRegistry& Get();

  // domain "" is ai.onnx.
  void Add(std::string_view op_type, int since, Converter converter, std::string_view domain = "");
  // The same meaning on both sides: Pass(ascend_type), attributes copied under their names.
  void AddPass(std::string_view op_type, int since, Name ascend_type);
  // Kept as onnx::<op_type>.
  void AddKeep(std::string_view op_type, int since, std::string_view domain = "");
  // nullptr when unknown.
  const Converter* Find(std::string_view op_type, int opset, std::string_view domain) const;
  // Domain and type of every operator, sorted.
  std::vector<std::pair<std::string, std::string>> Operators() const;
  // What AddPass and AddKeep make of the operator; see ascend_names.h for the others.
  std::vector<std::string> AscendNames(std::string_view op_type, std::string_view domain) const;

  using Table = std::map<std::pair<std::string, std::string>, std::map<int, Converter>>;  // domain, type; since
  const Table& all() const { return converters_; }

 private:
  Table converters_;
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> ascend_names_;  // domain, type
};

}  // namespace atc::onnx_parser

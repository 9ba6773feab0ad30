// How one TensorFlow operator becomes nodes of the graph. Converters live in one file per operator family and are found
// by type.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/ir/graph.h"
#include "parsers/node_emitter.h"
#include "parsers/tensorflow/source_graph.h"

namespace atc::tf_parser {

class GraphBuilder;  // reads a whole graph; see graph_builder.h

// One TensorFlow node while it is converted. Every node emitted carries its origin.
class NodeContext : public NodeEmitter {
 public:
  // `name` has the scope of an inlined function before it.
  NodeContext(GraphBuilder& builder, uint32_t number, std::string name);

  const std::string& op() const { return node_.op; }
  const SourceNode& node() const { return node_; }
  GraphBuilder& builder() { return builder_; }

  size_t num_inputs() const { return node_.inputs.size(); }
  ValueId In(size_t i) const;           // an error when the node has no such input
  std::vector<ValueId> Inputs() const;
  const Tensor* Constant(size_t i) const;  // deferred when large; nullptr when computed
  // Integers of an input that are known while reading, constants or not; false when they are not.
  bool KnownInts(size_t i, std::vector<int64_t>* ints) const;
  // The same, where nothing but a known number will do: an error naming the input as `what`.
  std::vector<int64_t> RequiredInts(size_t i, const char* what) const;
  int64_t RequiredInt(size_t i, const char* what) const;
  // Desc as far as it is known; undefined dtype when it is not.
  const TensorDesc& Desc(size_t i) const;
  const TensorDesc& DescOf(ValueId value) const;
  DataType InType(size_t i) const { return Desc(i).dtype; }
  // Whether some node, or the model's result, takes output i.
  bool WantsOutput(size_t i) const;
  // Rank of input i, -1 when it is not known.
  int64_t Rank(size_t i) const;

  bool Has(std::string_view attr) const;
  int64_t Int(std::string_view attr, int64_t fallback = 0) const;
  float Float(std::string_view attr, float fallback = 0) const;
  bool Bool(std::string_view attr, bool fallback = false) const;
  std::string String(std::string_view attr, std::string fallback = "") const;
  std::vector<int64_t> Ints(std::string_view attr) const;
  std::vector<float> Floats(std::string_view attr) const;
  std::vector<std::string> Strings(std::string_view attr) const;
  DataType Type(std::string_view attr, DataType fallback = DT_UNDEFINED) const;
  Shape ShapeAttr(std::string_view attr) const;  // unknown rank when absent
  Tensor TensorAttr(std::string_view attr) const;
  std::string Function(std::string_view attr) const;  // name of the function; empty when absent
  std::map<std::string, const proto::AttrValue*> FunctionAttrs(std::string_view attr) const;
  std::map<std::string, const proto::AttrValue*> Attrs() const;
  // Copies every attribute that has a plain value under its own name, types as DataType, shapes as lists of dims.
  void CopyAttrs(Node& node) const;

  // As the base does, with doubles made floats where the two meet.
  Node& Emit(Name type, std::vector<ValueId> inputs, size_t num_outputs = 1, std::string_view suffix = "");
  // Binds output i of the node.
  void SetOutput(size_t i, ValueId value);
  // Emit with all inputs, and SetOutput for `num_outputs` outputs: for operators that mean the same on both sides.
  Node& Pass(Name type, size_t num_outputs = 1);
  // The same with the node's attributes.
  Node& PassWithAttrs(Name type, size_t num_outputs = 1);
  // "tf::<op>" with all inputs and attributes: TensorFlow's full semantics, for what AscendIR cannot represent.
  Node& Keep(size_t num_outputs = 1);
  // An operator of training or debugging that is left out: says so once for each type.
  void NoteRemoved() const;
  // An operator that writes into a variable: says so once for each type.
  void NoteWritten() const;

 private:
  void NarrowDoubles(std::vector<ValueId>* inputs);
  const proto::AttrValue* Find(std::string_view attr) const;

  GraphBuilder& builder_;
  const SourceNode& node_;
  uint32_t number_;
};

using Converter = std::function<void(NodeContext&)>;

class ConverterRegistry {
 public:
  static const ConverterRegistry& Get();

  void Add(std::string_view op, Converter converter);
  // The same meaning on both sides: Pass(ascend_type).
  void AddPass(std::string_view op, Name ascend_type, size_t num_outputs = 1);
  // The same, with all attributes under their names.
  void AddPassWithAttrs(std::string_view op, Name ascend_type, size_t num_outputs = 1);
  // Kept as tf::<op>.
  void AddKeep(std::string_view op, size_t num_outputs = 1);
  // For nodes whose elements are complex numbers, where they need another way than real ones.
  void AddComplex(std::string_view op, Converter converter);
  // nullptr when unknown.
  const Converter* Find(std::string_view op) const;
  // The one for this node: Find, or that of complex elements.
  const Converter* FindFor(const NodeContext& node) const;

 private:
  using Converters = std::map<std::string, Converter, std::less<>>;
  Converters converters_, of_complex_;
};

}  // namespace atc::tf_parser

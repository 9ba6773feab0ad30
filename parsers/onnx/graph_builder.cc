#include "parsers/onnx/graph_builder.h"

#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include <algorithm>

#include "parsers/input_shapes.h"
#include "parsers/onnx/convert.h"
#include "parsers/onnx/custom_operator.h"
#include "parsers/onnx/functions.h"
#include "parsers/onnx/out_nodes.h"

namespace atc::onnx_parser {
namespace {

// Deeper calls are taken for functions that call themselves.
constexpr int kMaxFunctionDepth = 64;
// Functions that call others twice, level by level, make few bytes into more nodes than any machine holds.
constexpr size_t kMaxInlinedNodes = 200'000;

std::vector<const onnx::NodeProto*> NodesOf(const onnx::GraphProto& proto) {
  std::vector<const onnx::NodeProto*> nodes;
  for (const onnx::NodeProto& node : proto.node()) nodes.push_back(&node);
  return nodes;
}

std::vector<std::string> OutputsOf(const onnx::GraphProto& proto) {
  std::vector<std::string> tensors;
  for (const onnx::ValueInfoProto& output : proto.output()) tensors.push_back(output.name());
  return tensors;
}

// --input_format names the layout of 4-D inputs (5-D for NCDHW); other ranks have none.
Format InputFormat(Format wanted, const Shape& shape) {
  const size_t rank = wanted == FORMAT_NCDHW || wanted == FORMAT_NDHWC ? 5 : 4;
  return shape.HasRank() && shape.rank() == rank ? wanted : FORMAT_ND;
}

}  // namespace

const onnx::FunctionProto* ModelState::FunctionOf(const onnx::NodeProto& node) const {
  if (functions.empty()) return nullptr;
  const auto it = functions.find(KeyOf(node));
  return it == functions.end() ? nullptr : it->second;
}

int GraphBuilder::Opset(const std::string& domain) const {
  const auto it = opsets_.find(domain.empty() ? "ai.onnx" : domain);
  return it == opsets_.end() ? 0 : it->second;
}

void GraphBuilder::NoteInitializers(const onnx::GraphProto& proto) {
  for (const onnx::TensorProto& tensor : proto.initializer()) initializers_.emplace(tensor.name(), &tensor);
  for (const onnx::SparseTensorProto& tensor : proto.sparse_initializer()) {
    sparse_initializers_.emplace(tensor.values().name(), &tensor);
  }
  const auto note = [&](const onnx::ValueInfoProto& info) {
    TensorDesc desc = DescribeValue(info);
    if (model_.shapes_overridden && desc.shape.HasRank()) desc.SetShape(Shape::UnknownDims(desc.shape.rank()));
    descs_.emplace(info.name(), std::move(desc));
  };
  for (const onnx::ValueInfoProto& info : proto.value_info()) note(info);
  for (const onnx::ValueInfoProto& info : proto.output()) note(info);
}

void GraphBuilder::AddRootInputs(const onnx::GraphProto& proto) {
  std::set<std::string> initialized;
  for (const onnx::TensorProto& tensor : proto.initializer()) initialized.insert(tensor.name());
  for (const onnx::SparseTensorProto& tensor : proto.sparse_initializer()) initialized.insert(tensor.values().name());
  std::vector<ModelInput> inputs;
  for (const onnx::ValueInfoProto& input : proto.input()) {
    if (!initialized.contains(input.name())) inputs.push_back({input.name(), DescribeValue(input)});
  }
  const auto is_known = [&](const std::string& name) {
    return initialized.contains(name) || std::any_of(proto.node().begin(), proto.node().end(), [&](const auto& node) {
             return node.name() == name ||
                    std::find(node.output().begin(), node.output().end(), name) != node.output().end();
           });
  };
  model_.shapes_overridden = ApplyInputShapes(*model_.options, is_known, &inputs);
  for (ModelInput& input : inputs) {
    if (input.desc.dtype == DT_UNDEFINED) {
      throw Error("E13014", {{"value", "of an element type that is not known"},
                             {"parameter", "The type"},
                             {"opname", input.name},
                             {"reason", "Inputs are tensors, sequences or optionals of ONNX's element types."}});
    }
    input.desc.SetFormat(InputFormat(model_.options->input_format, input.desc.shape));
    const ValueId value = graph_.AddData(input.name, num_formals_++, std::move(input.desc));
    graph_.producer(value).origin = graph_.origins().Leaf(input.name);
    Bind(input.name, value);
  }
}

void GraphBuilder::AddInputs(const onnx::GraphProto& proto, const std::vector<TensorDesc>& formals) {
  for (const onnx::ValueInfoProto& input : proto.input()) {
    TensorDesc desc = DescribeValue(input);
    const auto number = static_cast<size_t>(num_formals_);
    if (desc.dtype == DT_UNDEFINED && number < formals.size()) desc = formals[number];
    const ValueId value = graph_.AddData(prefix_ + input.name(), num_formals_++, std::move(desc));
    graph_.producer(value).origin = graph_.origins().Leaf(prefix_ + input.name());
    Bind(input.name(), value);
  }
}

void GraphBuilder::BuildRoot(const onnx::GraphProto& proto) {
  AddRootInputs(proto);
  NoteInitializers(proto);
  AddNodes(NodesOf(proto));
  const std::vector<OutNodeOption>& chosen = model_.options->out_nodes;
  AddNetOutput(chosen.empty() ? OutputsOf(proto) : ChosenOutputs(proto, chosen));
}

std::vector<TensorDesc> GraphBuilder::BuildNested(GraphBuilder& outer, Node& owner, Name attr,
                                                  const onnx::GraphProto& proto,
                                                  const std::vector<TensorDesc>& formals) {
  Graph& graph = outer.graph_.AddSubgraph(owner, attr);
  GraphBuilder nested(outer.model_, graph, outer.opsets_);
  nested.prefix_ = graph.name + "/";
  nested.outer_ = &outer;
  nested.function_depth_ = outer.function_depth_;
  nested.AddInputs(proto, formals);
  nested.NoteInitializers(proto);
  nested.AddNodes(NodesOf(proto));
  nested.AddNetOutput(OutputsOf(proto));
  const std::vector<NodeId> data = graph.Inputs();
  for (size_t i = 0; i < nested.captured_.size(); ++i) {
    const auto [it, added] = outer.captured_inputs_.emplace(std::pair{owner.id, nested.captured_[i]},
                                                            static_cast<int64_t>(owner.inputs.size()));
    if (added) outer.graph_.AddInput(owner, nested.captured_[i]);
    graph.node(data[nested.num_formals_ + i]).attrs.Set("_parent_node_index", it->second);
  }
  std::vector<TensorDesc> results;
  for (const onnx::ValueInfoProto& output : proto.output()) {
    results.push_back(nested.Desc(output.name()));
    // What an operator that never runs the graph says of its results.
    TensorDesc& desc = graph.desc(nested.Resolve(output.name()));
    if (desc.dtype == DT_UNDEFINED) desc = results.back();
  }
  return results;
}

ValueId GraphBuilder::Resolve(const std::string& tensor) {
  const auto it = values_.find(tensor);
  if (it != values_.end()) return it->second;
  ValueId value = kNoId;
  const OriginId origin = graph_.origins().Leaf(prefix_ + tensor);
  if (const auto dense = initializers_.find(tensor); dense != initializers_.end()) {
    value = graph_.AddConst(prefix_ + tensor, model_.tensors->Read(*dense->second), origin);
  } else if (const auto sparse = sparse_initializers_.find(tensor); sparse != sparse_initializers_.end()) {
    value = graph_.AddConst(prefix_ + tensor, model_.tensors->ReadSparse(*sparse->second), origin);
  } else if (outer_ != nullptr) {
    value = Capture(tensor);
  }
  if (value != kNoId) values_.emplace(tensor, value);
  return value;
}

ValueId GraphBuilder::Capture(const std::string& tensor) {
  const ValueId outside = outer_->Resolve(tensor);
  if (outside == kNoId) return kNoId;
  const OriginId origin = outer_->graph_.producer(outside).origin;
  // Constants are repeated inside, sharing their bytes, so that what depends on them is known there too.
  if (const Tensor* constant = outer_->graph_.Constant(outside)) {
    return graph_.AddConst(prefix_ + tensor, *constant, origin);
  }
  const ValueId value =
      graph_.AddData(prefix_ + tensor, num_formals_ + static_cast<int64_t>(captured_.size()), outer_->Desc(tensor));
  graph_.producer(value).origin = origin;
  captured_.push_back(outside);
  return value;
}

void GraphBuilder::Bind(const std::string& tensor, ValueId value) {
  if (!initializers_.contains(tensor) && values_.emplace(tensor, value).second) return;
  throw Error("E13014", {{"value", "'" + tensor + "'"},
                         {"parameter", "An output"},
                         {"opname", prefix_ + tensor},
                         {"reason", "Another node, an input or an initializer gives the same tensor."}});
}

const TensorDesc& GraphBuilder::Desc(const std::string& tensor) {
  static const TensorDesc kUnknown;
  const ValueId value = Resolve(tensor);
  if (value != kNoId && graph_.desc(value).dtype != DT_UNDEFINED) return graph_.desc(value);
  const auto it = descs_.find(tensor);
  const TensorDesc* inferred = value == kNoId ? nullptr : known_->Find(value);
  if (inferred && (inferred->origin_shape.HasRank() || it == descs_.end())) return *inferred;
  if (it != descs_.end()) return it->second;
  return outer_ != nullptr ? outer_->Desc(tensor) : kUnknown;
}

void GraphBuilder::AddNodes(const std::vector<const onnx::NodeProto*>& nodes) {
  for (const size_t i : SortNodes(nodes)) AddNode(*nodes[i], i);
}

void GraphBuilder::AddNode(const onnx::NodeProto& node, size_t number) {
  const std::string name = prefix_ + NodeName(node, number);
  try {
    if (const onnx::FunctionProto* function = model_.FunctionOf(node)) {
      InlineFunction(node, name, *function);
      return;
    }
    const int opset = Opset(node.domain());
    NodeContext context(*this, node, name, opset);
    if (const Converter* converter = ConverterRegistry::Get().Find(node.op_type(), opset, node.domain())) {
      CheckNode(context, node, &model_.unknown_attributes);
      (*converter)(context);
    } else {
      const SourceMapping* mapping = FindCustomOperator(node.domain(), node.op_type(), opset);
      assert(mapping != nullptr);  // parser.cc has looked for what is unsupported
      ConvertCustomOperator(context, *mapping, &model_.unknown_attributes);
    }
    known_->Learn(graph_);
    for (const std::string& output : node.output()) {
      const auto declared = descs_.find(output);
      const auto value = values_.find(output);
      if (declared != descs_.end() && value != values_.end()) known_->Declare(value->second, declared->second);
    }
  } catch (Error& error) {
    error.At(fmt::format("node '{}' ({})", name, node.op_type()));
    throw;
  }
}

void GraphBuilder::InlineFunction(const onnx::NodeProto& call, const std::string& name,
                                  const onnx::FunctionProto& function) {
  if (function_depth_ >= kMaxFunctionDepth) {
    throw Error("E13014", {{"value", "a call of its own function"},
                           {"parameter", "A node"},
                           {"opname", call.op_type()},
                           {"reason", "Functions of a model may not call themselves, directly or through others."}});
  }
  model_.inlined_nodes += static_cast<size_t>(function.node_size());
  if (model_.inlined_nodes > kMaxInlinedNodes) {
    throw Error("E13014", {{"value", fmt::format("part of more than {} nodes", kMaxInlinedNodes)},
                           {"parameter", "A node"},
                           {"opname", call.op_type()},
                           {"reason", "That many nodes come of the functions of the model."}});
  }
  const std::vector<onnx::NodeProto> body = BodyFor(call, function);
  const Opsets opsets = OpsetsOf(function.opset_import());
  GraphBuilder builder(model_, graph_, opsets);
  builder.prefix_ = name + "/";
  builder.function_depth_ = function_depth_ + 1;
  builder.known_ = known_;
  for (int i = 0; i < function.input_size(); ++i) {
    const bool given = i < call.input_size() && !call.input(i).empty();
    const ValueId value = given ? Resolve(call.input(i)) : kNoId;
    if (given && value == kNoId && !IsAbsent(call.input(i))) {
      throw Error("E13014", {{"value", "'" + call.input(i) + "'"},
                             {"parameter", fmt::format("Input {}", i)},
                             {"opname", name},
                             {"reason", "No input, initializer or node gives this tensor."}});
    }
    builder.Bind(function.input(i), value);
  }
  std::vector<const onnx::NodeProto*> nodes;
  for (const onnx::NodeProto& node : body) nodes.push_back(&node);
  builder.AddNodes(nodes);
  for (int i = 0; i < std::min(call.output_size(), function.output_size()); ++i) {
    if (!call.output(i).empty()) Bind(call.output(i), builder.Resolve(function.output(i)));
  }
}

void GraphBuilder::AddNetOutput(const std::vector<std::string>& tensors) {
  std::vector<ValueId> values;
  OriginId origin = kNoOrigin;
  for (const std::string& tensor : tensors) {
    values.push_back(Resolve(tensor));
    if (values.back() == kNoId) {
      throw Error("E13014", {{"value", "'" + tensor + "'"},
                             {"parameter", "An output"},
                             {"opname", graph_.name},
                             {"reason", "No input, initializer or node gives this tensor."}});
    }
    origin = graph_.origins().Union(origin, graph_.producer(values.back()).origin);
  }
  Node& output = graph_.Add("NetOutput", prefix_ + "Node_Output", std::move(values), 0);
  output.origin = origin;
  output.attrs.Set("_origin_output_tensor_name", tensors);
  output.attrs.Set("output_names", tensors);
}

}  // namespace atc::onnx_parser

#include "plugins/pyasc/core/graph_builder.h"

#include <fmt/format.h>

#include <cstring>

#include "compiler/ir/journal.h"
#include "compiler/ir/nearest_names.h"
#include "compiler/layout/choose_formats.h"
#include "compiler/ops/inference.h"
#include "parsers/onnx/parser.h"
#include "parsers/tensorflow/parser.h"
#include "plugins/pyasc/core/attributes.h"

namespace py = pybind11;

namespace atc::python {
namespace {

// Of a node whose operator sets no bound of its own.
constexpr size_t kMostOutputs = 65536;

// A name of the user's, in the terms of one node's message.
std::string Named(const std::string& name) { return name.empty() ? "" : " '" + name + "'"; }

// What the definition allows, as inference and kernels rely on it.
void CheckArity(const OpDef& def, const std::string& name, const std::vector<std::optional<ValueId>>& inputs) {
  size_t least = 0;
  bool dynamic = false;
  for (size_t i = 0; i < def.inputs.size(); ++i) {
    const IoKind kind = def.inputs[i].kind;
    // A list may be empty behind operands of its own, not alone.
    if (kind == IoKind::kRequired || (kind == IoKind::kDynamic && i == 0)) least = i + 1;
    dynamic |= kind == IoKind::kDynamic;
  }
  if (inputs.size() < least || (!dynamic && inputs.size() > def.inputs.size())) {
    throw py::type_error(fmt::format("{}{} takes {}{} inputs; {} were given", def.type.str(), Named(name), least,
                                     dynamic                     ? " or more"
                                     : def.inputs.size() > least ? fmt::format(" to {}", def.inputs.size())
                                                                 : "",
                                     inputs.size()));
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    const IoDef* port = def.InputDef(i);
    if (inputs[i] || (port != nullptr && port->kind == IoKind::kOptional)) continue;
    throw py::type_error(fmt::format("{}{} needs its input '{}'", def.type.str(), Named(name), def.InputName(i)));
  }
}

// `wanted`, or more where the operator always makes more.
size_t CheckOutputs(const OpDef& def, const std::string& name, size_t wanted) {
  size_t least = 0;
  bool dynamic = false;
  for (size_t i = 0; i < def.outputs.size(); ++i) {
    const IoKind kind = def.outputs[i].kind;
    if (kind == IoKind::kRequired || (kind == IoKind::kDynamic && i == 0)) least = i + 1;
    dynamic |= def.outputs[i].kind == IoKind::kDynamic;
  }
  const size_t most = dynamic ? kMostOutputs : def.outputs.size();
  if (wanted <= most && (wanted >= least || !dynamic)) return std::max(wanted, least);
  if (dynamic && wanted < least) {
    throw py::value_error(
        fmt::format("{}{} has {} or more outputs; {} were asked for", def.type.str(), Named(name), least, wanted));
  }
  throw py::value_error(
      fmt::format("{}{} has at most {} outputs; {} were asked for", def.type.str(), Named(name), most, wanted));
}

Node& FindNode(Graph& graph, const std::string& name) {
  Node* node = graph.Find(name);
  if (node != nullptr) return *node;
  std::vector<std::string> names;
  for (const NodeId id : graph.TopologicalOrder()) names.push_back(graph.node(id).name);
  throw py::key_error(fmt::format("there is no tensor '{}' in the graph. {}", name, DidYouMean(name, names)));
}

}  // namespace

std::unique_ptr<GraphBuilder> GraphBuilder::FromOnnx(const std::string& path, const CompileOptions& options) {
  const py::gil_scoped_release release;
  Diagnostics diagnostics;
  return Parsed(ParseOnnx(path, options, &diagnostics));
}

std::unique_ptr<GraphBuilder> GraphBuilder::FromTensorFlow(const std::string& path, const CompileOptions& options) {
  const py::gil_scoped_release release;
  Diagnostics diagnostics;
  return Parsed(ParseTensorFlow(path, options, &diagnostics));
}

std::unique_ptr<GraphBuilder> GraphBuilder::Parsed(std::unique_ptr<Graph> graph) {
  auto builder = std::make_unique<GraphBuilder>("");
  builder->graph_ = std::move(graph);
  InferShapes(*builder->graph_);
  return builder;
}

ValueId GraphBuilder::Input(const std::string& name, int dtype, const std::vector<int64_t>& shape) {
  if (graph_->Find(name) != nullptr) throw py::value_error("the graph has a node '" + name + "' already");
  const Format format = shape.size() == 4 ? FORMAT_NCHW : FORMAT_ND;
  return graph_->AddData(name, static_cast<int64_t>(graph_->Inputs().size()),
                         TensorDesc(static_cast<DataType>(dtype), Shape(shape), format));
}

ValueId GraphBuilder::Constant(py::buffer bytes, int dtype, const std::vector<int64_t>& shape,
                               const std::string& name) {
  const py::buffer_info info = bytes.request();
  const auto size = static_cast<size_t>(info.size * info.itemsize);
  Tensor tensor = Tensor::Allocate(static_cast<DataType>(dtype), Shape(shape));
  if (size != tensor.NumBytes()) {
    throw py::value_error(fmt::format("{} {} takes {} bytes; {} were given", DataTypeName(static_cast<DataType>(dtype)),
                                      ToString(Shape(shape)), tensor.NumBytes(), size));
  }
  std::memcpy(tensor.MutableData<char>(), info.ptr, size);
  return graph_->AddConst(name, std::move(tensor));
}

std::vector<ValueId> GraphBuilder::Add(const std::string& type, const std::vector<std::optional<ValueId>>& inputs,
                                       const py::dict& attributes, const std::string& name, size_t num_outputs,
                                       const std::map<std::string, std::string>& kinds) {
  const OpDef* def = OpRegistry::Get().Find(Name(type));
  if (def == nullptr) throw py::key_error("there is no AscendIR operator '" + type + "'");
  CheckArity(*def, name, inputs);
  num_outputs = CheckOutputs(*def, name, num_outputs);
  AttrMap attrs;
  for (const auto& [key, value] : attributes) {
    const auto attribute = py::cast<std::string>(key);
    const auto kind = kinds.find(attribute);
    attrs.Set(Name(attribute), ToAttribute(*def, attribute, value, kind == kinds.end() ? std::string() : kind->second));
  }
  for (const AttrDef& attr : def->attrs) {
    if (!attr.required || attrs.Has(attr.name)) continue;
    throw py::type_error(fmt::format("{}{} needs its attribute '{}'", type, Named(name), attr.name.str()));
  }
  std::vector<ValueId> values;
  for (const auto& input : inputs) {
    if (input) Check(*input);
    values.push_back(input.value_or(kNoId));
  }
  Node& node = graph_->Add(*def, name, std::move(values), num_outputs);
  node.attrs = std::move(attrs);
  const auto refuse = [&](const std::string& what) {
    const std::string place = fmt::format("{} '{}'", type, node.name);
    graph_->Remove(node.id);
    throw py::type_error(place + what);
  };
  try {
    InferNode(*graph_, node);
  } catch (const std::bad_variant_access&) {  // of a required attribute, whose kind the definition does not tell
    refuse(" has an attribute of the wrong kind");
  } catch (const std::length_error&) {
    refuse(" describes a tensor that is too large");
  } catch (const std::bad_alloc&) {
    refuse(" describes a tensor that is too large");
  } catch (...) {
    graph_->Remove(node.id);
    throw;
  }
  return node.outputs;
}

ValueInfo GraphBuilder::Describe(ValueId value) const {
  Check(value);
  const TensorDesc& desc = graph_->desc(value);
  ValueInfo info{desc.dtype, std::nullopt, std::string(FormatName(desc.format)), graph_->producer(value).name,
                 graph_->value(value).index};
  if (desc.origin_shape.HasRank()) {
    const auto& dims = desc.origin_shape.dims();
    info.shape.emplace(dims.begin(), dims.end());
  }
  return info;
}

std::vector<std::pair<std::string, ValueId>> GraphBuilder::Inputs() const {
  std::vector<std::pair<std::string, ValueId>> inputs;
  for (const NodeId id : graph_->Inputs()) inputs.emplace_back(graph_->node(id).name, graph_->node(id).outputs[0]);
  return inputs;
}

std::vector<std::pair<std::string, ValueId>> GraphBuilder::Outputs() const {
  std::vector<std::pair<std::string, ValueId>> outputs;
  const Node* net_output = graph_->NetOutput();
  if (net_output == nullptr) return outputs;
  const auto* names = net_output->attrs.FindAs<std::vector<std::string>>("_origin_output_tensor_name");
  for (size_t i = 0; i < net_output->inputs.size(); ++i) {
    const ValueId value = net_output->inputs[i];
    outputs.emplace_back(names != nullptr && i < names->size() ? (*names)[i] : graph_->producer(value).name, value);
  }
  return outputs;
}

std::unique_ptr<Graph> GraphBuilder::Finish(const std::vector<std::pair<std::string, std::vector<int64_t>>>& shapes,
                                            const std::vector<std::pair<ValueId, std::string>>& outputs,
                                            const NodeSettings& settings) const {
  std::unique_ptr<Graph> graph = graph_->Clone();
  for (const auto& [name, passes] : settings.disabled_passes)
    FindNode(*graph, name).attrs.Set(kDisabledPassesAttr, passes);
  for (const auto& [name, format] : settings.formats) {
    FindNode(*graph, name).attrs.Set(kStorageFormatAttr, AttrValue(format));
  }
  for (const auto& [name, shape] : shapes) {
    Node* data = graph->Find(name);
    if (data == nullptr || !(data->type() == "Data")) throw py::key_error("there is no input '" + name + "'");
    graph->desc(data->outputs[0]).SetShape(Shape(shape));
  }
  if (Node* old = graph->NetOutput()) graph->Remove(old->id);
  std::vector<ValueId> values;
  std::vector<std::string> names, tensors;
  for (const auto& [value, tensor] : outputs) {
    Check(value);
    values.push_back(value);
    names.push_back(fmt::format("{}:{}", graph->producer(value).name, graph->value(value).index));
    tensors.push_back(tensor);
  }
  Node& net_output = graph->Add("NetOutput", "Node_Output", std::move(values), 0);
  net_output.attrs.Set("output_names", names);
  net_output.attrs.Set("_origin_output_tensor_name", tensors);
  return graph;
}

void GraphBuilder::Check(ValueId value) const {
  if (value < graph_->value_capacity()) return;
  throw py::index_error("there is no value " + std::to_string(value) + " in this graph");
}

}  // namespace atc::python

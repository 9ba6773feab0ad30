#include "parsers/tensorflow/interface.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "compiler/ir/error.h"
#include "parsers/input_shapes.h"
#include "parsers/tensorflow/graph_def.pb.h"

namespace atc::tf_parser {
namespace {

// What is no result even where nobody takes its output. Sorted.
constexpr std::string_view kNoResults[] = {
    "Assert",           "Assign",         "AssignAddVariableOp", "AssignSubVariableOp", "AssignVariableOp",
    "AudioSummaryV2",   "CheckNumerics",  "Const",               "ControlTrigger",      "Enter",
    "HistogramSummary", "ImageSummary",   "LoopCond",            "MergeSummary",        "MergeV2Checkpoints",
    "NextIteration",    "NoOp",           "Placeholder",         "PlaceholderV2",       "Print",
    "PrintV2",          "RestoreV2",      "SaveV2",              "ScalarSummary",       "ShardedFilename",
    "Switch",           "TensorSummary",  "TensorSummaryV2",     "VarHandleOp",         "VarIsInitializedOp",
    "VariableV2",       "WriteSummary",
};

bool IsInput(const SourceNode& node) { return node.op == "Placeholder" || node.op == "PlaceholderV2"; }

Port PortNamed(const SourceGraph& graph, const std::string& text) {
  const InputText tensor = ParseInput(text);
  return {graph.Find(tensor.node), tensor.output};
}

// A name of the user: a node, "node:output", or a name of the signature.
Port Named(const SourceGraph& graph, const std::string& text, const std::vector<std::pair<std::string, std::string>>& alias) {
  if (const Port port = PortNamed(graph, text); port.node != kNoNode) return port;
  for (const auto& [name, tensor] : alias) {
    if (name == text) return PortNamed(graph, tensor);
  }
  return {};
}

std::vector<Port> Leaves(const SourceGraph& graph) {
  std::set<uint32_t> used;
  for (const SourceNode& node : graph.nodes) {
    for (const Port& input : node.inputs) used.insert(input.node);
  }
  std::vector<Port> leaves;
  for (uint32_t i = 0; i < graph.nodes.size(); ++i) {
    const std::string& op = graph.nodes[i].op;
    if (used.contains(i) || std::binary_search(std::begin(kNoResults), std::end(kNoResults), op)) continue;
    leaves.push_back({i, 0});
  }
  return leaves;
}

TensorDesc DescOf(const SourceNode& node) {
  const auto& attrs = node.def->attr();
  const auto dtype = attrs.find("dtype");
  const auto shape = attrs.find("shape");
  TensorDesc desc(dtype == attrs.end() ? DT_UNDEFINED : DataTypeFromTf(dtype->second.type()), Shape::UnknownRank());
  if (shape != attrs.end() && shape->second.has_shape()) desc.SetShape(ShapeFrom(shape->second.shape()));
  return desc;
}

// --input_format names the layout of 4-D inputs (5-D for NCDHW and NDHWC); other ranks have none.
Format InputFormat(Format wanted, const Shape& shape) {
  const size_t rank = wanted == FORMAT_NCDHW || wanted == FORMAT_NDHWC ? 5 : 4;
  return shape.HasRank() && shape.rank() == rank ? wanted : FORMAT_ND;
}

}  // namespace

Outputs FindOutputs(const SourceGraph& graph, const CompileOptions& options, const Signature& signature) {
  Outputs outputs;
  for (const OutNodeOption& option : options.out_nodes) {
    Port port = Named(graph, option.by_index() ? option.node : option.tensor, signature.outputs);
    if (port.node == kNoNode) {
      throw Error("E10016", {{"opname", option.by_index() ? option.node : option.tensor}, {"parameter", "out_nodes"}});
    }
    if (option.by_index()) port.output = static_cast<uint32_t>(std::max(option.index, 0));
    outputs.ports.push_back(port);
  }
  if (outputs.ports.empty()) {
    for (const auto& [name, tensor] : signature.outputs) {
      const Port port = PortNamed(graph, tensor);
      if (port.node == kNoNode) throw Error("E12009", {{"opname", "output " + name}, {"inputopname", tensor}});
      outputs.ports.push_back(port);
    }
  }
  if (outputs.ports.empty()) outputs.ports = Leaves(graph);
  if (outputs.ports.empty()) {
    throw Error("E13014", {{"value", "without results"},
                           {"parameter", "The graph"},
                           {"opname", graph.name},
                           {"reason", "Every node's outputs are taken by other nodes."}},
                "Name the outputs with --out_nodes.");
  }
  for (const Port& port : outputs.ports) outputs.names.push_back(fmt::format("{}:{}", graph.nodes[port.node].name, port.output));
  return outputs;
}

std::vector<std::pair<uint32_t, TensorDesc>> FindInputs(const SourceGraph& graph, const std::vector<Port>& outputs,
                                                        const CompileOptions& options, const Signature& signature) {
  std::vector<uint32_t> nodes;
  for (const uint32_t number : graph.OrderFor(outputs)) {
    if (IsInput(graph.nodes[number])) nodes.push_back(number);
  }
  std::sort(nodes.begin(), nodes.end());
  const auto rank_of = [&](uint32_t number) {
    for (size_t i = 0; i < signature.inputs.size(); ++i) {
      if (ParseInput(signature.inputs[i].second).node == graph.nodes[number].name) return i;
    }
    return signature.inputs.size();
  };
  std::stable_sort(nodes.begin(), nodes.end(), [&](uint32_t a, uint32_t b) { return rank_of(a) < rank_of(b); });
  std::vector<ModelInput> inputs;
  for (const uint32_t number : nodes) {
    const SourceNode& node = graph.nodes[number];
    inputs.push_back({node.name, DescOf(node)});
    if (inputs.back().desc.dtype == DT_UNDEFINED || inputs.back().desc.dtype == DT_VARIANT) {
      throw Error("E13014", {{"value", "of a type that is no tensor's"},
                             {"parameter", "The attribute dtype"},
                             {"opname", node.name},
                             {"reason", "Inputs of a model are tensors."}},
                  "Freeze the variables of the model into constants before the conversion.");
    }
  }
  // Names as users write them become those of the nodes.
  CompileOptions named = options;
  for (InputShapeOption& option : named.input_shapes) {
    if (option.name.empty()) continue;
    const Port port = Named(graph, option.name, signature.inputs);
    if (port.node != kNoNode && port.output == 0) option.name = graph.nodes[port.node].name;
  }
  ApplyInputShapes(named, [&](const std::string& name) { return graph.Find(name) != kNoNode; }, &inputs);
  std::vector<std::pair<uint32_t, TensorDesc>> found;
  for (size_t i = 0; i < nodes.size(); ++i) {
    inputs[i].desc.SetFormat(InputFormat(options.input_format, inputs[i].desc.shape));
    found.emplace_back(nodes[i], std::move(inputs[i].desc));
  }
  return found;
}

}  // namespace atc::tf_parser

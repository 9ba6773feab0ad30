#include "parsers/onnx/parser.h"

#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include "compiler/ir/unsupported_operators.h"
#include "parsers/model_file.h"
#include "parsers/onnx/convert.h"
#include "parsers/onnx/custom_operator.h"
#include "parsers/onnx/functions.h"
#include "parsers/onnx/graph_builder.h"
#include "parsers/onnx/scanner.h"
#include "parsers/onnx/versions.h"

namespace atc {
namespace {

using namespace onnx_parser;

void Warn(Diagnostics* diagnostics, std::string text) {
  if (diagnostics != nullptr) diagnostics->Warn("W19999", {{"reason", std::move(text)}});
}

int Version(const Opsets& opsets, const std::string& domain) {
  const auto it = opsets.find(domain.empty() ? "ai.onnx" : domain);
  return it == opsets.end() ? 0 : it->second;
}

// Walks graphs, nested ones and the functions that they call, and notes every operator without converter.
class SupportCheck {
 public:
  explicit SupportCheck(const ModelState& model) : model_(model) {}

  void Graph(const onnx::GraphProto& graph, const Opsets& opsets) {
    for (int i = 0; i < graph.node_size(); ++i) Node(graph.node(i), i, opsets);
  }
  void ThrowIfAny() const {
    if (!unsupported_.empty()) throw unsupported_.ToError();
  }

 private:
  void Node(const onnx::NodeProto& node, int number, const Opsets& opsets) {
    for (const onnx::AttributeProto& attribute : node.attribute()) {
      if (attribute.has_g()) Graph(attribute.g(), opsets);
      for (const onnx::GraphProto& graph : attribute.graphs()) Graph(graph, opsets);
    }
    if (const onnx::FunctionProto* function = model_.FunctionOf(node)) {
      if (!functions_.insert(KeyOf(*function)).second) return;
      const Opsets inner = OpsetsOf(function->opset_import());
      for (int i = 0; i < function->node_size(); ++i) Node(function->node(i), i, inner);
      return;
    }
    const int opset = Version(opsets, node.domain());
    if (ConverterRegistry::Get().Find(node.op_type(), opset, node.domain()) != nullptr) return;
    if (FindCustomOperator(node.domain(), node.op_type(), opset) != nullptr) return;
    unsupported_.Add(node.domain(), opset, node.op_type(),
                     node.name().empty() ? fmt::format("{}_{}", node.op_type(), number) : node.name());
  }

  const ModelState& model_;
  std::set<ModelState::FunctionKey> functions_;
  UnsupportedOperators unsupported_;
};

std::unique_ptr<Graph> Parse(std::shared_ptr<const ModelFile> file, const CompileOptions& options,
                             Diagnostics* diagnostics) {
  ScannedFile scanned = Scan(*file, Message::kModel);
  onnx::ModelProto proto;
  if (!proto.ParseFromString(scanned.skeleton)) {
    throw Error("E13005", {{"file", file->path()}, {"reason", "a message within it is damaged"}});
  }
  scanned.skeleton = {};
  if (!proto.has_graph()) throw Error("E16004", {});
  if (proto.graph().output_size() == 0) throw Error("E16001", {{"value", "output"}});
  if (proto.ir_version() > kNewestIrVersion) {
    Warn(diagnostics, fmt::format("The model has ir_version {}; it is read as version {}, the newest one known.",
                                  proto.ir_version(), kNewestIrVersion));
  }

  TensorReader tensors(file, std::move(scanned.payloads));
  ModelState model;
  model.tensors = &tensors;
  model.options = &options;
  model.diagnostics = diagnostics;
  model.opsets = OpsetsOf(proto.opset_import());
  if (model.opsets.empty()) model.opsets["ai.onnx"] = 1;  // files older than operator sets
  if (const int opset = Version(model.opsets, ""); opset > kNewestOpset) {
    Warn(diagnostics,
         fmt::format("The model imports version {} of ai.onnx; its operators are read as those of version {}, "
                     "the newest one known.",
                     opset, kNewestOpset));
  }
  for (const onnx::FunctionProto& function : proto.functions()) model.functions.emplace(KeyOf(function), &function);

  SupportCheck check(model);
  check.Graph(proto.graph(), model.opsets);
  check.ThrowIfAny();

  auto graph = std::make_unique<Graph>(proto.graph().name().empty() ? "graph" : proto.graph().name());
  GraphBuilder(model, *graph, model.opsets).BuildRoot(proto.graph());
  model.unknown_attributes.Warn(diagnostics);
  return graph;
}

std::unique_ptr<Graph> ParseAt(std::shared_ptr<const ModelFile> file, const CompileOptions& options,
                               Diagnostics* diagnostics) {
  const std::string path = file->path();
  try {
    return Parse(std::move(file), options, diagnostics);
  } catch (Error& error) {
    error.At(fmt::format("file '{}'", path));
    throw;
  }
}

}  // namespace

std::unique_ptr<Graph> ParseOnnx(const std::string& path, const CompileOptions& options, Diagnostics* diagnostics) {
  return ParseAt(ModelFile::Map(path), options, diagnostics);
}

std::unique_ptr<Graph> ParseOnnxBytes(std::string path, std::string bytes, const CompileOptions& options,
                                      Diagnostics* diagnostics) {
  return ParseAt(ModelFile::FromBytes(std::move(path), std::move(bytes)), options, diagnostics);
}

}  // namespace atc

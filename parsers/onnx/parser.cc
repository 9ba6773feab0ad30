#include "parsers/onnx/parser.h"

#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include "compiler/ir/framework.h"
#include "parsers/model_file.h"
#include "parsers/onnx/census.h"
#include "parsers/onnx/graph_builder.h"
#include "parsers/onnx/read_model.h"
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

std::unique_ptr<Graph> Parse(std::shared_ptr<const ModelFile> file, const CompileOptions& options,
                             Diagnostics* diagnostics) {
  std::vector<TensorPayload> payloads;
  const onnx::ModelProto proto = ReadModelProto(*file, &payloads);
  if (proto.ir_version() > kNewestIrVersion) {
    Warn(diagnostics, fmt::format("The model has ir_version {}; it is read as version {}, the newest one known.",
                                  proto.ir_version(), kNewestIrVersion));
  }

  TensorReader tensors(file, std::move(payloads));
  ModelState model = StateOf(proto);
  model.tensors = &tensors;
  model.options = &options;
  model.diagnostics = diagnostics;
  if (const int opset = Version(model.opsets, ""); opset > kNewestOpset) {
    Warn(diagnostics,
         fmt::format("The model imports version {} of ai.onnx; its operators are read as those of version {}, "
                     "the newest one known.",
                     opset, kNewestOpset));
  }
  RefuseUnsupported(TakeCensus(model, proto.graph()));

  auto graph = std::make_unique<Graph>(proto.graph().name().empty() ? "graph" : proto.graph().name());
  graph->attrs.Set(kFrameworkAttr, kFrameworkOnnx);
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

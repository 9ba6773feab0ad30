#include "parsers/tensorflow/parser.h"

#include <fmt/format.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "parsers/model_file.h"
#include "parsers/tensorflow/checkpoint.h"
#include "parsers/tensorflow/functionalize.h"
#include "parsers/tensorflow/graph_builder.h"
#include "parsers/tensorflow/graph_def.pb.h"
#include "parsers/tensorflow/interface.h"
#include "parsers/tensorflow/scanner.h"
#include "parsers/tensorflow/support_check.h"
#include "parsers/tensorflow/variables.h"

namespace atc {
namespace {

using namespace tf_parser;

std::string_view BytesOf(const ModelFile& file) {
  return {reinterpret_cast<const char*>(file.data()), file.size()};
}

// Where a text file stops being a GraphDef.
class TextErrors : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int line, int column, const std::string& message) override {
    if (first.empty()) first = fmt::format("line {}, column {}: {}", line + 1, column + 1, message);
  }
  void AddWarning(int, int, const std::string&) override {}

  std::string first;
};

// The text form becomes the binary one.
std::shared_ptr<const ModelFile> FromText(const ModelFile& file) {
  proto::GraphDef graph;
  TextErrors errors;
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&errors);
  parser.AllowUnknownField(true);
  if (!parser.ParseFromString(std::string(BytesOf(file)), &graph)) {
    throw Error("E13005", {{"file", file.path()}, {"reason", "it is a text file, but no GraphDef: " + errors.first}});
  }
  return ModelFile::FromBytes(file.path(), graph.SerializeAsString());
}

// Files that are something else, by what they begin or end with.
void RefuseOthers(const ModelFile& file) {
  const std::string_view bytes = BytesOf(file);
  const auto refuse = [&](const std::string& reason, const std::string& cure) {
    throw Error("E13005", {{"file", file.path()}, {"reason", reason}}, cure);
  };
  if (bytes.starts_with("\x89HDF")) {
    refuse("it is an HDF5 file, as Keras saves models", "Save the model as a SavedModel, or freeze it into a .pb.");
  }
  if (bytes.starts_with("PK\x03\x04")) {
    refuse("it is a zip archive, as Keras saves .keras models", "Export the model as a SavedModel (model.export).");
  }
  if (bytes.size() > 8 && bytes.substr(4, 4) == "TFL3") {
    refuse("it is a TensorFlow Lite model", "Give the GraphDef or SavedModel that it was made from.");
  }
  const std::string_view magic("\x57\xfb\x80\x8b\x24\x75\x47\xdb", 8);
  if (bytes.ends_with(magic) || file.path().find(".data-0") != std::string::npos || file.path().ends_with(".ckpt")) {
    refuse("it belongs to a checkpoint, which holds variables and no graph",
           "Give the SavedModel folder, or freeze graph and checkpoint into one .pb.");
  }
  if (file.path().ends_with(".meta")) {
    refuse("it is the graph of a checkpoint without its variables",
           "Freeze graph and checkpoint into one .pb, or save the model as a SavedModel.");
  }
  // Field 1 of a GraphDef is a message; ONNX has a version number there.
  if (bytes.starts_with("\x08")) {
    refuse("it begins like an ONNX model, not like a GraphDef", "Convert ONNX models with --framework=5.");
  }
}

void NoteRemoved(const ModelState& model) {
  if (model.diagnostics == nullptr || model.removed.empty()) return;
  std::string list;
  for (const auto& [op, count] : model.removed) list += fmt::format("{}{} {}", list.empty() ? "" : ", ", count, op);
  model.diagnostics->Warn("W19999", {{"reason", "Nodes that serve training or debugging alone were left out: " + list + "."}});
}

std::unique_ptr<Graph> Build(ModelState& model, const proto::GraphDef& proto, const Signature& signature,
                             Checkpoint* checkpoint) {
  if (proto.has_library()) {
    for (const proto::FunctionDef& function : proto.library().function()) {
      model.functions.emplace(function.signature().name(), &function);
    }
  }
  model.producer = proto.versions().producer();
  SourceGraph source = ReadGraph(proto);
  std::map<std::string, std::string> keys;
  if (checkpoint != nullptr) {
    keys = RestoredVariables(model, source);
    model.variable = [&](const std::string& variable) {
      const auto key = keys.find(variable);
      if (key != keys.end()) return checkpoint->Find(key->second);
      const Tensor value = checkpoint->Find(variable);
      return value.defined() ? value : checkpoint->Find(checkpoint->KeyOf(variable));
    };
  }
  const Outputs outputs = FindOutputs(source, *model.options, signature);
  source.results = outputs.ports;
  Functionalize(source);
  const auto inputs = FindInputs(source, source.results, *model.options, signature);
  SupportCheck check(model);
  check.Check(source);
  check.ThrowIfAny();
  auto graph = std::make_unique<Graph>("graph");
  GraphBuilder(model, *graph, source).BuildRoot(inputs, source.results, outputs.names);
  NoteRemoved(model);
  return graph;
}

std::unique_ptr<Graph> Parse(std::shared_ptr<const ModelFile> file, const CompileOptions& options,
                             Diagnostics* diagnostics) {
  RefuseOthers(*file);
  if (WhatElse(BytesOf(*file)) == "it is a text file") file = FromText(*file);
  ScannedFile scanned = Scan(*file, Message::kGraphDef);
  proto::GraphDef graph;
  if (!graph.ParseFromString(scanned.skeleton)) {
    throw Error("E13005", {{"file", file->path()}, {"reason", "a message within it is damaged"}});
  }
  scanned.skeleton = {};
  if (graph.node_size() == 0) throw Error("E13005", {{"file", file->path()}, {"reason", "its graph has no node"}});
  const TensorReader tensors(file, std::move(scanned.payloads));
  ModelState model;
  model.tensors = &tensors;
  model.options = &options;
  model.diagnostics = diagnostics;
  return Build(model, graph, {}, nullptr);
}

const proto::MetaGraphDef& ServedGraph(const proto::SavedModel& model, const std::string& path) {
  for (const proto::MetaGraphDef& graph : model.meta_graphs()) {
    for (const std::string& tag : graph.meta_info_def().tags()) {
      if (tag == "serve") return graph;
    }
  }
  if (model.meta_graphs_size() == 0) throw Error("E13005", {{"file", path}, {"reason", "it holds no graph"}});
  return model.meta_graphs(0);
}

std::vector<std::pair<std::string, std::string>> TensorsOf(
    const google::protobuf::Map<std::string, proto::TensorInfo>& infos) {
  std::vector<std::pair<std::string, std::string>> tensors;
  for (const auto& [name, info] : infos) tensors.emplace_back(name, info.name());
  std::sort(tensors.begin(), tensors.end());
  return tensors;
}

// The signature that OPENATC_TF_SIGNATURE names, else the one that servers take, else the only one.
Signature ChooseSignature(const proto::MetaGraphDef& graph) {
  std::map<std::string, const proto::SignatureDef*> all;
  std::string names;
  for (const auto& [name, signature] : graph.signature_def()) {
    if (!name.starts_with("__") && signature.outputs_size() > 0) all.emplace(name, &signature);
  }
  for (const auto& [name, signature] : all) names += (names.empty() ? "" : ", ") + name;
  const char* wanted = std::getenv("OPENATC_TF_SIGNATURE");
  auto chosen = wanted != nullptr ? all.find(wanted) : all.find("serving_default");
  if (chosen == all.end() && wanted == nullptr && all.size() == 1) chosen = all.begin();
  if (chosen == all.end()) {
    const std::string found = names.empty() ? "It has no signature with outputs." : "It has the signatures " + names + ".";
    throw Error("E13014", {{"value", wanted != nullptr ? wanted : "serving_default"},
                           {"parameter", "The signature"},
                           {"opname", "SavedModel"},
                           {"reason", found}},
                "Name one with the environment variable OPENATC_TF_SIGNATURE, or save the model with signatures.");
  }
  return {chosen->first, TensorsOf(chosen->second->inputs()), TensorsOf(chosen->second->outputs())};
}

std::unique_ptr<Graph> ParseSavedModel(const std::string& folder, const CompileOptions& options,
                                       Diagnostics* diagnostics) {
  std::shared_ptr<const ModelFile> file = ModelFile::Map(folder + "/saved_model.pb");
  ScannedFile scanned = Scan(*file, Message::kSavedModel);
  proto::SavedModel saved;
  if (!saved.ParseFromString(scanned.skeleton)) {
    throw Error("E13005", {{"file", file->path()}, {"reason", "a message within it is damaged"}});
  }
  const proto::MetaGraphDef& graph = ServedGraph(saved, file->path());
  const TensorReader tensors(file, std::move(scanned.payloads));
  ModelState model;
  model.tensors = &tensors;
  model.options = &options;
  model.diagnostics = diagnostics;
  const std::string prefix = folder + "/variables/variables";
  std::optional<Checkpoint> checkpoint;
  if (std::filesystem::exists(prefix + ".index")) checkpoint.emplace(prefix);
  return Build(model, graph.graph_def(), ChooseSignature(graph), checkpoint ? &*checkpoint : nullptr);
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

std::unique_ptr<Graph> ParseTensorFlow(const std::string& path, const CompileOptions& options,
                                       Diagnostics* diagnostics) {
  const std::filesystem::path file(path);
  const bool inside = file.filename() == "saved_model.pb";
  if (inside || std::filesystem::is_directory(path)) {
    try {
      return ParseSavedModel(inside ? (file.has_parent_path() ? file.parent_path().string() : ".") : path, options, diagnostics);
    } catch (Error& error) {
      error.At(fmt::format("model '{}'", path));
      throw;
    }
  }
  return ParseAt(ModelFile::Map(path), options, diagnostics);
}

std::unique_ptr<Graph> ParseTensorFlowBytes(std::string path, std::string bytes, const CompileOptions& options,
                                            Diagnostics* diagnostics) {
  return ParseAt(ModelFile::FromBytes(std::move(path), std::move(bytes)), options, diagnostics);
}

}  // namespace atc

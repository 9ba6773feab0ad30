#include "parsers/tensorflow/read_model.h"

#include <fmt/format.h>

#include <filesystem>
#include <limits>

#include "parsers/tensorflow/functionalize.h"
#include "parsers/tensorflow/leftovers.h"
#include "parsers/tensorflow/saved_model.h"
#include "parsers/tensorflow/scanner.h"
#include "parsers/tensorflow/scope_fusion.h"
#include "parsers/tensorflow/tables.h"
#include "parsers/tensorflow/variables.h"

namespace atc::tf_parser {
namespace {

std::string_view BytesOf(const ModelFile& file) {
  return {reinterpret_cast<const char*>(file.data()), file.size()};
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
  if (bytes.starts_with("model_checkpoint_path")) {
    refuse("it lists checkpoints, which hold variables and no graph",
           "Give the SavedModel folder, or freeze graph and checkpoint into one .pb.");
  }
  // Field 1 of a GraphDef is a message; SavedModel (1) and ONNX (3 and more) have a version number there.
  if (bytes.starts_with("\x08\x01\x12")) {
    refuse("it is the graph of a SavedModel under another name",
           "Give the folder of the SavedModel, in which saved_model.pb lies beside variables/.");
  }
  if (bytes.starts_with("\x08")) {
    refuse("it begins like an ONNX model, not like a GraphDef", "Convert ONNX models with --framework=5.");
  }
}

ModelSource ReadSavedModel(const std::string& folder) {
  std::shared_ptr<const ModelFile> file = OpenSavedModel(folder);
  ScannedFile scanned = Scan(*file, Message::kSavedModel);
  proto::SavedModel saved;
  if (!saved.ParseFromString(scanned.skeleton)) {
    throw Error("E13005", {{"file", file->path()}, {"reason", "a message within it is damaged"}});
  }
  proto::MetaGraphDef& graph = ChooseMetaGraph(saved, file->path());
  ModelSource source;
  source.tensors = std::make_unique<TensorReader>(file, std::move(scanned.payloads));
  source.graph.Swap(graph.mutable_graph_def());
  source.signature = ChooseSignature(graph);
  source.folder = folder;
  source.saved_model = true;
  source.bytes = static_cast<int64_t>(file->size());
  for (const proto::AssetFileDef& asset : graph.asset_file_def()) {
    const std::string base = std::filesystem::path(asset.filename()).filename().string();
    source.assets.emplace(ParseInput(asset.tensor_info().name()).node, folder + "/assets/" + base);
  }
  const std::string prefix = folder + "/variables/variables";
  if (std::filesystem::exists(prefix + ".index")) source.checkpoint = std::make_unique<Checkpoint>(prefix);
  return source;
}

template <typename Proto>
void ParseWhole(const ModelFile& file, Proto* message) {
  constexpr size_t kMaxMessage = std::numeric_limits<int>::max();  // protobuf counts in int
  if (file.size() > kMaxMessage) {
    throw Error("E13015", {{"file", file.path()},
                           {"size", std::to_string(file.size())},
                           {"maxsize", std::to_string(kMaxMessage)}});
  }
  if (!message->ParseFromArray(file.data(), static_cast<int>(file.size()))) {
    throw Error("E13005", {{"file", file.path()}, {"reason", "a message within it is damaged"}});
  }
}

}  // namespace

ModelState ModelSource::State() const {
  ModelState model;
  model.tensors = tensors.get();
  if (graph.has_library()) {
    for (const proto::FunctionDef& function : graph.library().function()) {
      model.functions.emplace(function.signature().name(), &function);
    }
  }
  model.producer = graph.versions().producer();
  return model;
}

ModelSource ReadModelFile(std::shared_ptr<const ModelFile> file) {
  RefuseOthers(*file);
  ModelSource source;
  source.bytes = static_cast<int64_t>(file->size());
  source.folder = SavedModelFolder(file->path());
  if (WhatElse(BytesOf(*file)) == "it is a text file") file = FromText<proto::GraphDef>(*file, "GraphDef");
  ScannedFile scanned = Scan(*file, Message::kGraphDef);
  if (!source.graph.ParseFromString(scanned.skeleton)) {
    throw Error("E13005", {{"file", file->path()}, {"reason", "a message within it is damaged"}});
  }
  if (source.graph.node_size() == 0) throw Error("E13005", {{"file", file->path()}, {"reason", "its graph has no node"}});
  source.tensors = std::make_unique<TensorReader>(std::move(file), std::move(scanned.payloads));
  return source;
}

ModelSource ReadModel(const std::string& path) {
  return IsSavedModel(path) ? ReadSavedModel(SavedModelFolder(path)) : ReadModelFile(ModelFile::Map(path));
}

proto::GraphDef ReadWholeGraph(const std::string& path) {
  ReadModel(path);  // tells what is wrong with it
  proto::GraphDef graph;
  if (IsSavedModel(path)) {
    const auto file = OpenSavedModel(SavedModelFolder(path));
    proto::SavedModel saved;
    ParseWhole(*file, &saved);
    graph.Swap(ChooseMetaGraph(saved, file->path()).mutable_graph_def());
    return graph;
  }
  std::shared_ptr<const ModelFile> file = ModelFile::Map(path);
  if (WhatElse(BytesOf(*file)) == "it is a text file") file = FromText<proto::GraphDef>(*file, "GraphDef");
  ParseWhole(*file, &graph);
  return graph;
}

std::string Called(const std::string& path) {
  return fmt::format("{} '{}'", IsSavedModel(path) ? "model" : "file", path);
}

ResolvedGraph Resolve(ModelState& model, const ModelSource& from) {
  ResolvedGraph graph;
  graph.source = ReadGraph(from.graph);
  if (Checkpoint* checkpoint = from.checkpoint.get()) {
    const auto restored = RestoredVariables(model, graph.source);
    model.variable = [checkpoint, restored](const std::string& variable) {
      const auto it = restored.find(variable);
      if (it != restored.end()) return checkpoint->Find(it->second.key, it->second.part);
      const Tensor value = checkpoint->Find(variable);
      return value.defined() ? value : checkpoint->Find(checkpoint->KeyOf(variable));
    };
  } else if (from.saved_model) {
    model.variable = [folder = from.folder](const std::string& variable) -> Tensor {
      throw Error("E13005",
                  {{"file", folder},
                   {"reason", fmt::format("it has no variables/variables.index, where the value of '{}' would be", variable)}},
                  "Give the SavedModel whole, with its folder variables/ beside saved_model.pb, or a frozen .pb file.");
    };
  }
  model.tables = ReadTables(model, graph.source, from.assets, from.folder);
  Outputs outputs = FindOutputs(graph.source, *model.options, from.signature);
  graph.source.results = std::move(outputs.ports);
  graph.output_names = std::move(outputs.names);
  Functionalize(graph.source);
  RemoveDropout(graph.source, model);
  FuseScopes(graph.source, model);
  graph.inputs = FindInputs(graph.source, graph.source.results, *model.options, from.signature);
  return graph;
}

}  // namespace atc::tf_parser

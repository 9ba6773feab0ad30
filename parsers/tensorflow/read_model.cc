#include "parsers/tensorflow/read_model.h"

#include <fmt/format.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <limits>

#include "parsers/tensorflow/functionalize.h"
#include "parsers/tensorflow/scanner.h"
#include "parsers/tensorflow/variables.h"

namespace atc::tf_parser {
namespace {

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

// The text form becomes the binary one. `kind` names the message.
template <typename Proto>
std::shared_ptr<const ModelFile> FromText(const ModelFile& file, const char* kind) {
  Proto message;
  TextErrors errors;
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&errors);
  parser.AllowUnknownField(true);
  if (!parser.ParseFromString(std::string(BytesOf(file)), &message)) {
    throw Error("E13005",
                {{"file", file.path()}, {"reason", fmt::format("it is a text file, but no {}: {}", kind, errors.first)}});
  }
  return ModelFile::FromBytes(file.path(), message.SerializeAsString());
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

proto::MetaGraphDef& ServedGraph(proto::SavedModel& model, const std::string& path) {
  for (proto::MetaGraphDef& graph : *model.mutable_meta_graphs()) {
    for (const std::string& tag : graph.meta_info_def().tags()) {
      if (tag == "serve") return graph;
    }
  }
  if (model.meta_graphs_size() == 0) throw Error("E13005", {{"file", path}, {"reason", "it holds no graph"}});
  return *model.mutable_meta_graphs(0);
}

// "output_2" is before "output_10": exporters number what has no name.
bool ComesBefore(const std::string& a, const std::string& b) {
  const auto digits = [](const std::string& text) {
    const size_t last = text.find_last_not_of("0123456789");
    return last == std::string::npos ? size_t{0} : last + 1;
  };
  const size_t of_a = digits(a), of_b = digits(b);
  if (a.compare(0, of_a, b, 0, of_b) != 0) return a < b;
  return std::pair(a.size(), a) < std::pair(b.size(), b);
}

std::vector<std::pair<std::string, std::string>> TensorsOf(
    const google::protobuf::Map<std::string, proto::TensorInfo>& infos) {
  std::vector<std::pair<std::string, std::string>> tensors;
  for (const auto& [name, info] : infos) tensors.emplace_back(name, info.name());
  std::sort(tensors.begin(), tensors.end(), [](const auto& a, const auto& b) { return ComesBefore(a.first, b.first); });
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

// Where the graph of a SavedModel is in its folder, the binary form first.
constexpr const char* kSavedModelFiles[] = {"saved_model.pb", "saved_model.pbtxt"};

bool IsSavedModel(const std::string& path) {
  const std::string name = std::filesystem::path(path).filename().string();
  return std::filesystem::is_directory(path) ||
         std::find(std::begin(kSavedModelFiles), std::end(kSavedModelFiles), name) != std::end(kSavedModelFiles);
}

std::string FolderOf(const std::string& saved_model) {
  const std::filesystem::path path(saved_model);
  if (std::filesystem::is_directory(path)) return saved_model;
  return path.has_parent_path() ? path.parent_path().string() : ".";
}

std::shared_ptr<const ModelFile> SavedModelFile(const std::string& folder) {
  for (const char* name : kSavedModelFiles) {
    const std::string path = (std::filesystem::path(folder) / name).string();
    if (!std::filesystem::exists(path)) continue;
    const std::shared_ptr<const ModelFile> file = ModelFile::Map(path);
    return path.ends_with(".pbtxt") ? FromText<proto::SavedModel>(*file, "SavedModel") : file;
  }
  throw Error("E13005", {{"file", folder}, {"reason", "the folder has no saved_model.pb or saved_model.pbtxt"}},
              "Give the folder of a SavedModel, in which saved_model.pb lies beside variables/, or a frozen .pb file.");
}

ModelSource ReadSavedModel(const std::string& folder) {
  std::shared_ptr<const ModelFile> file = SavedModelFile(folder);
  ScannedFile scanned = Scan(*file, Message::kSavedModel);
  proto::SavedModel saved;
  if (!saved.ParseFromString(scanned.skeleton)) {
    throw Error("E13005", {{"file", file->path()}, {"reason", "a message within it is damaged"}});
  }
  proto::MetaGraphDef& graph = ServedGraph(saved, file->path());
  ModelSource source;
  source.tensors = std::make_unique<TensorReader>(file, std::move(scanned.payloads));
  source.graph.Swap(graph.mutable_graph_def());
  source.signature = ChooseSignature(graph);
  source.folder = folder;
  source.bytes = static_cast<int64_t>(file->size());
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
  return IsSavedModel(path) ? ReadSavedModel(FolderOf(path)) : ReadModelFile(ModelFile::Map(path));
}

proto::GraphDef ReadWholeGraph(const std::string& path) {
  ReadModel(path);  // tells what is wrong with it
  proto::GraphDef graph;
  if (IsSavedModel(path)) {
    const auto file = SavedModelFile(FolderOf(path));
    proto::SavedModel saved;
    ParseWhole(*file, &saved);
    graph.Swap(ServedGraph(saved, file->path()).mutable_graph_def());
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
    const auto keys = RestoredVariables(model, graph.source);
    model.variable = [checkpoint, keys](const std::string& variable) {
      const auto key = keys.find(variable);
      if (key != keys.end()) return checkpoint->Find(key->second);
      const Tensor value = checkpoint->Find(variable);
      return value.defined() ? value : checkpoint->Find(checkpoint->KeyOf(variable));
    };
  }
  Outputs outputs = FindOutputs(graph.source, *model.options, from.signature);
  graph.source.results = std::move(outputs.ports);
  graph.output_names = std::move(outputs.names);
  Functionalize(graph.source);
  graph.inputs = FindInputs(graph.source, graph.source.results, *model.options, from.signature);
  return graph;
}

}  // namespace atc::tf_parser

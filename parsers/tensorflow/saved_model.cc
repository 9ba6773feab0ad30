#include "parsers/tensorflow/saved_model.h"

#include <fmt/format.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <vector>

#include "compiler/ir/error.h"
#include "compiler/ir/nearest_names.h"

namespace atc::tf_parser {
namespace {

using Tags = std::set<std::string>;

// Where the graph of a SavedModel is in its folder, the binary form first.
constexpr const char* kSavedModelFiles[] = {"saved_model.pb", "saved_model.pbtxt"};

// Where a text file stops being a message.
class TextErrors : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int line, int column, const std::string& message) override {
    if (first.empty()) first = fmt::format("line {}, column {}: {}", line + 1, column + 1, message);
  }
  void AddWarning(int, int, const std::string&) override {}

  std::string first;
};

Tags TagsOf(const proto::MetaGraphDef& graph) {
  return {graph.meta_info_def().tags().begin(), graph.meta_info_def().tags().end()};
}

std::string Joined(const Tags& tags) {
  std::string text;
  for (const std::string& tag : tags) text += (text.empty() ? "" : ",") + tag;
  return text.empty() ? "(none)" : text;
}

Tags WantedTags(const char* text) {
  Tags tags;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::string_view tag = rest.substr(0, rest.find(','));
    if (!tag.empty()) tags.emplace(tag);
    rest.remove_prefix(std::min(rest.size(), tag.size() + 1));
  }
  return tags;
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

}  // namespace

bool IsSavedModel(const std::string& path) {
  const std::string name = std::filesystem::path(path).filename().string();
  return std::filesystem::is_directory(path) ||
         std::find(std::begin(kSavedModelFiles), std::end(kSavedModelFiles), name) != std::end(kSavedModelFiles);
}

std::string SavedModelFolder(const std::string& path) {
  const std::filesystem::path file(path);
  if (std::filesystem::is_directory(file)) return path;
  return file.has_parent_path() ? file.parent_path().string() : ".";
}

template <typename Proto>
std::shared_ptr<const ModelFile> FromText(const ModelFile& file, const char* name) {
  Proto message;
  TextErrors errors;
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&errors);
  parser.AllowUnknownField(true);
  const std::string text(reinterpret_cast<const char*>(file.data()), file.size());
  if (!parser.ParseFromString(text, &message)) {
    throw Error("E13005", {{"file", file.path()},
                           {"reason", fmt::format("it is a text file, but no {}: {}", name, errors.first)}});
  }
  return ModelFile::FromBytes(file.path(), message.SerializeAsString());
}

template std::shared_ptr<const ModelFile> FromText<proto::GraphDef>(const ModelFile&, const char*);
template std::shared_ptr<const ModelFile> FromText<proto::SavedModel>(const ModelFile&, const char*);

std::shared_ptr<const ModelFile> OpenSavedModel(const std::string& folder) {
  for (const char* name : kSavedModelFiles) {
    const std::string path = (std::filesystem::path(folder) / name).string();
    if (!std::filesystem::exists(path)) continue;
    const std::shared_ptr<const ModelFile> file = ModelFile::Map(path);
    return path.ends_with(".pbtxt") ? FromText<proto::SavedModel>(*file, "SavedModel") : file;
  }
  throw Error("E13005", {{"file", folder}, {"reason", "the folder has no saved_model.pb or saved_model.pbtxt"}},
              "Give the folder of a SavedModel, in which saved_model.pb lies beside variables/, or a frozen .pb file.");
}

proto::MetaGraphDef& ChooseMetaGraph(proto::SavedModel& model, const std::string& path) {
  if (model.meta_graphs_size() == 0) throw Error("E13005", {{"file", path}, {"reason", "it holds no graph"}});
  const char* named = std::getenv("OPENATC_TF_TAGS");
  const Tags wanted = named == nullptr ? Tags{"serve"} : WantedTags(named);
  std::string found;
  for (proto::MetaGraphDef& graph : *model.mutable_meta_graphs()) {
    if (TagsOf(graph) == wanted) return graph;
    found += (found.empty() ? "" : "; ") + Joined(TagsOf(graph));
  }
  if (named == nullptr) {
    for (proto::MetaGraphDef& graph : *model.mutable_meta_graphs()) {
      if (TagsOf(graph).contains("serve")) return graph;
    }
    if (model.meta_graphs_size() == 1) return *model.mutable_meta_graphs(0);
  }
  throw Error("E13014", {{"value", Joined(wanted)},
                         {"parameter", "The tags"},
                         {"opname", "SavedModel"},
                         {"reason", "Its graphs have the tags " + found + "."}},
              "Name the tags of one of them with the environment variable OPENATC_TF_TAGS.");
}

Signature ChooseSignature(const proto::MetaGraphDef& graph) {
  std::map<std::string, const proto::SignatureDef*> all;
  std::string names;
  for (const auto& [name, signature] : graph.signature_def()) {
    if (!name.starts_with("__") && signature.outputs_size() > 0) all.emplace(name, &signature);
  }
  std::vector<std::string> legal;
  for (const auto& [name, signature] : all) legal.push_back(name);
  for (const std::string& name : legal) names += (names.empty() ? "" : ", ") + name;
  const char* wanted = std::getenv("OPENATC_TF_SIGNATURE");
  auto chosen = wanted != nullptr ? all.find(wanted) : all.find("serving_default");
  if (chosen == all.end() && wanted == nullptr && all.size() == 1) chosen = all.begin();
  if (chosen == all.end()) {
    std::string found = names.empty() ? "It has no signature with outputs." : "It has the signatures " + names + ".";
    if (wanted != nullptr) {
      if (const std::string hint = DidYouMean(wanted, legal); !hint.empty()) found += " " + hint;
    }
    throw Error("E13014", {{"value", wanted != nullptr ? wanted : "serving_default"},
                           {"parameter", "The signature"},
                           {"opname", "SavedModel"},
                           {"reason", found}},
                "Name one with the environment variable OPENATC_TF_SIGNATURE, or save the model with signatures.");
  }
  return {chosen->first, TensorsOf(chosen->second->inputs()), TensorsOf(chosen->second->outputs())};
}

}  // namespace atc::tf_parser

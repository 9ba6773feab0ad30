#include "cmd/atc/manifest.h"

#include <cstdlib>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>

#include "compiler/inspect.h"
#include "compiler/io/output_file.h"
#include "parsers/model_summary.h"

namespace atc::cli {
namespace {

using Json = nlohmann::ordered_json;

// Of "a/b/" too.
std::string BaseName(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path.substr(path.rfind('/') + 1);
}

Json Entry(const std::string& name, const Digest& digest) {
  return {{"file", name}, {"sha256", digest.sha256}, {"bytes", digest.bytes}};
}

// A file, or a folder (a SavedModel) with the files below it by name.
Json Model(const std::string& path) {
  namespace fs = std::filesystem;
  if (!fs::is_directory(path)) return Entry(BaseName(path), FileDigest(path));
  std::map<std::string, std::string> below;  // by name, which is the same wherever the folder is
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(path)) {
    if (entry.is_regular_file()) below.emplace(fs::relative(entry.path(), path), entry.path());
  }
  Json json = {{"file", BaseName(path)}, {"files", Json::array()}};
  for (const auto& [name, file] : below) json["files"].push_back(Entry(name, FileDigest(file)));
  return json;
}

// Files with tensors, beside the model.
Json ExternalData(const CompileOptions& options) {
  Json files = Json::array();
  for (const ModelSummary::DataFile& file : SummarizeOnnx(options.model_path).external_data) {
    const std::filesystem::path path = std::filesystem::path(options.model_path).parent_path() / file.location;
    files.push_back(Entry(file.location, FileDigest(path)));
  }
  return files;
}

// Of --external_weight: files with weights, beside the om.
Json WeightFiles(const std::string& om) {
  Json files = Json::array();
  for (const std::string& location : ReadOmSummary(om).weight_files) {
    files.push_back(Entry(location, FileDigest(std::filesystem::path(om).parent_path() / location)));
  }
  return files;
}

// By name; of files the base name, as in the om.
Json Flags(const FlagValues& flags) {
  Json given = Json::object();
  for (const Flag& flag : FlagTable()) {
    if (!flags.IsSet(flag) || flag.own || flag.name == "log") continue;
    given[std::string(flag.name)] = IsPath(flag) ? BaseName(flags.Get(flag)) : flags.Get(flag);
  }
  return given;
}

// Files that flags name and that change the om by what is in them.
Json FlagFiles(const FlagValues& flags) {
  Json files = Json::array();
  for (const Flag& flag : FlagTable()) {
    if (flag.rule != Rule::kInputFile || !flags.IsSet(flag) || flag.name == "model" || flag.own) continue;
    Json entry = Entry(BaseName(flags.Get(flag)), FileDigest(flags.Get(flag)));
    entry["flag"] = flag.name;
    files.push_back(std::move(entry));
  }
  return files;
}

}  // namespace

bool Manifest::Wanted() {
  const char* wanted = std::getenv("ATC_MANIFEST");
  return wanted != nullptr && std::string_view(wanted) == "1";
}

void Manifest::AddStage(std::string_view stage, const Graph& graph) {
  stages_.emplace_back(std::string(stage), GraphDigest(graph));
}

void Manifest::AddPlugin(const std::string& path) {
  if (!path.empty()) plugins_.push_back(path);
}

void Manifest::Write(const CompileOptions& options, const FlagValues& flags, const std::string& om) const {
  Json json = {{"schema", 1}};
  json["tool"] = {{"name", "atc"}, {"project", "OpenATC"}, {"version", ProgramVersion()}};
  json["om"] = Entry(BaseName(om), FileDigest(om));
  json["weights"] = Entry(BaseName(om), WeightsDigest(om));
  json["weight_files"] = WeightFiles(om);
  json["model"] = Model(options.model_path);
  json["external_data"] = flags.Get("framework") == "5" ? ExternalData(options) : Json::array();
  json["soc_version"] = options.soc_version;
  json["flags"] = Flags(flags);
  json["flag_files"] = FlagFiles(flags);
  json["plugins"] = Json::array();
  for (const std::string& path : plugins_) json["plugins"].push_back(Entry(BaseName(path), FileDigest(path)));
  json["stages"] = Json::array();
  for (const auto& [stage, digest] : stages_) json["stages"].push_back({{"stage", stage}, {"sha256", digest.sha256}});
  OutputFile file(om + ".manifest.json");
  file.Write(json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
  file.Commit();
}

}  // namespace atc::cli

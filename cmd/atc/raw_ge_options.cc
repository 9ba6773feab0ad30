#include "cmd/atc/raw_ge_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cmd/atc/paths.h"

namespace atc::cli {
namespace {

using nlohmann::json;

// From the weakest to the strongest.
constexpr std::string_view kLevels[] = {"global", "session", "graph"};
constexpr std::string_view kCompile = "compile options";
constexpr std::string_view kExecute = "execute options";

// Options that every conversion names on its command line.
constexpr std::string_view kFlagsOnly[] = {"framework", "model", "output", "soc_version"};
constexpr std::pair<std::string_view, std::string_view> kFlagsOnlyKeys[] = {{"ge.frameworkType", "framework"},
                                                                           {"ge.socVersion", "soc_version"}};

// Options without a flag. What is false here has no influence on this device.
struct RawKey {
  std::string_view key;
  bool used;
};
constexpr RawKey kRawKeys[] = {
    {"ge.event", true},
    {"ge.exec.dynamicGraphExecuteMode", false},
    {"ge.exec.inputReuseMemIndexes", false},
    {"ge.exec.memoryOptimizationPolicy", true},
    {"ge.exec.outputReuseInputMemIndexes", false},
    {"ge.exec.outputReuseMemIndexes", false},
    {"ge.featureBaseRefreshable", false},
    {"ge.graphMaxParallelModelNum", false},
    {"ge.hcomParallel", true},
    {"ge.maxDumpFileNum", false},
    {"ge.maxDumpFileSize", false},
    {"ge.streamMaxParallelNum", true},
    {"openatc.maxEvents", true},
    {"openatc.maxHugeStreamTasks", true},
    {"openatc.maxStreamTasks", true},
    {"openatc.maxStreams", true},
};

// Where an option's words are not those of its flag.
struct Spelling {
  std::string_view key, option, flag;
};
constexpr Spelling kSpellings[] = {
    {"ge.enableCompressWeight", "0", "false"},
    {"ge.enableCompressWeight", "1", "true"},
    {"ge.enableSingleStream", "0", "false"},
    {"ge.enableSingleStream", "1", "true"},
    {"ge.status_check", "false", "0"},
    {"ge.status_check", "true", "1"},
};

Error BadFile(const std::string& path, std::string reason) {
  return Error("E10032", {{"file_name", path}, {"reason", std::move(reason)}},
               "Write {\"compile options\": {\"graph\": {\"ge.key\": \"value\"}}}.");
}

json ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (!file || (file.peek() != std::ifstream::traits_type::eof() && !(text << file.rdbuf()))) {
    throw Error("E13001", {{"file", path}, {"errmsg", ErrnoText(errno)}});
  }
  json top;
  try {
    top = json::parse(text.str());
  } catch (const json::parse_error& error) {
    throw BadFile(path, fmt::format("Invalid JSON format at byte {}", error.byte));
  }
  if (!top.is_object()) throw BadFile(path, "The top-level JSON value must be an object");
  for (const auto& [key, value] : top.items()) {
    if (key != kCompile && key != kExecute) throw BadFile(path, fmt::format("'{}' is no group of options", key));
  }
  const auto compile = top.find(kCompile);
  if (compile == top.end() || !compile->is_object()) {
    throw BadFile(path, fmt::format("The options JSON file must contain an object under the key (key={})", kCompile));
  }
  for (const auto& [level, options] : compile->items()) {
    if (std::find(std::begin(kLevels), std::end(kLevels), level) == std::end(kLevels)) {
      throw BadFile(path, fmt::format("'{}' is no level; the levels are global, session and graph", level));
    }
    if (!options.is_object()) throw BadFile(path, fmt::format("The level '{}' is no object", level));
    for (const auto& [key, value] : options.items()) {
      if (key.empty()) throw BadFile(path, fmt::format("The level '{}' has an empty key", level));
      if (!value.is_string()) throw BadFile(path, fmt::format("The value of '{}' is no text", key));
    }
  }
  return *compile;
}

const Flag* FlagOfKey(std::string_view key) {
  for (const Flag& flag : FlagTable()) {
    if (!flag.ge_option.empty() && flag.ge_option == key) return &flag;
  }
  return nullptr;
}

std::string FlagWord(std::string_view key, const std::string& value) {
  for (const Spelling& spelling : kSpellings) {
    if (spelling.key == key && spelling.option == value) return std::string(spelling.flag);
  }
  return value;
}

// Throws for a key that only the command line may have.
void CheckMayBeRaw(const std::string& key, const std::string& value) {
  std::string_view name = key;
  for (const auto& [option, flag] : kFlagsOnlyKeys) {
    if (option == key) name = flag;
  }
  if (std::find(std::begin(kFlagsOnly), std::end(kFlagsOnly), name) == std::end(kFlagsOnly)) return;
  throw Error("E10001", {{"value", value},
                         {"parameter", key},
                         {"reason", fmt::format("It must be set on the command line and not by --raw_ge_options: give "
                                                "--{}.",
                                                name)}});
}

class Applier {
 public:
  Applier(FlagValues* flags, Diagnostics* warnings) : flags_(flags), given_(*flags), warnings_(warnings) {}

  void Apply(std::string_view level, const std::string& key, const std::string& value) {
    CheckMayBeRaw(key, value);
    if (const Flag* flag = FlagOfKey(key)) return ApplyToFlag(*flag, key, value);
    const auto* row = std::find_if(std::begin(kRawKeys), std::end(kRawKeys), [&](const auto& r) { return r.key == key; });
    // A single operator is compiled with the options of flags alone.
    if (row == std::end(kRawKeys) || given_.IsSet("singleop")) return Unsupported(level, key, value);
    if (!row->used) {
      warnings_->Warn("W10001", {{"parameter", key}, {"reason", "The model is converted as without."}});
    }
    flags_->SetRaw(key, value);
  }

 private:
  void ApplyToFlag(const Flag& flag, const std::string& key, const std::string& value) {
    if (given_.IsSet(flag)) return;
    std::string word = FlagWord(key, value);
    CheckEarly(flag, word);
    flags_->Set(flag, std::move(word));
  }

  void Unsupported(std::string_view level, const std::string& key, const std::string& value) {
    const std::string what = fmt::format("RawGeOptions[{}:{}] in level [{}]", key, value, level);
    if (given_.Get("raw_ge_options_ignore_unsupported") == "true") {
      warnings_->Warn("W10001", {{"parameter", what}, {"reason", "It is not supported."}});
      return;
    }
    throw Error("E10055", {{"reason", what + " is not supported. Please do not set it"}},
                "Take it out of the file, or skip such options with --raw_ge_options_ignore_unsupported=true.");
  }

  FlagValues* flags_;
  const FlagValues given_;  // those of the command line
  Diagnostics* warnings_;
};

}  // namespace

void ApplyRawGeOptions(FlagValues* flags, Diagnostics* warnings) {
  const std::string mode = flags->Get("mode");
  if (!flags->IsSet("raw_ge_options") || mode == "1" || mode == "5" || mode == "6") return;
  const json options = ReadFile(flags->Get("raw_ge_options"));
  Applier applier(flags, warnings);
  for (const std::string_view level : kLevels) {
    const auto found = options.find(level);
    if (found == options.end()) continue;
    for (const auto& [key, value] : found->items()) applier.Apply(level, key, value.get<std::string>());
  }
}

}  // namespace atc::cli

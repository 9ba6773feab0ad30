#include "cmd/omrun/other_runners.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <span>

#include "cmd/omrun/flag_table.h"
#include "cmd/omrun/tensor.h"

namespace atc::omrun {
namespace {

// Names of the model where it is not the first word.
constexpr std::string_view kModelNames = "-m,--model,--om-model,--loadEngine";

// By these names msame and ais_bench are recognised: one of them must be given there, or no other runner has it.
constexpr std::string_view kSummaryNames =
    "-m,--model,--om-model,--warmup_count,--pure_data_type,--batchsize,--batch-size,--output_batchsize_axis,"
    "--dymShape_range,--auto_set_dymdims_mode,--auto_set_dymshape_mode,--acl_json_path";

// Flags that ask for what neither this program nor its device has, or always does.
struct WithoutEffect {
  std::string_view names;
  Takes takes;
  std::string_view note;
};
constexpr WithoutEffect kWithoutEffect[] = {
    {"--energy_consumption,-ec", Takes::kSwitch, "no energy is measured, and no figure of it is printed: the simulated device has no meter"},
    {"--npu_id", Takes::kText, "names the meter of --energy_consumption, which measures nothing here"},
    {"--pipeline", Takes::kSwitch, "each thread reads, runs and writes on its own; --threads and --streams overlap them"},
    {"--divide_input", Takes::kSwitch, "samples are always shared out among the devices of --device"},
    {"--dump_npy", Takes::kSwitch, "node dumps are .npy files already"},
    {"--profiler_rename", Takes::kSwitch, "the files of a profile always bear the same names"},
    {"--perf", Takes::kSwitch, "chooses NVIDIA's runner in ais_bench; this program runs om files alone"},
    {"--aipp_config,-aipp", Takes::kFile, "the file is not read: no model has image preprocessing that is set at run time"},
    {"--useCudaGraph,--noCudaGraph", Takes::kNothing, "there is no graph to capture: the plan of a model is made before it is run"},
    {"--exposeDMA", Takes::kNothing, "copies of a run never overlap its execution"},
    {"--useManagedMemory", Takes::kNothing, "device memory is the host's here, but addresses are kept apart"},
};

std::vector<std::string> Split(std::string_view list) {
  std::vector<std::string> parts;
  while (!list.empty()) {
    const size_t comma = std::min(list.find(','), list.size());
    parts.emplace_back(list.substr(0, comma));
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return parts;
}

// Without what separates words.
std::string Squeezed(std::string_view name) {
  std::string letters = "--";
  for (const char c : name) {
    if (c != '-' && c != '_') letters += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return letters;
}

// Spelt as in the list, or with '-' between words.
bool IsOneOf(std::string_view name, std::string_view list) {
  const bool dashed = name.starts_with("--") && name.find('-', 2) != std::string_view::npos;
  for (const std::string& known : Split(list)) {
    if (name == known || (dashed && known.starts_with("--") && Squeezed(name) == Squeezed(known))) return true;
  }
  return false;
}

// What an argument names.
struct Named {
  const Flag* flag = nullptr;
  const WithoutEffect* without_effect = nullptr;
  bool model = false;
  bool inverted = false;  // a switch of others that turns ours off
};

Named FindNamed(std::string_view name) {
  Named found;
  found.model = IsOneOf(name, kModelNames);
  for (const Flag& flag : FlagTable()) {
    if (name == "--" + std::string(flag.name)) return {&flag};
  }
  for (const Flag& flag : FlagTable()) {
    if (IsOneOf(name, "--" + std::string(flag.name)) || IsOneOf(name, flag.aliases)) found.flag = &flag;
    if (IsOneOf(name, flag.opposites)) found.flag = &flag, found.inverted = true;
  }
  for (const WithoutEffect& row : kWithoutEffect) {
    if (IsOneOf(name, row.names)) found.without_effect = &row;
  }
  return found;
}

bool IsTrue(std::string_view word) { return word == "true" || word == "True" || word == "1"; }
bool IsSwitchWord(std::string_view word) { return IsTrue(word) || word == "false" || word == "False" || word == "0"; }

std::string ValueOfSwitch(const std::string& value, bool inverted) {
  const std::string word = value.substr(1);
  return inverted && IsSwitchWord(word) ? IsTrue(word) ? "=false" : "=true" : value;
}

}  // namespace

OwnArguments OwnNames(std::vector<std::string> arguments) {
  OwnArguments own;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const size_t end = std::min(arguments[i].find('='), arguments[i].size());
    const std::string name = arguments[i].substr(0, end);
    std::string value = arguments[i].substr(end);
    const Named named = FindNamed(name);
    own.summary = own.summary || IsOneOf(name, kSummaryNames);
    if (!named.flag && !named.without_effect && !named.model) {
      own.arguments.push_back(std::move(arguments[i]));
      continue;
    }
    const Takes takes = named.flag ? named.flag->takes : named.model ? Takes::kFile : named.without_effect->takes;
    if (takes == Takes::kSwitch && value.empty()) {
      const bool given = i + 1 < arguments.size() && IsSwitchWord(arguments[i + 1]);
      value = "=" + (given ? arguments[++i] : std::string("true"));
    }
    // A value that looks like a flag, or like no word of ours, stays what it is: the next argument is not looked at.
    const bool separate = takes != Takes::kNothing && takes != Takes::kSwitch && value.empty();
    if (named.without_effect) {
      if (separate && ++i >= arguments.size()) throw RunError(name + ": its value is missing");
      if (takes != Takes::kSwitch || IsTrue(value.substr(1))) {
        own.notes.push_back(fmt::format("{}: {}", name, named.without_effect->note));
      }
      continue;
    }
    if (takes == Takes::kSwitch) value = ValueOfSwitch(value, named.inverted);
    own.arguments.push_back("--" + (named.flag ? std::string(named.flag->name) : std::string("model")) + value);
    if (separate && i + 1 < arguments.size()) own.arguments.push_back(std::move(arguments[++i]));
  }
  return own;
}

std::vector<std::string> OtherNames() {
  std::vector<std::string> names = Split(kModelNames);
  for (const Flag& flag : FlagTable()) {
    for (const std::string_view list : {flag.aliases, flag.opposites}) {
      for (std::string& name : Split(list)) names.push_back(std::move(name));
    }
  }
  return names;
}

std::vector<std::string> NamesWithoutEffect() {
  std::vector<std::string> names;
  for (const WithoutEffect& row : kWithoutEffect) {
    for (std::string& name : Split(row.names)) names.push_back(std::move(name));
  }
  return names;
}

}  // namespace atc::omrun

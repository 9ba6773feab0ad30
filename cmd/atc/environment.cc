#include "cmd/atc/environment.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <vector>

#include "cmd/atc/flag_table.h"
#include "cmd/atc/paths.h"
#include "cmd/atc/report.h"
#include "cmd/atc/text.h"
#include "compiler/ir/nearest_names.h"
#include "compiler/pipeline.h"

extern char** environ;

namespace atc::cli {
namespace {

using enum VariableRule;

constexpr EnvironmentVariable kVariables[] = {
    {"DUMP_GE_GRAPH", kWord, "0 1 2 3",
     "Write the graph after each stage to files. 1: with weights. 2: without.\n"
     "3: as 2, and the ge_onnx files show only how the nodes hang together. 0, or unset: no files."},
    {"DUMP_GRAPH_LEVEL", kStages, "1 2 3 4",
     "Which stages. 1: all. 2 (default): the main ones. 3: the last. 4: the first.\n"
     "Or parts of their names: \"PreRunBegin|Build\"."},
    {"DUMP_GRAPH_PATH", kFolder, "",
     "Where the dumps go: into pid_<pid>_deviceid_0 below it. Default: the current folder."},
    {"DUMP_GRAPH_FORMAT", kAnyCaseList, "ge_proto onnx readable",
     "Which forms, with '|' between them. Default: \"ge_proto|onnx\"."},
    {"NPU_COLLECT_PATH", kFolder, "",
     "Folder for everything about a fault; dumps go to extra-info/graph below it,\nbefore DUMP_GRAPH_PATH."},
    {"ASCEND_WORK_PATH", kFolder, "",
     "Folder for the files that a conversion makes beside its om: check_result.json, fusion_result.json,\n"
     "and dumps where DUMP_GRAPH_PATH is not set. It is made when it is missing; E10001 where that fails."},
    {"ASCEND_GLOBAL_LOG_LEVEL", kWord, "0 1 2 3 4",
     "How much to log. 0: debug. 1: info. 2: warning. 3: error. 4, or unset: nothing. --log comes first."},
    {"ASCEND_SLOG_PRINT_TO_STDOUT", kWord, "0 1", "1: print the log in place of writing it to a file."},
    {"ASCEND_PROCESS_LOG_PATH", kFolder, "", "Folder of the log files. Default: $HOME/ascend/log."},
    {"OP_NO_REUSE_MEM", kText, "",
     "Names and types of operators, with ',' between them, whose results get memory of their own."},
    {"ASCEND_OPP_PATH", kFolder, "",
     "Folder whose vendors/*/custom_fusion_passes/*.so are loaded as user passes, vendors/*/custom_operators/*.so as\n"
     "operators of one's own. Default: the installation's opp."},
    {"ASCEND_CUSTOM_OPP_PATH", kText, "",
     "Folders, with ':' between them, whose custom_operators/*.so are loaded as operators of one's own."},
    {"ATC_DIAGNOSTICS", kReport, "json sarif github",
     "Also give the messages to programs: as JSON, SARIF 2.1.0 or GitHub annotations, to stderr after all else,\n"
     "or with json:FILE, sarif:FILE, github:FILE into a file."},
    {"ATC_EVENTS", kWord, "ge reduced",
     "ge: between streams, the events that GE inserts. Otherwise the fewest that keep the order."},
    {"ATC_MANIFEST", kWord, "0 1",
     "1: also write <om>.manifest.json: SHA-256 of the model, its data, weights, plugins and the graph after each "
     "stage,\n"
     "flags and version. Equal conversions give equal manifests."},
    {"OPENATC_ENGINES", kFile, "", "A table of engines in place of the built-in one; see opp/engines/engines.md."},
    {"OPENATC_PLUGIN_REPORT", kText, "", "A file for what became of each plugin and its passes, as JSON."},
    {"OPENATC_TF_SIGNATURE", kText, "",
     "The signature of a TensorFlow SavedModel that is converted; default: serving_default."},
    {"OPENATC_TF_TAGS", kText, "",
     "The tags of the graph of a TensorFlow SavedModel that is converted, with commas between them; default: serve."},
    {"ENABLE_DYNAMIC_SHAPE_MULTI_STREAM", kWord, "0 1",
     "1: models of unknown shapes run on several streams, by the rules for them."},
    {"MAX_COMPILE_CORE_NUMBER", kNumber, "",
     "Threads that write the files of --external_weight=1, at most one a core. Default: 8. Everything else takes one."},
    {"IGNORE_INFER_ERROR", kText, "",
     "Whatever it says: go on after operators whose shapes cannot be inferred. Their results are of unknown shape, and are\n"
     "left to the run."},
    {"ENABLE_NETWORK_ANALYSIS_DEBUG", kWord, "0 1",
     "1: TensorFlow operators without converter stand in the graph as FrameworkOp, so that all else is checked and the\n"
     "stages up to the engines are dumped, before the conversion ends with E13010."},
    {"MINIDAG_PROFILING_PATH", kFile, "", "Measured times for --multi_stream_parallel_mode: an op_summary.csv."},
    {"MULTI_THREAD_COMPILE", kWord, "0 1", "Compile subgraphs in parallel.", false},
    {"TE_PARALLEL_COMPILER", kNumber, "", "Processes that compile kernels.", false},
    {"ASCEND_CACHE_PATH", kFolder, "", "Cache of compiled kernels.", false},
    {"ASCEND_MAX_OP_CACHE_SIZE", kText, "", "Size of that cache.", false},
    {"ASCEND_REMAIN_CACHE_SIZE_RATIO", kText, "", "What ageing leaves of that cache.", false},
    {"TUNE_BANK_PATH", kFolder, "", "Results of tuning.", false},
    {"AUTOFUSE_FLAGS", kText, "", "Switches of automatic fusion.", false},
    {"AUTOFUSE_DFX_FLAGS", kText, "", "The same, for finding faults.", false},
    {"ASCEND_GE_PY_PASS_PATH", kText, "", "Folders with graph passes in Python.", false},
    {"ASCEND_ENGINE_PATH", kText, "", "Libraries of the engines for --singleop.", false},
    {"OP_DYNAMIC_COMPILE_STATIC", kText, "", "A switch of the vendor's tools.", false},
    {"OFF_CONV_CONCAT_SPLIT", kText, "", "A switch of the vendor's tools.", false},
    {"MIN_COMPILE_RESOURCE_USAGE_CTRL", kText, "", "A switch of the vendor's tools.", false},
    {"AMCT_LOG_DUMP", kText, "", "A switch of the vendor's tools.", false},
    {"NPU_COLLECT_PATH_EXE", kFolder, "", "NPU_COLLECT_PATH of the vendor's executor.", false},
    {"ENABLE_RUNTIME_V2", kText, "", "Which executor the vendor's runtime takes.", false},
    {"ENABLE_RUNTIME_OM2", kText, "", "The same, for --mode=7.", false},
    {"ENABLE_ACLNN", kText, "", "Kernels of the vendor's library in place of compiled ones.", false},
    {"GE_USE_STATIC_MEMORY", kText, "", "Memory of the vendor's runtime that is reserved at its start.", false},
    {"MAX_RUNTIME_CORE_NUMBER", kText, "", "Threads of the vendor's runtime.", false},
    {"HCCL_*", kText, "", "Communication between devices.", false},
    {"PROFILING_*", kText, "", "Profiling on the device.", false},
};

std::string Legal(const EnvironmentVariable& variable) {
  return fmt::format("{}", fmt::join(Words(variable.values), ", "));
}

bool IsWordOf(std::string_view value, std::string_view list) {
  const auto words = Words(list);
  return std::find(words.begin(), words.end(), value) != words.end();
}

std::string WordFault(const EnvironmentVariable& variable, std::string_view value) {
  if (IsWordOf(value, variable.values)) return "";
  return fmt::format("It takes {}, and is left aside.", Legal(variable));
}

// Of a list: bars alone.
bool NamesNothing(std::string_view value) { return value.find_first_not_of('|') == std::string_view::npos; }

std::string ListFault(const EnvironmentVariable& variable, std::string_view value) {
  const auto words = Words(variable.values);
  if (NamesNothing(value)) return fmt::format("It names none of {}.", Legal(variable));
  for (std::string_view part : Split(value, '|')) {
    const std::string lower = Lower(part);
    if (part.empty() || IsWordOf(lower, variable.values)) continue;
    const std::string hint = DidYouMean(lower, std::span<const std::string_view>(words));
    return fmt::format("'{}' is none of {}.{}{}", part, Legal(variable), hint.empty() ? "" : " ", hint);
  }
  return "";
}

// Of a model that cannot be inferred, of one that is kept, of mode 1 with --dump_mode=1.
constexpr std::string_view kOtherDumps[] = {"InferShapeBlackBox", "OriginalGraph", "after_parser"};

// Stages that plugins bring ("RunCustomPass_...") have names of their own.
std::string StageFault(const EnvironmentVariable& variable, std::string_view value) {
  if (IsWordOf(value, variable.values)) return "";
  if (value.find_first_not_of("0123456789") == std::string_view::npos) {
    return fmt::format("The levels are {}; no stage is dumped.", Legal(variable));
  }
  if (NamesNothing(value)) {
    return fmt::format("It names no stage, and none is dumped. The levels are {}.", Legal(variable));
  }
  std::vector<std::string_view> stages = StageNames();
  stages.insert(stages.end(), std::begin(kOtherDumps), std::end(kOtherDumps));
  for (std::string_view part : Split(value, '|')) {
    const bool found = part.empty() || part.find("RunCustomPass") != std::string_view::npos ||
                       std::any_of(stages.begin(), stages.end(),
                                   [&](std::string_view stage) { return stage.find(part) != std::string_view::npos; });
    if (found) continue;
    const std::string hint = DidYouMean(part, std::span<const std::string_view>(stages));
    return fmt::format("No stage has '{}' in its name.{}{}", part, hint.empty() ? "" : " ", hint);
  }
  return "";
}

std::string NumberFault(const EnvironmentVariable&, std::string_view value) {
  const bool digits = value.size() < 10 && value.find_first_not_of("0123456789") == std::string_view::npos &&
                      value.find_first_not_of('0') != std::string_view::npos;
  return digits ? "" : "It takes a whole number, 1 or greater.";
}

std::string FileFault(const EnvironmentVariable&, std::string_view value) {
  return access(std::string(value).c_str(), R_OK) == 0 ? ""
                                                       : "It takes a file, and there is none of that name to read.";
}

std::string ReportFault(const EnvironmentVariable& variable, std::string_view value) {
  if (ParseReportRequest(value)) return "";
  return fmt::format("It takes {}, or one of them with :FILE; nothing is reported.", Legal(variable));
}

std::string NoFault(const EnvironmentVariable&, std::string_view) { return ""; }

struct RuleRow {
  VariableRule rule;
  std::string (*fault)(const EnvironmentVariable&, std::string_view value);
};
constexpr RuleRow kRules[] = {
    {kText, NoFault},       {kWord, WordFault}, {kAnyCaseList, ListFault}, {kStages, StageFault},
    {kNumber, NumberFault}, {kFolder, NoFault}, {kFile, FileFault},        {kReport, ReportFault},
};

std::string Fault(const EnvironmentVariable& variable, std::string_view value) {
  for (const RuleRow& row : kRules) {
    if (row.rule == variable.rule) return row.fault(variable, value);
  }
  return "";
}

void Warn(std::string_view name, std::string_view value, std::string situation, Diagnostics* warnings) {
  warnings->Warn("W10002",
                 {{"env", std::string(name)}, {"value", std::string(value)}, {"situation", std::move(situation)}});
}

// A '*' at the end of a row's name stands for any rest.
bool Fits(std::string_view row, std::string_view name) {
  return row.ends_with('*') ? name.starts_with(row.substr(0, row.size() - 1)) : name == row;
}

const EnvironmentVariable* Find(std::string_view name) {
  const auto found = std::find_if(std::begin(kVariables), std::end(kVariables),
                                  [&](const EnvironmentVariable& variable) { return Fits(variable.name, name); });
  return found == std::end(kVariables) ? nullptr : found;
}

// Names of other programs may come near by chance, if not near and with the same word in front or behind.
std::string Slip(std::string_view name) {
  std::vector<std::string_view> names;
  for (const EnvironmentVariable& variable : kVariables) {
    if (EditDistance(name, variable.name) <= 2) names.push_back(variable.name);
  }
  return DidYouMean(name, std::span<const std::string_view>(names));
}

}  // namespace

std::span<const EnvironmentVariable> EnvironmentVariables() { return kVariables; }

EnvironmentMap ProcessEnvironment() {
  EnvironmentMap map;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const size_t equals = text.find('=');
    if (equals != std::string_view::npos) map.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return map;
}

void MakeWorkFolder(const EnvironmentMap& environment) {
  const auto found = environment.find("ASCEND_WORK_PATH");
  if (found == environment.end() || found->second.empty()) return;
  std::error_code error;
  std::filesystem::create_directories(found->second, error);
  const int number = error ? error.value() : access(found->second.c_str(), W_OK | X_OK) != 0 ? errno : 0;
  if (number == 0) return;
  throw Error("E10001",
              {{"value", found->second}, {"parameter", "ASCEND_WORK_PATH"}, {"reason", ErrnoText(number) + "."}},
              "Name a folder that can be made and written to, or unset the variable.");
}

void CheckEnvironment(const EnvironmentMap& environment, Diagnostics* warnings) {
  for (const auto& [name, value] : environment) {
    const EnvironmentVariable* variable = Find(name);
    if (!variable) {
      if (std::string hint = Slip(name); !hint.empty()) {
        Warn(name, value, "No variable of that name is read. " + hint, warnings);
      }
      continue;
    }
    if (value.empty()) continue;
    if (!variable->used) {
      Warn(name, value, "It has no effect here.", warnings);
    } else if (std::string fault = Fault(*variable, value); !fault.empty()) {
      Warn(name, value, std::move(fault), warnings);
    }
  }
}

}  // namespace atc::cli

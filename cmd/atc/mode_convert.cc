// --mode=0: a model becomes an om.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <cstdlib>

#include "cmd/atc/config_file.h"
#include "cmd/atc/fusion_result_file.h"
#include "cmd/atc/looks.h"
#include "cmd/atc/manifest.h"
#include "cmd/atc/run.h"
#include "cmd/atc/source.h"
#include "cmd/atc/stage_progress.h"
#include "cmd/atc/text.h"
#include "cmd/atc/validate.h"
#include "compiler/ir/error_block.h"
#include "compiler/io/output_file.h"
#include "compiler/pipeline.h"
#include "plugins/operators/custom_operators.h"

namespace atc::cli {
namespace {

// These two lines are part of what atc prints while it runs, apart from the warnings at its end.
void TellDeprecated(Run& run) {
  if (!run.flags.IsSet("input_shape_range")) return;
  const MessageStamp stamp = MessageStamp::Now();
  const auto tell = [&](std::string_view text) {
    run.console.Tell(fmt::format("[{}]<{}> WARNING: {}\n", FormatTime(stamp.time), stamp.pid, text));
  };
  tell("Option input_shape_range is deprecated, please use input_shape instead");
  if (run.flags.IsSet("input_shape")) tell("Option input_shape is overridden by option input_shape_range");
}

// Says what became of each plugin, when there are any, however the conversion ends; as JSON in the file that
// OPENATC_PLUGIN_REPORT names, too, where there are none as well.
class PluginTeller {
 public:
  PluginTeller(Run& run, const PluginReport& report) : run_(run), report_(report) {}
  ~PluginTeller() {
    WriteJson();
    if (report_.empty()) return;
    run_.console.Tell(report_.Text());
    run_.log.Write(LogLevel::kInfo, report_.Text());
  }

 private:
  void WriteJson() {
    const char* path = std::getenv("OPENATC_PLUGIN_REPORT");
    if (path == nullptr || *path == '\0') return;
    try {
      OutputFile file(path);
      const std::string text = report_.Json();
      file.Write(text.data(), text.size());
      file.Commit();
    } catch (const Error& error) {
      run_.console.Tell("The report of plugins cannot be written to " + std::string(path) + ": " + error.what() + "\n");
    }
  }

  Run& run_;
  const PluginReport& report_;
};

// How good the plan is: the least that any plan could take says what is left to gain.
void TellMemory(Run& run, const CompileResult& result) {
  if (result.model.dynamic) return;  // planned when it runs
  const auto size = static_cast<double>(result.model.memory_size);
  const double over = result.memory_lower_bound > 0 ? 100 * (size / static_cast<double>(result.memory_lower_bound) - 1) : 0;
  const std::string text = fmt::format(
      "memory {} B by {}, {:.1f} % above the lower bound of {} B ({}); {} B without reuse\n", result.model.memory_size,
      result.memory_strategy, over, result.memory_lower_bound, result.memory_lower_bound_exact ? "exact" : "of a sweep",
      result.memory_without_reuse);
  run.console.Tell(text);
  run.log.Write(LogLevel::kInfo, text);
}

// Nodes separated by ';', of which the model should have each.
void CheckCompressWeightNodes(Run& run, const Graph& graph) {
  if (!run.flags.IsSet("compress_weight_conf")) return;
  const std::string path = run.flags.Get("compress_weight_conf");
  const std::string text = ReadConfigText(path);
  std::vector<std::string_view> missing;
  for (std::string_view name : Split(text, ';')) {
    while (!name.empty() && (name.back() == '\n' || name.back() == '\r' || name.back() == ' ')) name.remove_suffix(1);
    name = Trim(name);
    if (!name.empty() && graph.Find(name) == nullptr) missing.push_back(name);
  }
  if (missing.empty()) return;
  run.diagnostics.Warn("W11002", {{"filename", path}, {"opname", fmt::format("{}", fmt::join(missing, ", "))}});
}

}  // namespace

void Convert(Run& run) {
  const bool writes = !OnlyLooks(run.flags);
  CompileOptions options = CheckConversion(run.flags, &run.diagnostics, writes);
  TellDeprecated(run);
  Looks looks(run);
  StageProgress progress(run, StageNames().size() + 2);  // reading and writing are stages too
  options.progress = [&progress](std::string_view stage) { progress.Begin(stage); };
  CheckTargetFlags(run.flags, options);
  const FusionResultFile fusion_result(run.flags);
  CustomOperatorReport operators;
  std::unique_ptr<Graph> graph = ReadSource(run, options, &operators);
  CheckCompressWeightNodes(run, *graph);
  std::unique_ptr<Graph> original;
  if (run.flags.Get("save_original_model") == "true") original = graph->Clone();
  std::string om;
  PluginReport plugins;
  Journal journal;
  std::vector<StageTime> times;
  bool compiled = false;
  try {
    CompileHooks hooks;
    hooks.journal = &journal;
    hooks.stage_times = &times;
    hooks.plugins = &plugins;
    hooks.dump = DumpEnvironment::OfProcess();
    Dumper dumper(hooks.dump, &run.diagnostics);  // its files are written while the om is
    hooks.dumper = &dumper;
    Manifest manifest;
    hooks.after_stage = [&](std::string_view stage, const Graph& seen) {
      progress.See(seen);
      looks.See(stage, seen);
      if (Manifest::Wanted()) manifest.AddStage(stage, seen);
    };
    const PluginTeller teller(run, plugins);
    const CompileResult result = Compile(std::move(graph), options, &run.diagnostics, hooks);
    compiled = true;
    fusion_result.Write(result.journal);
    looks.Give(result);
    if (!writes) return GiveStreamReport(run, result.model);
    progress.Begin("write");
    om = WriteOmFile(result.model, options);
    if (original) {
      dumper.Dump("OriginalGraph", *original);
      WriteOriginalOm(std::move(original), options);
    }
    TellMemory(run, result);
    run.log.Write(LogLevel::kInfo,
                  fmt::format("{}: {} streams, {} events; the plain rule has {}, GE's {}", om, result.model.stream_num,
                              result.model.event_num, result.cross_stream_edges, result.ge_events));
    GiveStreamReport(run, result.model);
    if (Manifest::Wanted()) {
      for (const PluginReport::File& file : plugins.files) manifest.AddPlugin(file.path);
      for (const CustomOperatorReport::File& file : operators.files) manifest.AddPlugin(file.path);
      manifest.Write(options, run.flags, om);
    }
  } catch (Error& error) {
    if (!compiled) looks.GiveFailed(times, journal);
    throw std::move(error.At(fmt::format("conversion of {} for {}", options.model_path, options.soc_version)));
  }
  if (run.flags.Get("display_model_info") == "1") PrintModelInfo(run, om);
}

}  // namespace atc::cli

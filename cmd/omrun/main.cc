// omrun: runs a converted model. Parses the command line, drives the runs, prints and writes what comes out.
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <memory>
#include <new>
#include <optional>

#include "cmd/omrun/batch.h"
#include "cmd/omrun/dump_compare.h"
#include "cmd/omrun/fault_report.h"
#include "cmd/omrun/interrupt.h"
#include "cmd/omrun/layers.h"
#include "cmd/omrun/memory_watch.h"
#include "cmd/omrun/model_file.h"
#include "cmd/omrun/options.h"
#include "cmd/omrun/profile_table.h"
#include "cmd/omrun/report.h"
#include "cmd/omrun/tensor_dump.h"

namespace atc::omrun {
namespace {

constexpr int kMismatch = 2;  // exit status

void Print(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    throw RunError("cannot write to the standard output");
  }
}

// Which functions the library has: a line each, those that are missing last. The status is 1 where one is needed.
int PrintSymbols(const Options& options) {
  const Backend backend = FindBackend(options.backend);
  std::string text = fmt::format("library  {}\n", backend.path);
  size_t found = 0;
  for (const bool there : {true, false}) {
    for (const auto& [name, has] : backend.symbols) {
      if (has != there) continue;
      text += fmt::format("{}  {}\n", has ? "found  " : "missing", name);
      found += has ? 1 : 0;
    }
  }
  Print(text + fmt::format("{} of {} functions found\n", found, backend.symbols.size()));
  return backend.missing.empty() ? 0 : 1;
}

// Of two folders of --dump_tensors.
int RunCompareDumps(const Options& options, OutputFiles* files) {
  const size_t json = options.json.empty() ? 0 : files->Reserve(options.json);
  const DumpComparison comparison = CompareDumps(options.compare_dumps[0], options.compare_dumps[1], options.limits);
  if (!options.json.empty()) files->Fill(json, DumpComparisonJson(comparison));
  files->Commit();
  Print(DumpComparisonText(comparison));
  return comparison.first ? kMismatch : 0;
}

RunPlan PlanOf(const Options& options) {
  RunPlan plan;
  plan.model = options.model;
  plan.devices = options.devices;
  plan.threads = options.threads;
  plan.streams = options.streams;
  plan.slot.output_sizes = options.output_sizes;
  plan.slot.gear = options.gear;
  plan.slot.gear_auto = options.gear_auto;
  plan.slot.stream = options.streams > 1 || options.spin || options.timeout_ms > 0;
  plan.slot.spin = options.spin;
  plan.slot.timeout_ms = options.timeout_ms;
  plan.warmup = options.warmups();
  plan.warmup_ms = options.warmup_ms;
  plan.loop = options.loop;
  plan.duration = options.duration;
  plan.idle_ms = options.idle_ms;
  plan.start_delay_ms = options.start_delay_ms;
  plan.read_again = options.keep == Keep::kNothing;
  plan.transfers = options.transfers;
  plan.check_runs = options.check_runs;
  plan.profile = options.profiled();
  return plan;
}

std::string FeedText(const Samples& samples, const std::vector<TensorInfo>& inputs, const std::vector<Tensor>& first,
                     const Feed& feed) {
  std::string text;
  for (size_t i = 0; i < first.size(); ++i) {
    text += fmt::format("feed {}   {}  {} {} from {}{}\n", i, inputs[i].name, TypeName(first[i].type), DimsText(first[i].dims),
                        SourceText(samples.all[0].inputs[i], samples.filling), samples.all.size() > 1 ? ", ..." : "");
  }
  if (samples.named) text += fmt::format("samples  {} in {} runs\n", samples.all.size(), feed.groups());
  return text;
}

// Files beside the outputs; each is reserved before the run and filled after it.
struct ReportFiles {
  ReportFiles(const Options& options, OutputFiles* files) : files(files) {
    if (!options.json.empty()) json = files->Reserve(options.json);
    if (!options.export_times.empty()) times = files->Reserve(options.export_times);
    if (!options.export_profile.empty()) operators = files->Reserve(options.export_profile);
    if (!options.export_layers.empty()) layers = files->Reserve(options.export_layers);
    if (options.profile.empty()) return;
    files->MakeFolder(options.profile);
    op_summary = files->Reserve(options.profile + "/op_summary.csv");
    op_statistic = files->Reserve(options.profile + "/op_statistic.csv");
    trace = files->Reserve(options.profile + "/trace.json");
  }

  OutputFiles* files;
  size_t json = 0, times = 0, operators = 0, layers = 0, op_summary = 0, op_statistic = 0, trace = 0;
};

void WriteReports(const Options& options, const RunReport& report, const HostCalls& calls, const ReportFiles& places) {
  OutputFiles* files = places.files;
  if (!options.profile.empty()) {
    const profile::Profile profile{report.outcome.profiles, calls.all()};
    files->Fill(places.op_summary, OpSummaryCsv(profile));
    files->Fill(places.op_statistic, OpStatisticCsv(profile));
    files->Fill(places.trace, TraceJson(profile));
  }
  if (!options.export_profile.empty()) files->Fill(places.operators, OperatorJson(OperatorTimes(report.outcome.profiles)));
  if (!options.export_times.empty()) files->Fill(places.times, TimesJson(report.outcome));
  if (!options.json.empty()) files->Fill(places.json, ReportJson(report));
}

std::vector<std::string> Sentences(const std::vector<profile::ModelProfile>& profiles) {
  std::vector<std::string> all;
  for (const profile::ModelProfile& profile : profiles) {
    for (const std::string& sentence : StreamSentences(profile)) {
      all.push_back(profiles.size() > 1 ? fmt::format("copy {}: {}", profile.model, sentence) : sentence);
    }
  }
  return all;
}

void Note(const std::string& text) { fmt::print(stderr, "omrun: note: {}\n", text); }

// The device of --backend, or the simulated one where that fails and --fallback says so.
std::unique_ptr<Device> OpenDevice(const Options& options, Backend* backend) {
  const auto open = [&](const std::string& library) {
    *backend = OpenBackend(library);
    CheckModelFile(*backend, options.model);
    return std::make_unique<Device>(*backend, options.devices, options.cores, options.acl_config);
  };
  try {
    return open(options.backend);
  } catch (const RunError& error) {
    if (!options.fall_back || backend->simulated()) throw;
    Note(fmt::format("{}; running on the simulated device (--fallback cpu)", error.what()));
    return open("sim");
  }
}

// The run's own error is what the user must see, so that a second one here is told beside it.
void DumpFault(Model& model, const SlotOptions& slot, FailedRun run, const std::vector<Tensor>& inputs, const std::string& folder) {
  run.inputs = &inputs;
  try {
    WriteFault(model, slot, run, folder);
    Note(fmt::format("what the failed run worked on is in '{}' (--dump_on_error)", folder));
  } catch (const RunError& error) {
    Note(fmt::format("--dump_on_error: {}", error.what()));
  }
}

// Returns the exit status.
int Run(const Options& options, OutputFiles* files) {
  MemoryWatch memory;
  for (const std::string& note : options.notes) Note(note);
  Backend backend;
  const std::unique_ptr<Device> opened = OpenDevice(options, &backend);
  Device& device = *opened;
  if (!options.dump_on_error.empty()) ListenForFaults(backend);
  if (options.debug) device.calls().Echo();
  Model model(device, options.model, options.devices[0]);
  Print(SignatureText(options.model, device.description(), model.signature()));
  Dims gear;
  Signature signature = options.gear_auto ? model.signature() : UnderGear(model.signature(), options.gear, &gear);

  Signature parts = signature;
  parts.inputs = PartsOf(signature.inputs, options.batch);
  const Samples samples = MakeSamples(parts, options);
  const References references(options.compare, samples, signature.outputs);
  Feed feed(samples, signature.inputs, parts.inputs, options.batch, options.keep);
  feed.Prepare();
  Print(FeedText(samples, signature.inputs, *feed.Load(0), feed));
  // The places for the results are tried before the work is done, and after the last line that is printed before they
  // are written: a reader of our lines that goes away ends the process.
  Results results(options, signature.outputs, samples, references, files);
  const ReportFiles places(options, files);

  const RunPlan plan = PlanOf(options);
  if (options.print_layers || !options.export_layers.empty()) {
    const std::vector<Layer> layers = ListLayers(model, plan.slot, *feed.Load(0));
    if (options.print_layers) Print(LayerTable(layers));
    if (!options.export_layers.empty()) files->Fill(places.layers, LayerJson(layers));
  }
  if (!options.dump_tensors.empty()) {
    DumpTensors(model, plan.slot, *feed.Load(0), options.dump_tensors, options.dump_nodes, files);
  }
  RunEvents events;
  events.first_run = [&] { memory.Stop(); };
  events.outputs = [&](size_t group, std::vector<Tensor> outputs) {
    results.Take(feed.first_of(group), feed.count_of(group), std::move(outputs));
  };
  std::optional<size_t> failed;
  events.failed = [&](size_t group) { failed = group; };
  RunOutcome outcome;
  try {
    outcome = RunAll(model, plan, feed, events);
  } catch (const RunError& error) {
    if (!failed || options.dump_on_error.empty()) throw;
    const FailedRun run{options.model, samples.all[feed.first_of(*failed)].name, error.what(), &signature.inputs, nullptr};
    DumpFault(model, plan.slot, run, *feed.Load(*failed), options.dump_on_error);
    throw;
  }
  memory.Sample();
  results.Finish();

  RunReport report(options, plan, signature, samples, results, outcome);
  report.device = device.description();
  report.simulated = backend.simulated();
  report.peak_anon_mb = memory.peak_mb();
  report.stream_sentences = Sentences(outcome.profiles);
  FillFigures(&report);
  WriteReports(options, report, device.calls(), places);
  files->Commit();
  Print(SummaryText(report) + (options.print_profile ? OperatorTable(OperatorTimes(outcome.profiles)) : "") +
        ComparisonText(report) + ClosingText(report));
  return results.match() ? 0 : kMismatch;
}

}  // namespace
}  // namespace atc::omrun

int main(int argc, char** argv) {
  using namespace atc::omrun;
  Options options;
  // Never destroyed: the thread that waits for signals may use it until the process is gone.
  OutputFiles& files = *new OutputFiles;
  try {
    if (const auto status = ParseOptions(argc, argv, &options)) return *status;
    if (options.symbols) return PrintSymbols(options);
    CleanUpOnInterrupt(&files);
    return options.compare_dumps.empty() ? Run(options, &files) : RunCompareDumps(options, &files);
  } catch (const RunError& error) {
    fmt::print(stderr, "omrun: error: {}\n", error.what());
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "omrun: error: the host has not enough memory\n");
  } catch (const std::exception& error) {
    fmt::print(stderr, "omrun: error: {}\n", error.what());
  }
  files.Discard();
  return 1;
}

// omrun: runs a converted model. Parses the command line, drives a Session, prints and writes what comes out.
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <exception>
#include <new>

#include "cmd/omrun/input_binding.h"
#include "cmd/omrun/interrupt.h"
#include "cmd/omrun/memory_watch.h"
#include "cmd/omrun/options.h"
#include "cmd/omrun/output_files.h"
#include "cmd/omrun/reference_outputs.h"
#include "cmd/omrun/report.h"
#include "cmd/omrun/session.h"

namespace atc::omrun {
namespace {

void Print(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    throw RunError("cannot write to the standard output");
  }
}

// Runs and measures; the first run counts as the first of the warm-up, or of the measured ones when there is none.
void Measure(const Options& options, Session* session, MemoryWatch* memory, RunReport* report) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> times;
  const uint64_t runs = uint64_t{options.warmups()} + options.loop;
  Clock::time_point start;
  const auto seconds = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  for (uint64_t run = 0; run < runs || seconds() < options.duration; ++run) {
    if (run == options.warmups() && !options.profile.empty()) session->BeginProfile();
    if (run <= options.warmups()) start = Clock::now();
    const double ms = session->Run();
    if (run == 0) {
      report->first_run_ms = ms;
      memory->Stop();
    }
    if (run >= options.warmups()) times.push_back(ms);
  }
  memory->Sample();
  report->measured_s = seconds();
  report->loop = static_cast<uint32_t>(times.size());
  report->percentiles = options.percentiles;
  report->latency = Summarize(std::move(times), options.percentiles);
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

// Returns the exit status.
int Run(const Options& options, OutputFiles* files) {
  MemoryWatch memory;
  const Backend backend = OpenBackend(options.backend);
  Session session(backend, options.model, options.cores);
  const std::string device = session.device();
  Print(SignatureText(options.model, device, session.signature()));
  CheckReferenceFolder(options.compare);

  std::vector<BoundInput> inputs = BindInputs(session.signature().inputs, options);
  std::vector<Tensor> tensors;
  for (size_t i = 0; i < inputs.size(); ++i) {
    Print(fmt::format("feed {}   {}  {} {} from {}\n", i, session.signature().inputs[i].name,
                      TypeName(inputs[i].tensor.type), DimsText(inputs[i].tensor.dims), inputs[i].source));
    tensors.push_back(std::move(inputs[i].tensor));
  }
  // The places for the results are tried before the work is done, and after the last line that is printed before they
  // are written: a reader of our lines that goes away ends the process.
  size_t outputs_json = 0, report_json = 0, op_summary = 0, op_statistic = 0, trace = 0;
  if (!options.output.empty()) {
    files->MakeFolder(options.output);
    outputs_json = files->Reserve(options.output + "/outputs.json");
  }
  if (!options.json.empty()) report_json = files->Reserve(options.json);
  if (!options.profile.empty()) {
    files->MakeFolder(options.profile);
    op_summary = files->Reserve(options.profile + "/op_summary.csv");
    op_statistic = files->Reserve(options.profile + "/op_statistic.csv");
    trace = files->Reserve(options.profile + "/trace.json");
  }

  session.SetInputs(tensors);
  tensors = {};

  RunReport report;
  report.model = options.model;
  report.device = device;
  report.simulated = backend.simulated();
  report.load_ms = session.load_ms();
  report.loop = options.loop;
  report.warmup = options.warmups();
  report.cores = options.cores;
  report.outputs = session.signature().outputs;
  Measure(options, &session, &memory, &report);
  report.stats = session.stats();
  report.peak_anon_mb = memory.peak_mb();

  const std::vector<Tensor> outputs = session.Outputs();
  if (!options.profile.empty()) {
    const profile::Profile profile = session.EndProfile();
    report.stream_sentences = profile::StreamSentences(profile.models[0]);
    files->Fill(op_summary, OpSummaryCsv(profile));
    files->Fill(op_statistic, OpStatisticCsv(profile));
    files->Fill(trace, TraceJson(profile));
  }
  bool match = true;
  if (!options.compare.empty()) {
    const std::vector<Tensor> references = ReadReferenceOutputs(options.compare, outputs);
    for (size_t i = 0; i < outputs.size(); ++i) {
      report.comparisons.push_back(Compare(outputs[i], references[i], options.limits));
      match = match && report.comparisons.back().match;
    }
  }
  if (!options.output.empty()) {
    for (size_t i = 0; i < outputs.size(); ++i) {
      const size_t file = files->Reserve(options.output + "/" + OutputFileName(i, options.format));
      files->Fill(file, FormatTensor(outputs[i], options.format));
    }
    files->Fill(outputs_json, FormatOutputsJson(report.outputs, outputs, options.format));
  }
  if (!options.json.empty()) files->Fill(report_json, ReportJson(report));
  files->Commit();
  Print(SummaryText(report, outputs) + ComparisonText(report) + ClosingText(report));
  return match ? 0 : 1;
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
    return Run(options, &files);
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

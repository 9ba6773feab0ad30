// --stream_report: why each node is on its stream, and what that is expected to give.
#include "cmd/atc/paths.h"
#include "cmd/atc/run.h"
#include "compiler/io/output_file.h"
#include "compiler/stream_report.h"

namespace atc::cli {

namespace {

bool IsFile(const std::string& to) { return !to.empty() && to != "json"; }

void Give(Run& run, const StreamReport& report) {
  const std::string to = run.flags.Get("stream_report");
  const std::string text = to == "json" || to.ends_with(".json") ? report.Json() : report.Text();
  if (!IsFile(to)) return run.console.Print(text);
  MakeParentFolders(to);
  OutputFile file(to);
  file.Write(text);
  file.Commit();
}

ParallelMode ModeOf(const Run& run) {
  return ParseParallelMode(run.flags.Get("multi_stream_parallel_mode")).value_or(ParallelMode());
}

}  // namespace

void CheckStreamReport(const Run& run) {
  const std::string to = run.flags.Get("stream_report");
  if (IsFile(to)) CheckOutputFile("stream_report", to);
}

void GiveStreamReport(Run& run, const OmModel& model) {
  if (!run.flags.Given("stream_report")) return;
  run.Step("stream report");
  Give(run, MakeStreamReport(model, ModeOf(run)));
}

void ReportStreams(Run& run) {
  if (!run.flags.IsSet("om")) {
    throw Error("E10004", {{"parameter", "om"}}, "Give --om with --stream_report, or --model and all that a conversion needs.");
  }
  CheckInputFile("om", run.flags.Get("om"));
  CheckStreamReport(run);
  run.Step("stream report");
  Give(run, MakeStreamReport(run.flags.Get("om"), ModeOf(run)));
}

}  // namespace atc::cli

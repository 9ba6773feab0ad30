// --stream_report: why each node is on its stream, and what that is expected to give.
#include "cmd/atc/paths.h"
#include "cmd/atc/run.h"
#include "compiler/stream_report.h"

namespace atc::cli {

namespace {

ParallelMode ModeOf(const Run& run) {
  return ParseParallelMode(run.flags.Get("multi_stream_parallel_mode")).value_or(ParallelMode());
}

}  // namespace

void GiveStreamReport(Run& run, const OmModel& model) {
  if (!run.flags.Given("stream_report")) return;
  run.Step("stream report");
  GiveReport(run, "stream_report", MakeStreamReport(model, ModeOf(run)));
}

void ReportStreams(Run& run) {
  if (!run.flags.IsSet("om")) {
    throw Error("E10004", {{"parameter", "om"}}, "Give --om with --stream_report, or --model and all that a conversion needs.");
  }
  CheckInputFile("om", run.flags.Get("om"));
  CheckReportFile(run, "stream_report");
  run.Step("stream report");
  GiveReport(run, "stream_report", MakeStreamReport(run.flags.Get("om"), ModeOf(run)));
}

}  // namespace atc::cli

#include "cmd/atc/looks.h"

#include <fmt/format.h>

#include <algorithm>

#include "cmd/atc/paths.h"
#include "cmd/atc/sample_inputs.h"
#include "compiler/explain_node.h"
#include "compiler/format_report.h"
#include "compiler/html_report.h"

namespace atc::cli {
namespace {

constexpr std::string_view kLooks[] = {"stages",        "explain_node", "precision_report",
                                       "format_report", "report",       "stream_report"};

void GiveExplanation(Run& run, const NodeExplanation& explanation) {
  run.flags.Given("json") ? GiveJson(run, explanation.Json()) : run.console.Print(explanation.Text());
}

}  // namespace

bool OnlyLooks(const FlagValues& flags) {
  const bool looks = std::any_of(std::begin(kLooks), std::end(kLooks), [&](auto name) { return flags.Given(name); });
  return looks && !flags.IsSet("output");
}

void CheckNotOfOm(const FlagValues& flags) {
  if (flags.IsSet("model")) return;
  for (const std::string_view look : kLooks) {
    if (!flags.Given(look)) continue;
    throw Error("E10001",
                {{"value", flags.Get("om")},
                 {"parameter", "--om"},
                 {"reason", fmt::format("--{} tells of a conversion, not of a finished om.", look)}},
                "Give --model, --framework and --soc_version; of an om --explain_node, --stream_report, --check_om and "
                "--diff tell.");
  }
}

Looks::Looks(Run& run)
    : run_(run),
      precision_(ParseSampleInputs(run.flags.Get("sample_inputs")), run.flags.Get("is_weight_clip") == "1",
                 &run.diagnostics) {
  // Of these there is nothing to tell without a value.
  for (const char* name : {"explain_node", "report"}) {
    if (run.flags.Given(name) && !run.flags.IsSet(name)) throw Error("E10004", {{"parameter", name}});
  }
  CheckReportFile(run, "stages");
  CheckReportFile(run, "precision_report");
  CheckReportFile(run, "format_report");
  CheckReportFile(run, "report");
  CheckReportFile(run, "stream_report");
}

void Looks::See(std::string_view stage, const Graph& graph) {
  if (parsed_.empty() && run_.flags.IsSet("explain_node")) parsed_ = FindParsedNodes(graph);
  const bool page = run_.flags.IsSet("report");
  if (page || run_.flags.Given("stages")) stages_.See(stage, graph);
  if (page || run_.flags.Given("precision_report")) precision_.See(stage, graph);
}

void Looks::Give(const CompileResult& result) {
  const bool page = run_.flags.IsSet("report");
  if (page || run_.flags.Given("stages")) stages_.Finish(result.stage_times, result.journal);
  if (page || run_.flags.Given("precision_report")) precision_.Finish(result);
  if (run_.flags.Given("stages")) GiveReport(run_, "stages", stages_);
  if (run_.flags.Given("precision_report")) GiveReport(run_, "precision_report", precision_);
  FormatReport formats;
  if (page || run_.flags.Given("format_report")) formats.Finish(result);
  if (run_.flags.Given("format_report")) GiveReport(run_, "format_report", formats);
  if (page) GiveReport(run_, "report", HtmlReport(result, stages_, precision_, formats));
  if (run_.flags.IsSet("explain_node")) {
    GiveExplanation(run_, ExplainNode(run_.flags.Get("explain_node"), result.model, &result.journal, parsed_));
  }
}

void Looks::GiveFailed(const std::vector<StageTime>& times, const Journal& journal) {
  if (!run_.flags.Given("stages") || times.empty()) return;
  stages_.Finish(times, journal);
  GiveReport(run_, "stages", stages_);
}

void ExplainNodeOfOm(Run& run) {
  const std::string om = run.flags.Get("om");
  CheckInputFile("om", om);
  GiveExplanation(run, ExplainNode(run.flags.Get("explain_node"), om));
}

}  // namespace atc::cli

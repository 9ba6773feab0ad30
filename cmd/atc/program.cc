#include "cmd/atc/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <iterator>
#include <new>
#include <utility>

#include "cmd/atc/command_line.h"
#include "cmd/atc/console.h"
#include "cmd/atc/environment.h"
#include "cmd/atc/help.h"
#include "cmd/atc/log.h"
#include "cmd/atc/looks.h"
#include "cmd/atc/op_prototype.h"
#include "cmd/atc/raw_ge_options.h"
#include "cmd/atc/run.h"
#include "cmd/atc/validate.h"
#include "compiler/ir/error_block.h"
#include "compiler/ir/error_catalogue.h"

namespace atc::cli {
namespace {

constexpr int kOk = 0;
constexpr int kFailed = 255;

struct Mode {
  std::string_view value;
  void (*run)(Run&);
};
// Modes that are not listed are those of a conversion, which says what is not available.
constexpr Mode kModes[] = {{"0", Convert}, {"1", ToJson}, {"3", Precheck}, {"5", ToJson}, {"6", DisplayModel}};

// What is done in place of a mode. These leave stdout to what they print.
struct Action {
  std::string_view flag;
  void (*run)(Run&);
};
constexpr Action kActions[] = {{"diff", Diff},
                               {"explain", Explain},
                               {"list_ops", ListOperators},
                               {"summary", Summarize},
                               {"version", PrintVersion}};

const Action* FindAction(const FlagValues& flags) {
  for (const Action& action : kActions) {
    if (flags.Given(action.flag) && flags.Get(action.flag) != "false") return &action;
  }
  return nullptr;
}

// Whether stdout is for another program to read.
bool IsPlain(const FlagValues& flags) {
  constexpr std::string_view kReports[] = {"format_report", "precision_report", "stages", "stream_report"};
  const bool json = std::any_of(std::begin(kReports), std::end(kReports),
                                [&](std::string_view report) { return flags.Get(report) == "json"; });
  return FindAction(flags) != nullptr || json || (flags.Given("json") && !flags.IsSet("json"));
}

void RunMode(Run& run) {
  if (const Action* action = FindAction(run.flags)) return action->run(run);
  CheckAlways(run.flags);
  if (run.flags.IsSet("check_om")) return CheckFinishedOm(run);
  if (run.flags.IsSet("gen_op_project")) return GenerateOpProject(run);
  if (run.flags.Get("bisect") == "true") return FindWrongRewrite(run);
  if (run.flags.IsSet("explain_node") && run.flags.IsSet("om")) return ExplainNodeOfOm(run);
  if (run.flags.Given("stream_report") && !run.flags.IsSet("model")) return ReportStreams(run);
  if (run.flags.IsSet("om") && run.flags.Get("mode") == "0") CheckNotOfOm(run.flags);
  if (run.flags.IsSet("singleop")) return ConvertSingleOps(run);
  const std::string value = run.flags.Get("mode");
  for (const Mode& mode : kModes) {
    if (mode.value == value) return mode.run(run);
  }
  Convert(run);
}

// The file that the messages are about.
std::string Artifact(const FlagValues& flags) {
  for (std::string_view flag : {"model", "om", "check_om", "gen_op_project", "singleop"}) {
    if (flags.IsSet(flag)) return flags.Get(flag);
  }
  return "";
}

// The diagnostic of whatever is being thrown.
Diagnostic Caught() {
  try {
    throw;
  } catch (const Error& error) {
    return error.diagnostic();
  } catch (const std::bad_alloc&) {
    return Error("E19999", {{"reason", "There is not enough memory."}},
                 "Close other programs, or convert on a machine with more memory.")
        .diagnostic();
  } catch (const std::exception& error) {
    return Error::Internal(error.what()).diagnostic();
  }
}

Diagnostic UsageDiagnostic(const LexicalError& error) {
  std::string text = error.what();
  if (text.starts_with("ERROR: ")) text.erase(0, 7);
  return {
      Diagnostic::kError, std::string(kUsageCode), {{"reason", text}}, {}, "atc --help shows how flags are written."};
}

// Runs what the flags ask for; what is to be told goes into `outcome`.
void RunAndTell(FlagValues flags, Console& console, RunOutcome* outcome) {
  Log log(flags.IsSet("log") ? flags.Get("log") : "");
  log.Write(LogLevel::kInfo, flags.Canonical());
  Diagnostics diagnostics;
  Run run{flags, console, log, diagnostics};
  bool dots = false;
  const EnvironmentMap environment = ProcessEnvironment();
  if (FindAction(flags) == nullptr) CheckEnvironment(environment, &diagnostics);
  try {
    ApplyRawGeOptions(&flags, &diagnostics);
    dots = true;
    outcome->artifact = Artifact(flags);
    if (FindAction(flags) == nullptr) MakeWorkFolder(environment);
    RunMode(run);
    console.CheckPrinted();
  } catch (...) {
    const Diagnostic diagnostic = Caught();
    log.Write(LogLevel::kError, diagnostic.code + " " + MessageText(diagnostic));
    console.Failure(ErrorBlock(diagnostic, MessageStamp::Now()), dots);
    outcome->status = run.trouble;
    outcome->diagnostics.push_back(diagnostic);
    for (const Diagnostic& warning : diagnostics.all()) outcome->diagnostics.push_back(warning);
    return;
  }
  for (const Diagnostic& warning : diagnostics.all()) {
    log.Write(LogLevel::kWarning, warning.code + " " + MessageText(warning));
  }
  console.Success(ErrorBlocks(diagnostics.all(), Diagnostic::kWarning, MessageStamp::Now()));
  outcome->diagnostics = diagnostics.all();
  outcome->status = run.status;
}

}  // namespace

RunOutcome RunProgram(std::span<const std::string> args, Console& console, bool reports_to_stderr) {
  RunOutcome outcome;
  FlagValues flags;
  try {
    flags = ParseCommandLine(args);
  } catch (const LexicalError& error) {
    console.Start(/*plain=*/false);
    outcome = {{UsageDiagnostic(error)}, "", kFailed};
    // The report says the same, and is read by a program.
    if (!reports_to_stderr) console.Complain(error.what());
    console.Failure("", /*dots=*/false);
    return outcome;
  } catch (const Error& error) {
    console.Start(/*plain=*/false);
    outcome = {{error.diagnostic()}, "", kFailed};
    console.Failure(ErrorBlock(error.diagnostic(), MessageStamp::Now()), /*dots=*/false);
    return outcome;
  }
  console.Start(IsPlain(flags));
  if (const std::string topic = flags.Get("help"); topic != "false") {
    console.Print(topic == "true" ? HelpText() : HelpText(*FindFlag(topic)));
    return outcome;
  }
  RunAndTell(std::move(flags), console, &outcome);
  return outcome;
}

}  // namespace atc::cli

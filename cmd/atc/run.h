// One run of the program, as the modes see it.
#pragma once

#include <string>

#include "cmd/atc/command_line.h"
#include "cmd/atc/console.h"
#include "cmd/atc/log.h"
#include "compiler/ir/error.h"

namespace atc {
struct OmModel;
}

namespace atc::cli {

struct Run {
  const FlagValues& flags;
  Console& console;
  Log& log;
  Diagnostics& diagnostics;  // warnings, printed after success
  int status = 0;     // of the program where nothing goes wrong
  int trouble = 255;  // where something does

  // What is being done, for the terminal and the log.
  void Step(std::string_view step) const {
    console.Progress(step);
    log.Write(LogLevel::kInfo, step);
  }
};

// Exit status of --diff, as diff's own, and of --bisect where a rewrite is to blame.
inline constexpr int kDiffers = 1;
inline constexpr int kDiffTrouble = 2;

// One function a mode or action; each throws atc::Error.
void Diff(Run& run);           // --diff
void Explain(Run& run);        // --explain
void ListOperators(Run& run);  // --list_ops
void PrintVersion(Run& run);  // --version
void Summarize(Run& run);     // --summary
void Convert(Run& run);       // --mode=0
void ConvertSingleOps(Run& run);  // --singleop
void Precheck(Run& run);      // --mode=3
void ToJson(Run& run);        // --mode=1, --mode=5
void DisplayModel(Run& run);  // --mode=6

void CheckFinishedOm(Run& run);   // --check_om
void FindWrongRewrite(Run& run);  // --bisect
void ReportStreams(Run& run);    // --stream_report of an om

// A flag of ours that asks for a report: alone for text on the terminal, "json" for JSON there, else with the name of a
// file, which holds JSON where the name ends so; alone with --json as that says. The check throws Error where the file
// cannot be made.
void CheckReportFile(const Run& run, std::string_view flag);
bool WantsJson(const FlagValues& flags, std::string_view flag);
void GiveReport(Run& run, std::string_view flag, const std::string& text);
void GiveReport(Run& run, std::string_view flag, const auto& report) {
  GiveReport(run, flag, WantsJson(run.flags, flag) ? report.Json() : report.Text());
}

// Where --stream_report is given, the report of a model at hand.
void GiveStreamReport(Run& run, const OmModel& model);

// To the file that --json names, else to the terminal.
void GiveJson(Run& run, const std::string& text);

// What --mode=6 and --display_model_info=1 print of an om.
void PrintModelInfo(Run& run, const std::string& om);

}  // namespace atc::cli

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

  // What is being done, for the terminal and the log.
  void Step(std::string_view step) const {
    console.Progress(step);
    log.Write(LogLevel::kInfo, step);
  }
};

// One function a mode or action; each throws atc::Error.
void Explain(Run& run);        // --explain
void ListOperators(Run& run);  // --list_ops
void PrintVersion(Run& run);  // --version
void Summarize(Run& run);     // --summary
void Convert(Run& run);       // --mode=0
void ConvertSingleOps(Run& run);  // --singleop
void Precheck(Run& run);      // --mode=3
void ToJson(Run& run);        // --mode=1, --mode=5
void DisplayModel(Run& run);  // --mode=6

void CheckFinishedOm(Run& run);  // --check_om
void ReportStreams(Run& run);    // --stream_report of an om

// Whether the file that --stream_report names can be made; and, where it is given, the report of a model at hand.
void CheckStreamReport(const Run& run);
void GiveStreamReport(Run& run, const OmModel& model);

// To the file that --json names, else to the terminal.
void GiveJson(Run& run, const std::string& text);

// What --mode=6 and --display_model_info=1 print of an om.
void PrintModelInfo(Run& run, const std::string& om);

}  // namespace atc::cli

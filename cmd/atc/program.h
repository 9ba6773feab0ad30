// The program without its process: reads a command line, runs the mode, and tells how it went.
#pragma once

#include <span>
#include <string>

#include "cmd/atc/console.h"
#include "cmd/atc/report.h"

namespace atc::cli {

// `reports_to_stderr`: a report for another program goes there, so that complaints about the command line do not.
RunOutcome RunProgram(std::span<const std::string> args, Console& console, bool reports_to_stderr);

}  // namespace atc::cli

// The program: reads the command line, runs the mode, and tells how it went.
#include <fmt/format.h>

#include <exception>
#include <new>

#include "cmd/atc/command_line.h"
#include "cmd/atc/console.h"
#include "cmd/atc/help.h"
#include "cmd/atc/log.h"
#include "cmd/atc/raw_ge_options.h"
#include "cmd/atc/run.h"
#include "cmd/atc/signals.h"
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
constexpr Mode kModes[] = {{"0", Convert}, {"1", ToJson}, {"5", ToJson}, {"6", DisplayModel}};

void RunMode(Run& run) {
  CheckAlways(run.flags);
  if (run.flags.IsSet("check_om")) return CheckFinishedOm(run);
  const std::string value = run.flags.Get("mode");
  for (const Mode& mode : kModes) {
    if (mode.value == value) return mode.run(run);
  }
  Convert(run);
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

int Main(std::span<const std::string> args) {
  InstallSignalHandlers();
  Console console;
  console.Start();
  FlagValues flags;
  try {
    flags = ParseCommandLine(args);
  } catch (const LexicalError& error) {
    console.Complain(error.what());
    console.Failure("", /*dots=*/false);
    return kFailed;
  } catch (const Error& error) {
    console.Failure(ErrorBlock(error.diagnostic(), MessageStamp::Now()), /*dots=*/false);
    return kFailed;
  }
  if (const std::string topic = flags.Get("help"); topic != "false") {
    console.Print(topic == "true" ? HelpText() : HelpText(*FindFlag(topic)));
    return kOk;
  }
  Log log(flags.IsSet("log") ? flags.Get("log") : "");
  log.Write(LogLevel::kInfo, flags.Canonical());
  Diagnostics diagnostics;
  Run run{flags, console, log, diagnostics};
  bool dots = false;
  try {
    ApplyRawGeOptions(&flags, &diagnostics);
    dots = true;
    RunMode(run);
  } catch (...) {
    const Diagnostic diagnostic = Caught();
    log.Write(LogLevel::kError, diagnostic.code + " " + MessageText(diagnostic));
    console.Failure(ErrorBlock(diagnostic, MessageStamp::Now()), dots);
    return kFailed;
  }
  for (const Diagnostic& warning : diagnostics.all()) {
    log.Write(LogLevel::kWarning, warning.code + " " + MessageText(warning));
  }
  console.Success(ErrorBlocks(diagnostics.all(), Diagnostic::kWarning, MessageStamp::Now()));
  return kOk;
}

}  // namespace
}  // namespace atc::cli

int main(int argc, char** argv) {
  const std::vector<std::string> args(argv + (argc > 0), argv + argc);
  return atc::cli::Main(args);
}

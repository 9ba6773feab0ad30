#include <cstdlib>
#include <string>
#include <vector>

#include "cmd/atc/program.h"
#include "cmd/atc/signals.h"
#include "compiler/ir/error.h"
#include "compiler/ir/error_block.h"
#include "compiler/ir/error_catalogue.h"

namespace atc::cli {
namespace {

constexpr int kReportFailed = 255;

int Main(std::span<const std::string> args) {
  InstallSignalHandlers();
  const char* wanted = std::getenv("ATC_DIAGNOSTICS");
  const auto request = ParseReportRequest(wanted ? wanted : "");
  Console console;
  if (!request) return RunProgram(args, console, /*reports_to_stderr=*/false).status;
  try {
    CheckReport(*request);
  } catch (const Error& error) {
    console.Start(/*plain=*/false);
    console.Failure(ErrorBlock(error.diagnostic(), MessageStamp::Now()), /*dots=*/false);
    return kReportFailed;
  }
  const RunOutcome outcome = RunProgram(args, console, request->path.empty());
  try {
    WriteReport(*request, outcome);
  } catch (const Error& error) {
    console.Complain("ERROR: " + MessageText(error.diagnostic()));
    return kReportFailed;
  }
  return outcome.status;
}

}  // namespace
}  // namespace atc::cli

int main(int argc, char** argv) {
  const std::vector<std::string> args(argv + (argc > 0), argv + argc);
  return atc::cli::Main(args);
}

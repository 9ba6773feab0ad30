#include "compiler/ir/error_block.h"

#include <fmt/format.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>

#include "compiler/ir/error_catalogue.h"

namespace atc {
namespace {

constexpr std::string_view kIndent = "        ";

// Lines after the first are indented, so that the whole message reads as one block.
std::string Indented(std::string_view text) {
  std::string out;
  for (char c : text) {
    out += c;
    if (c == '\n') out += kIndent;
  }
  return out;
}

// Codes whose digits after the component are 9999 or 8888 tell of a fault that has no entry of its own.
bool IsInner(std::string_view code) {
  return code.size() == 6 && (code.substr(2) == "9999" || code.substr(2) == "8888");
}

bool HasReason(const Diagnostic& diagnostic) {
  return std::any_of(diagnostic.args.begin(), diagnostic.args.end(),
                     [](const auto& arg) { return arg.first == "reason"; });
}

}  // namespace

MessageStamp MessageStamp::Now() { return {static_cast<int>(getpid()), std::chrono::system_clock::now()}; }

std::string FormatTime(std::chrono::system_clock::time_point time) {
  const int64_t micros = std::chrono::duration_cast<std::chrono::microseconds>(time.time_since_epoch()).count();
  const time_t seconds = static_cast<time_t>(micros / 1000000);
  tm local = {};
  localtime_r(&seconds, &local);
  return fmt::format("{:04}-{:02}-{:02}-{:02}:{:02}:{:02}.{:03}.{:03}", local.tm_year + 1900, local.tm_mon + 1,
                     local.tm_mday, local.tm_hour, local.tm_min, local.tm_sec, micros / 1000 % 1000, micros % 1000);
}

std::string ErrorBlock(const Diagnostic& diagnostic, const MessageStamp& stamp) {
  const ErrorEntry* entry = FindErrorEntry(diagnostic.code);
  std::string out;
  if (IsInner(diagnostic.code) && diagnostic.severity == Diagnostic::kError) {
    out += fmt::format("{}: Internal error!\n{}", diagnostic.code, diagnostic.code);
  }
  out += fmt::format("[PID: {}] {} {}({}): {}\n", stamp.pid, FormatTime(stamp.time), entry ? entry->title : "",
                     diagnostic.code, Indented(MessageText(diagnostic)));
  // A reason that the thrower gave is the cause of this very fault.
  if (entry && !HasReason(diagnostic)) out += fmt::format("{}Possible Cause: {}\n", kIndent, entry->cause);
  const std::string solution = SolutionText(diagnostic);
  if (!solution.empty()) out += fmt::format("{}Solution: {}\n", kIndent, Indented(solution));
  if (!diagnostic.context.empty()) {
    out += fmt::format("{}TraceBack (most recent call last):\n", kIndent);
    // The context is kept innermost first; "most recent call last" wants it the other way round.
    for (auto where = diagnostic.context.rbegin(); where != diagnostic.context.rend(); ++where) {
      out += fmt::format("{}{}\n", kIndent, Indented(*where));
    }
  }
  return out;
}

std::string ErrorBlocks(std::span<const Diagnostic> diagnostics, Diagnostic::Severity severity,
                        const MessageStamp& stamp) {
  std::string out;
  for (const Diagnostic& diagnostic : diagnostics) {
    if (diagnostic.severity == severity) out += ErrorBlock(diagnostic, stamp);
  }
  return out;
}

}  // namespace atc

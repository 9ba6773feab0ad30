#include "cmd/atc/console.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "cmd/atc/paths.h"
#include "compiler/io/utf8.h"
#include "compiler/ir/error.h"

namespace atc::cli {
namespace {

constexpr std::string_view kStart = "ATC start working now, please wait for a moment.\n";
constexpr std::string_view kDots = "...\n";
constexpr std::string_view kSuccess = "ATC run success, welcome to the next use.\n";
constexpr std::string_view kFailure =
    "ATC run failed, Please check the detail log, Try 'atc --help' for more information\n";

}  // namespace

Console::Console() : terminal_(isatty(STDERR_FILENO) == 1), begin_(std::chrono::steady_clock::now()) {}

Console::Console(std::string* text) : text_(text), terminal_(false), begin_(std::chrono::steady_clock::now()) {}

Console::~Console() { EndProgress(); }

// Flushed at once: the lines keep their order beside stderr and what a signal handler writes.
void Console::Out(std::string_view text) {
  if (text_) return static_cast<void>(text_->append(text));
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

void Console::Err(std::string_view text) {
  if (text_) return static_cast<void>(text_->append(text));
  std::fwrite(text.data(), 1, text.size(), stderr);
}

void Console::Start(bool plain) {
  plain_ = plain;
  if (!plain) Out(kStart);
}

void Console::Success(const std::string& warnings) {
  EndProgress();
  if (plain_) return Err(Visible(warnings));
  Out(kDots);
  Out(kSuccess);
  Out(warnings.empty() ? "\n" : Visible(warnings));
}

void Console::Failure(const std::string& block, bool dots) {
  EndProgress();
  if (plain_ || lost_ != 0) return Err(Visible(block));
  if (dots) Out(kDots);
  Out(kFailure);
  Out(Visible(block));
  Out("\n");
}

void Console::Print(const std::string& text) {
  EndProgress();
  if (text_) return Out(text);
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if ((std::fflush(stdout) != 0 || !written) && errno != EPIPE && lost_ == 0) lost_ = errno;
}

void Console::CheckPrinted() const {
  if (lost_ == 0) return;
  throw Error("E13004", {{"file", "(standard output)"}, {"errmsg", ErrnoText(lost_)}});
}

void Console::Tell(const std::string& text) {
  EndProgress();
  plain_ ? Err(text) : Out(text);
}

void Console::Complain(const std::string& line) {
  EndProgress();
  Err(Visible(line) + "\n");
}

void Console::Progress(std::string_view step) {
  if (!terminal_) return;
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin_;
  fmt::print(stderr, "\r\033[K[{:.1f} s] {}", seconds.count(), step);
  std::fflush(stderr);
  line_open_ = true;
}

void Console::EndProgress() {
  if (!line_open_) return;
  fmt::print(stderr, "\r\033[K");
  std::fflush(stderr);
  line_open_ = false;
}

}  // namespace atc::cli

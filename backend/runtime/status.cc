#include "backend/runtime/status.h"

#include <deque>

namespace atc::runtime {
namespace {

// A caller that never reads its log must not grow without bound.
constexpr size_t kMaxLines = 32;

// The process's end may still report from a thread whose log is gone already: statics outlive it.
thread_local bool log_gone = false;

struct ThreadLog {
  ~ThreadLog() { log_gone = true; }
  std::deque<std::string> lines;
};
thread_local ThreadLog thread_log;
thread_local Code last_code = kOk;

}  // namespace

Code Fail(Code code, std::string message) {
  last_code = code;
  if (log_gone) return code;
  std::deque<std::string>& log = thread_log.lines;
  if (log.size() == kMaxLines) log.pop_back();
  log.push_front(std::to_string(code) + ": " + std::move(message));
  return code;
}

std::string TakeLog() {
  std::string text;
  if (log_gone) return text;
  for (const std::string& line : thread_log.lines) {
    if (!text.empty()) text += '\n';
    text += line;
  }
  thread_log.lines.clear();
  return text;
}

Code LastCode() { return last_code; }

void ForgetLastCode() { last_code = kOk; }

}  // namespace atc::runtime

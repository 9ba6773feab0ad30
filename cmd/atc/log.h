// The log that --log and ASCEND_GLOBAL_LOG_LEVEL ask for: to $HOME/ascend/log/debug/plog/plog-<pid>_<time>.log
// ($ASCEND_PROCESS_LOG_PATH in place of $HOME/ascend/log), or to stdout with ASCEND_SLOG_PRINT_TO_STDOUT=1.
// Without either nothing is written.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace atc::cli {

enum class LogLevel { kDebug, kInfo, kWarning, kError, kNull };

class Log {
 public:
  // `flag`: the value of --log, empty where it is not given; then the environment decides.
  explicit Log(std::string_view flag);
  ~Log();
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  // One line, "[INFO] GE(4711,atc):2026-01-31-10:20:30.123.456 text".
  void Write(LogLevel level, std::string_view text);

 private:
  LogLevel level_ = LogLevel::kNull;
  std::FILE* file_ = nullptr;  // null: nothing is written
};

}  // namespace atc::cli

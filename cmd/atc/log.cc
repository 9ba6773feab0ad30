#include "cmd/atc/log.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>

#include "compiler/ir/error_block.h"

namespace atc::cli {
namespace {

constexpr std::string_view kFlagWords[] = {"debug", "info", "warning", "error", "null"};
constexpr std::string_view kLabels[] = {"DEBUG", "INFO", "WARNING", "ERROR", ""};

std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

LogLevel Level(std::string_view flag) {
  const auto word = std::find(std::begin(kFlagWords), std::end(kFlagWords), flag);
  if (word != std::end(kFlagWords)) return static_cast<LogLevel>(word - std::begin(kFlagWords));
  const std::string level = Environment("ASCEND_GLOBAL_LOG_LEVEL");
  if (level.size() == 1 && level[0] >= '0' && level[0] <= '4') return static_cast<LogLevel>(level[0] - '0');
  return LogLevel::kNull;
}

std::string LogFile() {
  std::string root = Environment("ASCEND_PROCESS_LOG_PATH");
  if (root.empty() && !Environment("HOME").empty()) root = Environment("HOME") + "/ascend/log";
  if (root.empty()) return "";
  std::error_code ignored;  // the open that follows tells
  std::filesystem::create_directories(root + "/debug/plog", ignored);
  std::string time = FormatTime(std::chrono::system_clock::now()).substr(0, 23);
  std::erase_if(time, [](char c) { return c < '0' || c > '9'; });
  return fmt::format("{}/debug/plog/plog-{}_{}.log", root, getpid(), time);
}

}  // namespace

Log::Log(std::string_view flag) : level_(Level(flag)) {
  if (level_ == LogLevel::kNull) return;
  if (Environment("ASCEND_SLOG_PRINT_TO_STDOUT") == "1") {
    file_ = stdout;
    return;
  }
  const std::string path = LogFile();
  file_ = path.empty() ? nullptr : std::fopen(path.c_str(), "we");
  if (!file_) fmt::print(stderr, "WARNING: no log is written: the file '{}' cannot be made\n", path);
}

Log::~Log() {
  if (file_ && file_ != stdout) std::fclose(file_);
}

void Log::Write(LogLevel level, std::string_view text) {
  if (!file_ || level < level_) return;
  const MessageStamp stamp = MessageStamp::Now();
  fmt::print(file_, "[{}] GE({},atc):{} {}\n", kLabels[static_cast<int>(level)], stamp.pid, FormatTime(stamp.time),
             text);
  std::fflush(file_);
}

}  // namespace atc::cli

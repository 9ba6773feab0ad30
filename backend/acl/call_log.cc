#include "backend/acl/call_log.h"

#include <time.h>

#include <mutex>
#include <string_view>

namespace atc::acl {

std::atomic<bool> keep_calls = false;

namespace {

constexpr size_t kMost = 1000000;

struct Log {
  std::mutex mutex;
  std::vector<profile::HostCall> calls;
};

Log& TheLog() {
  static auto* log = new Log;
  return *log;
}

// Threads by the order in which they were first seen.
uint32_t ThreadNumber() {
  static std::atomic<uint32_t> next{0};
  thread_local const uint32_t number = next++;
  return number;
}

}  // namespace

uint64_t CallClock() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000000000 + static_cast<uint64_t>(now.tv_nsec);
}

void AddCall(const char* name, uint64_t start_ns, uint64_t end_ns) {
  // What streams do on threads of their own is no call of the program, and neither is what the profiler is asked.
  const std::string_view view(name);
  if (!view.starts_with("acl") || view.starts_with("aclprof")) return;
  AddSpan(name, "host", start_ns, end_ns);
}

void AddSpan(std::string name, std::string category, uint64_t start_ns, uint64_t end_ns) {
  const uint32_t thread = ThreadNumber();
  Log& log = TheLog();
  std::lock_guard lock(log.mutex);
  if (log.calls.size() < kMost) log.calls.push_back({std::move(name), start_ns, end_ns, thread, std::move(category)});
}

std::vector<profile::HostCall> TakeCalls() {
  Log& log = TheLog();
  std::lock_guard lock(log.mutex);
  return std::move(log.calls);
}

}  // namespace atc::acl

#include "cmd/omrun/memory_watch.h"

#include <fcntl.h>
#include <unistd.h>

#include <charconv>
#include <chrono>

namespace atc::omrun {

MemoryWatch::MemoryWatch() : file_(open("/proc/self/statm", O_RDONLY | O_CLOEXEC)), page_(sysconf(_SC_PAGESIZE)) {
  Sample();
  thread_ = std::thread([this] {
    while (!stop_) {
      Sample();
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  });
}

MemoryWatch::~MemoryWatch() {
  Stop();
  if (file_ >= 0) close(file_);
}

void MemoryWatch::Stop() {
  stop_ = true;
  if (thread_.joinable()) thread_.join();
  Sample();
}

void MemoryWatch::Sample() {
  // "size resident shared ..." in pages; shared is the file-backed part.
  char text[128];
  const ssize_t length = file_ < 0 ? -1 : pread(file_, text, sizeof text, 0);
  if (length <= 0) return;
  int64_t fields[3] = {};
  const char* at = text;
  for (int64_t& field : fields) {
    at = std::from_chars(at, text + length, field).ptr;
    if (at < text + length) ++at;
  }
  const int64_t now = (fields[1] - fields[2]) * page_;
  for (int64_t peak = peak_; now > peak && !peak_.compare_exchange_weak(peak, now);) {
  }
}

}  // namespace atc::omrun

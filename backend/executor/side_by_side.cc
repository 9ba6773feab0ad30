#include "backend/executor/side_by_side.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>

#include "backend/kernels/team.h"

namespace atc {

// The members are those that serve the kernels later on: they are there when the first run begins.
void SideBySide(int threads, size_t count, const std::function<void(size_t)>& body) {
  std::atomic<size_t> next = 0;
  std::mutex mutex;
  size_t failed = count;
  std::exception_ptr error;
  const auto work = [&](int) {
    for (size_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < count;) {
      try {
        body(i);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (i < failed) error = std::current_exception();
        failed = std::min(failed, i);
      }
    }
  };
  if (threads <= 1 || count <= 1 || !kernels::RunTogether(threads, work)) work(0);
  if (error) std::rethrow_exception(error);
}

}  // namespace atc

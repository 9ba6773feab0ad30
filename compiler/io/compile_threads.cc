#include "compiler/io/compile_threads.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <mutex>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

namespace atc {

size_t CompileThreads(size_t fallback) {
  const char* variable = std::getenv("MAX_COMPILE_CORE_NUMBER");
  const std::string_view text = variable == nullptr ? "" : variable;
  size_t wanted = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), wanted);
  if (error != std::errc() || end != text.data() + text.size() || wanted == 0) wanted = fallback;
  return std::clamp<size_t>(wanted, 1, std::max(1u, std::thread::hardware_concurrency()));
}

std::exception_ptr ForEachOnThreads(size_t count, size_t threads, const std::function<void(size_t)>& work) {
  std::atomic<size_t> next = 0;
  std::mutex lock;
  std::exception_ptr fault;
  size_t faulty = count;
  const auto run = [&] {
    for (size_t i = next++; i < count; i = next++) {
      try {
        work(i);
      } catch (...) {
        next = count;
        const std::lock_guard hold(lock);
        if (i < faulty) {
          faulty = i;
          fault = std::current_exception();
        }
      }
    }
  };
  std::vector<std::jthread> others;
  try {
    for (size_t i = 1; i < std::min(threads, count); ++i) others.emplace_back(run);
  } catch (const std::system_error&) {
    // The process may have no more threads: those that there are do it.
  }
  run();
  others.clear();  // waits for them
  return fault;
}

}  // namespace atc

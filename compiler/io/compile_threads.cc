#include "compiler/io/compile_threads.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>
#include <system_error>
#include <utility>

namespace atc {

size_t CompileThreads(size_t fallback) {
  const char* variable = std::getenv("MAX_COMPILE_CORE_NUMBER");
  const std::string_view text = variable == nullptr ? "" : variable;
  size_t wanted = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), wanted);
  if (error != std::errc() || end != text.data() + text.size() || wanted == 0) wanted = fallback;
  return std::clamp<size_t>(wanted, 1, std::max(1u, std::thread::hardware_concurrency()));
}

CompileTeam::~CompileTeam() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  given_.notify_all();
  for (std::thread& thread : others_) thread.join();
}

void CompileTeam::Start() {
  try {
    while (others_.size() + 1 < wanted_) others_.emplace_back([this] { Help(); });
  } catch (const std::system_error&) {
    // The process may have no more threads: those that there are do it.
  }
}

std::exception_ptr CompileTeam::ForEach(size_t count, const std::function<void(size_t)>& work) {
  if (count > 1) Start();
  std::unique_lock lock(mutex_);
  work_ = &work;
  next_ = 0;
  count_ = count;
  faulty_ = count;
  if (count > 1) given_.notify_all();
  while (next_ < count_) DoOne(lock);
  done_.wait(lock, [this] { return in_hand_ == 0; });
  return std::exchange(fault_, nullptr);
}

void CompileTeam::Help() {
  std::unique_lock lock(mutex_);
  while (true) {
    given_.wait(lock, [this] { return ended_ || next_ < count_; });
    if (ended_) return;
    DoOne(lock);
  }
}

// The lock is held before and after.
void CompileTeam::DoOne(std::unique_lock<std::mutex>& lock) {
  const size_t number = next_++;
  ++in_hand_;
  lock.unlock();
  std::exception_ptr fault;
  try {
    (*work_)(number);
  } catch (...) {
    fault = std::current_exception();
  }
  lock.lock();
  if (fault) {
    count_ = std::min(count_, next_);
    if (number < faulty_) {
      faulty_ = number;
      fault_ = std::move(fault);
    }
  }
  if (--in_hand_ == 0 && next_ >= count_) done_.notify_one();
}

std::exception_ptr ForEachOnThreads(size_t count, size_t threads, const std::function<void(size_t)>& work) {
  return CompileTeam(std::min(threads, count)).ForEach(count, work);
}

}  // namespace atc

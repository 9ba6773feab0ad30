#include "backend/runtime/signal.h"

namespace atc::runtime {

void Signal::Set(Code code) {
  std::lock_guard lock(mutex_);
  if (done_) return;
  done_ = true;
  code_ = code;
  time_ = Clock::now();
  // Under the lock: a waiter may destroy the signal as soon as it sees it set.
  changed_.notify_all();
}

bool Signal::done() const {
  std::lock_guard lock(mutex_);
  return done_;
}

Code Signal::code() const {
  std::lock_guard lock(mutex_);
  return code_;
}

Signal::Clock::time_point Signal::time() const {
  std::lock_guard lock(mutex_);
  return time_;
}

Code Signal::Wait(std::stop_token stop) {
  std::unique_lock lock(mutex_);
  return changed_.wait(lock, stop, [&] { return done_; }) ? code_ : kStreamAbort;
}

bool Signal::WaitFor(std::stop_token stop, int timeout_ms, Code* code) {
  if (timeout_ms < 0) {
    *code = Wait(stop);
    return true;
  }
  std::unique_lock lock(mutex_);
  const bool reached = changed_.wait_for(lock, stop, std::chrono::milliseconds(timeout_ms), [&] { return done_; });
  *code = done_ ? code_ : kStreamAbort;
  return reached || stop.stop_requested();
}

bool Signal::WaitFor(int timeout_ms) {
  std::unique_lock lock(mutex_);
  if (timeout_ms < 0) {
    changed_.wait(lock, [&] { return done_; });
    return true;
  }
  return changed_.wait_for(lock, std::chrono::milliseconds(timeout_ms), [&] { return done_; });
}

}  // namespace atc::runtime

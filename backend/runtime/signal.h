// A latch that is set once, remembers when and with which code, and can be waited for.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>

#include "backend/runtime/status.h"

namespace atc::runtime {

class Signal {
 public:
  using Clock = std::chrono::steady_clock;

  // Sets it; the first call wins. Wakes all waiters.
  void Set(Code code = kOk);

  bool done() const;
  // Of a signal that is set.
  Code code() const;
  Clock::time_point time() const;

  // Waits until it is set and returns its code; kStreamAbort when the token was stopped first.
  Code Wait(std::stop_token stop);
  // The same, at most that long (for ever when negative). False when the time is up; *code is as above otherwise.
  bool WaitFor(std::stop_token stop, int timeout_ms, Code* code);
  // Waits at most that long, for ever when negative. False when the time is up.
  bool WaitFor(int timeout_ms);

 private:
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  bool done_ = false;
  Code code_ = kOk;
  Clock::time_point time_;
};

}  // namespace atc::runtime

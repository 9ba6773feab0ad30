// The calls of a program into the C API, kept while a profile asks for them.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "backend/profile/profile.h"

namespace atc::acl {

// Whether calls are kept; read by every call, so that it must cost next to nothing.
extern std::atomic<bool> keep_calls;

// Adds a call or a span of the program's own, on the calling thread; at most a million are kept.
void AddCall(const char* name, uint64_t start_ns, uint64_t end_ns);
void AddSpan(std::string name, std::string category, uint64_t start_ns, uint64_t end_ns);
// All since the last time.
std::vector<profile::HostCall> TakeCalls();

uint64_t CallClock();

// Keeps the time of the function `name` while it lives, where that is one of the API's.
class CallTimer {
 public:
  explicit CallTimer(const char* name) : name_(keep_calls.load(std::memory_order_relaxed) ? name : nullptr) {
    if (name_ != nullptr) start_ = CallClock();
  }
  ~CallTimer() {
    if (name_ != nullptr) AddCall(name_, start_, CallClock());
  }
  CallTimer(const CallTimer&) = delete;

 private:
  const char* name_;
  uint64_t start_ = 0;
};

}  // namespace atc::acl

// What a run is profiled with: the calls of this program with their times, and the device's records as the writers of
// profiles take them.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "acl/openatc_ext.h"
#include "backend/profile/profile.h"

namespace atc::omrun {

// The calls of this program into the device; threads may add at the same time.
class HostCalls {
 public:
  // Makes the call and keeps its times; returns what it returns. Only the first kMost calls are kept.
  template <class Call>
  auto Time(const char* name, Call&& call) {
    const uint64_t start = Now();
    auto result = std::forward<Call>(call)();
    Add(name, start, Now());
    return result;
  }
  void Add(const char* name, uint64_t start_ns, uint64_t end_ns);
  std::vector<profile::HostCall> all() const;
  // Every call is printed, too.
  void Echo() { echo_ = true; }

  // Nanoseconds of CLOCK_MONOTONIC, as the device's tasks have them.
  static uint64_t Now() {
    return static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1));
  }

 private:
  static constexpr size_t kMost = 1000000;
  mutable std::mutex mutex_;
  std::vector<profile::HostCall> all_;
  bool echo_ = false;
};

profile::TaskTime ToTaskTime(const openatcTaskRecord& record);

}  // namespace atc::omrun

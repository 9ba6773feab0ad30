// Where members of a team wait for each other some hundred thousand times a second: without the operating system, as long
// as all of them run.
#pragma once

#include <sched.h>

#include <atomic>
#include <cstdint>

#include "backend/kernels/team.h"

namespace atc::kernels {

class StepBarrier {
 public:
  explicit StepBarrier(uint32_t members) : members_(members) {}

  // Returns when all members have called it as often as the caller.
  void Wait() {
    const uint32_t now = round_.load(std::memory_order_acquire);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == members_) {
      arrived_.store(0, std::memory_order_relaxed);
      round_.store(now + 1, std::memory_order_release);
      return;
    }
    constexpr int kLooks = 4000;  // then another thread may need this core
    for (int looks = 0; round_.load(std::memory_order_acquire) == now; ++looks) {
      if (looks < kLooks) {
        Pause();
      } else {
        sched_yield();
      }
    }
  }

 private:
  const uint32_t members_;
  alignas(64) std::atomic<uint32_t> arrived_{0};
  alignas(64) std::atomic<uint32_t> round_{0};
};

}  // namespace atc::kernels

#include "backend/executor/events.h"

#include "backend/kernels/team.h"

namespace atc {
namespace {

constexpr int kLooks = 4000;  // some 50 us

}  // namespace

void RunEvents::Begin() {
  ++run_;
  given_up_.store(false, std::memory_order_relaxed);
}

void RunEvents::Record(size_t event) {
  recorded_[event].store(run_, std::memory_order_release);
  recorded_[event].notify_all();
}

bool RunEvents::Wait(size_t event) {
  std::atomic<uint32_t>& recorded = recorded_[event];
  for (int look = 0; look < kLooks; ++look) {
    if (recorded.load(std::memory_order_acquire) == run_) return !given_up();
    kernels::Pause();
  }
  for (uint32_t last = recorded.load(std::memory_order_acquire); last != run_;
       last = recorded.load(std::memory_order_acquire)) {
    recorded.wait(last, std::memory_order_acquire);
  }
  return !given_up();
}

void RunEvents::GiveUp() {
  given_up_.store(true, std::memory_order_release);
  for (size_t event = 0; event < count_; ++event) Record(event);
}

}  // namespace atc

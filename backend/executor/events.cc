#include "backend/executor/events.h"

namespace atc {

void RunEvents::Begin() {
  const std::lock_guard lock(mutex_);
  ++run_;
  given_up_ = false;
}

void RunEvents::Record(size_t event) {
  {
    const std::lock_guard lock(mutex_);
    recorded_[event] = run_;
  }
  changed_.notify_all();
}

bool RunEvents::Wait(size_t event) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return recorded_[event] == run_ || given_up_; });
  return !given_up_;
}

void RunEvents::GiveUp() {
  {
    const std::lock_guard lock(mutex_);
    given_up_ = true;
  }
  changed_.notify_all();
}

}  // namespace atc

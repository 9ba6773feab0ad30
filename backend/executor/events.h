// The events of one model, reused from run to run.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

namespace atc {

class RunEvents {
 public:
  explicit RunEvents(size_t count) : count_(count), recorded_(std::make_unique<std::atomic<uint32_t>[]>(count)) {}

  // A run begins: nothing is recorded yet. Nobody waits meanwhile.
  void Begin();
  void Record(size_t event);
  // Waits until the event is recorded in this run; false when the run was given up. Looks for a while before it sleeps:
  // a wait between lanes is most often shorter than a sleep takes.
  bool Wait(size_t event);
  // Wakes every waiter: a task failed.
  void GiveUp();
  bool given_up() const { return given_up_.load(std::memory_order_acquire); }

 private:
  const size_t count_;
  std::unique_ptr<std::atomic<uint32_t>[]> recorded_;  // number of the run that recorded it last
  uint32_t run_ = 0;
  std::atomic<bool> given_up_{false};
};

}  // namespace atc

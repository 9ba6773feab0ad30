// The events of one model, reused from run to run.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <vector>

namespace atc {

class RunEvents {
 public:
  explicit RunEvents(size_t count) : recorded_(count, 0) {}

  // A run begins: nothing is recorded yet.
  void Begin();
  void Record(size_t event);
  // Waits until the event is recorded in this run; false when the run was given up.
  bool Wait(size_t event);
  // Wakes every waiter: a task failed.
  void GiveUp();

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<uint64_t> recorded_;  // number of the run that recorded it last
  uint64_t run_ = 0;
  bool given_up_ = false;
};

}  // namespace atc

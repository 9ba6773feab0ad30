// What the tasks and events of a finished om guarantee about order, for questions by the million.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "compiler/om/om_model.h"

namespace atc {

class OmOrder {
 public:
  enum class Trouble {
    kRecordedAgain,  // the task records an event that was recorded before, with no wait between
    kTakenByOthers,  // the task waits for an event that another stream waits for too, so that either may take its record
    kNeverStarted,   // the task is the first of a stream that nothing starts
    kWaitsForEver,   // for an event that nothing records
  };
  struct Fault {
    Trouble what;
    uint32_t task;  // index into the list
  };

  // Runs the list once: each stream in order, waits after records, which they reset, `started(task)` naming the streams that a StreamActive
  // starts. `tasks` must live as long as this.
  OmOrder(const std::vector<Task>& tasks, const std::function<std::vector<int64_t>(const Task&)>& started);

  // Indices into the list, each after all that it waits for; without those that never run.
  const std::vector<uint32_t>& order() const { return order_; }
  const std::vector<Fault>& faults() const { return faults_; }
  // Where an event is used again: the wait that resets it, to be over before the task that records it again.
  const std::vector<std::pair<uint32_t, uint32_t>>& resets() const { return resets_; }
  // Whether every task runs.
  bool complete() const { return order_.size() == tasks_.size(); }

  // For each pair of tasks (indices) whether the first is over before the second starts, whatever the streams' speed.
  // Questions between streams are answered by clocks for some streams at a time: memory is that of the tasks and the
  // questions, time that of the tasks for each 64 streams that are asked about.
  std::vector<bool> Before(const std::vector<std::pair<uint32_t, uint32_t>>& questions) const;

 private:
  // What one step of the run does to clocks beside running its task.
  struct Step {
    uint32_t task;
    uint32_t begins;   // streams that it starts: this many of begun_
    uint32_t first;    // index into begun_
    uint32_t slot;     // of a record or a wait: where the event's clock is kept; kNoSlot
    bool last_wait;    // the slot is free after it
  };

  void Run(const std::function<std::vector<int64_t>(const Task&)>& started);
  void GiveSlots();

  const std::vector<Task>& tasks_;
  std::vector<std::vector<uint32_t>> on_stream_;  // tasks
  std::vector<uint32_t> place_;                   // of a task on its stream
  std::vector<uint32_t> order_;
  std::vector<Step> steps_;  // in the order of order_
  std::vector<uint32_t> begun_;
  uint32_t slots_ = 0;
  std::vector<Fault> faults_;
  std::vector<std::pair<uint32_t, uint32_t>> resets_;
};

}  // namespace atc

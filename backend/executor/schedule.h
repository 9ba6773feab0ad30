// How the tasks of a plan share the cores of the budget.
#pragma once

#include <cstdint>
#include <vector>

#include "backend/executor/task_time.h"
#include "compiler/om/om_model.h"

namespace atc {

// A stretch of the plan. Apart: its tasks run in order on the caller, each with the team that suits it. Together: each
// lane runs on a core of its own, every task with a team of one, and waits for events keep lanes in order.
struct Phase {
  bool together = false;
  std::vector<std::vector<uint32_t>> lanes;  // numbers of tasks in launch order; one lane when apart
};

struct Schedule {
  std::vector<Phase> phases;
  std::vector<bool> team;  // by task: runs with all cores
};

// Streams are ordered queues; which core serves them when is this device's affair. The launch order is cut where a task
// comes after all before it and before all after it. Between two cuts lie branches: they run together, each stream on one
// core (streams beyond the number of cores share them), where that is expected to be over sooner than one task after the
// other with every core on each; so large tasks keep all cores and branches of small ones run side by side. A plan is
// therefore not slower on several streams than on one, as far as `times` (by task) hold.
// `tasks` are in an order in which every wait comes after its record, as FindRunOrder makes it.
Schedule MakeSchedule(const std::vector<Task>& tasks, const std::vector<TaskTime>& times, size_t streams, int cores);

// The tasks in an order that keeps each stream's and lets every wait come after its record: the given one where that is
// so. Empty when some wait would last for ever.
std::vector<Task> FindRunOrder(const std::vector<Task>& tasks, size_t streams, size_t events);

}  // namespace atc

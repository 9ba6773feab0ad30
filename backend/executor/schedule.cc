#include "backend/executor/schedule.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace atc {
namespace {

constexpr double kForkUs = 3;     // to start lanes and to wait for the last one
constexpr double kSignalUs = 0.5;  // from a record on one lane to the end of a wait on another
// Clocks of streams and events may have so many entries; above, the places where all meet are not looked for.
constexpr size_t kMostClockEntries = size_t{1} << 26;
constexpr double kGain = 0.97;    // lanes must be expected to take less than this part

// For each task how many others are surely over when it starts (`forward`), or start after it is over.
std::vector<size_t> CountOrdered(const std::vector<Task>& tasks, size_t streams, bool forward) {
  std::vector<size_t> ordered(tasks.size(), 0);
  std::vector<std::vector<uint32_t>> clock(streams, std::vector<uint32_t>(streams, 0));
  std::map<uint32_t, std::vector<uint32_t>> at_event;
  for (size_t i = 0; i < tasks.size(); ++i) {
    const size_t at = forward ? i : tasks.size() - 1 - i;
    const Task& task = tasks[at];
    std::vector<uint32_t>& now = clock[task.stream];
    if (task.type == (forward ? TaskType::kEventWait : TaskType::kEventRecord)) {
      if (const auto met = at_event.find(task.event); met != at_event.end()) {
        for (size_t s = 0; s < streams; ++s) now[s] = std::max(now[s], met->second[s]);
      }
    }
    ordered[at] = std::accumulate(now.begin(), now.end(), size_t{0});
    ++now[task.stream];
    if (task.type == (forward ? TaskType::kEventRecord : TaskType::kEventWait)) at_event[task.event] = now;
  }
  return ordered;
}

class Scheduler {
 public:
  Scheduler(const std::vector<Task>& tasks, const std::vector<TaskTime>& times, size_t streams, int cores)
      : tasks_(tasks), times_(times), streams_(streams), cores_(static_cast<size_t>(cores)) {
    schedule_.team.assign(tasks.size(), false);
  }

  Schedule Run() {
    if (cores_ < 2 || streams_ < 2) {
      Apart(0, tasks_.size());
      return std::move(schedule_);
    }
    const auto events = static_cast<size_t>(std::count_if(
        tasks_.begin(), tasks_.end(), [](const Task& task) { return task.type == TaskType::kEventRecord; }));
    if (streams_ > kMostClockEntries / (streams_ + events)) {
      Between(0, tasks_.size());
      return std::move(schedule_);
    }
    const std::vector<size_t> before = CountOrdered(tasks_, streams_, true);
    const std::vector<size_t> after = CountOrdered(tasks_, streams_, false);
    size_t begin = 0;
    for (size_t i = 0; i < tasks_.size(); ++i) {
      if (before[i] != i || after[i] != tasks_.size() - 1 - i) continue;
      Between(begin, i);
      Apart(i, i + 1);
      begin = i + 1;
    }
    Between(begin, tasks_.size());
    return std::move(schedule_);
  }

 private:
  bool IsKernel(size_t i) const { return tasks_[i].type == TaskType::kKernel; }

  void Apart(size_t begin, size_t end) {
    if (begin == end) return;
    if (schedule_.phases.empty() || schedule_.phases.back().together) {
      schedule_.phases.push_back({false, std::vector<std::vector<uint32_t>>(1)});
    }
    for (size_t i = begin; i < end; ++i) {
      schedule_.phases.back().lanes[0].push_back(static_cast<uint32_t>(i));
      schedule_.team[i] = IsKernel(i) && times_[i].team();
    }
  }

  void Between(size_t begin, size_t end) {
    double apart = 0;
    std::vector<double> load(streams_, 0);
    for (size_t i = begin; i < end; ++i) {
      if (!IsKernel(i)) continue;
      apart += std::min(times_[i].alone_us, times_[i].team_us);
      load[tasks_[i].stream] += times_[i].alone_us;
    }
    // The longest first, each to the lane with the least to do.
    std::vector<size_t> by_load(streams_);
    std::iota(by_load.begin(), by_load.end(), size_t{0});
    std::stable_sort(by_load.begin(), by_load.end(), [&](size_t a, size_t b) { return load[a] > load[b]; });
    std::vector<double> busy(cores_, 0);
    std::vector<size_t> lane(streams_, 0);
    for (const size_t stream : by_load) {
      lane[stream] = static_cast<size_t>(std::min_element(busy.begin(), busy.end()) - busy.begin());
      busy[lane[stream]] += load[stream];
    }
    if (Together(begin, end, lane) + kForkUs >= kGain * apart) return Apart(begin, end);
    Phase& phase = schedule_.phases.emplace_back();
    phase.together = true;
    phase.lanes.resize(cores_);
    for (size_t i = begin; i < end; ++i) phase.lanes[lane[tasks_[i].stream]].push_back(static_cast<uint32_t>(i));
    std::erase_if(phase.lanes, [](const std::vector<uint32_t>& tasks) { return tasks.empty(); });
  }

  // When the last lane is expected to be over.
  double Together(size_t begin, size_t end, const std::vector<size_t>& lane) const {
    std::vector<double> now(cores_, 0);
    std::map<uint32_t, std::pair<size_t, double>> recorded;  // lane and time
    for (size_t i = begin; i < end; ++i) {
      const Task& task = tasks_[i];
      double& at = now[lane[task.stream]];
      if (task.type == TaskType::kEventRecord) {
        recorded[task.event] = {lane[task.stream], at};
      } else if (task.type == TaskType::kEventWait) {
        const auto record = recorded.find(task.event);
        if (record != recorded.end() && record->second.first != lane[task.stream]) {
          at = std::max(at, record->second.second + kSignalUs);
        }
      } else {
        at += times_[i].alone_us;
      }
    }
    return *std::max_element(now.begin(), now.end());
  }

  const std::vector<Task>& tasks_;
  const std::vector<TaskTime>& times_;
  const size_t streams_;
  const size_t cores_;
  Schedule schedule_;
};

}  // namespace

Schedule MakeSchedule(const std::vector<Task>& tasks, const std::vector<TaskTime>& times, size_t streams, int cores) {
  return Scheduler(tasks, times, streams, cores).Run();
}

std::vector<Task> FindRunOrder(const std::vector<Task>& tasks, size_t streams, size_t events) {
  std::vector<std::vector<uint32_t>> queue(streams);
  for (uint32_t i = 0; i < tasks.size(); ++i) queue[tasks[i].stream].push_back(i);
  std::vector<size_t> next(streams, 0);
  std::vector<bool> recorded(events, false);
  std::vector<std::vector<uint32_t>> held(events);  // streams that wait for the event
  std::vector<bool> blocked(streams, false);
  std::vector<Task> order;
  order.reserve(tasks.size());
  // Runs a stream's tasks before the one numbered `limit` until it has to wait.
  const auto run = [&](uint32_t first, uint32_t limit) {
    std::vector<uint32_t> open = {first};
    while (!open.empty()) {
      const uint32_t stream = open.back();
      open.pop_back();
      for (; next[stream] < queue[stream].size() && queue[stream][next[stream]] < limit; ++next[stream]) {
        const Task& task = tasks[queue[stream][next[stream]]];
        if (task.type == TaskType::kEventWait && !recorded[task.event]) {
          held[task.event].push_back(stream);
          blocked[stream] = true;
          break;
        }
        order.push_back(task);
        if (task.type != TaskType::kEventRecord) continue;
        recorded[task.event] = true;
        for (const uint32_t waiting : held[task.event]) {
          blocked[waiting] = false;
          open.push_back(waiting);
        }
        held[task.event].clear();
      }
    }
  };
  for (uint32_t i = 0; i < tasks.size(); ++i) {
    if (!blocked[tasks[i].stream]) run(tasks[i].stream, i + 1);
  }
  if (order.size() != tasks.size()) return {};
  return order;
}

}  // namespace atc

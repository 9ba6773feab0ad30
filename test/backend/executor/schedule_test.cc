#include "backend/executor/schedule.h"

#include <catch2/catch.hpp>
#include <set>
#include <string>

using namespace atc;

namespace {

// Tasks as a word each: "k<stream>" a kernel, "r<stream>:<event>" a record, "w<stream>:<event>" a wait.
std::vector<Task> Plan(const std::vector<std::string>& words) {
  std::vector<Task> tasks;
  for (const std::string& word : words) {
    Task task;
    task.id = static_cast<uint32_t>(tasks.size());
    task.type = word[0] == 'k' ? TaskType::kKernel : word[0] == 'r' ? TaskType::kEventRecord : TaskType::kEventWait;
    task.stream = static_cast<uint32_t>(word[1] - '0');
    if (word.size() > 3) task.event = static_cast<uint32_t>(word[3] - '0');
    tasks.push_back(task);
  }
  return tasks;
}

std::vector<TaskTime> Times(const std::vector<Task>& tasks, double alone, double team) {
  std::vector<TaskTime> times;
  for (const Task& task : tasks) times.push_back(task.type == TaskType::kKernel ? TaskTime{alone, team} : TaskTime());
  return times;
}

std::vector<uint32_t> Ids(const std::vector<Task>& tasks) {
  std::vector<uint32_t> ids;
  for (const Task& task : tasks) ids.push_back(task.id);
  return ids;
}

// A first task, two branches of two tasks each, and a last one.
const std::vector<std::string> kDiamond = {"k0", "r0:0", "k0", "k0", "w1:0", "k1", "k1", "r1:1", "w0:1", "k0"};

}  // namespace

TEST_CASE("branches of small tasks run together, what comes before and after them apart") {
  const std::vector<Task> tasks = Plan(kDiamond);
  const Schedule schedule = MakeSchedule(tasks, Times(tasks, 10, 9), 2, 2);
  REQUIRE(schedule.phases.size() == 3);
  CHECK_FALSE(schedule.phases[0].together);
  CHECK(schedule.phases[0].lanes == std::vector<std::vector<uint32_t>>{{0, 1}});
  CHECK(schedule.phases[1].together);
  CHECK(schedule.phases[1].lanes == std::vector<std::vector<uint32_t>>{{2, 3}, {4, 5, 6, 7}});
  CHECK_FALSE(schedule.phases[2].together);
  // 9 us with all cores are less than 10.
  CHECK(schedule.team == std::vector<bool>{true, false, false, false, false, false, false, false, false, true});
}

TEST_CASE("with very many streams and events no place where all meet is looked for") {
  std::vector<Task> tasks;
  const auto add = [&](TaskType type, uint32_t stream, uint32_t event) {
    Task task;
    task.id = static_cast<uint32_t>(tasks.size());
    task.type = type;
    task.stream = stream;
    task.event = event;
    tasks.push_back(task);
  };
  constexpr uint32_t kStreams = 6000;
  add(TaskType::kKernel, 0, 0);
  for (uint32_t s = 1; s < kStreams; ++s) {
    add(TaskType::kEventRecord, 0, s);
    add(TaskType::kEventWait, s, s);
    add(TaskType::kKernel, s, 0);
  }
  const Schedule schedule = MakeSchedule(tasks, Times(tasks, 10, 9), kStreams, 2);
  REQUIRE(schedule.phases.size() == 1);
  CHECK(schedule.phases[0].together);
  REQUIRE(schedule.phases[0].lanes.size() == 2);
  CHECK(schedule.phases[0].lanes[0].size() + schedule.phases[0].lanes[1].size() == tasks.size());
}

TEST_CASE("large tasks keep all cores, so that several streams take the time of one") {
  const std::vector<Task> tasks = Plan(kDiamond);
  const Schedule schedule = MakeSchedule(tasks, Times(tasks, 1000, 500), 2, 2);
  REQUIRE(schedule.phases.size() == 1);
  CHECK_FALSE(schedule.phases[0].together);
  CHECK(schedule.phases[0].lanes[0].size() == tasks.size());
  for (size_t i = 0; i < tasks.size(); ++i) CHECK(schedule.team[i] == (tasks[i].type == TaskType::kKernel));
}

TEST_CASE("one core, or one stream, runs everything in order") {
  const std::vector<Task> tasks = Plan(kDiamond);
  CHECK(MakeSchedule(tasks, Times(tasks, 10, 10), 2, 1).phases.size() == 1);
  const std::vector<Task> one = Plan({"k0", "k0", "k0"});
  const Schedule schedule = MakeSchedule(one, Times(one, 1, 3), 1, 4);
  REQUIRE(schedule.phases.size() == 1);
  CHECK(schedule.phases[0].lanes[0] == std::vector<uint32_t>{0, 1, 2});
  CHECK(schedule.team == std::vector<bool>(3, false));  // too small for a team
}

TEST_CASE("more streams than cores share them, the longest with the least company") {
  const std::vector<Task> tasks = Plan({"k0", "k1", "k1", "k1", "k1", "k2", "k2"});
  const Schedule schedule = MakeSchedule(tasks, Times(tasks, 100, 100), 3, 2);
  REQUIRE(schedule.phases.size() == 1);
  CHECK(schedule.phases[0].lanes == std::vector<std::vector<uint32_t>>{{1, 2, 3, 4}, {0, 5, 6}});
}

TEST_CASE("tasks are run in an order in which waits come after records") {
  CHECK(Ids(FindRunOrder(Plan(kDiamond), 2, 2)) == std::vector<uint32_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  // Stream 1 is launched before what it waits for.
  CHECK(Ids(FindRunOrder(Plan({"w1:0", "k1", "k0", "r0:0", "k0"}), 2, 1)) == std::vector<uint32_t>{2, 3, 0, 1, 4});
  CHECK(FindRunOrder(Plan({"w1:0", "r1:1", "w0:1", "r0:0"}), 2, 2).empty());
}

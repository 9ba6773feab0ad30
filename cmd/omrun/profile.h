// What the tasks of a model and the calls of this program did, in the forms that tools read.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "acl/openatc_ext.h"

namespace atc::omrun {

// A call of this program into the device; times in nanoseconds of CLOCK_MONOTONIC, as those of tasks.
struct HostCall {
  std::string name;
  uint64_t start_ns = 0, end_ns = 0;
};

class HostCalls {
 public:
  // Makes the call and keeps its times; returns what it returns. Only the first kMost calls are kept.
  template <class Call>
  auto Time(const char* name, Call&& call) {
    const uint64_t start = Now();
    auto result = std::forward<Call>(call)();
    if (all_.size() < kMost) all_.push_back({name, start, Now()});
    return result;
  }
  const std::vector<HostCall>& all() const { return all_; }

 private:
  static constexpr size_t kMost = 1000000;
  static uint64_t Now() {
    return static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1));
  }
  std::vector<HostCall> all_;
};

// An openatcTaskRecord that owns its texts.
struct TaskTime {
  TaskTime() = default;
  explicit TaskTime(const openatcTaskRecord& record);

  uint32_t run = 0, task = 0, stream = 0, cores = 0;
  int32_t kind = 0;
  int64_t event = -1;
  uint64_t start_ns = 0, end_ns = 0;
  std::string name, type, task_type;
  std::string input_shapes, input_types, input_formats, output_shapes, output_types, output_formats;
};

struct Profile {
  uint32_t model_id = 0;
  std::vector<TaskTime> tasks;  // in the order in which they began
  std::vector<HostCall> calls;
};

// One line for each kernel in each run, under the columns of msprof's op_summary; "Task Duration(us)" is the time that
// the simulated device took, "Task Wait Time(us)" how long the stream was idle before, "Block Num" the cores that worked.
std::string OpSummaryCsv(const Profile& profile);

// Chrome's trace events: process 0 holds the host's calls, process 1 a lane for each stream; each wait is joined by an
// arrow to the record that ended it.
std::string TraceJson(const Profile& profile);

// Of each stream, in a sentence: the shares of the runs' time in which it worked, waited for data (events), for cores
// (others worked) and for the host (nobody did), and which of them is the largest.
std::vector<std::string> StreamSentences(const Profile& profile);

}  // namespace atc::omrun

// What the tasks of models and the calls of a program did, and the forms in which tools read it. All times are measured
// on the host's clock CLOCK_MONOTONIC, in nanoseconds: those of the simulated device, never those of an NPU.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace atc::profile {

enum class TaskKind : int32_t { kKernel = 0, kEventRecord = 1, kEventWait = 2 };

// One task in one run. Texts of ports hold one part for each port, separated by ';'.
struct TaskTime {
  uint32_t run = 0, task = 0, stream = 0, cores = 0;
  TaskKind kind = TaskKind::kKernel;
  int64_t event = -1;  // of records and waits
  uint64_t start_ns = 0, end_ns = 0;
  std::string name, type, task_type;
  std::string input_shapes, input_types, input_formats, output_shapes, output_types, output_formats;
};

// All runs of one loaded model.
struct ModelProfile {
  uint32_t device = 0, model = 0;
  std::string name;             // of the model; may be empty
  std::vector<TaskTime> tasks;  // in the order in which they began
};

// A call of the program into the device, or a span that the program marked itself.
struct HostCall {
  std::string name;
  uint64_t start_ns = 0, end_ns = 0;  // equal: an instant
  uint32_t thread = 0;                // a small number of the thread's own
  std::string category = "host";
};

struct Profile {
  std::vector<ModelProfile> models;
  std::vector<HostCall> calls;
};

// One line for each kernel in each run, under the columns of msprof's op_summary: "Infer ID" is the run, "Task
// Duration(us)" the time that the simulated device took, "Task Wait Time(us)" how long the stream was idle before, "Block
// Num" the cores that worked.
std::string OpSummaryCsv(const Profile& profile);

// One line for each operator type, as msprof's op_statistic: count, total, least, mean and largest time, and its share.
std::string OpStatisticCsv(const Profile& profile);

// Chrome's trace events: process 0 holds the host's calls, a lane a thread; each further process is a model with a lane
// for each stream; each wait is joined by an arrow to the record that ended it.
std::string TraceJson(const Profile& profile);

// Where the time of one stream went, from the start of the first run to the end of the last, in nanoseconds.
struct StreamTime {
  uint32_t stream = 0;
  uint64_t working = 0;
  uint64_t for_data = 0;   // an event that it waits for was not recorded yet
  uint64_t for_cores = 0;  // it could have gone on, but the cores worked for other streams
  uint64_t for_host = 0;   // it could have gone on and cores were free, or no run was under way
  uint64_t idle = 0;       // its last task of the run was over, others still worked
};
std::vector<StreamTime> StreamTimes(const ModelProfile& model);

// StreamTimes in a sentence for each stream, beginning with what most of the time went to.
std::vector<std::string> StreamSentences(const ModelProfile& model);

}  // namespace atc::profile

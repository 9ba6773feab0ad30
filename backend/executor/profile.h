// When the tasks of a model ran.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/om/om_model.h"

namespace atc {

enum class SpanKind : uint8_t { kKernel, kRecord, kWait };

struct TaskDescription {
  uint32_t id = 0;
  uint32_t stream = 0;
  SpanKind kind = SpanKind::kKernel;
  int64_t event = -1;      // of records and waits
  std::string op_name;
  std::string op_type;
  std::string task_type;   // as the profiler of an NPU has it: AI_CORE (cube), AI_VECTOR_CORE, AI_CPU, HCCL, ...
  // By port, separated by semicolons: "1,3,48,320;64,3,3,3", "FLOAT16;FLOAT16", "NC1HWC0;NCHW". An absent input is empty.
  std::string input_shapes, input_types, input_formats;
  std::string output_shapes, output_types, output_formats;
};

struct TaskSpan {
  uint32_t run = 0;   // from 0
  uint32_t task = 0;  // index into RunProfile::tasks
  uint32_t cores = 1;
  uint64_t start_ns = 0, end_ns = 0;  // as ProfileClock
};

struct RunProfile {
  std::vector<TaskDescription> tasks;
  std::vector<TaskSpan> spans;
  uint32_t runs = 0;
};

// Nanoseconds of CLOCK_MONOTONIC, which all threads and processes of a machine share.
uint64_t ProfileClock();

// What a task of `graph` is; `id` and `stream` as the plan numbers them.
TaskDescription DescribeTask(const Graph& graph, const Task& task);

}  // namespace atc

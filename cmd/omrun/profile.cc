#include "cmd/omrun/profile.h"

#include <fmt/format.h>

#include <atomic>

namespace atc::omrun {
namespace {

// Threads by the order in which they first called.
uint32_t ThreadNumber() {
  static std::atomic<uint32_t> next{0};
  thread_local const uint32_t number = next++;
  return number;
}

}  // namespace

void HostCalls::Add(const char* name, uint64_t start_ns, uint64_t end_ns) {
  const uint32_t thread = ThreadNumber();
  std::lock_guard lock(mutex_);
  if (echo_) fmt::print("call     {}  {:.3f} ms (thread {})\n", name, static_cast<double>(end_ns - start_ns) / 1e6, thread);
  if (all_.size() < kMost) all_.push_back({name, start_ns, end_ns, thread, "host"});
}

std::vector<profile::HostCall> HostCalls::all() const {
  std::lock_guard lock(mutex_);
  return all_;
}

profile::TaskTime ToTaskTime(const openatcTaskRecord& r) {
  profile::TaskTime task;
  task.run = r.run;
  task.task = r.taskId;
  task.stream = r.streamId;
  task.cores = r.cores;
  task.kind = static_cast<profile::TaskKind>(r.kind);
  task.event = r.eventId;
  task.start_ns = r.startNs;
  task.end_ns = r.endNs;
  task.name = r.opName;
  task.type = r.opType;
  task.task_type = r.taskType;
  task.input_shapes = r.inputShapes;
  task.input_types = r.inputTypes;
  task.input_formats = r.inputFormats;
  task.output_shapes = r.outputShapes;
  task.output_types = r.outputTypes;
  task.output_formats = r.outputFormats;
  return task;
}

}  // namespace atc::omrun

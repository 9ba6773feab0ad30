// Failed tasks: who wants to hear of them, and the last of them for whoever asks later.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "backend/runtime/status.h"

namespace atc::runtime {

struct TaskFailure {
  uint32_t task_id = 0;
  uint32_t stream_id = 0;
  uint32_t thread_id = 0;  // the system's number of the stream's thread
  uint32_t device_id = 0;
  Code code = kOk;
  std::string kernel;                    // Task::kernel
  std::shared_ptr<const void> operands;  // Task::operands
};

// Called on the stream's thread for every task that fails, before the next one runs, in the order of their keys. A key has
// one listener; an empty function takes it away.
using FailureListener = std::function<void(const TaskFailure&)>;
void SetFailureListener(FailureListener listener, uintptr_t key = 0);
void ClearFailureListeners();

// Remembers the failure (the last 64 are) and tells the listeners.
void ReportFailure(TaskFailure failure);
std::optional<TaskFailure> FindFailure(uint32_t device_id, uint32_t stream_id, uint32_t task_id);

}  // namespace atc::runtime

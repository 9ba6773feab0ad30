#include "backend/runtime/failure.h"

#include <deque>
#include <map>
#include <mutex>

namespace atc::runtime {
namespace {

constexpr size_t kRemembered = 64;

struct State {
  std::mutex mutex;
  std::map<uintptr_t, FailureListener> listeners;
  std::deque<TaskFailure> last;
};

// Never destroyed, as the runtime: streams may run until the process ends.
State& TheState() {
  static State* state = new State;
  return *state;
}

}  // namespace

void SetFailureListener(FailureListener listener, uintptr_t key) {
  std::lock_guard lock(TheState().mutex);
  if (listener) {
    TheState().listeners[key] = std::move(listener);
  } else {
    TheState().listeners.erase(key);
  }
}

void ClearFailureListeners() {
  std::lock_guard lock(TheState().mutex);
  TheState().listeners.clear();
  TheState().last.clear();
}

void ReportFailure(TaskFailure failure) {
  std::map<uintptr_t, FailureListener> listeners;
  {
    std::lock_guard lock(TheState().mutex);
    TheState().last.push_front(failure);
    if (TheState().last.size() > kRemembered) TheState().last.pop_back();
    listeners = TheState().listeners;
  }
  for (const auto& [key, listener] : listeners) listener(failure);
}

std::optional<TaskFailure> FindFailure(uint32_t device_id, uint32_t stream_id, uint32_t task_id) {
  std::lock_guard lock(TheState().mutex);
  for (const TaskFailure& each : TheState().last) {
    if (each.device_id == device_id && each.stream_id == stream_id && each.task_id == task_id) return each;
  }
  return std::nullopt;
}

}  // namespace atc::runtime

#include "backend/runtime/event.h"

#include "backend/runtime/stream.h"

namespace atc::runtime {
namespace {

std::atomic<int> wait_timeout{0};

}  // namespace

Event::Event(uint32_t id, Traits traits) : id_(id), traits_(traits), state_{std::make_shared<Signal>(), false} {}

Event::~Event() { Abandon(); }

Event::State Event::state() const {
  std::lock_guard lock(mutex_);
  return state_;
}

Code Event::Record(Stream& stream) {
  // Held while queueing, so that two threads that record leave the later queued record in force.
  std::lock_guard lock(mutex_);
  std::shared_ptr<Signal> signal = state_.recorded ? std::make_shared<Signal>() : state_.signal;
  Task task;
  task.run = [signal](Stream& on) {
    signal->Set(on.error());
    return kOk;
  };
  task.dropped = [signal](Code code) { signal->Set(code); };
  if (const Code code = stream.Enqueue(std::move(task)); code != kOk) return code;
  state_ = {std::move(signal), true};
  return kOk;
}

Code Event::Wait(Stream& stream, int timeout_ms) {
  if (!traits_.waits) {
    return Fail(kParamInvalid, "event " + std::to_string(id_) + " was not created for waiting (flag ACL_EVENT_SYNC)");
  }
  const State now = state();
  if (!now.recorded && traits_.lenient) return kOk;
  if (timeout_ms == 0 && wait_timeout > 0) timeout_ms = wait_timeout;
  const auto waits = waits_;
  ++*waits;
  Task task;
  task.run = [signal = now.signal, id = id_, waits, timeout_ms](Stream& on) -> Code {
    Code code = kOk;
    const bool reached = signal->WaitFor(on.stop_token(), timeout_ms > 0 ? timeout_ms : -1, &code);
    --*waits;
    if (!reached) {
      return Fail(kEventSyncTimeout, "event " + std::to_string(id) + " was not reached within " +
                                         std::to_string(timeout_ms) + " ms");
    }
    // A fault of the stream that recorded it is that stream's; only a record that never comes is this one's.
    if (code != kStreamAbort) return kOk;
    return Fail(kStreamAbort, "the record of event " + std::to_string(id) + " that the stream waited for never came");
  };
  task.dropped = [waits](Code) { --*waits; };
  const Code code = stream.Enqueue(std::move(task));
  if (code != kOk) --*waits;
  return code;
}

void Event::SetWaitTimeout(int timeout_ms) { wait_timeout = timeout_ms; }

Code Event::Reset(Stream& stream) {
  std::lock_guard lock(mutex_);
  if (state_.recorded) state_ = {std::make_shared<Signal>(), false};
  return kOk;
}

Code Event::Synchronize(int timeout_ms) {
  const State now = state();
  if (!now.recorded) {
    if (traits_.lenient) return kOk;
    return Fail(kParamInvalid, "event " + std::to_string(id_) + " was never recorded, so that nothing would end the wait");
  }
  if (!now.signal->WaitFor(timeout_ms)) {
    return Fail(kEventSyncTimeout, "event " + std::to_string(id_) + " was not reached within " +
                                       std::to_string(timeout_ms) + " ms");
  }
  const Code code = now.signal->code();
  if (code == kOk) return kOk;
  return Fail(code, "work queued before event " + std::to_string(id_) + " failed");
}

bool Event::Complete() const {
  const State now = state();
  return now.recorded ? now.signal->done() : traits_.lenient;
}

Code Event::Time(Signal::Clock::time_point* time) const {
  const State now = state();
  if (!traits_.timing || !now.recorded || !now.signal->done()) {
    return Fail(kEventTimestampInvalid, "an event that has no timing, or was not recorded and reached, has no time");
  }
  *time = now.signal->time();
  return kOk;
}

Code Event::Elapsed(const Event& start, const Event& end, float* ms) {
  const State first = start.state();
  const State last = end.state();
  if (!start.traits_.timing || !end.traits_.timing) {
    return Fail(kEventTimestampInvalid, "an event without timing (flag ACL_EVENT_TIME_LINE) has no time");
  }
  if (!first.recorded || !last.recorded || !first.signal->done() || !last.signal->done()) {
    return Fail(kEventTimestampInvalid, "an event that was not recorded and reached has no time");
  }
  if (last.signal->time() < first.signal->time()) {
    return Fail(kEventTimestampReversal, "the end event was reached before the start event");
  }
  *ms = std::chrono::duration<float, std::milli>(last.signal->time() - first.signal->time()).count();
  return kOk;
}

void Event::Abandon() {
  const State now = state();
  if (!now.recorded) now.signal->Set(kStreamAbort);
}

}  // namespace atc::runtime

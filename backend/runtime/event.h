// A mark in a stream's order that other streams and the host can wait for.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

#include "backend/runtime/signal.h"
#include "backend/runtime/status.h"

namespace atc::runtime {

class Stream;

class Event {
 public:
  struct Traits {
    bool timing = true;  // Elapsed may be asked for
    bool waits = true;   // streams may wait for it
    // Never recorded counts as complete. Otherwise a wait that comes before the first record waits for it.
    bool lenient = false;
  };

  Event(uint32_t id, Traits traits);
  // As Abandon.
  ~Event();
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  uint32_t id() const { return id_; }
  const Traits& traits() const { return traits_; }

  // Marks all that is queued in the stream so far; a later record takes the place of an earlier one.
  Code Record(Stream& stream);
  // Makes what is queued in the stream from now on wait for the record in force now, at most that long: what waits longer
  // is a fault of that stream (kEventSyncTimeout). 0: as SetWaitTimeout says.
  Code Wait(Stream& stream, int timeout_ms = 0);
  // How long waits in streams may take that say nothing of their own, in milliseconds; 0: for ever.
  static void SetWaitTimeout(int timeout_ms);
  // Every wait that was queued is over.
  bool WaitsOver() const { return *waits_ == 0; }
  // Makes it unrecorded again, for what the caller queues from now on.
  Code Reset(Stream& stream);

  // Waits for the record in force, at most that long (for ever when negative); returns the first fault of the stream
  // that it was recorded in. kParamInvalid when never recorded (unless lenient): nothing would wake the caller.
  Code Synchronize(int timeout_ms = -1);
  // The record in force has been reached.
  bool Complete() const;

  // When the record in force was reached. kEventTimestampInvalid as for Elapsed.
  Code Time(Signal::Clock::time_point* time) const;
  // From start to end. kEventTimestampInvalid unless both are complete and have timing, kEventTimestampReversal when
  // end came first.
  static Code Elapsed(const Event& start, const Event& end, float* ms);

  // Nothing will record it any more: wakes streams that wait for a first record, with kStreamAbort.
  void Abandon();

 private:
  // The record in force, and whether anyone has queued it; one that nobody has is what early waits wait for.
  struct State {
    std::shared_ptr<Signal> signal;
    bool recorded = false;
  };
  State state() const;

  const uint32_t id_;
  const Traits traits_;
  const std::shared_ptr<std::atomic<int>> waits_ = std::make_shared<std::atomic<int>>(0);
  mutable std::mutex mutex_;
  State state_;
};

}  // namespace atc::runtime

// An ordered queue of work, served by a thread of its own.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>

#include "backend/runtime/status.h"

namespace atc::runtime {

class Device;
class Stream;
class Subscription;

struct Task {
  // Runs on the stream's thread. What it returns other than kOk is the fault that a synchronisation reports, with the
  // text that it left in the thread's log. An exception becomes kInternalError.
  std::function<Code(Stream&)> run = {};
  // Called instead of run when the work is dropped; may be empty. Must not wait.
  std::function<void(Code)> dropped = {};
  // The kernel that this runs, for faults on purpose and time limits; empty for what is no kernel.
  std::string kernel = {};
  // What a kernel works on, for whoever asks after its failure (failure.h); may be null.
  std::shared_ptr<const void> operands = {};
};

// How long a kernel may run, in microseconds; 0: for ever. One that took longer has failed (kAiCoreTimeout): it is not
// interrupted.
void SetKernelTimeout(uint64_t us);
uint64_t KernelTimeout();

// What a program sets for a stream and reads back.
struct StreamTraits {
  uint32_t priority = 0;  // 0 (highest) to 7; all streams share the cores as the system schedules their threads
  uint32_t flags = 0;
  uint32_t overflow_switch = 0;
  uint32_t tag = 0;
  uint32_t cache_op_info = 0;
};

class Stream {
 public:
  // `device` outlives the stream. The thread starts with the first task.
  Stream(Device& device, uint32_t id) : device_(device), id_(id), stop_(std::make_shared<std::stop_source>()) {}
  // As Close(true). Not on its own thread: a task must not be the last owner of its stream.
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  Device& device() const { return device_; }
  uint32_t id() const { return id_; }

  // Queues work. kStreamAbort on a closed stream, the fault of a stream that stopped on failure, kNoStreamResource
  // when no thread can be had. The task's `dropped` is not called when this fails.
  Code Enqueue(Task task);
  Code Enqueue(std::function<Code(Stream&)> run) { return Enqueue(Task{std::move(run)}); }

  // Waits until all that is queued now has run, at most that long (for ever when negative). Returns the first fault of
  // the stream since the last synchronisation and forgets it; kStreamSyncTimeout when the time is up;
  // kFeatureNotSupported on the stream's own thread, which would wait for itself.
  Code Synchronize(int timeout_ms = -1);
  // Nothing queued and nothing running.
  bool Idle() const;
  // The fault that Synchronize would return now.
  Code error() const;

  // With stop, a fault drops what is queued behind it, and the stream stays failed: Synchronize does not forget.
  void SetStopOnFailure(bool stop);
  bool stop_on_failure() const;
  StreamTraits traits() const;
  void set_traits(const StreamTraits& traits);

  // Takes no more work, lets the queued work run or drops it, and ends the thread. Waits in the stream are woken when
  // dropping; the running task is not interrupted. kFeatureNotSupported on the stream's own thread.
  Code Close(bool drop);
  // Drops what is queued, waits for what runs, and takes work again afterwards; its fault is forgotten.
  // kFeatureNotSupported on the stream's own thread.
  Code Abort();
  // First half of Close(false): no more work from now on.
  void Refuse();

  // Stopped when queued work is dropped: a task that waits must watch it.
  std::stop_token stop_token() const;
  bool OnOwnThread() const;
  // The stream whose thread this is; nullptr elsewhere.
  static const Stream* Current();

  // Where callbacks of this stream go (see report.h); null when no thread has subscribed.
  std::shared_ptr<Subscription> subscription() const;
  void set_subscription(std::shared_ptr<Subscription> subscription);

 private:
  void Serve();
  void RunOne(Task& task, uint64_t number, Code skip);

  Device& device_;
  const uint32_t id_;
  std::shared_ptr<std::stop_source> stop_;  // a new one after an abort; under mutex_
  mutable std::mutex mutex_;
  std::condition_variable work_;      // the thread waits here for tasks
  std::condition_variable progress_;  // synchronisation waits here for completed_
  std::deque<Task> queue_;
  uint64_t enqueued_ = 0;
  uint64_t completed_ = 0;
  bool refusing_ = false;
  bool ending_ = false;
  bool stop_on_failure_ = false;
  StreamTraits traits_;
  Code error_ = kOk;
  std::string error_text_;
  std::shared_ptr<Subscription> subscription_;
  std::mutex join_mutex_;  // two closers must not join at a time
  std::thread thread_;
};

}  // namespace atc::runtime

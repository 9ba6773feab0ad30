// Callbacks that a stream hands to a user's thread, which comes to fetch them (aclrtLaunchCallback and its kin).
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>

#include "backend/runtime/status.h"

namespace atc::runtime {

class Signal;
class Stream;

// The callbacks that wait for one thread.
class ReportQueue {
 public:
  // Runs one callback on the calling thread; waits for one at most that long (for ever when negative). kReportTimeout
  // when none came.
  Code Process(int timeout_ms);
  // Called from a stream's thread; `done` is set when the callback has run or will never.
  void Push(std::function<void()> callback, std::shared_ptr<Signal> done);
  // Drops what waits and lets streams that are blocked on it go on.
  void Close();

 private:
  struct Entry {
    std::function<void()> callback;
    std::shared_ptr<Signal> done;
  };
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<Entry> entries_;
  bool closed_ = false;
};

// A stream's tie to the thread that serves it, ended by destruction. The last one closes the thread's queue.
class Subscription {
 public:
  Subscription(uint64_t thread, std::shared_ptr<ReportQueue> queue) : thread_(thread), queue_(std::move(queue)) {}
  ~Subscription();
  Subscription(const Subscription&) = delete;
  Subscription& operator=(const Subscription&) = delete;

  uint64_t thread() const { return thread_; }
  const std::shared_ptr<ReportQueue>& queue() const { return queue_; }

 private:
  const uint64_t thread_;
  const std::shared_ptr<ReportQueue> queue_;
};

// Queues a callback in the stream; with `block` the stream waits until it has run. kStreamNoCallback when no thread has
// subscribed to the stream.
Code LaunchCallback(Stream& stream, std::function<void()> callback, bool block);

// A stream reports to one thread, a thread serves any number of streams. `thread` is the caller's name for it.
// kStreamSubscribe when the stream has a thread already.
Code Subscribe(uint64_t thread, Stream& stream);
// kThreadSubscribe when that thread does not serve the stream. Callbacks that it has not fetched are dropped with its
// last stream.
Code Unsubscribe(uint64_t thread, Stream& stream);
// kThreadSubscribe when the thread serves no stream.
Code ProcessReport(uint64_t thread, int timeout_ms);

}  // namespace atc::runtime

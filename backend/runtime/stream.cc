#include "backend/runtime/stream.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <cassert>
#include <exception>
#include <system_error>

#include "backend/runtime/device.h"
#include "backend/runtime/report.h"

namespace atc::runtime {
namespace {

thread_local const Stream* current_stream = nullptr;

struct Listener {
  std::mutex mutex;
  std::shared_ptr<const std::function<void(const TaskFailure&)>> function;
};

// Never destroyed, as the runtime: streams may run until the process ends.
Listener& TheListener() {
  static Listener* listener = new Listener;
  return *listener;
}

void Notify(const TaskFailure& failure) {
  std::shared_ptr<const std::function<void(const TaskFailure&)>> function;
  {
    std::lock_guard lock(TheListener().mutex);
    function = TheListener().function;
  }
  if (function) (*function)(failure);
}

// Runs a task, exceptions turned into a code and a line in the log.
Code RunGuarded(const Task& task, Stream& stream) {
  try {
    return task.run(stream);
  } catch (const std::exception& e) {
    return Fail(kInternalError, e.what());
  } catch (...) {
    return Fail(kInternalError, "a task of the stream threw an unknown exception");
  }
}

}  // namespace

void SetFailureListener(std::function<void(const TaskFailure&)> listener) {
  std::lock_guard lock(TheListener().mutex);
  TheListener().function =
      listener ? std::make_shared<const std::function<void(const TaskFailure&)>>(std::move(listener)) : nullptr;
}

Stream::~Stream() {
  // A task must not own its stream: the thread cannot wait for itself, and still needs the stream after the task.
  assert(!OnOwnThread());
  Close(true);
}

Code Stream::Enqueue(Task task) {
  std::unique_lock lock(mutex_);
  if (refusing_) return Fail(kStreamAbort, "the stream is being destroyed and takes no more work");
  if (stop_on_failure_ && error_ != kOk) {
    return Fail(error_, "the stream stopped at an earlier fault and takes no more work: " + error_text_);
  }
  if (!thread_.joinable()) {
    try {
      thread_ = std::thread([this] { Serve(); });
    } catch (const std::system_error& e) {
      return Fail(kNoStreamResource, std::string("no thread for the stream: ") + e.what());
    }
  }
  queue_.push_back(std::move(task));
  ++enqueued_;
  work_.notify_one();
  return kOk;
}

Code Stream::Synchronize(int timeout_ms) {
  if (OnOwnThread()) {
    return Fail(kFeatureNotSupported, "a function that runs in a stream waits for that stream: this would never end");
  }
  std::unique_lock lock(mutex_);
  const uint64_t target = enqueued_;
  auto reached = [&] { return completed_ >= target; };
  if (timeout_ms < 0) {
    progress_.wait(lock, reached);
  } else if (!progress_.wait_for(lock, std::chrono::milliseconds(timeout_ms), reached)) {
    return Fail(kStreamSyncTimeout, "stream " + std::to_string(id_) + " still had " +
                                        std::to_string(target - completed_) + " task(s) to run after " +
                                        std::to_string(timeout_ms) + " ms");
  }
  if (error_ == kOk) return kOk;
  const Code code = error_;
  std::string text = error_text_;
  if (!stop_on_failure_) error_ = kOk;
  lock.unlock();
  return Fail(code, "work queued in stream " + std::to_string(id_) + " failed: " + text);
}

bool Stream::Idle() const {
  std::lock_guard lock(mutex_);
  return completed_ == enqueued_;
}

Code Stream::error() const {
  std::lock_guard lock(mutex_);
  return error_;
}

void Stream::SetStopOnFailure(bool stop) {
  std::lock_guard lock(mutex_);
  stop_on_failure_ = stop;
}

void Stream::Refuse() {
  std::lock_guard lock(mutex_);
  refusing_ = true;
}

Code Stream::Close(bool drop) {
  if (OnOwnThread()) return Fail(kFeatureNotSupported, "a function that runs in a stream tries to destroy that stream");
  if (drop) stop_.request_stop();
  {
    std::lock_guard lock(mutex_);
    refusing_ = true;
    ending_ = true;
    work_.notify_one();
  }
  std::lock_guard lock(join_mutex_);
  if (thread_.joinable()) thread_.join();
  set_subscription(nullptr);
  return kOk;
}

const Stream* Stream::Current() { return current_stream; }

bool Stream::OnOwnThread() const { return current_stream == this; }

std::shared_ptr<Subscription> Stream::subscription() const {
  std::lock_guard lock(mutex_);
  return subscription_;
}

void Stream::set_subscription(std::shared_ptr<Subscription> subscription) {
  std::lock_guard lock(mutex_);
  subscription_.swap(subscription);
}

void Stream::Serve() {
  current_stream = this;
  std::unique_lock lock(mutex_);
  while (true) {
    work_.wait(lock, [&] { return !queue_.empty() || ending_; });
    if (queue_.empty()) return;
    const Code skip = stop_.stop_requested() ? kStreamAbort : stop_on_failure_ ? error_ : kOk;
    const uint64_t number = completed_ + 1;
    {
      Task task = std::move(queue_.front());
      queue_.pop_front();
      lock.unlock();
      RunOne(task, number, skip);
    }  // what the task holds goes before it counts as done, and without the lock
    lock.lock();
    completed_ = number;
    progress_.notify_all();
  }
}

void Stream::RunOne(Task& task, uint64_t number, Code skip) {
  if (skip != kOk) {
    if (task.dropped) task.dropped(skip);
    return;
  }
  TakeLog();  // of earlier tasks: only this one's text belongs to its fault
  const Code code = RunGuarded(task, *this);
  if (code == kOk) return;
  {
    std::string text = TakeLog();
    std::lock_guard lock(mutex_);
    if (error_ == kOk) {
      error_ = code;
      error_text_ = std::move(text);
    }
  }
  TaskFailure failure;
  failure.task_id = static_cast<uint32_t>(number);
  failure.stream_id = id_;
  failure.thread_id = static_cast<uint32_t>(syscall(SYS_gettid));
  failure.device_id = static_cast<uint32_t>(device_.id());
  failure.code = code;
  Notify(failure);
}

}  // namespace atc::runtime

#include "backend/runtime/stream.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cassert>
#include <chrono>
#include <exception>
#include <system_error>

#include "backend/runtime/device.h"
#include "backend/runtime/failure.h"
#include "backend/runtime/report.h"

namespace atc::runtime {
namespace {

thread_local const Stream* current_stream = nullptr;

std::atomic<uint64_t> kernel_timeout_us{0};

// With faults on purpose and the limit of its time.
Code RunKernel(const Task& task, Stream& stream) {
  if (const Code code = stream.device().StartKernel(task.kernel); code != kOk) return code;
  const uint64_t limit = kernel_timeout_us;
  if (limit == 0) return task.run(stream);
  const auto start = std::chrono::steady_clock::now();
  const Code code = task.run(stream);
  const auto took = std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - start);
  if (code != kOk || static_cast<uint64_t>(took.count()) <= limit) return code;
  return Fail(kAiCoreTimeout, "kernel '" + task.kernel + "' took " + std::to_string(took.count()) + " us; the limit is " +
                                  std::to_string(limit) + " us");
}

// Runs a task, exceptions turned into a code and a line in the log.
Code RunGuarded(const Task& task, Stream& stream) {
  try {
    return task.kernel.empty() ? task.run(stream) : RunKernel(task, stream);
  } catch (const std::exception& e) {
    return Fail(kInternalError, e.what());
  } catch (...) {
    return Fail(kInternalError, "a task of the stream threw an unknown exception");
  }
}

}  // namespace

void SetKernelTimeout(uint64_t us) { kernel_timeout_us = us; }

uint64_t KernelTimeout() { return kernel_timeout_us; }

Stream::~Stream() {
  // A task must not own its stream: the thread cannot wait for itself, and still needs the stream after the task.
  assert(!OnOwnThread());
  Close(true);
}

Code Stream::Enqueue(Task task) {
  if (const Code code = device_.fault(); code != kOk) return Fail(code, "the device is lost until it is reset");
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

bool Stream::stop_on_failure() const {
  std::lock_guard lock(mutex_);
  return stop_on_failure_;
}

StreamTraits Stream::traits() const {
  std::lock_guard lock(mutex_);
  return traits_;
}

void Stream::set_traits(const StreamTraits& traits) {
  std::lock_guard lock(mutex_);
  traits_ = traits;
}

std::stop_token Stream::stop_token() const {
  std::lock_guard lock(mutex_);
  return stop_->get_token();
}

Code Stream::Abort() {
  if (OnOwnThread()) return Fail(kFeatureNotSupported, "a function that runs in a stream tries to abort that stream");
  std::unique_lock lock(mutex_);
  const std::shared_ptr<std::stop_source> stop = stop_;
  const uint64_t target = enqueued_;
  lock.unlock();
  stop->request_stop();
  lock.lock();
  progress_.wait(lock, [&] { return completed_ >= target; });
  if (stop_ == stop && !ending_) stop_ = std::make_shared<std::stop_source>();
  error_ = kOk;
  error_text_.clear();
  return kOk;
}

void Stream::Refuse() {
  std::lock_guard lock(mutex_);
  refusing_ = true;
}

Code Stream::Close(bool drop) {
  if (OnOwnThread()) return Fail(kFeatureNotSupported, "a function that runs in a stream tries to destroy that stream");
  if (drop) {
    std::unique_lock lock(mutex_);
    const std::shared_ptr<std::stop_source> stop = stop_;
    lock.unlock();
    stop->request_stop();
  }
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
    const Code skip = stop_->stop_requested() ? kStreamAbort : stop_on_failure_ ? error_ : kOk;
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
  if (!task.kernel.empty()) device_.NoteKernelFault(code);
  TaskFailure failure;
  failure.task_id = static_cast<uint32_t>(number);
  failure.stream_id = id_;
  failure.thread_id = static_cast<uint32_t>(syscall(SYS_gettid));
  failure.device_id = static_cast<uint32_t>(device_.id());
  failure.code = code;
  failure.kernel = task.kernel;
  failure.operands = task.operands;
  ReportFailure(std::move(failure));
}

}  // namespace atc::runtime

#include "backend/runtime/report.h"

#include <chrono>
#include <map>

#include "backend/runtime/signal.h"
#include "backend/runtime/stream.h"

namespace atc::runtime {
namespace {

// Which thread has which queue, and how many streams it serves.
struct Subscribers {
  struct Entry {
    std::shared_ptr<ReportQueue> queue;
    int streams = 0;
  };
  std::mutex mutex;
  std::map<uint64_t, Entry> threads;
};

// Never destroyed, as the runtime: streams may run until the process ends.
Subscribers& TheSubscribers() {
  static Subscribers* subscribers = new Subscribers;
  return *subscribers;
}

}  // namespace

Subscription::~Subscription() {
  Subscribers& subscribers = TheSubscribers();
  {
    std::lock_guard lock(subscribers.mutex);
    const auto found = subscribers.threads.find(thread_);
    if (--found->second.streams > 0) return;
    subscribers.threads.erase(found);
  }
  queue_->Close();
}

Code ReportQueue::Process(int timeout_ms) {
  Entry entry;
  {
    std::unique_lock lock(mutex_);
    auto ready = [&] { return !entries_.empty() || closed_; };
    if (timeout_ms < 0) {
      arrived_.wait(lock, ready);
    } else {
      arrived_.wait_for(lock, std::chrono::milliseconds(timeout_ms), ready);
    }
    if (entries_.empty()) {
      return closed_ ? Fail(kThreadSubscribe, "the thread's subscription ended")
                     : Fail(kReportTimeout, "no callback came within " + std::to_string(timeout_ms) + " ms");
    }
    entry = std::move(entries_.front());
    entries_.pop_front();
  }
  entry.callback();
  entry.done->Set();
  return kOk;
}

void ReportQueue::Push(std::function<void()> callback, std::shared_ptr<Signal> done) {
  std::lock_guard lock(mutex_);
  if (closed_) {
    done->Set();
    return;
  }
  entries_.push_back({std::move(callback), std::move(done)});
  arrived_.notify_one();
}

void ReportQueue::Close() {
  std::lock_guard lock(mutex_);
  closed_ = true;
  for (Entry& entry : entries_) entry.done->Set();
  entries_.clear();
  arrived_.notify_all();
}

Code LaunchCallback(Stream& stream, std::function<void()> callback, bool block) {
  const std::shared_ptr<Subscription> subscription = stream.subscription();
  if (!subscription) return Fail(kStreamNoCallback, "no thread has subscribed to the stream's callbacks");
  return stream.Enqueue([queue = subscription->queue(), callback = std::move(callback), block](Stream& on) {
    auto done = std::make_shared<Signal>();
    queue->Push(callback, done);
    return block ? done->Wait(on.stop_token()) : kOk;
  });
}

Code Subscribe(uint64_t thread, Stream& stream) {
  Subscribers& subscribers = TheSubscribers();
  std::lock_guard lock(subscribers.mutex);
  if (stream.subscription()) return Fail(kStreamSubscribe, "a thread has subscribed to the stream already");
  Subscribers::Entry& entry = subscribers.threads[thread];
  if (!entry.queue) entry.queue = std::make_shared<ReportQueue>();
  ++entry.streams;
  stream.set_subscription(std::make_shared<Subscription>(thread, entry.queue));
  return kOk;
}

Code Unsubscribe(uint64_t thread, Stream& stream) {
  const std::shared_ptr<Subscription> subscription = stream.subscription();
  if (!subscription || subscription->thread() != thread) {
    return Fail(kThreadSubscribe, "the thread has not subscribed to the stream");
  }
  stream.set_subscription(nullptr);
  return kOk;
}

Code ProcessReport(uint64_t thread, int timeout_ms) {
  std::shared_ptr<ReportQueue> queue;
  {
    Subscribers& subscribers = TheSubscribers();
    std::lock_guard lock(subscribers.mutex);
    const auto found = subscribers.threads.find(thread);
    if (found != subscribers.threads.end()) queue = found->second.queue;
  }
  if (!queue) return Fail(kThreadSubscribe, "the thread has not subscribed to any stream");
  return queue->Process(timeout_ms);
}

}  // namespace atc::runtime

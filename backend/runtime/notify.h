// A flag between streams: a record sets it, a wait waits until it is set and takes it away.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>

#include "backend/runtime/status.h"

namespace atc::runtime {

class Stream;

class Notify {
 public:
  explicit Notify(uint32_t id) : id_(id), flag_(std::make_shared<Flag>()) {}
  // As Abandon.
  ~Notify() { Abandon(); }
  Notify(const Notify&) = delete;
  Notify& operator=(const Notify&) = delete;

  uint32_t id() const { return id_; }
  Code Record(Stream& stream);
  // What waits longer than that (for ever when 0) is a fault of the stream, kTaskTimeout.
  Code WaitAndReset(Stream& stream, uint32_t timeout_ms);
  // Takes away what no wait took.
  void Reset();
  // Nothing will record it any more: wakes streams that wait, with kStreamAbort.
  void Abandon();

 private:
  struct Flag {
    std::mutex mutex;
    std::condition_variable_any changed;
    bool set = false;
    bool abandoned = false;
  };

  const uint32_t id_;
  const std::shared_ptr<Flag> flag_;  // shared with queued work
};

}  // namespace atc::runtime

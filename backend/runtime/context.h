// A context: the owner of streams and events on one device, with a default stream of its own.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "backend/runtime/event.h"
#include "backend/runtime/notify.h"
#include "backend/runtime/status.h"
#include "backend/runtime/stream.h"

namespace atc::runtime {

class Device;

class Context {
 public:
  explicit Context(Device& device);
  // As Close(true).
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  Device& device() const { return device_; }
  const std::shared_ptr<Stream>& default_stream() const { return default_stream_; }

  // kContextNull once closed; kNoStreamResource or kNoEventResource when the device has no more.
  Code CreateStream(std::shared_ptr<Stream>* out);
  Code CreateEvent(Event::Traits traits, std::shared_ptr<Event>* out);
  Code CreateNotify(std::shared_ptr<Notify>* out);
  Code DestroyNotify(Notify& notify);
  // Waits for queued work, or drops it. kStreamContext when the stream is not of this context.
  Code DestroyStream(Stream& stream, bool drop);
  Code DestroyEvent(Event& event);

  // Waits for all streams; the first fault of any of them.
  Code Synchronize(int timeout_ms = -1);

  // Destroys streams and events. Queued work is run or dropped; a wait for an event that can no longer be recorded ends
  // with a fault. kFeatureNotSupported on the thread of one of its streams.
  Code Close(bool drop);
  bool closed() const;

  // The default one and the others.
  std::vector<std::shared_ptr<Stream>> AllStreams() const;

 private:

  Device& device_;
  const std::shared_ptr<Stream> default_stream_;
  mutable std::mutex mutex_;
  bool closed_ = false;
  std::map<uint32_t, std::shared_ptr<Stream>> streams_;  // by id, the default one excluded
  std::map<uint32_t, std::shared_ptr<Event>> events_;
  std::map<uint32_t, std::shared_ptr<Notify>> notifies_;
};

}  // namespace atc::runtime

#include "backend/runtime/context.h"

#include "backend/runtime/device.h"

namespace atc::runtime {
namespace {

Code Closed() { return Fail(kContextNull, "the context was destroyed"); }

}  // namespace

Context::Context(Device& device)
    : device_(device), default_stream_(std::make_shared<Stream>(device, device.NextStreamId())) {}

Context::~Context() { Close(true); }

Code Context::CreateStream(std::shared_ptr<Stream>* out) {
  std::lock_guard lock(mutex_);
  if (closed_) return Closed();
  if (!device_.streams().Take()) {
    return Fail(kNoStreamResource, "the device has " + std::to_string(device_.streams().limit()) +
                                       " streams, and all are in use");
  }
  *out = std::make_shared<Stream>(device_, device_.NextStreamId());
  streams_[(*out)->id()] = *out;
  return kOk;
}

Code Context::CreateEvent(Event::Traits traits, std::shared_ptr<Event>* out) {
  std::lock_guard lock(mutex_);
  if (closed_) return Closed();
  if (!device_.events().Take()) {
    return Fail(kNoEventResource, "the device has " + std::to_string(device_.events().limit()) +
                                      " events, and all are in use");
  }
  *out = std::make_shared<Event>(device_.NextEventId(), traits);
  events_[(*out)->id()] = *out;
  return kOk;
}

Code Context::CreateNotify(std::shared_ptr<Notify>* out) {
  std::lock_guard lock(mutex_);
  if (closed_) return Closed();
  *out = std::make_shared<Notify>(device_.NextNotifyId());
  notifies_[(*out)->id()] = *out;
  return kOk;
}

Code Context::DestroyNotify(Notify& notify) {
  std::lock_guard lock(mutex_);
  notify.Abandon();
  notifies_.erase(notify.id());
  return kOk;
}

Code Context::DestroyStream(Stream& stream, bool drop) {
  if (stream.OnOwnThread()) {
    return Fail(kFeatureNotSupported, "a function that runs in a stream tries to destroy that stream");
  }
  std::shared_ptr<Stream> owned;
  {
    std::lock_guard lock(mutex_);
    const auto found = streams_.find(stream.id());
    if (found == streams_.end()) return Fail(kStreamContext, "the stream to destroy is not one of this context");
    owned = std::move(found->second);
    streams_.erase(found);
  }
  const Code code = owned->Close(drop);
  device_.streams().Give();
  return code;
}

Code Context::DestroyEvent(Event& event) {
  std::shared_ptr<Event> owned;
  {
    std::lock_guard lock(mutex_);
    const auto found = events_.find(event.id());
    if (found == events_.end()) return Fail(kStreamContext, "the event to destroy is not one of this context");
    owned = std::move(found->second);
    events_.erase(found);
  }
  owned->Abandon();
  device_.events().Give();
  return kOk;
}

std::vector<std::shared_ptr<Stream>> Context::AllStreams() const {
  std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<Stream>> all = {default_stream_};
  for (const auto& [id, stream] : streams_) all.push_back(stream);
  return all;
}

Code Context::Synchronize(int timeout_ms) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(timeout_ms);
  Code first = kOk;
  for (const std::shared_ptr<Stream>& stream : AllStreams()) {
    int left = timeout_ms;
    if (timeout_ms > 0) {
      const auto rest = std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
      left = rest.count() > 0 ? static_cast<int>(rest.count()) : 0;
    }
    const Code code = stream->Synchronize(left);
    if (first == kOk) first = code;
  }
  return first;
}

Code Context::Close(bool drop) {
  const std::vector<std::shared_ptr<Stream>> streams = AllStreams();
  for (const std::shared_ptr<Stream>& stream : streams) {
    if (stream->OnOwnThread()) {
      return Fail(kFeatureNotSupported, "a function that runs in a stream tries to destroy that stream's context");
    }
  }
  std::map<uint32_t, std::shared_ptr<Event>> events;
  std::map<uint32_t, std::shared_ptr<Notify>> notifies;
  {
    std::lock_guard lock(mutex_);
    if (closed_) return kOk;
    closed_ = true;
    events.swap(events_);
    notifies.swap(notifies_);
    streams_.clear();
  }
  // First no stream takes a record any more; then what waits for a first record can only wait in vain, and is woken.
  for (const std::shared_ptr<Stream>& stream : streams) stream->Refuse();
  for (const auto& [id, event] : events) event->Abandon();
  for (const auto& [id, notify] : notifies) notify->Abandon();
  // Nor will anyone be sure to fetch the callbacks that a stream may be blocked on.
  for (const std::shared_ptr<Stream>& stream : streams) stream->set_subscription(nullptr);
  for (const std::shared_ptr<Stream>& stream : streams) stream->Close(drop);
  device_.streams().Give(streams.size() - 1);
  device_.events().Give(events.size());
  return kOk;
}

bool Context::closed() const {
  std::lock_guard lock(mutex_);
  return closed_;
}

}  // namespace atc::runtime

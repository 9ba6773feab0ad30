// acl_rt.h: events.
#include "backend/acl/handles.h"
#include "backend/acl/include/acl/acl_rt.h"

using namespace atc::acl;
using atc::runtime::Context;
using atc::runtime::Event;
using atc::runtime::Stream;

namespace {

constexpr uint32_t kEventFlags = ACL_EVENT_SYNC | ACL_EVENT_CAPTURE_STREAM_PROGRESS | ACL_EVENT_TIME_LINE |
                                 ACL_EVENT_DEVICE_USE_ONLY | ACL_EVENT_EXTERNAL | ACL_EVENT_IPC;

aclError Create(aclrtEvent* event, Event::Traits traits) {
  std::shared_ptr<Context> context;
  if (const aclError code = CurrentContext(&context); code != ACL_SUCCESS) return code;
  std::shared_ptr<Event> created;
  if (const aclError code = context->CreateEvent(traits, &created); code != ACL_SUCCESS) return code;
  *event = Events().Add(std::make_shared<Owned<Event>>(std::move(created), std::move(context)));
  return ACL_SUCCESS;
}

aclError CreateWithFlag(aclrtEvent* event, uint32_t flag, bool lenient) {
  return Guard([&]() -> aclError {
    if (event == nullptr) return NullArgument("event");
    if (flag == 0 || (flag & ~kEventFlags) != 0) {
      return Fail(ACL_ERROR_RT_PARAM_INVALID, "an event's flag is made of the ACL_EVENT_ bits, not " + std::to_string(flag));
    }
    if ((flag & (ACL_EVENT_EXTERNAL | ACL_EVENT_IPC)) != 0) {
      return Fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "events are not shared with graphs or other processes here");
    }
    Event::Traits traits;
    traits.timing = (flag & ACL_EVENT_TIME_LINE) != 0;
    traits.waits = (flag & ACL_EVENT_SYNC) != 0;
    traits.lenient = lenient;
    return Create(event, traits);
  });
}

// Both ends of a call that joins an event and a stream.
template <class Call>
aclError OnStream(aclrtEvent event, aclrtStream stream, Call&& call) {
  return Guard([&]() -> aclError {
    std::shared_ptr<Event> found;
    if (const aclError code = FindEvent(event, &found); code != ACL_SUCCESS) return code;
    std::shared_ptr<Stream> on;
    if (const aclError code = FindStream(stream, &on); code != ACL_SUCCESS) return code;
    return call(*found, *on);
  });
}

template <class Status>
aclError Query(aclrtEvent event, Status* status, Status complete, Status not_ready) {
  return Guard([&]() -> aclError {
    if (status == nullptr) return NullArgument("status");
    std::shared_ptr<Event> found;
    if (const aclError code = FindEvent(event, &found); code != ACL_SUCCESS) return code;
    *status = found->Complete() ? complete : not_ready;
    return ACL_SUCCESS;
  });
}

}  // namespace

aclError aclrtCreateEvent(aclrtEvent* event) {
  return Guard([&]() -> aclError { return event == nullptr ? NullArgument("event") : Create(event, {}); });
}

aclError aclrtCreateEventWithFlag(aclrtEvent* event, uint32_t flag) { return CreateWithFlag(event, flag, false); }

aclError aclrtCreateEventExWithFlag(aclrtEvent* event, uint32_t flag) { return CreateWithFlag(event, flag, true); }

aclError aclrtDestroyEvent(aclrtEvent event) {
  return Guard([&]() -> aclError {
    if (event == nullptr) return NullArgument("event");
    const auto found = Events().Remove(event);
    if (!found) return Fail(ACL_ERROR_RT_INVALID_HANDLE, "the handle is not that of an event that is alive");
    return found->context->DestroyEvent(*found->object);
  });
}

aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream) {
  return OnStream(event, stream, [](Event& e, Stream& s) { return e.Record(s); });
}

aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event) {
  return OnStream(event, stream, [](Event& e, Stream& s) { return e.Wait(s); });
}

aclError aclrtResetEvent(aclrtEvent event, aclrtStream stream) {
  return OnStream(event, stream, [](Event& e, Stream& s) { return e.Reset(s); });
}

aclError aclrtSynchronizeEvent(aclrtEvent event) { return aclrtSynchronizeEventWithTimeout(event, -1); }

aclError aclrtSynchronizeEventWithTimeout(aclrtEvent event, int32_t timeout) {
  return Guard([&]() -> aclError {
    if (timeout < -1) {
      return Fail(ACL_ERROR_RT_PARAM_INVALID, "a timeout is -1 or milliseconds, not " + std::to_string(timeout));
    }
    std::shared_ptr<Event> found;
    if (const aclError code = FindEvent(event, &found); code != ACL_SUCCESS) return code;
    return found->Synchronize(timeout);
  });
}

aclError aclrtQueryEvent(aclrtEvent event, aclrtEventStatus* status) {
  return Query(event, status, ACL_EVENT_STATUS_COMPLETE, ACL_EVENT_STATUS_NOT_READY);
}

aclError aclrtQueryEventStatus(aclrtEvent event, aclrtEventRecordedStatus* status) {
  return Query(event, status, ACL_EVENT_RECORDED_STATUS_COMPLETE, ACL_EVENT_RECORDED_STATUS_NOT_READY);
}

aclError aclrtEventElapsedTime(float* ms, aclrtEvent startEvent, aclrtEvent endEvent) {
  return Guard([&]() -> aclError {
    if (ms == nullptr) return NullArgument("ms");
    std::shared_ptr<Event> start;
    std::shared_ptr<Event> end;
    if (const aclError code = FindEvent(startEvent, &start); code != ACL_SUCCESS) return code;
    if (const aclError code = FindEvent(endEvent, &end); code != ACL_SUCCESS) return code;
    return Event::Elapsed(*start, *end, ms);
  });
}

aclError aclrtQueryEventWaitStatus(aclrtEvent event, aclrtEventWaitStatus* status) {
  return Guard([&]() -> aclError {
    if (status == nullptr) return NullArgument("status");
    std::shared_ptr<Event> found;
    if (const aclError code = FindEvent(event, &found); code != ACL_SUCCESS) return code;
    *status = found->WaitsOver() ? ACL_EVENT_WAIT_STATUS_COMPLETE : ACL_EVENT_WAIT_STATUS_NOT_READY;
    return ACL_SUCCESS;
  });
}

aclError aclrtStreamWaitEventWithTimeout(aclrtStream stream, aclrtEvent event, int32_t timeout) {
  return Guard([&]() -> aclError {
    if (timeout < 0) {
      return Fail(ACL_ERROR_RT_PARAM_INVALID, "a timeout is 0 (none) or milliseconds, not " + std::to_string(timeout));
    }
    return OnStream(event, stream, [&](Event& e, Stream& s) { return e.Wait(s, timeout); });
  });
}

aclError aclrtGetEventId(aclrtEvent event, uint32_t* eventId) {
  return Guard([&]() -> aclError {
    if (eventId == nullptr) return NullArgument("eventId");
    std::shared_ptr<Event> found;
    if (const aclError code = FindEvent(event, &found); code != ACL_SUCCESS) return code;
    *eventId = found->id();
    return ACL_SUCCESS;
  });
}

aclError aclrtEventGetTimestamp(aclrtEvent event, uint64_t* timestamp) {
  return Guard([&]() -> aclError {
    if (timestamp == nullptr) return NullArgument("timestamp");
    std::shared_ptr<Event> found;
    if (const aclError code = FindEvent(event, &found); code != ACL_SUCCESS) return code;
    std::chrono::steady_clock::time_point time;
    if (const aclError code = found->Time(&time); code != ACL_SUCCESS) return code;
    *timestamp = std::chrono::duration_cast<std::chrono::microseconds>(time.time_since_epoch()).count();
    return ACL_SUCCESS;
  });
}

aclError aclrtGetEventAvailNum(uint32_t* eventCount) {
  return Guard([&]() -> aclError {
    if (eventCount == nullptr) return NullArgument("eventCount");
    std::shared_ptr<Context> context;
    if (const aclError code = CurrentContext(&context); code != ACL_SUCCESS) return code;
    *eventCount = context->device().events().limit() - context->device().events().used();
    return ACL_SUCCESS;
  });
}

// acl_rt.h: streams.
#include <cstring>

#include "backend/acl/handles.h"
#include "backend/acl/include/acl/acl_rt.h"

using namespace atc::acl;
using atc::runtime::Context;
using atc::runtime::Stream;
using atc::runtime::StreamTraits;

namespace {

constexpr uint32_t kLowestPriority = 7;
constexpr uint32_t kStreamFlags = ACL_STREAM_FAST_LAUNCH | ACL_STREAM_FAST_SYNC | ACL_STREAM_PERSISTENT |
                                  ACL_STREAM_HUGE | ACL_STREAM_CPU_SCHEDULE | ACL_STREAM_DEVICE_USE_ONLY;

aclError Create(aclrtStream* stream, const StreamTraits& traits = {}) {
  std::shared_ptr<Context> context;
  if (const aclError code = CurrentContext(&context); code != ACL_SUCCESS) return code;
  std::shared_ptr<Stream> created;
  if (const aclError code = context->CreateStream(&created); code != ACL_SUCCESS) return code;
  created->set_traits(traits);
  *stream = Streams().Add(std::make_shared<Owned<Stream>>(std::move(created), std::move(context)));
  return ACL_SUCCESS;
}

aclError CheckPriority(uint32_t priority) {
  if (priority <= kLowestPriority) return ACL_SUCCESS;
  return Fail(ACL_ERROR_RT_PARAM_INVALID, "a stream's priority is 0 to 7, not " + std::to_string(priority));
}

aclError Destroy(aclrtStream stream, bool drop) {
  return Guard([&]() -> aclError {
    if (stream == nullptr) return NullArgument("stream");
    const auto found = Streams().Find(stream);
    if (!found) return Fail(ACL_ERROR_RT_INVALID_HANDLE, "the handle is not that of a stream that is alive");
    const aclError code = found->context->DestroyStream(*found->object, drop);
    if (code == ACL_SUCCESS) Streams().Remove(stream);
    return code;
  });
}

}  // namespace

aclError aclrtCreateStream(aclrtStream* stream) {
  return Guard([&]() -> aclError { return stream == nullptr ? NullArgument("stream") : Create(stream); });
}

aclError aclrtCreateStreamWithConfig(aclrtStream* stream, uint32_t priority, uint32_t flag) {
  return Guard([&]() -> aclError {
    if (stream == nullptr) return NullArgument("stream");
    if (const aclError code = CheckPriority(priority); code != ACL_SUCCESS) return code;
    if ((flag & ~kStreamFlags) != 0) {
      return Fail(ACL_ERROR_RT_PARAM_INVALID, "unknown bits in the stream's flag " + std::to_string(flag));
    }
    StreamTraits traits;
    traits.priority = priority;
    traits.flags = flag;
    return Create(stream, traits);
  });
}

aclError aclrtDestroyStream(aclrtStream stream) { return Destroy(stream, false); }

aclError aclrtDestroyStreamForce(aclrtStream stream) { return Destroy(stream, true); }

aclError aclrtSynchronizeStream(aclrtStream stream) { return aclrtSynchronizeStreamWithTimeout(stream, -1); }

aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout) {
  return Guard([&]() -> aclError {
    if (timeout < -1) {
      return Fail(ACL_ERROR_RT_PARAM_INVALID, "a timeout is -1 or milliseconds, not " + std::to_string(timeout));
    }
    std::shared_ptr<Stream> found;
    if (const aclError code = FindStream(stream, &found); code != ACL_SUCCESS) return code;
    return found->Synchronize(timeout);
  });
}

aclError aclrtStreamQuery(aclrtStream stream, aclrtStreamStatus* status) {
  return Guard([&]() -> aclError {
    if (status == nullptr) return NullArgument("status");
    std::shared_ptr<Stream> found;
    if (const aclError code = FindStream(stream, &found); code != ACL_SUCCESS) return code;
    *status = found->Idle() ? ACL_STREAM_STATUS_COMPLETE : ACL_STREAM_STATUS_NOT_READY;
    return ACL_SUCCESS;
  });
}

aclError aclrtSetStreamFailureMode(aclrtStream stream, uint64_t mode) {
  return Guard([&]() -> aclError {
    if (stream == nullptr) return NullArgument("stream");
    if (mode > ACL_STOP_ON_FAILURE) {
      return Fail(ACL_ERROR_RT_PARAM_INVALID, "there is no failure mode " + std::to_string(mode));
    }
    std::shared_ptr<Stream> found;
    if (const aclError code = FindStream(stream, &found); code != ACL_SUCCESS) return code;
    found->SetStopOnFailure(mode == ACL_STOP_ON_FAILURE);
    return ACL_SUCCESS;
  });
}

aclrtStreamConfigHandle* aclrtCreateStreamConfigHandle(void) {
  return GuardValue<aclrtStreamConfigHandle*>(nullptr, [] { return new aclrtStreamConfigHandle{}; });
}

aclError aclrtDestroyStreamConfigHandle(aclrtStreamConfigHandle* handle) {
  if (handle == nullptr) return NullArgument("handle");
  delete handle;  // a plain structure that callers may look into, so not behind a handle
  return ACL_SUCCESS;
}

aclError aclrtSetStreamConfigOpt(aclrtStreamConfigHandle* handle, aclrtStreamConfigAttr attr, const void* attrValue,
                                 size_t valueSize) {
  return Guard([&]() -> aclError {
    if (handle == nullptr) return NullArgument("handle");
    if (attrValue == nullptr) return NullArgument("attrValue");
    struct Place {
      void* field;
      size_t size;
    };
    const Place places[] = {{&handle->workptr, sizeof(handle->workptr)},
                            {&handle->workSize, sizeof(handle->workSize)},
                            {&handle->flag, sizeof(handle->flag)},
                            {&handle->priority, sizeof(handle->priority)}};
    if (attr < ACL_RT_STREAM_WORK_ADDR_PTR || attr > ACL_RT_STREAM_PRIORITY || valueSize != places[attr].size) {
      return Fail(ACL_ERROR_INVALID_PARAM, "no option " + std::to_string(static_cast<int>(attr)) + " of a stream has a value of " +
                                               std::to_string(valueSize) + " bytes");
    }
    std::memcpy(places[attr].field, attrValue, valueSize);
    return ACL_SUCCESS;
  });
}

aclError aclrtCreateStreamV2(aclrtStream* stream, const aclrtStreamConfigHandle* handle) {
  if (handle == nullptr) return aclrtCreateStream(stream);
  return aclrtCreateStreamWithConfig(stream, handle->priority, static_cast<uint32_t>(handle->flag));
}

namespace {

// What `read` says of a stream, into *out.
template <class Value, class Read>
aclError Ask(aclrtStream stream, Value* out, const char* name, Read&& read) {
  return Guard([&]() -> aclError {
    if (out == nullptr) return NullArgument(name);
    std::shared_ptr<Stream> found;
    if (const aclError code = FindStream(stream, &found); code != ACL_SUCCESS) return code;
    *out = read(*found);
    return ACL_SUCCESS;
  });
}

aclError NoAttribute(aclrtStreamAttr attr) {
  return Fail(ACL_ERROR_RT_PARAM_INVALID, "there is no aclrtStreamAttr " + std::to_string(static_cast<int>(attr)));
}

}  // namespace

aclError aclrtStreamGetId(aclrtStream stream, int32_t* streamId) {
  return Ask(stream, streamId, "streamId", [](const Stream& s) { return static_cast<int32_t>(s.id()); });
}

aclError aclrtStreamGetFlags(aclrtStream stream, uint32_t* flags) {
  return Ask(stream, flags, "flags", [](const Stream& s) { return s.traits().flags; });
}

aclError aclrtStreamGetPriority(aclrtStream stream, uint32_t* priority) {
  return Ask(stream, priority, "priority", [](const Stream& s) { return s.traits().priority; });
}

aclError aclrtGetStreamAttribute(aclrtStream stream, aclrtStreamAttr stmAttrType, aclrtStreamAttrValue* value) {
  return Guard([&]() -> aclError {
    if (value == nullptr) return NullArgument("value");
    std::shared_ptr<Stream> found;
    if (const aclError code = FindStream(stream, &found); code != ACL_SUCCESS) return code;
    const StreamTraits traits = found->traits();
    *value = {};
    switch (stmAttrType) {
      case ACL_STREAM_ATTR_FAILURE_MODE: value->failureMode = found->stop_on_failure() ? ACL_STOP_ON_FAILURE : 0; break;
      case ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK: value->overflowSwitch = traits.overflow_switch; break;
      case ACL_STREAM_ATTR_USER_CUSTOM_TAG: value->userCustomTag = traits.tag; break;
      case ACL_STREAM_ATTR_CACHE_OP_INFO: value->cacheOpInfoSwitch = traits.cache_op_info; break;
      case ACL_STREAM_ATTR_PRIORITY: value->streamPriority = traits.priority; break;
      default: return NoAttribute(stmAttrType);
    }
    return ACL_SUCCESS;
  });
}

aclError aclrtSetStreamAttribute(aclrtStream stream, aclrtStreamAttr stmAttrType, aclrtStreamAttrValue* value) {
  return Guard([&]() -> aclError {
    if (value == nullptr) return NullArgument("value");
    std::shared_ptr<Stream> found;
    if (const aclError code = FindStream(stream, &found); code != ACL_SUCCESS) return code;
    StreamTraits traits = found->traits();
    switch (stmAttrType) {
      case ACL_STREAM_ATTR_FAILURE_MODE: return aclrtSetStreamFailureMode(stream, value->failureMode);
      case ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK: traits.overflow_switch = value->overflowSwitch; break;
      case ACL_STREAM_ATTR_USER_CUSTOM_TAG: traits.tag = value->userCustomTag; break;
      case ACL_STREAM_ATTR_CACHE_OP_INFO: traits.cache_op_info = value->cacheOpInfoSwitch; break;
      case ACL_STREAM_ATTR_PRIORITY:
        if (const aclError code = CheckPriority(value->streamPriority); code != ACL_SUCCESS) return code;
        traits.priority = value->streamPriority;
        break;
      default: return NoAttribute(stmAttrType);
    }
    found->set_traits(traits);
    return ACL_SUCCESS;
  });
}

aclError aclrtSetStreamOverflowSwitch(aclrtStream stream, uint32_t flag) {
  return Guard([&]() -> aclError {
    if (flag > 1) return Fail(ACL_ERROR_RT_PARAM_INVALID, "the overflow switch is 0 or 1, not " + std::to_string(flag));
    aclrtStreamAttrValue value = {};
    value.overflowSwitch = flag;
    return aclrtSetStreamAttribute(stream, ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK, &value);
  });
}

aclError aclrtGetStreamOverflowSwitch(aclrtStream stream, uint32_t* flag) {
  return Ask(stream, flag, "flag", [](const Stream& s) { return s.traits().overflow_switch; });
}

aclError aclrtGetOverflowStatus(void* outputAddr, size_t outputSize, aclrtStream stream) {
  constexpr size_t kStatusBytes = 8;
  if (outputSize < kStatusBytes) {
    return Fail(ACL_ERROR_RT_PARAM_INVALID, "the overflow status takes 8 bytes, " + std::to_string(outputSize) + " were given");
  }
  return aclrtMemsetAsync(outputAddr, outputSize, 0, kStatusBytes, stream);
}

aclError aclrtResetOverflowStatus(aclrtStream stream) {
  return Guard([&] {
    std::shared_ptr<Stream> found;
    return FindStream(stream, &found);
  });
}

aclError aclrtDeviceGetStreamPriorityRange(int32_t* leastPriority, int32_t* greatestPriority) {
  if (leastPriority != nullptr) *leastPriority = kLowestPriority;
  if (greatestPriority != nullptr) *greatestPriority = 0;
  return ACL_SUCCESS;
}

aclError aclrtGetStreamAvailableNum(uint32_t* streamCount) {
  return Guard([&]() -> aclError {
    if (streamCount == nullptr) return NullArgument("streamCount");
    std::shared_ptr<Context> context;
    if (const aclError code = CurrentContext(&context); code != ACL_SUCCESS) return code;
    *streamCount = context->device().streams().limit() - context->device().streams().used();
    return ACL_SUCCESS;
  });
}

aclError aclrtStreamAbort(aclrtStream stream) {
  return Guard([&]() -> aclError {
    std::shared_ptr<Stream> found;
    if (const aclError code = FindStream(stream, &found); code != ACL_SUCCESS) return code;
    return found->Abort();
  });
}

aclError aclrtStreamStop(aclrtStream stream) { return aclrtStreamAbort(stream); }

namespace {

aclError SetKernelLimit(uint64_t us) {
  atc::runtime::SetKernelTimeout(us);
  return ACL_SUCCESS;
}

}  // namespace

aclError aclrtSetOpWaitTimeout(uint32_t timeout) {
  return Guard([&]() -> aclError {
    if (timeout > INT32_MAX / 1000) {
      return Fail(ACL_ERROR_RT_PARAM_INVALID, "a wait of " + std::to_string(timeout) + " s is beyond what can be told");
    }
    atc::runtime::Event::SetWaitTimeout(static_cast<int>(timeout) * 1000);
    return ACL_SUCCESS;
  });
}

aclError aclrtSetOpExecuteTimeOut(uint32_t timeout) { return SetKernelLimit(uint64_t{timeout} * 1'000'000); }

aclError aclrtSetOpExecuteTimeOutWithMs(uint32_t timeout) { return SetKernelLimit(uint64_t{timeout} * 1'000); }

aclError aclrtSetOpExecuteTimeOutV2(uint64_t timeout, uint64_t* actualTimeout) {
  if (actualTimeout != nullptr) *actualTimeout = timeout;
  return SetKernelLimit(timeout);
}

aclError aclrtGetOpExecuteTimeoutV2(uint64_t* const timeout) {
  return Guard([&]() -> aclError {
    if (timeout == nullptr) return NullArgument("timeout");
    *timeout = atc::runtime::KernelTimeout();
    return ACL_SUCCESS;
  });
}

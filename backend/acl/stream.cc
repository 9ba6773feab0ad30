// acl_rt.h: streams.
#include "backend/acl/handles.h"
#include "backend/acl/include/acl/acl_rt.h"

using namespace atc::acl;
using atc::runtime::Context;
using atc::runtime::Stream;

namespace {

constexpr uint32_t kLowestPriority = 7;
constexpr uint32_t kStreamFlags = ACL_STREAM_FAST_LAUNCH | ACL_STREAM_FAST_SYNC | ACL_STREAM_PERSISTENT |
                                  ACL_STREAM_HUGE | ACL_STREAM_CPU_SCHEDULE | ACL_STREAM_DEVICE_USE_ONLY;

aclError Create(aclrtStream* stream) {
  std::shared_ptr<Context> context;
  if (const aclError code = CurrentContext(&context); code != ACL_SUCCESS) return code;
  std::shared_ptr<Stream> created;
  if (const aclError code = context->CreateStream(&created); code != ACL_SUCCESS) return code;
  *stream = Streams().Add(std::make_shared<Owned<Stream>>(std::move(created), std::move(context)));
  return ACL_SUCCESS;
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
    // Neither changes anything here: all streams share the cores as the system schedules their threads.
    if (priority > kLowestPriority) {
      return Fail(ACL_ERROR_RT_PARAM_INVALID, "a stream's priority is 0 to 7, not " + std::to_string(priority));
    }
    if ((flag & ~kStreamFlags) != 0) {
      return Fail(ACL_ERROR_RT_PARAM_INVALID, "unknown bits in the stream's flag " + std::to_string(flag));
    }
    return Create(stream);
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

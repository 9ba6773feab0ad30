// acl_rt.h: host functions, callbacks, exception information.
#include <pthread.h>

#include "backend/acl/handles.h"
#include "backend/acl/include/acl/acl_rt.h"
#include "backend/runtime/failure.h"
#include "backend/runtime/report.h"

using namespace atc::acl;
using atc::runtime::Stream;
using atc::runtime::TaskFailure;

namespace {

// The fault that the thread's exception callback is being told of: no other address is taken for one.
thread_local const TaskFailure* current_failure = nullptr;

uint32_t Field(const aclrtExceptionInfo* info, uint32_t (*read)(const TaskFailure&)) {
  if (info == nullptr || reinterpret_cast<const TaskFailure*>(info) != current_failure) {
    Fail(ACL_ERROR_INVALID_PARAM, "exception information is there only inside the exception callback");
    return 0xFFFFFFFF;
  }
  return read(*current_failure);
}

}  // namespace

aclError aclrtLaunchHostFunc(aclrtStream stream, aclrtHostFunc fn, void* args) {
  return Guard([&]() -> aclError {
    if (fn == nullptr) return NullArgument("fn");
    std::shared_ptr<Stream> on;
    if (const aclError code = FindStream(stream, &on); code != ACL_SUCCESS) return code;
    // A thread that asked for the host functions of the stream runs them.
    if (on->subscription()) return atc::runtime::LaunchCallback(*on, [fn, args] { fn(args); }, true);
    return on->Enqueue([fn, args](Stream&) -> aclError {
      fn(args);
      return ACL_SUCCESS;
    });
  });
}

aclError aclrtLaunchCallback(aclrtCallback fn, void* userData, aclrtCallbackBlockType blockType, aclrtStream stream) {
  return Guard([&]() -> aclError {
    if (fn == nullptr) return NullArgument("fn");
    if (blockType != ACL_CALLBACK_NO_BLOCK && blockType != ACL_CALLBACK_BLOCK) {
      return Fail(ACL_ERROR_INVALID_PARAM,
                  "there is no aclrtCallbackBlockType " + std::to_string(static_cast<int>(blockType)));
    }
    std::shared_ptr<Stream> on;
    if (const aclError code = FindStream(stream, &on); code != ACL_SUCCESS) return code;
    return atc::runtime::LaunchCallback(*on, [fn, userData] { fn(userData); }, blockType == ACL_CALLBACK_BLOCK);
  });
}

aclError aclrtSubscribeReport(uint64_t threadId, aclrtStream stream) {
  return Guard([&]() -> aclError {
    std::shared_ptr<Stream> on;
    if (const aclError code = FindStream(stream, &on); code != ACL_SUCCESS) return code;
    return atc::runtime::Subscribe(threadId, *on);
  });
}

aclError aclrtProcessReport(int32_t timeout) {
  return Guard([&]() -> aclError {
    if (timeout < -1 || timeout == 0) {
      return Fail(ACL_ERROR_INVALID_PARAM, "a timeout is -1 or milliseconds above 0, not " + std::to_string(timeout));
    }
    return atc::runtime::ProcessReport(static_cast<uint64_t>(pthread_self()), timeout);
  });
}

aclError aclrtUnSubscribeReport(uint64_t threadId, aclrtStream stream) {
  return Guard([&]() -> aclError {
    std::shared_ptr<Stream> on;
    if (const aclError code = FindStream(stream, &on); code != ACL_SUCCESS) return code;
    return atc::runtime::Unsubscribe(threadId, *on);
  });
}

aclError aclrtSubscribeHostFunc(uint64_t hostFuncThreadId, aclrtStream exeStream) {
  return aclrtSubscribeReport(hostFuncThreadId, exeStream);
}

aclError aclrtProcessHostFunc(int32_t timeout) { return aclrtProcessReport(timeout); }

aclError aclrtUnSubscribeHostFunc(uint64_t hostFuncThreadId, aclrtStream exeStream) {
  return aclrtUnSubscribeReport(hostFuncThreadId, exeStream);
}

namespace {

void Listen(aclrtExceptionInfoCallback callback, uintptr_t key) {
  if (callback == nullptr) {
    atc::runtime::SetFailureListener({}, key);
    return;
  }
  atc::runtime::SetFailureListener(
      [callback](const TaskFailure& failure) {
        current_failure = &failure;
        // The C type is never defined: it stands for the failure, read back by the functions below.
        callback(reinterpret_cast<aclrtExceptionInfo*>(const_cast<TaskFailure*>(&failure)));
        current_failure = nullptr;
      },
      key);
}

}  // namespace

aclError aclrtSetExceptionInfoCallback(aclrtExceptionInfoCallback callback) {
  return Guard([&]() -> aclError {
    Listen(callback, 0);
    return ACL_SUCCESS;
  });
}

aclError aclrtExceptionInfoCallbackRegister(aclrtExceptionInfoCallback callback) {
  return Guard([&]() -> aclError {
    if (callback == nullptr) return NullArgument("callback");
    Listen(callback, reinterpret_cast<uintptr_t>(callback));
    return ACL_SUCCESS;
  });
}

aclError aclrtExceptionInfoCallbackUnregister(aclrtExceptionInfoCallback callback) {
  return Guard([&]() -> aclError {
    if (callback == nullptr) return NullArgument("callback");
    Listen(nullptr, reinterpret_cast<uintptr_t>(callback));
    return ACL_SUCCESS;
  });
}

uint32_t aclrtGetTaskIdFromExceptionInfo(const aclrtExceptionInfo* info) {
  return Field(info, [](const TaskFailure& f) { return f.task_id; });
}

uint32_t aclrtGetStreamIdFromExceptionInfo(const aclrtExceptionInfo* info) {
  return Field(info, [](const TaskFailure& f) { return f.stream_id; });
}

uint32_t aclrtGetThreadIdFromExceptionInfo(const aclrtExceptionInfo* info) {
  return Field(info, [](const TaskFailure& f) { return f.thread_id; });
}

uint32_t aclrtGetDeviceIdFromExceptionInfo(const aclrtExceptionInfo* info) {
  return Field(info, [](const TaskFailure& f) { return f.device_id; });
}

uint32_t aclrtGetErrorCodeFromExceptionInfo(const aclrtExceptionInfo* info) {
  return Field(info, [](const TaskFailure& f) { return static_cast<uint32_t>(f.code); });
}

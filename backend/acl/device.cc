// acl_rt.h: devices and contexts.
#include "backend/acl/handles.h"
#include "backend/acl/include/acl/acl_rt.h"

using namespace atc::acl;
using atc::runtime::Context;
using atc::runtime::Runtime;

const char* aclrtGetSocName(void) {
  // An om of any chip runs here, whatever the name.
  return GuardValue<const char*>(nullptr, []() -> const char* {
    if (!Runtime::Get().current()) return nullptr;
    thread_local std::string name;
    name = Runtime::Get().soc_name();
    return name.c_str();
  });
}

aclError aclrtSetDevice(int32_t deviceId) {
  return Guard([&] { return Runtime::Get().SetDevice(deviceId); });
}

aclError aclrtResetDevice(int32_t deviceId) {
  return Guard([&] {
    const aclError code = Runtime::Get().ResetDevice(deviceId, false);
    SweepHandles();
    return code;
  });
}

aclError aclrtResetDeviceForce(int32_t deviceId) {
  return Guard([&] {
    const aclError code = Runtime::Get().ResetDevice(deviceId, true);
    SweepHandles();
    return code;
  });
}

aclError aclrtGetDevice(int32_t* deviceId) {
  return Guard([&]() -> aclError {
    if (deviceId == nullptr) return NullArgument("deviceId");
    std::shared_ptr<Context> context;
    if (const aclError code = CurrentContext(&context); code != ACL_SUCCESS) return code;
    *deviceId = context->device().id();
    return ACL_SUCCESS;
  });
}

aclError aclrtGetDeviceCount(uint32_t* count) {
  return Guard([&]() -> aclError {
    if (count == nullptr) return NullArgument("count");
    *count = static_cast<uint32_t>(Runtime::Get().device_count());
    return ACL_SUCCESS;
  });
}

aclError aclrtGetRunMode(aclrtRunMode* runMode) {
  return Guard([&]() -> aclError {
    if (runMode == nullptr) return NullArgument("runMode");
    *runMode = ACL_HOST;  // as a card in a host: device memory is not the program's own
    return ACL_SUCCESS;
  });
}

aclError aclrtSynchronizeDevice(void) { return aclrtSynchronizeDeviceWithTimeout(-1); }

aclError aclrtSynchronizeDeviceWithTimeout(int32_t timeout) {
  return Guard([&]() -> aclError {
    if (timeout < -1) {
      return Fail(ACL_ERROR_RT_PARAM_INVALID, "a timeout is -1 or milliseconds, not " + std::to_string(timeout));
    }
    std::shared_ptr<Context> context;
    if (const aclError code = CurrentContext(&context); code != ACL_SUCCESS) return code;
    return context->device().Synchronize(timeout);
  });
}

aclError aclrtCreateContext(aclrtContext* context, int32_t deviceId) {
  return Guard([&]() -> aclError {
    if (context == nullptr) return NullArgument("context");
    std::shared_ptr<Context> created;
    if (const aclError code = Runtime::Get().CreateContext(deviceId, &created); code != ACL_SUCCESS) return code;
    *context = Contexts().Add(std::move(created));
    return ACL_SUCCESS;
  });
}

aclError aclrtDestroyContext(aclrtContext context) {
  return Guard([&]() -> aclError {
    if (context == nullptr) return NullArgument("context");
    const std::shared_ptr<Context> found = Contexts().Find(context);
    if (!found) return Fail(ACL_ERROR_RT_CONTEXT_NULL, "the handle is not that of a context that is alive");
    const aclError code = Runtime::Get().DestroyContext(*found);
    SweepHandles();
    return code;
  });
}

aclError aclrtSetCurrentContext(aclrtContext context) {
  return Guard([&]() -> aclError {
    if (context == nullptr) return NullArgument("context");
    const std::shared_ptr<Context> found = Contexts().Find(context);
    if (!found || found->closed()) {
      return Fail(ACL_ERROR_RT_CONTEXT_NULL, "the handle is not that of a context that is alive");
    }
    Runtime::Get().set_current(found);
    return ACL_SUCCESS;
  });
}

aclError aclrtGetCurrentContext(aclrtContext* context) {
  return Guard([&]() -> aclError {
    if (context == nullptr) return NullArgument("context");
    std::shared_ptr<Context> current;
    if (const aclError code = CurrentContext(&current); code != ACL_SUCCESS) return code;
    // A device's default context gets its handle when it is first asked for.
    static std::mutex* mutex = new std::mutex;
    std::lock_guard lock(*mutex);
    *context = Contexts().HandleOf([&](const Context& each) { return &each == current.get(); });
    if (*context == nullptr) *context = Contexts().Add(std::move(current));
    return ACL_SUCCESS;
  });
}

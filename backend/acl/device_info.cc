// acl_rt.h and acl_base.h: what a device has, what it is doing, which versions there are.
#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "backend/acl/handles.h"
#include "backend/acl/include/acl/acl_rt.h"

using namespace atc::acl;
using atc::runtime::Context;
using atc::runtime::Device;
using atc::runtime::Runtime;

namespace {

// Figures of the A2 series, which the device stands for.
constexpr int64_t kL2Bytes = 192LL << 20;
constexpr int64_t kArchitecture = 2201;
constexpr int32_t kVersions[] = {ACL_MAJOR_VERSION, ACL_MINOR_VERSION, ACL_PATCH_VERSION};

aclError DeviceOf(int64_t id, Device** device) {
  return Runtime::Get().FindDevice(id > INT32_MAX ? -1 : static_cast<int>(id), device);
}

struct Switches {
  std::mutex mutex;
  std::map<int, int64_t> process;
  std::map<std::pair<const Context*, int>, int64_t> contexts;
};

Switches& TheSwitches() {
  static auto* switches = new Switches;
  return *switches;
}

aclError CheckSwitch(aclSysParamOpt opt, int64_t value) {
  if (opt < ACL_OPT_DETERMINISTIC || opt > ACL_OPT_ENABLE_KERNEL_EARLY_START) {
    return Fail(ACL_ERROR_INVALID_PARAM, "there is no aclSysParamOpt " + std::to_string(static_cast<int>(opt)));
  }
  // ACL_OPT_DETERMINISTIC has a second degree in place of ACL_OPT_STRONG_CONSISTENCY.
  if (value >= 0 && value <= (opt == ACL_OPT_DETERMINISTIC ? 2 : 1)) return ACL_SUCCESS;
  return Fail(ACL_ERROR_INVALID_PARAM, "option " + std::to_string(static_cast<int>(opt)) + " has no value " + std::to_string(value));
}

}  // namespace

aclError aclrtQueryDeviceStatus(int32_t deviceId, aclrtDeviceStatus* deviceStatus) {
  return Guard([&]() -> aclError {
    if (deviceStatus == nullptr) return NullArgument("deviceStatus");
    Device* device = nullptr;
    if (const aclError code = DeviceOf(deviceId, &device); code != ACL_SUCCESS) return code;
    *deviceStatus = device->fault() == ACL_SUCCESS ? ACL_RT_DEVICE_STATUS_NORMAL : ACL_RT_DEVICE_STATUS_ABNORMAL;
    return ACL_SUCCESS;
  });
}

aclError aclrtGetDeviceInfo(uint32_t deviceId, aclrtDevAttr attr, int64_t* value) {
  return Guard([&]() -> aclError {
    if (value == nullptr) return NullArgument("value");
    Device* device = nullptr;
    if (const aclError code = DeviceOf(deviceId, &device); code != ACL_SUCCESS) return code;
    switch (attr) {
      case ACL_DEV_ATTR_AICORE_CORE_NUM:
      case ACL_DEV_ATTR_CUBE_CORE_NUM:
      case ACL_DEV_ATTR_VECTOR_CORE_NUM: *value = Runtime::Get().cores(); break;
      case ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE: *value = static_cast<int64_t>(Runtime::Get().memory().capacity()); break;
      case ACL_DEV_ATTR_L2_CACHE_SIZE: *value = kL2Bytes; break;
      case ACL_DEV_ATTR_NPU_ARCH: *value = kArchitecture; break;
      default: return Fail(ACL_ERROR_INVALID_PARAM, "there is no aclrtDevAttr " + std::to_string(static_cast<int>(attr)));
    }
    return ACL_SUCCESS;
  });
}

aclError aclGetDeviceCapability(uint32_t deviceId, aclDeviceInfo deviceInfo, int64_t* value) {
  constexpr aclrtDevAttr kAttributes[] = {ACL_DEV_ATTR_AICORE_CORE_NUM, ACL_DEV_ATTR_VECTOR_CORE_NUM,
                                          ACL_DEV_ATTR_L2_CACHE_SIZE};
  if (deviceInfo < ACL_DEVICE_INFO_AI_CORE_NUM || deviceInfo > ACL_DEVICE_INFO_L2_SIZE) {
    return Fail(ACL_ERROR_INVALID_PARAM, "there is no aclDeviceInfo " + std::to_string(static_cast<int>(deviceInfo)));
  }
  return aclrtGetDeviceInfo(deviceId, kAttributes[deviceInfo], value);
}

aclError aclrtGetDeviceCapability(int32_t deviceId, aclrtDevFeatureType devFeatureType, int32_t* value) {
  return Guard([&]() -> aclError {
    if (value == nullptr) return NullArgument("value");
    Device* device = nullptr;
    if (const aclError code = DeviceOf(deviceId, &device); code != ACL_SUCCESS) return code;
    *value = 0;  // none of these features is offered
    return ACL_SUCCESS;
  });
}

aclError aclrtGetDeviceUtilizationRate(int32_t deviceId, aclrtUtilizationInfo* utilizationInfo) {
  return Guard([&]() -> aclError {
    if (utilizationInfo == nullptr) return NullArgument("utilizationInfo");
    Device* device = nullptr;
    if (const aclError code = DeviceOf(deviceId, &device); code != ACL_SUCCESS) return code;
    const auto [busy, all] = device->Activity();
    const int32_t percent = all == 0 ? 0 : static_cast<int32_t>(100 * busy / all);
    utilizationInfo->cubeUtilization = percent;
    utilizationInfo->vectorUtilization = percent;
    utilizationInfo->aicpuUtilization = percent;
    utilizationInfo->memoryUtilization =
        static_cast<int32_t>(100 * device->memory_stats().bytes / Runtime::Get().memory().capacity());
    return ACL_SUCCESS;
  });
}

aclError aclrtGetMemUsageInfo(int32_t deviceId, aclrtMemUsageInfo* memUsageInfo, size_t inputNum, size_t* outputNum) {
  return Guard([&]() -> aclError {
    if (memUsageInfo == nullptr) return NullArgument("memUsageInfo");
    if (outputNum == nullptr) return NullArgument("outputNum");
    if (inputNum == 0) return Fail(ACL_ERROR_INVALID_PARAM, "room for 0 records was given");
    Device* device = nullptr;
    if (const aclError code = DeviceOf(deviceId, &device); code != ACL_SUCCESS) return code;
    *memUsageInfo = {};
    std::snprintf(memUsageInfo->name, sizeof(memUsageInfo->name), "DEVICE");
    memUsageInfo->curMemSize = device->memory_stats().bytes;
    memUsageInfo->memPeakSize = device->memory_stats().peak_bytes;
    *outputNum = 1;
    return ACL_SUCCESS;
  });
}

namespace {

aclError CheckPeer(int32_t peer) {
  Device* device = nullptr;
  return DeviceOf(peer, &device);
}

}  // namespace

aclError aclrtDeviceCanAccessPeer(int32_t* canAccessPeer, int32_t deviceId, int32_t peerDeviceId) {
  return Guard([&]() -> aclError {
    if (canAccessPeer == nullptr) return NullArgument("canAccessPeer");
    if (const aclError code = CheckPeer(deviceId); code != ACL_SUCCESS) return code;
    if (const aclError code = CheckPeer(peerDeviceId); code != ACL_SUCCESS) return code;
    *canAccessPeer = deviceId != peerDeviceId ? 1 : 0;
    return ACL_SUCCESS;
  });
}

aclError aclrtDeviceEnablePeerAccess(int32_t peerDeviceId, uint32_t flags) {
  return Guard([&]() -> aclError {
    if (flags != 0) return Fail(ACL_ERROR_INVALID_PARAM, "flags must be 0, not " + std::to_string(flags));
    return CheckPeer(peerDeviceId);
  });
}

aclError aclrtDeviceDisablePeerAccess(int32_t peerDeviceId) {
  return Guard([&] { return CheckPeer(peerDeviceId); });
}

aclError aclrtDevicePeerAccessStatus(int32_t deviceId, int32_t peerDeviceId, int32_t* status) {
  return aclrtDeviceCanAccessPeer(status, deviceId, peerDeviceId);
}

aclError aclrtCtxGetCurrentDefaultStream(aclrtStream* stream) {
  return Guard([&]() -> aclError {
    if (stream == nullptr) return NullArgument("stream");
    std::shared_ptr<Context> context;
    if (const aclError code = CurrentContext(&context); code != ACL_SUCCESS) return code;
    // A handle of its own, unlike NULL, means this stream in other threads and contexts too.
    static auto* mutex = new std::mutex;
    std::lock_guard lock(*mutex);
    *stream = Streams().HandleOf([&](const auto& owned) { return owned.object == context->default_stream(); });
    if (*stream == nullptr) {
      *stream = Streams().Add(std::make_shared<Owned<atc::runtime::Stream>>(
          Owned<atc::runtime::Stream>{context->default_stream(), context}));
    }
    return ACL_SUCCESS;
  });
}

aclError aclrtPeekAtLastError(aclrtLastErrLevel level) {
  if (level != ACL_RT_THREAD_LEVEL) return ACL_ERROR_INVALID_PARAM;
  return atc::runtime::LastCode();
}

aclError aclrtGetLastError(aclrtLastErrLevel level) {
  const aclError code = aclrtPeekAtLastError(level);
  atc::runtime::ForgetLastCode();
  return code;
}

aclError aclrtGetVersion(int32_t* majorVersion, int32_t* minorVersion, int32_t* patchVersion) {
  int32_t* const places[] = {majorVersion, minorVersion, patchVersion};
  if (std::count(std::begin(places), std::end(places), nullptr) > 0) return NullArgument("majorVersion, minorVersion or patchVersion");
  for (size_t i = 0; i < std::size(places); ++i) *places[i] = kVersions[i];
  return ACL_SUCCESS;
}

aclError aclsysGetVersionStr(char* pkgName, char* versionStr) {
  if (pkgName == nullptr) return NullArgument("pkgName");
  if (versionStr == nullptr) return NullArgument("versionStr");
  constexpr size_t kRoom = 128;
  std::snprintf(versionStr, kRoom, "%d.%d.%d", kVersions[0], kVersions[1], kVersions[2]);
  return ACL_SUCCESS;
}

// As the packages count: 1.17.0 is 1 * 10^7 + 17 * 10^5 + 0 * 10^3.
aclError aclsysGetVersionNum(char* pkgName, int32_t* versionNum) {
  if (pkgName == nullptr) return NullArgument("pkgName");
  if (versionNum == nullptr) return NullArgument("versionNum");
  *versionNum = kVersions[0] * 10'000'000 + kVersions[1] * 100'000 + kVersions[2] * 1'000;
  return ACL_SUCCESS;
}

aclError aclsysGetCANNVersion(aclCANNPackageName name, aclCANNPackageVersion* version) {
  if (version == nullptr) return NullArgument("version");
  if (name < ACL_PKG_NAME_CANN || name >= ACL_PKG_NAME_DRIVER) {
    return Fail(ACL_ERROR_INVALID_PARAM, "there is no package " + std::to_string(name) + " here whose version could be told");
  }
  *version = {};
  std::snprintf(version->version, sizeof(version->version), "%d.%d.%d", kVersions[0], kVersions[1], kVersions[2]);
  char* const parts[] = {version->majorVersion, version->minorVersion, version->patchVersion};
  for (size_t i = 0; i < std::size(parts); ++i) {
    std::snprintf(parts[i], sizeof(version->majorVersion), "%d", kVersions[i]);
  }
  return ACL_SUCCESS;
}

aclError aclrtGetErrorVerbose(int32_t deviceId, aclrtErrorInfo* errorInfo) {
  return Guard([&]() -> aclError {
    if (errorInfo == nullptr) return NullArgument("errorInfo");
    Device* device = nullptr;
    if (const aclError code = Runtime::Get().FindDevice(deviceId, &device); code != ACL_SUCCESS) return code;
    *errorInfo = {};
    errorInfo->errorType = device->fault() != ACL_SUCCESS          ? ACL_RT_ERROR_OTHERS
                           : device->kernel_fault() != ACL_SUCCESS ? ACL_RT_ERROR_AICORE
                                                                   : ACL_RT_NO_ERROR;
    if (errorInfo->errorType == ACL_RT_ERROR_AICORE) {
      errorInfo->hasDetail = 1;
      errorInfo->detail.aicoreErrType = ACL_RT_AICORE_ERROR_SW;  // nothing here is hardware
    }
    return ACL_SUCCESS;
  });
}

aclError aclrtSetSysParamOpt(aclSysParamOpt opt, int64_t value) {
  return Guard([&]() -> aclError {
    if (const aclError code = CheckSwitch(opt, value); code != ACL_SUCCESS) return code;
    std::lock_guard lock(TheSwitches().mutex);
    TheSwitches().process[opt] = value;
    return ACL_SUCCESS;
  });
}

aclError aclrtGetSysParamOpt(aclSysParamOpt opt, int64_t* value) {
  return Guard([&]() -> aclError {
    if (value == nullptr) return NullArgument("value");
    if (const aclError code = CheckSwitch(opt, 0); code != ACL_SUCCESS) return code;
    std::lock_guard lock(TheSwitches().mutex);
    const auto found = TheSwitches().process.find(opt);
    if (found == TheSwitches().process.end()) {
      return Fail(ACL_ERROR_RT_SYSPARAMOPT_NOT_SET, "option " + std::to_string(static_cast<int>(opt)) + " was never set");
    }
    *value = found->second;
    return ACL_SUCCESS;
  });
}

aclError aclrtCtxSetSysParamOpt(aclSysParamOpt opt, int64_t value) {
  return Guard([&]() -> aclError {
    if (const aclError code = CheckSwitch(opt, value); code != ACL_SUCCESS) return code;
    std::shared_ptr<Context> context;
    if (const aclError code = CurrentContext(&context); code != ACL_SUCCESS) return code;
    std::lock_guard lock(TheSwitches().mutex);
    TheSwitches().contexts[{context.get(), opt}] = value;
    return ACL_SUCCESS;
  });
}

aclError aclrtCtxGetSysParamOpt(aclSysParamOpt opt, int64_t* value) {
  return Guard([&]() -> aclError {
    if (value == nullptr) return NullArgument("value");
    if (const aclError code = CheckSwitch(opt, 0); code != ACL_SUCCESS) return code;
    std::shared_ptr<Context> context;
    if (const aclError code = CurrentContext(&context); code != ACL_SUCCESS) return code;
    {
      std::lock_guard lock(TheSwitches().mutex);
      const auto found = TheSwitches().contexts.find({context.get(), opt});
      if (found != TheSwitches().contexts.end()) {
        *value = found->second;
        return ACL_SUCCESS;
      }
    }
    return aclrtGetSysParamOpt(opt, value);
  });
}

aclError aclGetCannAttributeList(const aclCannAttr** cannAttrList, size_t* num) {
  static const aclCannAttr kOffered[] = {ACL_CANN_ATTR_INF_NAN, ACL_CANN_ATTR_BF16, ACL_CANN_ATTR_JIT_COMPILE};
  if (cannAttrList == nullptr) return NullArgument("cannAttrList");
  if (num == nullptr) return NullArgument("num");
  *cannAttrList = kOffered;
  *num = std::size(kOffered);
  return ACL_SUCCESS;
}

aclError aclGetCannAttribute(aclCannAttr cannAttr, int32_t* value) {
  return Guard([&]() -> aclError {
    if (value == nullptr) return NullArgument("value");
    if (cannAttr < ACL_CANN_ATTR_INF_NAN || cannAttr > ACL_CANN_ATTR_JIT_COMPILE) {
      return Fail(ACL_ERROR_INVALID_PARAM, "there is no aclCannAttr " + std::to_string(static_cast<int>(cannAttr)));
    }
    *value = 1;
    return ACL_SUCCESS;
  });
}

void aclAppLog(aclLogLevel logLevel, const char* func, const char* file, uint32_t line, const char* fmt, ...) {
  const char* text = std::getenv("ASCEND_GLOBAL_LOG_LEVEL");
  const int from = text != nullptr && *text >= '0' && *text <= '4' ? *text - '0' : ACL_ERROR;
  if (fmt == nullptr || logLevel < from) return;
  constexpr const char* kNames[] = {"DEBUG", "INFO", "WARNING", "ERROR"};
  const char* name = logLevel >= ACL_DEBUG && logLevel <= ACL_ERROR ? kNames[logLevel] : "?";
  char message[1024];
  va_list values;
  va_start(values, fmt);
  std::vsnprintf(message, sizeof(message), fmt, values);
  va_end(values);
  std::fprintf(stderr, "[%s] %s:%u %s: %s\n", name, file == nullptr ? "?" : file, line, func == nullptr ? "?" : func, message);
}

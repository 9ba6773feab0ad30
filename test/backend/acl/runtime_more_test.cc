// acl_rt.h: notify, abort, limits of time, attributes, further copies, configuration.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <thread>
#include <vector>

#include "test/backend/acl/fixture.h"

namespace {

struct Streams : DeviceFixture {
  Streams() {
    REQUIRE(aclrtCreateStream(&first) == ACL_SUCCESS);
    REQUIRE(aclrtCreateStream(&second) == ACL_SUCCESS);
  }
  aclrtStream first = nullptr;
  aclrtStream second = nullptr;
};

void SleepMs(void* ms) { std::this_thread::sleep_for(std::chrono::milliseconds(reinterpret_cast<intptr_t>(ms))); }
void Count(void* counter) { ++*static_cast<std::atomic<int>*>(counter); }

}  // namespace

TEST_CASE_METHOD(Streams, "a notify lets one wait pass for each record") {
  aclrtNotify notify = nullptr;
  REQUIRE(aclrtCreateNotify(&notify, 0) == ACL_SUCCESS);
  uint32_t id = 99;
  CHECK(aclrtGetNotifyId(notify, &id) == ACL_SUCCESS);
  std::atomic<int> count{0};
  REQUIRE(aclrtWaitAndResetNotify(notify, second, 0) == ACL_SUCCESS);
  REQUIRE(aclrtLaunchHostFunc(second, Count, &count) == ACL_SUCCESS);
  CHECK(aclrtSynchronizeStreamWithTimeout(second, 20) == ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
  CHECK(count == 0);
  REQUIRE(aclrtRecordNotify(notify, first) == ACL_SUCCESS);
  REQUIRE(aclrtSynchronizeStream(second) == ACL_SUCCESS);
  CHECK(count == 1);
  // The record is gone.
  REQUIRE(aclrtWaitAndResetNotify(notify, second, 20) == ACL_SUCCESS);
  CHECK(aclrtSynchronizeStream(second) == ACL_ERROR_RT_TASK_TIMEOUT);
  REQUIRE(aclrtRecordNotify(notify, first) == ACL_SUCCESS);
  REQUIRE(aclrtSynchronizeStream(first) == ACL_SUCCESS);
  REQUIRE(aclrtNotifyBatchReset(&notify, 1) == ACL_SUCCESS);
  REQUIRE(aclrtWaitAndResetNotify(notify, second, 20) == ACL_SUCCESS);
  CHECK(aclrtSynchronizeStream(second) == ACL_ERROR_RT_TASK_TIMEOUT);
  CHECK(aclrtDestroyNotify(notify) == ACL_SUCCESS);
  CHECK(aclrtDestroyNotify(notify) == ACL_ERROR_RT_INVALID_HANDLE);
  CHECK(aclrtRecordNotify(notify, first) == ACL_ERROR_RT_INVALID_HANDLE);
  CHECK(aclrtCreateNotify(&notify, 1) == ACL_ERROR_RT_PARAM_INVALID);
  CHECK(aclrtCreateNotify(nullptr, 0) == ACL_ERROR_INVALID_PARAM);
}

TEST_CASE_METHOD(Streams, "a reset wakes what waits for a notify") {
  aclrtNotify notify = nullptr;
  REQUIRE(aclrtCreateNotify(&notify, 0) == ACL_SUCCESS);
  REQUIRE(aclrtWaitAndResetNotify(notify, second, 0) == ACL_SUCCESS);
  CHECK(aclrtResetDevice(0) == ACL_SUCCESS);
  CHECK(aclrtDestroyNotify(notify) == ACL_ERROR_RT_INVALID_HANDLE);
}

TEST_CASE_METHOD(Streams, "abort drops what is queued, and the stream works again") {
  std::atomic<int> count{0};
  REQUIRE(aclrtLaunchHostFunc(first, SleepMs, reinterpret_cast<void*>(30)) == ACL_SUCCESS);
  for (int i = 0; i < 5; ++i) REQUIRE(aclrtLaunchHostFunc(first, Count, &count) == ACL_SUCCESS);
  REQUIRE(aclrtStreamAbort(first) == ACL_SUCCESS);
  CHECK(count == 0);
  REQUIRE(aclrtLaunchHostFunc(first, Count, &count) == ACL_SUCCESS);
  REQUIRE(aclrtSynchronizeStream(first) == ACL_SUCCESS);
  CHECK(count == 1);
}

TEST_CASE_METHOD(Streams, "a wait for an event ends with its time") {
  aclrtEvent event = nullptr;
  REQUIRE(aclrtCreateEventWithFlag(&event, ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE) == ACL_SUCCESS);
  REQUIRE(aclrtStreamWaitEventWithTimeout(first, event, 20) == ACL_SUCCESS);
  aclrtEventWaitStatus status = ACL_EVENT_WAIT_STATUS_COMPLETE;
  CHECK(aclrtQueryEventWaitStatus(event, &status) == ACL_SUCCESS);
  CHECK(status == ACL_EVENT_WAIT_STATUS_NOT_READY);
  CHECK(aclrtSynchronizeStream(first) == ACL_ERROR_RT_EVENT_SYNC_TIMEOUT);
  CHECK(aclrtQueryEventWaitStatus(event, &status) == ACL_SUCCESS);
  CHECK(status == ACL_EVENT_WAIT_STATUS_COMPLETE);
  CHECK(aclrtStreamWaitEventWithTimeout(first, event, -1) == ACL_ERROR_RT_PARAM_INVALID);
  uint64_t at = 0;
  CHECK(aclrtEventGetTimestamp(event, &at) == ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID);
  REQUIRE(aclrtRecordEvent(event, second) == ACL_SUCCESS);
  REQUIRE(aclrtSynchronizeEvent(event) == ACL_SUCCESS);
  CHECK(aclrtEventGetTimestamp(event, &at) == ACL_SUCCESS);
  CHECK(at > 0);
  uint32_t left = 0;
  CHECK(aclrtGetEventAvailNum(&left) == ACL_SUCCESS);
  CHECK(left == 65535);
}

TEST_CASE_METHOD(Streams, "attributes of streams") {
  aclrtStream stream = nullptr;
  REQUIRE(aclrtCreateStreamWithConfig(&stream, 3, ACL_STREAM_FAST_LAUNCH) == ACL_SUCCESS);
  uint32_t value = 0;
  CHECK(aclrtStreamGetPriority(stream, &value) == ACL_SUCCESS);
  CHECK(value == 3);
  CHECK(aclrtStreamGetFlags(stream, &value) == ACL_SUCCESS);
  CHECK(value == ACL_STREAM_FAST_LAUNCH);
  aclrtStreamAttrValue attr = {};
  attr.userCustomTag = 77;
  CHECK(aclrtSetStreamAttribute(stream, ACL_STREAM_ATTR_USER_CUSTOM_TAG, &attr) == ACL_SUCCESS);
  attr = {};
  CHECK(aclrtGetStreamAttribute(stream, ACL_STREAM_ATTR_USER_CUSTOM_TAG, &attr) == ACL_SUCCESS);
  CHECK(attr.userCustomTag == 77);
  attr.failureMode = ACL_STOP_ON_FAILURE;
  CHECK(aclrtSetStreamAttribute(stream, ACL_STREAM_ATTR_FAILURE_MODE, &attr) == ACL_SUCCESS);
  attr = {};
  CHECK(aclrtGetStreamAttribute(stream, ACL_STREAM_ATTR_FAILURE_MODE, &attr) == ACL_SUCCESS);
  CHECK(attr.failureMode == ACL_STOP_ON_FAILURE);
  attr.streamPriority = 9;
  CHECK(aclrtSetStreamAttribute(stream, ACL_STREAM_ATTR_PRIORITY, &attr) == ACL_ERROR_RT_PARAM_INVALID);
  CHECK(aclrtGetStreamAttribute(stream, static_cast<aclrtStreamAttr>(9), &attr) == ACL_ERROR_RT_PARAM_INVALID);
  CHECK(aclrtSetStreamOverflowSwitch(stream, 1) == ACL_SUCCESS);
  CHECK(aclrtGetStreamOverflowSwitch(stream, &value) == ACL_SUCCESS);
  CHECK(value == 1);
  CHECK(aclrtSetStreamOverflowSwitch(stream, 2) == ACL_ERROR_RT_PARAM_INVALID);
  aclrtStreamConfigHandle* config = aclrtCreateStreamConfigHandle();
  const uint32_t priority = 5;
  CHECK(aclrtSetStreamConfigOpt(config, ACL_RT_STREAM_PRIORITY, &priority, sizeof(priority)) == ACL_SUCCESS);
  CHECK(aclrtSetStreamConfigOpt(config, ACL_RT_STREAM_PRIORITY, &priority, 2) == ACL_ERROR_INVALID_PARAM);
  CHECK(aclrtCreateStreamV2(&stream, config) == ACL_SUCCESS);
  CHECK(aclrtStreamGetPriority(stream, &value) == ACL_SUCCESS);
  CHECK(value == 5);
  CHECK(aclrtDestroyStreamConfigHandle(config) == ACL_SUCCESS);
  DeviceMemory word(8);
  CHECK(aclrtGetOverflowStatus(word.data, 8, stream) == ACL_SUCCESS);
  CHECK(aclrtGetOverflowStatus(word.data, 4, stream) == ACL_ERROR_RT_PARAM_INVALID);
  int32_t least = 0, greatest = 9;
  CHECK(aclrtDeviceGetStreamPriorityRange(&least, &greatest) == ACL_SUCCESS);
  CHECK(least == 7);
  CHECK(greatest == 0);
}

TEST_CASE_METHOD(DeviceFixture, "rows, batches and words") {
  std::vector<uint8_t> host(24);
  for (size_t i = 0; i < host.size(); ++i) host[i] = static_cast<uint8_t>(i);
  DeviceMemory memory(24);
  REQUIRE(aclrtMemset(memory.data, 24, 0, 24) == ACL_SUCCESS);
  // 3 rows of 4 bytes, 8 apart on the host and 6 apart on the device.
  REQUIRE(aclrtMemcpy2d(memory.data, 6, host.data(), 8, 4, 3, ACL_MEMCPY_HOST_TO_DEVICE) == ACL_SUCCESS);
  std::vector<uint8_t> back(24);
  REQUIRE(aclrtMemcpy(back.data(), 24, memory.data, 24, ACL_MEMCPY_DEVICE_TO_HOST) == ACL_SUCCESS);
  CHECK(back == std::vector<uint8_t>{0, 1, 2, 3, 0, 0, 8, 9, 10, 11, 0, 0, 16, 17, 18, 19, 0, 0, 0, 0, 0, 0, 0, 0});
  CHECK(aclrtMemcpy2d(memory.data, 3, host.data(), 8, 4, 3, ACL_MEMCPY_HOST_TO_DEVICE) == ACL_ERROR_INVALID_PARAM);
  CHECK(aclrtMemcpy2d(memory.data, 40, host.data(), 8, 4, 3, ACL_MEMCPY_HOST_TO_DEVICE) == ACL_ERROR_RT_PARAM_INVALID);
  REQUIRE(aclrtMemcpy2dAsync(memory.data, 8, host.data(), 8, 8, 3, ACL_MEMCPY_HOST_TO_DEVICE, nullptr) == ACL_SUCCESS);
  void* dsts[] = {back.data(), back.data() + 8, back.data() + 16};
  size_t maxs[] = {8, 4, 8};
  void* srcs[] = {memory.data, memory.data, memory.data};
  size_t sizes[] = {8, 8, 8};
  size_t failed = 0;
  CHECK(aclrtMemcpyBatch(dsts, maxs, srcs, sizes, 3, nullptr, nullptr, 0, &failed) == ACL_ERROR_RT_PARAM_INVALID);
  CHECK(failed == 1);
  maxs[1] = 8;
  CHECK(aclrtMemcpyBatch(dsts, maxs, srcs, sizes, 3, nullptr, nullptr, 0, &failed) == ACL_SUCCESS);
  CHECK(aclrtMemcpyBatchAsync(dsts, maxs, srcs, sizes, 3, nullptr, nullptr, 0, &failed, nullptr) == ACL_SUCCESS);
  CHECK(aclrtMemsetD32(memory.data, 24, 0x01020304, 6) == ACL_SUCCESS);
  CHECK(aclrtMemsetD32(memory.data, 24, 0, 7) == ACL_ERROR_RT_PARAM_INVALID);
  CHECK(aclrtMemsetD32(static_cast<char*>(memory.data) + 1, 20, 0, 1) == ACL_ERROR_RT_ADDR_UNALIGNED);
  CHECK(aclrtMemsetD32Async(memory.data, 24, 7, 6, nullptr) == ACL_SUCCESS);
  CHECK(aclrtMemcpyAsyncWithCondition(memory.data, 24, host.data(), 24, ACL_MEMCPY_HOST_TO_DEVICE, nullptr) == ACL_ERROR_RT_INVALID_MEMORY_TYPE);
  CHECK(aclrtSynchronizeDeviceWithTimeout(1000) == ACL_SUCCESS);
}

TEST_CASE_METHOD(DeviceFixture, "an asynchronous copy whose kind contradicts its addresses is refused, a synchronous one goes by these") {
  DeviceMemory a(16), b(16);
  std::vector<uint8_t> ordinary(16), registered(4096);
  void *pinned = nullptr, *mapped = nullptr;
  REQUIRE(aclrtMallocHost(&pinned, 16) == ACL_SUCCESS);
  REQUIRE(aclrtHostRegister(registered.data(), registered.size(), ACL_HOST_REGISTER_MAPPED, &mapped) == ACL_SUCCESS);
  struct Case {
    void *dst, *src;
    std::vector<aclrtMemcpyKind> right;
  };
  const std::vector<aclrtMemcpyKind> within = {ACL_MEMCPY_DEVICE_TO_DEVICE, ACL_MEMCPY_INNER_DEVICE_TO_DEVICE,
                                               ACL_MEMCPY_INTER_DEVICE_TO_DEVICE, ACL_MEMCPY_DEFAULT};
  const std::vector<aclrtMemcpyKind> up = {ACL_MEMCPY_HOST_TO_DEVICE, ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE, ACL_MEMCPY_DEFAULT};
  std::vector<aclrtMemcpyKind> up_or_within = up;
  up_or_within.insert(up_or_within.end(), within.begin(), within.end());
  const Case cases[] = {
      {a.data, b.data, within},
      {a.data, pinned, up},
      {a.data, ordinary.data(), up},
      {pinned, a.data, {ACL_MEMCPY_DEVICE_TO_HOST, ACL_MEMCPY_DEFAULT}},
      {ordinary.data(), a.data, {ACL_MEMCPY_DEVICE_TO_HOST, ACL_MEMCPY_DEFAULT}},
      {a.data, mapped, up_or_within},
  };
  for (const Case& one : cases) {
    for (int number = ACL_MEMCPY_HOST_TO_DEVICE; number <= ACL_MEMCPY_INTER_DEVICE_TO_DEVICE; ++number) {
      const auto kind = static_cast<aclrtMemcpyKind>(number);
      CAPTURE(&one - cases, number);
      const bool right = std::find(one.right.begin(), one.right.end(), kind) != one.right.end();
      const aclError wanted = right ? ACL_SUCCESS : ACL_ERROR_RT_PARAM_INVALID;
      CHECK(aclrtMemcpyAsync(one.dst, 16, one.src, 16, kind, nullptr) == wanted);
      CHECK(aclrtMemcpy2dAsync(one.dst, 8, one.src, 8, 4, 2, kind, nullptr) == wanted);
      CHECK(aclrtMemcpy(one.dst, 16, one.src, 16, kind) == ACL_SUCCESS);
      CHECK(aclrtMemcpy2d(one.dst, 8, one.src, 8, 4, 2, kind) == ACL_SUCCESS);
      CHECK(aclrtSynchronizeStream(nullptr) == ACL_SUCCESS);
    }
  }
  aclGetRecentErrMsg();
  CHECK(aclrtMemcpyAsync(a.data, 16, b.data, 16, ACL_MEMCPY_HOST_TO_DEVICE, nullptr) == ACL_ERROR_RT_PARAM_INVALID);
  CHECK(std::string(aclGetRecentErrMsg()).find("ACL_MEMCPY_HOST_TO_DEVICE wants host memory as the source") != std::string::npos);
  // Through addresses of addresses the fault is seen when the stream reaches it.
  void* dst = a.data;
  const void* src = b.data;
  CHECK(aclrtMemcpyAsyncWithOffset(&dst, 16, 0, &src, 16, 0, ACL_MEMCPY_DEVICE_TO_HOST, nullptr) == ACL_SUCCESS);
  CHECK(aclrtSynchronizeStream(nullptr) == ACL_ERROR_RT_PARAM_INVALID);
  // A batch: the first two copies go up, the third is said to as well.
  void* dsts[] = {a.data, b.data, ordinary.data()};
  void* srcs[] = {ordinary.data(), pinned, a.data};
  size_t sizes[] = {16, 16, 16}, indexes[] = {0, 2}, failed = 0;
  aclrtMemcpyBatchAttr attrs[2] = {};
  attrs[0].dstLoc.type = attrs[1].dstLoc.type = ACL_MEM_LOCATION_TYPE_DEVICE;
  CHECK(aclrtMemcpyBatch(dsts, sizes, srcs, sizes, 3, attrs, indexes, 2, &failed) == ACL_ERROR_RT_PARAM_INVALID);
  CHECK(failed == 2);
  std::swap(attrs[1].dstLoc, attrs[1].srcLoc);
  CHECK(aclrtMemcpyBatch(dsts, sizes, srcs, sizes, 3, attrs, indexes, 2, &failed) == ACL_SUCCESS);
  CHECK(aclrtHostUnregister(registered.data()) == ACL_SUCCESS);
  CHECK(aclrtFreeHost(pinned) == ACL_SUCCESS);
}

TEST_CASE_METHOD(DeviceFixture, "where an address lies, and further ways of allocating") {
  DeviceMemory memory(64);
  void* pinned = nullptr;
  int ordinary = 0;
  REQUIRE(aclrtMallocHostWithCfg(&pinned, 64, nullptr) == ACL_SUCCESS);
  aclrtPtrAttributes attributes = {};
  CHECK(aclrtPointerGetAttributes(memory.data, &attributes) == ACL_SUCCESS);
  CHECK(attributes.location.type == ACL_MEM_LOCATION_TYPE_DEVICE);
  CHECK(aclrtPointerGetAttributes(pinned, &attributes) == ACL_SUCCESS);
  CHECK(attributes.location.type == ACL_MEM_LOCATION_TYPE_HOST);
  CHECK(aclrtPointerGetAttributes(&ordinary, &attributes) == ACL_SUCCESS);
  CHECK(attributes.location.type == ACL_MEM_LOCATION_TYPE_UNREGISTERED);
  CHECK(aclrtFreeHostWithDevSync(pinned) == ACL_SUCCESS);
  openatcMemoryStats before = {}, after = {};
  REQUIRE(openatcGetMemoryStats(&before, sizeof(before)) == ACL_SUCCESS);
  void* tight = nullptr;
  REQUIRE(aclrtMallocAlign32(&tight, 64, ACL_MEM_MALLOC_HUGE_ONLY) == ACL_SUCCESS);
  REQUIRE(openatcGetMemoryStats(&after, sizeof(after)) == ACL_SUCCESS);
  CHECK(after.deviceBytes - before.deviceBytes == 64);  // 128 with the tail
  CHECK(aclrtFreeWithDevSync(tight) == ACL_SUCCESS);
  void* cached = nullptr;
  REQUIRE(aclrtMallocCached(&cached, 64, ACL_MEM_MALLOC_NORMAL_ONLY) == ACL_SUCCESS);
  CHECK(aclrtMemFlush(cached, 64) == ACL_SUCCESS);
  CHECK(aclrtMemInvalidate(cached, 129) == ACL_ERROR_RT_PARAM_INVALID);
  aclrtMallocAttribute attribute = {};
  attribute.attr = ACL_RT_MEM_ATTR_DEVICE_ID;
  attribute.value.deviceId = 63;
  aclrtMallocConfig config = {&attribute, 1};
  CHECK(aclrtMallocWithCfg(&tight, 64, ACL_MEM_MALLOC_HUGE_FIRST, &config) == ACL_ERROR_RT_INVALID_DEVICEID);
  attribute.value.deviceId = 0;
  CHECK(aclrtMallocWithCfg(&tight, 64, ACL_MEM_MALLOC_HUGE_FIRST, &config) == ACL_SUCCESS);
  CHECK(aclrtMalloc(&tight, 64, static_cast<aclrtMemMallocPolicy>(8)) == ACL_ERROR_INVALID_PARAM);
  aclrtMemUsageInfo usage = {};
  size_t count = 0;
  CHECK(aclrtGetMemUsageInfo(0, &usage, 1, &count) == ACL_SUCCESS);
  CHECK(count == 1);
  CHECK(usage.curMemSize > 0);
}

TEST_CASE_METHOD(DeviceFixture, "what a device is") {
  int64_t value = 0;
  CHECK(aclrtGetDeviceInfo(0, ACL_DEV_ATTR_AICORE_CORE_NUM, &value) == ACL_SUCCESS);
  CHECK(value >= 1);
  CHECK(aclrtGetDeviceInfo(0, static_cast<aclrtDevAttr>(1), &value) == ACL_ERROR_INVALID_PARAM);
  CHECK(aclrtGetDeviceInfo(70, ACL_DEV_ATTR_AICORE_CORE_NUM, &value) == ACL_ERROR_RT_INVALID_DEVICEID);
  CHECK(aclGetDeviceCapability(0, ACL_DEVICE_INFO_L2_SIZE, &value) == ACL_SUCCESS);
  aclrtUtilizationInfo rate = {};
  CHECK(aclrtGetDeviceUtilizationRate(0, &rate) == ACL_SUCCESS);
  aclrtDeviceStatus status = ACL_RT_DEVICE_STATUS_ABNORMAL;
  CHECK(aclrtQueryDeviceStatus(0, &status) == ACL_SUCCESS);
  CHECK(status == ACL_RT_DEVICE_STATUS_NORMAL);
  int32_t can = 9;
  CHECK(aclrtDeviceCanAccessPeer(&can, 0, 0) == ACL_SUCCESS);
  CHECK(can == 0);
  const aclCannAttr* list = nullptr;
  size_t num = 0;
  CHECK(aclGetCannAttributeList(&list, &num) == ACL_SUCCESS);
  CHECK(num == 3);
  int32_t offered = 0;
  CHECK(aclGetCannAttribute(ACL_CANN_ATTR_BF16, &offered) == ACL_SUCCESS);
  CHECK(offered == 1);
  int32_t major = 0, minor = 0, patch = 9;
  CHECK(aclrtGetVersion(&major, &minor, &patch) == ACL_SUCCESS);
  CHECK((major == 1 && minor == 17 && patch == 0));
  char package[] = "runtime", version[128];
  CHECK(aclsysGetVersionStr(package, version) == ACL_SUCCESS);
  CHECK(std::strcmp(version, "1.17.0") == 0);
  int64_t set = 0;
  CHECK(aclrtCtxSetSysParamOpt(ACL_OPT_DETERMINISTIC, 1) == ACL_SUCCESS);
  CHECK(aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, &set) == ACL_SUCCESS);
  CHECK(set == 1);
  CHECK(aclrtSetSysParamOpt(ACL_OPT_ENABLE_DEBUG_KERNEL, 2) == ACL_ERROR_INVALID_PARAM);
  CHECK(aclrtGetSysParamOpt(ACL_OPT_ENABLE_KERNEL_EARLY_START, &set) == ACL_ERROR_RT_SYSPARAMOPT_NOT_SET);
  CHECK(aclrtGetLastError(ACL_RT_THREAD_LEVEL) == ACL_ERROR_RT_SYSPARAMOPT_NOT_SET);
  CHECK(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL) == ACL_SUCCESS);
}

TEST_CASE_METHOD(DeviceFixture, "functions that are not offered say so") {
  CHECK(aclrtSetGroup(0) == ACL_ERROR_API_NOT_SUPPORT);
  CHECK(std::strstr(aclGetRecentErrMsg(), "aclrtSetGroup") != nullptr);
  aclmdlRI model = nullptr;
  CHECK(aclmdlRICaptureEnd(nullptr, &model) == ACL_ERROR_API_NOT_SUPPORT);
}

TEST_CASE_METHOD(DeviceFixture, "host functions on a thread that asked for them") {
  aclrtStream stream = nullptr;
  REQUIRE(aclrtCreateStream(&stream) == ACL_SUCCESS);
  std::atomic<int> count{0};
  std::atomic<bool> stop{false};
  std::thread worker([&] {
    REQUIRE(aclrtSetDevice(0) == ACL_SUCCESS);
    while (!stop) aclrtProcessHostFunc(20);
  });
  const auto id = static_cast<uint64_t>(worker.native_handle());
  REQUIRE(aclrtSubscribeHostFunc(id, stream) == ACL_SUCCESS);
  REQUIRE(aclrtLaunchHostFunc(stream, Count, &count) == ACL_SUCCESS);
  REQUIRE(aclrtSynchronizeStream(stream) == ACL_SUCCESS);
  CHECK(count == 1);
  REQUIRE(aclrtUnSubscribeHostFunc(id, stream) == ACL_SUCCESS);
  stop = true;
  worker.join();
  aclrtResetDevice(0);
}

TEST_CASE_METHOD(DeviceFixture, "descriptions of tensors of single operators") {
  const int64_t dims[] = {1, 3, 4, 5};
  aclTensorDesc* desc = aclCreateTensorDesc(ACL_FLOAT, 4, dims, ACL_FORMAT_NCHW);
  aclTensorDesc* turned = nullptr;
  CHECK(aclTransTensorDescFormat(desc, ACL_FORMAT_NHWC, &turned) == ACL_SUCCESS);
  int64_t dim = 0;
  CHECK(aclGetTensorDescDimV2(turned, 3, &dim) == ACL_SUCCESS);
  CHECK(dim == 3);
  CHECK(aclTransTensorDescFormat(desc, ACL_FORMAT_NC1HWC0, &turned) == ACL_ERROR_INVALID_PARAM);
  const int64_t open[] = {-1, 3};
  CHECK(aclSetTensorShape(desc, 2, open) == ACL_SUCCESS);
  int64_t ranges[][2] = {{1, 8}, {3, 3}};
  CHECK(aclSetTensorShapeRange(desc, 2, ranges) == ACL_SUCCESS);
  int64_t range[2] = {};
  CHECK(aclGetTensorDescDimRange(desc, 0, 2, range) == ACL_SUCCESS);
  CHECK(range[1] == 8);
  CHECK(aclGetTensorDescDimRange(desc, 5, 2, range) == ACL_ERROR_INVALID_PARAM);
  float value = 1;
  CHECK(aclSetTensorConst(desc, &value, sizeof(value)) == ACL_SUCCESS);
  CHECK(aclSetTensorConst(desc, nullptr, 4) == ACL_ERROR_INVALID_PARAM);
  CHECK(aclSetTensorPlaceMent(desc, ACL_MEMTYPE_HOST) == ACL_SUCCESS);
  CHECK(aclGetTensorDescByIndex(desc, 0) == desc);
  CHECK(aclGetTensorDescByIndex(desc, 1) == nullptr);
  CHECK(aclGetTensorDescAddress(desc) == nullptr);
  aclDestroyTensorDesc(desc);
  CHECK(aclSetTensorFormat(desc, ACL_FORMAT_ND) == ACL_ERROR_INVALID_PARAM);
}

#include <unistd.h>

#include <catch2/catch.hpp>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <future>
#include <mutex>
#include <string>
#include <thread>

#include "test/backend/acl/fixture.h"

namespace {

std::string LastError() {
  const char* text = aclGetRecentErrMsg();
  return text == nullptr ? "" : text;
}

// Lets a stream wait inside a host function until it is opened.
struct Gate {
  std::mutex mutex;
  std::condition_variable opened;
  bool open = false;
  static void Wait(void* self) {
    auto* gate = static_cast<Gate*>(self);
    std::unique_lock lock(gate->mutex);
    gate->opened.wait(lock, [&] { return gate->open; });
  }
  void Open() {
    std::lock_guard lock(mutex);
    open = true;
    opened.notify_all();
  }
};

}  // namespace

TEST_CASE("a thread without a device has no context") {
  CHECK(aclrtGetSocName() == nullptr);
  int32_t device = -1;
  CHECK(aclrtGetDevice(&device) == ACL_ERROR_RT_CONTEXT_NULL);
  aclrtStream stream = nullptr;
  CHECK(aclrtCreateStream(&stream) == ACL_ERROR_RT_CONTEXT_NULL);
  void* memory = nullptr;
  CHECK(aclrtMalloc(&memory, 16, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_ERROR_RT_CONTEXT_NULL);
  CHECK(LastError().find("aclrtSetDevice") != std::string::npos);
  CHECK(aclrtSetDevice(-1) == ACL_ERROR_RT_INVALID_DEVICEID);
  CHECK(aclrtSetDevice(1000) == ACL_ERROR_RT_INVALID_DEVICEID);
  CHECK(aclrtResetDevice(0) == ACL_ERROR_RT_CONTEXT_NULL);
}

TEST_CASE("what a device says of itself") {
  DeviceFixture fixture;
  int32_t device = -1;
  CHECK(aclrtGetDevice(&device) == ACL_SUCCESS);
  CHECK(device == 0);
  CHECK(aclrtGetDevice(nullptr) == ACL_ERROR_INVALID_PARAM);
  uint32_t count = 0;
  CHECK(aclrtGetDeviceCount(&count) == ACL_SUCCESS);
  CHECK(count >= 1);
  aclrtRunMode mode = ACL_DEVICE;
  CHECK(aclrtGetRunMode(&mode) == ACL_SUCCESS);
  CHECK(mode == ACL_HOST);
  CHECK(std::string(aclrtGetSocName()).rfind("Ascend", 0) == 0);
  size_t free_bytes = 0, total = 0;
  CHECK(aclrtGetMemInfo(ACL_HBM_MEM, &free_bytes, &total) == ACL_SUCCESS);
  CHECK(free_bytes == total);
  DeviceMemory memory(1 << 20);
  size_t less = 0;
  CHECK(aclrtGetMemInfo(ACL_HBM_MEM, &less, &total) == ACL_SUCCESS);
  CHECK(free_bytes - less == (1 << 20) + 64);
  CHECK(aclrtGetMemInfo(static_cast<aclrtMemAttr>(77), &less, &total) == ACL_ERROR_RT_PARAM_INVALID);
}

TEST_CASE("contexts: current, foreign, stale") {
  DeviceFixture fixture;
  aclrtContext first = nullptr;
  REQUIRE(aclrtGetCurrentContext(&first) == ACL_SUCCESS);
  aclrtContext again = nullptr;
  REQUIRE(aclrtGetCurrentContext(&again) == ACL_SUCCESS);
  CHECK(first == again);
  CHECK(aclrtDestroyContext(first) == ACL_ERROR_RT_PARAM_INVALID);  // the device's own
  aclrtStream stream = nullptr;
  REQUIRE(aclrtCreateStream(&stream) == ACL_SUCCESS);

  aclrtContext second = nullptr;
  REQUIRE(aclrtCreateContext(&second, 0) == ACL_SUCCESS);
  REQUIRE(aclrtGetCurrentContext(&again) == ACL_SUCCESS);
  CHECK(second == again);
  CHECK(aclrtSynchronizeStream(stream) == ACL_ERROR_RT_STREAM_CONTEXT);
  CHECK(aclrtSetCurrentContext(first) == ACL_SUCCESS);
  CHECK(aclrtSynchronizeStream(stream) == ACL_SUCCESS);
  CHECK(aclrtDestroyContext(second) == ACL_SUCCESS);
  CHECK(aclrtDestroyContext(second) == ACL_ERROR_RT_CONTEXT_NULL);
  CHECK(aclrtSetCurrentContext(second) == ACL_ERROR_RT_CONTEXT_NULL);
  CHECK(aclrtSetCurrentContext(nullptr) == ACL_ERROR_INVALID_PARAM);
  CHECK(aclrtSetCurrentContext(stream) == ACL_ERROR_RT_CONTEXT_NULL);  // another kind of handle
  CHECK(aclrtCreateContext(&second, 99) == ACL_ERROR_RT_INVALID_DEVICEID);
}

TEST_CASE("memory: null, zero, too much, wrong free") {
  DeviceFixture fixture;
  void* memory = nullptr;
  CHECK(aclrtMalloc(nullptr, 16, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_ERROR_INVALID_PARAM);
  CHECK(aclrtMalloc(&memory, 0, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_ERROR_INVALID_PARAM);
  CHECK(aclrtMalloc(&memory, 16, static_cast<aclrtMemMallocPolicy>(9)) == ACL_ERROR_INVALID_PARAM);
  CHECK(aclrtMalloc(&memory, SIZE_MAX / 2, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_ERROR_RT_MEMORY_ALLOCATION);
  CHECK(LastError().find("out of device memory") != std::string::npos);
  CHECK(aclrtFree(nullptr) == ACL_ERROR_INVALID_PARAM);
  int here = 0;
  CHECK(aclrtFree(&here) == ACL_ERROR_RT_PARAM_INVALID);
  REQUIRE(aclrtMallocHost(&memory, 16) == ACL_SUCCESS);
  CHECK(aclrtFree(memory) == ACL_ERROR_RT_PARAM_INVALID);
  CHECK(aclrtFreeHost(memory) == ACL_SUCCESS);
  CHECK(aclrtFreeHost(memory) == ACL_ERROR_RT_PARAM_INVALID);
  CHECK(aclrtMallocHost(&memory, 0) == ACL_ERROR_INVALID_PARAM);
}

TEST_CASE("synchronous copies check their arguments and their bounds") {
  DeviceFixture fixture;
  DeviceMemory memory(100);
  char host[200] = "across";
  char back[200] = "";
  CHECK(aclrtMemcpy(memory.data, 100, host, 7, ACL_MEMCPY_HOST_TO_DEVICE) == ACL_SUCCESS);
  CHECK(aclrtMemcpy(back, sizeof(back), memory.data, 7, ACL_MEMCPY_DEVICE_TO_HOST) == ACL_SUCCESS);
  CHECK(std::string(back) == "across");
  CHECK(aclrtMemcpy(memory.data, 100, host, 0, ACL_MEMCPY_HOST_TO_DEVICE) == ACL_SUCCESS);
  CHECK(aclrtMemcpy(memory.data, 6, host, 7, ACL_MEMCPY_HOST_TO_DEVICE) == ACL_ERROR_RT_PARAM_INVALID);
  CHECK(aclrtMemcpy(memory.data, 0, host, 0, ACL_MEMCPY_HOST_TO_DEVICE) == ACL_ERROR_RT_PARAM_INVALID);
  CHECK(aclrtMemcpy(memory.data, 200, host, 200, ACL_MEMCPY_HOST_TO_DEVICE) == ACL_ERROR_RT_PARAM_INVALID);
  CHECK(LastError().find("past its allocation") != std::string::npos);
  CHECK(aclrtMemcpy(back, 200, static_cast<char*>(memory.data) + 50, 143, ACL_MEMCPY_DEVICE_TO_HOST) ==
        ACL_ERROR_RT_PARAM_INVALID);
  CHECK(aclrtMemcpy(nullptr, 1, host, 1, ACL_MEMCPY_HOST_TO_DEVICE) == ACL_ERROR_INVALID_PARAM);
  CHECK(aclrtMemcpy(back, 1, nullptr, 1, ACL_MEMCPY_HOST_TO_DEVICE) == ACL_ERROR_INVALID_PARAM);
  CHECK(aclrtMemcpy(back, 1, host, 1, static_cast<aclrtMemcpyKind>(8)) == ACL_ERROR_INVALID_PARAM);
  CHECK(aclrtMemset(memory.data, 100, 0x1FF, 100) == ACL_SUCCESS);
  CHECK(aclrtMemcpy(back, 200, memory.data, 1, ACL_MEMCPY_DEFAULT) == ACL_SUCCESS);
  CHECK(back[0] == '\xFF');
  CHECK(aclrtMemset(memory.data, 100, 0, 101) == ACL_ERROR_RT_PARAM_INVALID);
  CHECK(aclrtMemset(memory.data, 192, 0, 192) == ACL_SUCCESS);  // 100 are rounded up to 128, 32 more, and whole lines
  CHECK(aclrtMemset(memory.data, 193, 0, 193) == ACL_ERROR_RT_PARAM_INVALID);
}

TEST_CASE("asynchronous copies keep to the stream's order") {
  DeviceFixture fixture;
  DeviceMemory a(64), b(64);
  aclrtStream stream = nullptr;
  REQUIRE(aclrtCreateStream(&stream) == ACL_SUCCESS);
  void* pinned = nullptr;
  REQUIRE(aclrtMallocHost(&pinned, 64) == ACL_SUCCESS);
  std::memset(pinned, 7, 64);
  Gate gate;
  REQUIRE(aclrtLaunchHostFunc(stream, Gate::Wait, &gate) == ACL_SUCCESS);
  CHECK(aclrtMemcpyAsync(a.data, 64, pinned, 64, ACL_MEMCPY_HOST_TO_DEVICE, stream) == ACL_SUCCESS);
  CHECK(aclrtMemcpyAsync(b.data, 64, a.data, 64, ACL_MEMCPY_DEVICE_TO_DEVICE, stream) == ACL_SUCCESS);
  CHECK(aclrtMemsetAsync(a.data, 64, 0, 64, stream) == ACL_SUCCESS);
  aclrtStreamStatus status = ACL_STREAM_STATUS_COMPLETE;
  CHECK(aclrtStreamQuery(stream, &status) == ACL_SUCCESS);
  CHECK(status == ACL_STREAM_STATUS_NOT_READY);
  CHECK(aclrtSynchronizeStreamWithTimeout(stream, 1) == ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
  CHECK(aclrtSynchronizeStreamWithTimeout(stream, -2) == ACL_ERROR_RT_PARAM_INVALID);
  gate.Open();
  char back[64] = {};
  // Ordinary host memory: over when the call returns.
  CHECK(aclrtMemcpyAsync(back, 64, b.data, 64, ACL_MEMCPY_DEVICE_TO_HOST, stream) == ACL_SUCCESS);
  CHECK(back[63] == 7);
  CHECK(aclrtMemcpy(back, 64, a.data, 64, ACL_MEMCPY_DEVICE_TO_HOST) == ACL_SUCCESS);
  CHECK(back[63] == 0);
  char other[64];
  CHECK(aclrtMemcpyAsync(back, 64, other, 64, ACL_MEMCPY_HOST_TO_HOST, stream) == ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
  CHECK(aclrtSynchronizeStream(stream) == ACL_SUCCESS);
  CHECK(aclrtStreamQuery(stream, &status) == ACL_SUCCESS);
  CHECK(status == ACL_STREAM_STATUS_COMPLETE);
  CHECK(aclrtFreeHost(pinned) == ACL_SUCCESS);
  CHECK(aclrtDestroyStream(stream) == ACL_SUCCESS);
  CHECK(aclrtDestroyStream(stream) == ACL_ERROR_RT_INVALID_HANDLE);
  CHECK(aclrtSynchronizeStream(stream) == ACL_ERROR_RT_INVALID_HANDLE);
  CHECK(aclrtDestroyStream(nullptr) == ACL_ERROR_INVALID_PARAM);
}

namespace {

struct Heard {
  uint32_t stream = 0, device = 1, code = 0;
  int times = 0;
} heard;

void Hear(aclrtExceptionInfo* info) {
  heard.stream = aclrtGetStreamIdFromExceptionInfo(info);
  heard.device = aclrtGetDeviceIdFromExceptionInfo(info);
  heard.code = aclrtGetErrorCodeFromExceptionInfo(info);
  ++heard.times;
}

}  // namespace

TEST_CASE("a fault of queued work surfaces at synchronisation and in the exception callback") {
  DeviceFixture fixture;
  REQUIRE(aclrtSetExceptionInfoCallback(Hear) == ACL_SUCCESS);
  heard = {};
  void* memory = nullptr;
  REQUIRE(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_SUCCESS);
  aclrtEvent event = nullptr;
  REQUIRE(aclrtCreateEvent(&event) == ACL_SUCCESS);
  Gate gate;
  REQUIRE(aclrtLaunchHostFunc(nullptr, Gate::Wait, &gate) == ACL_SUCCESS);
  REQUIRE(aclrtMemsetAsync(memory, 64, 0, 64, nullptr) == ACL_SUCCESS);
  REQUIRE(aclrtRecordEvent(event, nullptr) == ACL_SUCCESS);
  REQUIRE(aclrtFree(memory) == ACL_SUCCESS);  // the mistake
  gate.Open();
  CHECK(aclrtSynchronizeEvent(event) == ACL_ERROR_RT_DEVICE_MEM_ERROR);
  LastError();
  CHECK(aclrtSynchronizeDevice() == ACL_ERROR_RT_DEVICE_MEM_ERROR);
  CHECK(LastError().find("freed") != std::string::npos);
  CHECK(aclrtSynchronizeDevice() == ACL_SUCCESS);
  CHECK(heard.times == 1);
  CHECK(heard.device == 0);
  CHECK(heard.code == static_cast<uint32_t>(ACL_ERROR_RT_DEVICE_MEM_ERROR));
  REQUIRE(aclrtSetExceptionInfoCallback(nullptr) == ACL_SUCCESS);
  CHECK(aclrtGetTaskIdFromExceptionInfo(nullptr) == 0xFFFFFFFF);
  int here = 0;
  CHECK(aclrtGetThreadIdFromExceptionInfo(reinterpret_cast<aclrtExceptionInfo*>(&here)) == 0xFFFFFFFF);
}

TEST_CASE("events through the C API") {
  DeviceFixture fixture;
  aclrtStream a = nullptr, b = nullptr;
  REQUIRE(aclrtCreateStream(&a) == ACL_SUCCESS);
  REQUIRE(aclrtCreateStreamWithConfig(&b, 7, ACL_STREAM_FAST_LAUNCH) == ACL_SUCCESS);
  aclrtEvent start = nullptr, end = nullptr;
  REQUIRE(aclrtCreateEventWithFlag(&start, ACL_EVENT_TIME_LINE | ACL_EVENT_SYNC) == ACL_SUCCESS);
  REQUIRE(aclrtCreateEvent(&end) == ACL_SUCCESS);
  Gate gate;
  int value = 0;
  REQUIRE(aclrtRecordEvent(start, a) == ACL_SUCCESS);
  REQUIRE(aclrtLaunchHostFunc(a, Gate::Wait, &gate) == ACL_SUCCESS);
  REQUIRE(aclrtLaunchHostFunc(a, [](void* v) { *static_cast<int*>(v) = 5; }, &value) == ACL_SUCCESS);
  REQUIRE(aclrtRecordEvent(end, a) == ACL_SUCCESS);
  REQUIRE(aclrtStreamWaitEvent(b, end) == ACL_SUCCESS);
  REQUIRE(aclrtLaunchHostFunc(b, [](void* v) { *static_cast<int*>(v) *= 3; }, &value) == ACL_SUCCESS);
  aclrtEventRecordedStatus recorded = ACL_EVENT_RECORDED_STATUS_COMPLETE;
  CHECK(aclrtQueryEventStatus(end, &recorded) == ACL_SUCCESS);
  CHECK(recorded == ACL_EVENT_RECORDED_STATUS_NOT_READY);
  float ms = -1;
  CHECK(aclrtEventElapsedTime(&ms, start, end) == ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID);
  CHECK(aclrtSynchronizeEventWithTimeout(end, 1) == ACL_ERROR_RT_EVENT_SYNC_TIMEOUT);
  gate.Open();
  CHECK(aclrtSynchronizeStream(b) == ACL_SUCCESS);
  CHECK(value == 15);
  aclrtEventStatus status = ACL_EVENT_STATUS_NOT_READY;
  CHECK(aclrtQueryEvent(end, &status) == ACL_SUCCESS);
  CHECK(status == ACL_EVENT_STATUS_COMPLETE);
  CHECK(aclrtEventElapsedTime(&ms, start, end) == ACL_SUCCESS);
  CHECK(ms >= 0);
  CHECK(aclrtEventElapsedTime(&ms, end, start) == ACL_ERROR_RT_EVENT_TIMESTAMP_REVERSAL);
  CHECK(aclrtEventElapsedTime(nullptr, start, end) == ACL_ERROR_INVALID_PARAM);

  aclrtEvent other = nullptr;
  CHECK(aclrtCreateEventWithFlag(&other, 0) == ACL_ERROR_RT_PARAM_INVALID);
  CHECK(aclrtCreateEventWithFlag(&other, 0x80) == ACL_ERROR_RT_PARAM_INVALID);
  CHECK(aclrtRecordEvent(nullptr, a) == ACL_ERROR_INVALID_PARAM);
  CHECK(aclrtRecordEvent(a, a) == ACL_ERROR_RT_INVALID_HANDLE);  // a stream is no event
  REQUIRE(aclrtCreateEventExWithFlag(&other, ACL_EVENT_SYNC) == ACL_SUCCESS);
  CHECK(aclrtQueryEventStatus(other, &recorded) == ACL_SUCCESS);
  CHECK(recorded == ACL_EVENT_RECORDED_STATUS_COMPLETE);
  CHECK(aclrtCreateStreamWithConfig(&b, 8, 0) == ACL_ERROR_RT_PARAM_INVALID);
  for (aclrtEvent event : {start, end, other}) CHECK(aclrtDestroyEvent(event) == ACL_SUCCESS);
  CHECK(aclrtDestroyEvent(end) == ACL_ERROR_RT_INVALID_HANDLE);
}

TEST_CASE("callbacks reach the thread that subscribed") {
  DeviceFixture fixture;
  aclrtStream stream = nullptr;
  REQUIRE(aclrtCreateStream(&stream) == ACL_SUCCESS);
  int calls = 0;
  auto count = [](void* v) { ++*static_cast<int*>(v); };
  CHECK(aclrtLaunchCallback(count, &calls, ACL_CALLBACK_BLOCK, stream) == ACL_ERROR_RT_STREAM_NO_CB_REG);
  std::promise<void> subscribed;
  std::thread server([&] {
    subscribed.get_future().wait();
    for (int i = 0; i < 3; ++i) aclrtProcessReport(-1);
  });
  const uint64_t id = static_cast<uint64_t>(server.native_handle());
  REQUIRE(aclrtSubscribeReport(id, stream) == ACL_SUCCESS);
  subscribed.set_value();
  for (int i = 0; i < 3; ++i) CHECK(aclrtLaunchCallback(count, &calls, ACL_CALLBACK_BLOCK, stream) == ACL_SUCCESS);
  CHECK(aclrtSynchronizeStream(stream) == ACL_SUCCESS);
  server.join();
  CHECK(calls == 3);
  CHECK(aclrtUnSubscribeReport(id, stream) == ACL_SUCCESS);
  CHECK(aclrtProcessReport(0) == ACL_ERROR_INVALID_PARAM);
  CHECK(aclrtProcessReport(1) == ACL_ERROR_RT_THREAD_SUBSCRIBE);
}

TEST_CASE("reset frees everything that was the device's") {
  REQUIRE(aclrtSetDevice(0) == ACL_SUCCESS);
  aclrtStream stream = nullptr;
  aclrtEvent event = nullptr;
  void* memory = nullptr;
  aclrtContext context = nullptr;
  REQUIRE(aclrtGetCurrentContext(&context) == ACL_SUCCESS);
  REQUIRE(aclrtCreateStream(&stream) == ACL_SUCCESS);
  REQUIRE(aclrtCreateEvent(&event) == ACL_SUCCESS);
  REQUIRE(aclrtMalloc(&memory, 1000, ACL_MEM_MALLOC_NORMAL_ONLY) == ACL_SUCCESS);
  int ran = 0;
  REQUIRE(aclrtLaunchHostFunc(stream, [](void* v) { ++*static_cast<int*>(v); }, &ran) == ACL_SUCCESS);
  REQUIRE(aclrtResetDevice(0) == ACL_SUCCESS);
  CHECK(ran == 1);
  CHECK(aclrtFree(memory) == ACL_ERROR_RT_PARAM_INVALID);
  CHECK(aclrtSetCurrentContext(context) == ACL_ERROR_RT_CONTEXT_NULL);
  REQUIRE(aclrtSetDevice(0) == ACL_SUCCESS);
  CHECK(aclrtSynchronizeStream(stream) == ACL_ERROR_RT_INVALID_HANDLE);
  CHECK(aclrtDestroyEvent(event) == ACL_ERROR_RT_INVALID_HANDLE);
  openatcMemoryStats stats = {};
  REQUIRE(openatcGetMemoryStats(&stats, sizeof(stats)) == ACL_SUCCESS);
  CHECK(stats.deviceBytes == 0);
  CHECK(stats.deviceCount == 0);
  CHECK(aclrtResetDevice(0) == ACL_SUCCESS);
}

TEST_CASE("the extension tells of the device and bounds the cores") {
  CHECK(std::string(openatcGetVersion()).rfind("OpenATC ", 0) == 0);
  CHECK(std::string(openatcGetDeviceDescription()).find("simulated") != std::string::npos);
  uint32_t all = 0, cores = 0;
  CHECK(openatcSetCores(0) == ACL_SUCCESS);
  CHECK(openatcGetCores(&all) == ACL_SUCCESS);
  CHECK(openatcSetCores(1) == ACL_SUCCESS);
  CHECK(openatcGetCores(&cores) == ACL_SUCCESS);
  CHECK(cores == 1);
  CHECK(openatcSetCores(all + 1) == ACL_ERROR_INVALID_PARAM);
  CHECK(openatcSetCores(0) == ACL_SUCCESS);
  CHECK(openatcGetCores(nullptr) == ACL_ERROR_INVALID_PARAM);
}

TEST_CASE("start and end, with and without a configuration") {
  const std::string path = "/tmp/openatc_acl_test_" + std::to_string(getpid()) + ".json";
  auto write = [&](const char* text) { std::ofstream(path) << text; };
  CHECK(aclFinalize() == ACL_ERROR_UNINITIALIZE);
  CHECK(aclInit("/no/such/file.json") == ACL_ERROR_INVALID_FILE);
  write("{ not json");
  CHECK(aclInit(path.c_str()) == ACL_ERROR_PARSE_FILE);
  write("[]");
  CHECK(aclInit(path.c_str()) == ACL_ERROR_PARSE_FILE);
  write(R"({"dump":{"dump_path":"x"}})");
  CHECK(aclInit(path.c_str()) == ACL_ERROR_INVALID_DUMP_CONFIG);  // no such folder
  write("{}");
  REQUIRE(aclInit(path.c_str()) == ACL_SUCCESS);
  CHECK(aclInit(nullptr) == ACL_ERROR_REPEAT_INITIALIZE);
  REQUIRE(aclrtSetDevice(0) == ACL_SUCCESS);
  void* host = nullptr;
  REQUIRE(aclrtMallocHost(&host, 8) == ACL_SUCCESS);
  CHECK(aclFinalize() == ACL_SUCCESS);
  CHECK(aclrtFreeHost(host) == ACL_ERROR_RT_PARAM_INVALID);
  CHECK(aclFinalize() == ACL_ERROR_REPEAT_FINALIZE);
  CHECK(aclInit(nullptr) == ACL_ERROR_INVALID_PARAM);  // another configuration than before
  CHECK(aclInit(path.c_str()) == ACL_SUCCESS);
  CHECK(aclFinalize() == ACL_SUCCESS);
  std::remove(path.c_str());
}

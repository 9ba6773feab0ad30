// The process as a whole: callbacks at start and end, versions, a device's last fault, and what is not offered.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "backend/acl/include/acl/acl_dump.h"
#include "backend/acl/include/acl/acl_rt_allocator.h"
#include "backend/acl/include/acl/acl_tdt.h"
#include "backend/acl/include/acl/acl_tdt_queue.h"
#include "backend/acl/include/acl/openatc_kernel.h"
#include "test/backend/acl/fixture.h"

namespace {

struct Call {
  std::string config;
  int count = 0;
};

aclError AtInit(const char* config, size_t length, void* data) {
  auto* call = static_cast<Call*>(data);
  call->config.assign(config, length);
  ++call->count;
  return ACL_SUCCESS;
}

aclError AtFinalize(void* data) {
  ++static_cast<Call*>(data)->count;
  return ACL_ERROR_FAILURE;
}

void Nothing() {}

}  // namespace

TEST_CASE("callbacks at the start and the end") {
  // The configuration that this process starts with in other tests: it must be the same each time.
  const std::string path = "/tmp/openatc_system_test_" + std::to_string(getpid()) + ".json";
  std::ofstream(path) << "{}";
  Call init, late, finalize;
  CHECK(aclInitCallbackRegister(ACL_REG_TYPE_OTHER, nullptr, &init) == ACL_ERROR_INVALID_PARAM);
  CHECK(aclInitCallbackRegister(static_cast<aclRegisterCallbackType>(8), AtInit, &init) == ACL_ERROR_INVALID_PARAM);
  REQUIRE(aclInitCallbackRegister(ACL_REG_TYPE_OTHER, AtInit, &init) == ACL_SUCCESS);
  CHECK(aclInitCallbackRegister(ACL_REG_TYPE_OTHER, AtInit, &init) == ACL_ERROR_INVALID_PARAM);
  CHECK(init.count == 0);
  REQUIRE(aclInit(path.c_str()) == ACL_SUCCESS);
  CHECK(init.count == 1);
  CHECK(init.config == "{}");
  // After the start it is called at once.
  REQUIRE(aclInitCallbackRegister(ACL_REG_TYPE_ACL_MODEL, AtInit, &late) == ACL_SUCCESS);
  CHECK(late.count == 1);
  REQUIRE(aclFinalizeCallbackRegister(ACL_REG_TYPE_ACL_MODEL, AtFinalize, &finalize) == ACL_SUCCESS);
  CHECK(aclFinalize() == ACL_ERROR_FAILURE);  // what the callback said
  CHECK(finalize.count == 1);
  CHECK(aclInitCallbackUnRegister(ACL_REG_TYPE_ACL_MODEL, AtInit) == ACL_SUCCESS);
  CHECK(aclInitCallbackUnRegister(ACL_REG_TYPE_ACL_MODEL, AtInit) == ACL_ERROR_INVALID_PARAM);
  CHECK(aclInitCallbackUnRegister(ACL_REG_TYPE_OTHER, AtInit) == ACL_SUCCESS);
  CHECK(aclFinalizeCallbackUnRegister(ACL_REG_TYPE_ACL_MODEL, AtFinalize) == ACL_SUCCESS);
  REQUIRE(aclInit(path.c_str()) == ACL_SUCCESS);
  CHECK(init.count == 1);
  CHECK(aclFinalize() == ACL_SUCCESS);
  CHECK(finalize.count == 1);
  std::remove(path.c_str());
}

TEST_CASE("versions of packages") {
  aclCANNPackageVersion version;
  std::memset(&version, 'x', sizeof(version));
  REQUIRE(aclsysGetCANNVersion(ACL_PKG_NAME_RUNTIME, &version) == ACL_SUCCESS);
  CHECK(std::string(version.version) == "1.17.0");
  CHECK(std::string(version.majorVersion) + "." + version.minorVersion + "." + version.patchVersion == "1.17.0");
  CHECK(aclsysGetCANNVersion(ACL_PKG_NAME_DRIVER, &version) == ACL_ERROR_INVALID_PARAM);
  CHECK(aclsysGetCANNVersion(ACL_PKG_NAME_CANN, nullptr) == ACL_ERROR_INVALID_PARAM);
}

TEST_CASE("a device tells its last fault until it is reset") {
  const auto fault = [](const char* text) {
    aclrtResetDeviceForce(0);
    text == nullptr ? unsetenv("ATC_FAULT") : setenv("ATC_FAULT", text, 1);
    REQUIRE(aclrtSetDevice(0) == ACL_SUCCESS);
  };
  aclrtErrorInfo info;
  fault("kernel@1");
  CHECK(aclrtGetErrorVerbose(0, &info) == ACL_SUCCESS);
  CHECK(info.errorType == ACL_RT_NO_ERROR);
  CHECK(ACLRT_LAUNCH_KERNEL(Nothing)(1, nullptr) == ACL_SUCCESS);
  CHECK(aclrtSynchronizeStream(nullptr) == ACL_ERROR_RT_AICORE_EXCEPTION);
  CHECK(aclrtGetErrorVerbose(0, &info) == ACL_SUCCESS);
  CHECK(info.errorType == ACL_RT_ERROR_AICORE);
  CHECK(info.hasDetail == 1);
  CHECK(info.detail.aicoreErrType == ACL_RT_AICORE_ERROR_SW);
  fault("lost@1");
  CHECK(aclrtGetErrorVerbose(0, &info) == ACL_SUCCESS);
  CHECK(info.errorType == ACL_RT_NO_ERROR);
  CHECK(ACLRT_LAUNCH_KERNEL(Nothing)(1, nullptr) == ACL_SUCCESS);
  CHECK(aclrtSynchronizeStream(nullptr) == ACL_ERROR_RT_LOST_HEARTBEAT);
  CHECK(aclrtGetErrorVerbose(0, &info) == ACL_SUCCESS);
  CHECK(info.errorType == ACL_RT_ERROR_OTHERS);
  CHECK(aclrtGetErrorVerbose(77, &info) == ACL_ERROR_RT_INVALID_DEVICEID);
  CHECK(aclrtGetErrorVerbose(0, nullptr) == ACL_ERROR_INVALID_PARAM);
  fault(nullptr);
  CHECK(aclrtGetErrorVerbose(0, &info) == ACL_SUCCESS);
  CHECK(info.errorType == ACL_RT_NO_ERROR);
  aclrtResetDeviceForce(0);
  aclGetRecentErrMsg();
  for (const char* text : {"bogus", "slow", "kernel@0", "alloc:name"}) {
    setenv("ATC_FAULT", text, 1);
    CHECK(aclrtSetDevice(0) == ACL_ERROR_RT_PARAM_INVALID);
    CHECK(std::string(aclGetRecentErrMsg()).find("ATC_FAULT: '" + std::string(text) + "'") != std::string::npos);
  }
  unsetenv("ATC_FAULT");
}

TEST_CASE("calls that are not offered say so, whatever they return") {
  aclGetRecentErrMsg();
  CHECK(acltdtCreateChannel(0, "c") == nullptr);
  CHECK(std::string(aclGetRecentErrMsg()).find("200001: acltdtCreateChannel") == 0);
  CHECK(acltdtGetDatasetSize(nullptr) == 0);
  CHECK(acltdtGetDataTypeFromItem(nullptr) == ACL_DT_UNDEFINED);
  CHECK(acltdtGetTensorTypeFromItem(nullptr) == ACL_TENSOR_DATA_UNDEFINED);
  CHECK(acltdtDestroyQueue(1) == ACL_ERROR_API_NOT_SUPPORT);
  CHECK(acltdtCreateQueueAttr() == nullptr);
  CHECK(aclrtCreateGroupInfo() == nullptr);
  aclrtDrvMemHandle handle = nullptr;
  aclrtPhysicalMemProp prop = {};
  CHECK(aclrtMallocPhysical(&handle, 1, &prop, 0) == ACL_ERROR_API_NOT_SUPPORT);
  CHECK(aclmdlRICaptureBegin(nullptr, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL) == ACL_ERROR_API_NOT_SUPPORT);
  CHECK(aclrtReduceAsync(nullptr, nullptr, 0, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_FLOAT, nullptr, nullptr) ==
        ACL_ERROR_API_NOT_SUPPORT);
}

TEST_CASE_METHOD(DeviceFixture, "several copies without telling which failed") {
  std::vector<uint8_t> host(16, 3), back(16);
  DeviceMemory memory(16);
  void* dsts[] = {memory.data, static_cast<uint8_t*>(memory.data) + 8};
  void* srcs[] = {host.data(), host.data() + 8};
  size_t maxs[] = {8, 8}, sizes[] = {8, 8};
  REQUIRE(aclrtMemcpyBatchV2(dsts, maxs, srcs, sizes, 2, nullptr, nullptr, 0) == ACL_SUCCESS);
  REQUIRE(aclrtMemcpy(back.data(), 16, memory.data, 16, ACL_MEMCPY_DEVICE_TO_HOST) == ACL_SUCCESS);
  CHECK(back == host);
  sizes[1] = 9;
  CHECK(aclrtMemcpyBatchV2(dsts, maxs, srcs, sizes, 2, nullptr, nullptr, 0) == ACL_ERROR_RT_PARAM_INVALID);
  CHECK(aclrtMemcpyBatchV2(nullptr, maxs, srcs, sizes, 2, nullptr, nullptr, 0) == ACL_ERROR_INVALID_PARAM);
  sizes[1] = 8;
  CHECK(aclrtMemcpyBatchAsyncV2(dsts, maxs, srcs, sizes, 2, nullptr, nullptr, 0, nullptr) == ACL_SUCCESS);
  CHECK(aclrtSynchronizeStream(nullptr) == ACL_SUCCESS);
}

namespace {

void* Allocate(aclrtAllocator allocator, size_t size) { return allocator; }
void Free(aclrtAllocator allocator, aclrtAllocatorBlock block) {}
void* Address(aclrtAllocatorBlock block) { return block; }

}  // namespace

TEST_CASE_METHOD(DeviceFixture, "a stream keeps the allocator that it was told") {
  aclrtStream stream = nullptr;
  REQUIRE(aclrtCreateStream(&stream) == ACL_SUCCESS);
  int own = 0;
  aclrtAllocatorDesc desc = aclrtAllocatorCreateDesc();
  REQUIRE(desc != nullptr);
  CHECK(aclrtAllocatorRegister(stream, desc) == ACL_ERROR_INVALID_PARAM);  // empty as yet
  CHECK(aclrtAllocatorSetObjToDesc(desc, &own) == ACL_SUCCESS);
  CHECK(aclrtAllocatorSetAllocFuncToDesc(desc, Allocate) == ACL_SUCCESS);
  CHECK(aclrtAllocatorSetFreeFuncToDesc(desc, Free) == ACL_SUCCESS);
  CHECK(aclrtAllocatorSetGetAddrFromBlockFuncToDesc(desc, nullptr) == ACL_ERROR_INVALID_PARAM);
  CHECK(aclrtAllocatorSetGetAddrFromBlockFuncToDesc(desc, Address) == ACL_SUCCESS);
  CHECK(aclrtAllocatorSetObjToDesc(nullptr, &own) == ACL_ERROR_INVALID_PARAM);
  CHECK(aclrtAllocatorRegister(nullptr, desc) == ACL_ERROR_INVALID_PARAM);
  REQUIRE(aclrtAllocatorRegister(stream, desc) == ACL_SUCCESS);
  aclrtAllocatorDesc of_stream = nullptr;
  aclrtAllocator object = nullptr;
  aclrtAllocatorAllocFunc allocate = nullptr;
  aclrtAllocatorFreeFunc free = nullptr;
  auto advise = reinterpret_cast<aclrtAllocatorAllocAdviseFunc>(1);
  aclrtAllocatorGetAddrFromBlockFunc address = nullptr;
  const auto get = [&] { return aclrtAllocatorGetByStream(stream, &of_stream, &object, &allocate, &free, &advise, &address); };
  REQUIRE(get() == ACL_SUCCESS);
  CHECK((of_stream == desc && object == &own && allocate == Allocate && free == Free && advise == nullptr && address == Address));
  // What was told stays when the description goes.
  CHECK(aclrtAllocatorDestroyDesc(desc) == ACL_SUCCESS);
  CHECK(aclrtAllocatorDestroyDesc(desc) == ACL_ERROR_INVALID_PARAM);
  CHECK(aclrtAllocatorRegister(stream, desc) == ACL_ERROR_INVALID_PARAM);
  CHECK(get() == ACL_SUCCESS);
  CHECK(object == &own);
  CHECK(aclrtAllocatorUnregister(stream) == ACL_SUCCESS);
  CHECK(get() == ACL_SUCCESS);
  CHECK(object == nullptr);
  CHECK(aclrtAllocatorUnregister(stream) == ACL_SUCCESS);
  CHECK(aclrtDestroyStream(stream) == ACL_SUCCESS);
  CHECK(get() == ACL_ERROR_RT_INVALID_HANDLE);
}

TEST_CASE("the callback of dumps checks its arguments, and what is not offered says so") {
  CHECK(acldumpRegCallback(nullptr, 0) == ACL_ERROR_INVALID_PARAM);
  CHECK(acldumpRegCallback([](const acldumpChunk*, int32_t) { return 0; }, 1) == ACL_ERROR_FAILURE);
  acldumpUnregCallback();
  CHECK(acldumpGetPath(DATA_DUMP) == nullptr);
  CHECK(aclopStartDumpArgs(ACL_OP_DUMP_OP_AICORE_ARGS, ".") == ACL_ERROR_API_NOT_SUPPORT);
}

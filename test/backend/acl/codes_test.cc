// The codes that the reference of the C API names, one by one, where no other test has them.
#include <pthread.h>

#include <string>
#include <thread>
#include <vector>

#include "test/backend/acl/fixture.h"

namespace {

constexpr char kModel[] = "model";  // what model_test.cc's executor loads: inputs x (2 x 3 floats) and n, two outputs
constexpr auto Code = [](auto code) { return static_cast<aclError>(code); };

struct Loaded : DeviceFixture {
  Loaded() { REQUIRE(aclmdlLoadFromMem(kModel, sizeof(kModel), &id) == ACL_SUCCESS); }
  uint32_t id = 0;
};

}  // namespace

TEST_CASE_METHOD(DeviceFixture, "streams and events are as many as a card has") {
  std::vector<aclrtStream> streams;
  aclrtStream stream = nullptr;
  while (aclrtCreateStream(&stream) == ACL_SUCCESS) streams.push_back(stream);
  CHECK(aclrtGetLastError(ACL_RT_THREAD_LEVEL) == ACL_ERROR_RT_NO_STREAM_RESOURCE);
  CHECK(streams.size() == 1984);
  REQUIRE(aclrtDestroyStream(streams.back()) == ACL_SUCCESS);
  CHECK(aclrtCreateStream(&stream) == ACL_SUCCESS);
  size_t events = 0;
  aclrtEvent event = nullptr;
  while (aclrtCreateEvent(&event) == ACL_SUCCESS) ++events;
  CHECK(aclrtGetLastError(ACL_RT_THREAD_LEVEL) == ACL_ERROR_RT_NO_EVENT_RESOURCE);
  CHECK(events == 65536);
}

TEST_CASE_METHOD(DeviceFixture, "what failed is told to the thread it failed on, newest first, once") {
  void* memory = nullptr;
  CHECK(aclrtMalloc(nullptr, 8, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_ERROR_INVALID_PARAM);
  CHECK(aclrtMalloc(&memory, 0, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_ERROR_INVALID_PARAM);
  bool silent = false;
  std::thread([&] { silent = aclGetRecentErrMsg() == nullptr && aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL) == 0; }).join();
  CHECK(silent);
  const std::string text = aclGetRecentErrMsg();
  const size_t newer = text.find("0 bytes"), older = text.find("devPtr");
  CHECK(newer != std::string::npos);
  CHECK(older != std::string::npos);
  CHECK(newer < older);
  CHECK(aclGetRecentErrMsg() == nullptr);
  CHECK(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL) == ACL_ERROR_INVALID_PARAM);
  CHECK(aclrtGetLastError(ACL_RT_THREAD_LEVEL) == ACL_ERROR_INVALID_PARAM);
  CHECK(aclrtGetLastError(ACL_RT_THREAD_LEVEL) == ACL_SUCCESS);
}

TEST_CASE_METHOD(DeviceFixture, "reports: times, and threads that did not subscribe") {
  aclrtStream stream = nullptr;
  REQUIRE(aclrtCreateStream(&stream) == ACL_SUCCESS);
  CHECK(aclrtProcessReport(0) == ACL_ERROR_INVALID_PARAM);
  CHECK(aclrtProcessReport(-2) == ACL_ERROR_INVALID_PARAM);
  CHECK(aclrtLaunchCallback([](void*) {}, nullptr, ACL_CALLBACK_BLOCK, stream) == ACL_ERROR_RT_STREAM_NO_CB_REG);
  const auto self = static_cast<uint64_t>(pthread_self());
  REQUIRE(aclrtSubscribeReport(self, stream) == ACL_SUCCESS);
  CHECK(aclrtProcessReport(10) == ACL_ERROR_RT_REPORT_TIMEOUT);
  CHECK(aclrtUnSubscribeReport(self, stream) == ACL_SUCCESS);
}

TEST_CASE_METHOD(DeviceFixture, "copies between two sides of the host are not queued") {
  char from[8] = {}, to[8] = {};
  CHECK(aclrtMemcpyAsync(to, 8, from, 8, ACL_MEMCPY_HOST_TO_HOST, nullptr) == ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
  CHECK(aclrtMemcpyAsync(to, 8, from, 8, static_cast<aclrtMemcpyKind>(9), nullptr) == ACL_ERROR_INVALID_PARAM);
  CHECK(aclrtMemcpy(to, 8, from, 8, ACL_MEMCPY_HOST_TO_HOST) == ACL_SUCCESS);
}

TEST_CASE_METHOD(Loaded, "a model without gears says so") {
  aclmdlDesc* desc = aclmdlCreateDesc();
  REQUIRE(aclmdlGetDesc(desc, id) == ACL_SUCCESS);
  aclmdlBatch batch = {};
  aclmdlHW hw = {};
  size_t gears = 9;
  CHECK(aclmdlGetDynamicBatch(desc, &batch) == ACL_SUCCESS);
  CHECK(batch.batchCount == 0);
  CHECK(aclmdlGetDynamicHW(desc, static_cast<size_t>(-1), &hw) == ACL_SUCCESS);
  CHECK(hw.hwCount == 0);
  CHECK(aclmdlGetInputDynamicGearCount(desc, static_cast<size_t>(-1), &gears) == ACL_SUCCESS);
  CHECK(gears == 0);
  aclmdlDataset* inputs = aclmdlCreateDataset();
  DeviceMemory memory(64);
  REQUIRE(aclmdlAddDatasetBuffer(inputs, aclCreateDataBuffer(memory.data, 64)) == ACL_SUCCESS);
  CHECK(aclmdlSetDynamicBatchSize(id, inputs, 0, 4) == Code(ACL_ERROR_GE_DYNAMIC_BATCH_SIZE_INVALID));
  CHECK(aclmdlSetDynamicBatchSize(id, inputs, 0, 0) == ACL_ERROR_INVALID_PARAM);
  CHECK(aclmdlSetDynamicBatchSize(id, nullptr, 0, 4) == ACL_ERROR_INVALID_PARAM);
  CHECK(aclmdlSetDynamicBatchSize(id, inputs, 7, 4) == ACL_ERROR_INVALID_PARAM);
  CHECK(aclmdlSetDynamicHWSize(id, inputs, 0, 8, 8) == Code(ACL_ERROR_GE_DYNAMIC_BATCH_SIZE_INVALID));
  CHECK(aclmdlSetDynamicHWSize(id, inputs, 0, 0, 8) == ACL_ERROR_INVALID_PARAM);
  aclmdlIODims dims = {};
  CHECK(aclmdlSetInputDynamicDims(id, inputs, 0, &dims) == ACL_ERROR_INVALID_PARAM);
  dims.dimCount = 3;
  dims.dims[0] = dims.dims[1] = dims.dims[2] = 2;
  CHECK(aclmdlSetInputDynamicDims(id, inputs, 0, &dims) == Code(ACL_ERROR_GE_DYNAMIC_BATCH_SIZE_INVALID));
  CHECK(aclmdlSetDynamicBatchSize(id + 100, inputs, 0, 4) == Code(ACL_ERROR_GE_EXEC_MODEL_ID_INVALID));
  aclmdlDestroyDataset(inputs);
  aclmdlDestroyDesc(desc);
}

TEST_CASE_METHOD(Loaded, "a model without AIPP says so") {
  aclmdlInputAippType type = ACL_DATA_WITH_DYNAMIC_AIPP;
  size_t attached = 0;
  CHECK(aclmdlGetAippType(id, 0, &type, &attached) == ACL_SUCCESS);
  CHECK(type == ACL_DATA_WITHOUT_AIPP);
  CHECK(attached == 0xFFFFFFFF);
  aclAippInfo info = {};
  CHECK(aclmdlGetFirstAippInfo(id, 0, &info) == ACL_ERROR_NOT_STATIC_AIPP);
  CHECK(aclmdlCreateAIPP(0) == nullptr);
  aclmdlAIPP* aipp = aclmdlCreateAIPP(2);
  REQUIRE(aipp != nullptr);
  CHECK(aclmdlSetAIPPDtcPixelMean(aipp, 1, 2, 3, 4, 2) == ACL_ERROR_INVALID_PARAM);  // images are 0 and 1
  CHECK(aclmdlSetAIPPDtcPixelMean(aipp, 1, 2, 3, 4, 1) == ACL_SUCCESS);
  aclmdlDataset* inputs = aclmdlCreateDataset();
  DeviceMemory memory(4096);
  REQUIRE(aclmdlAddDatasetBuffer(inputs, aclCreateDataBuffer(memory.data, 4096)) == ACL_SUCCESS);
  CHECK(aclmdlSetInputAIPP(id, inputs, 0, aipp) == Code(ACL_ERROR_GE_AIPP_NOT_EXIST));
  CHECK(aclmdlSetInputAIPP(id, inputs, 5, aipp) == ACL_ERROR_INVALID_PARAM);
  CHECK(aclmdlDestroyAIPP(aipp) == ACL_SUCCESS);
  CHECK(aclmdlDestroyAIPP(aipp) == ACL_ERROR_INVALID_PARAM);
  aclmdlDestroyDataset(inputs);
}

TEST_CASE_METHOD(Loaded, "runs with options need a handle, and know their options") {
  aclmdlDataset* none = aclmdlCreateDataset();
  CHECK(aclmdlExecuteV2(id, none, none, nullptr, nullptr) == ACL_ERROR_INVALID_PARAM);
  CHECK(aclmdlExecuteAsyncV2(id, none, none, nullptr, nullptr) == ACL_ERROR_INVALID_PARAM);
  aclmdlExecConfigHandle* options = aclmdlCreateExecConfigHandle();
  const int32_t wait = 100;
  CHECK(aclmdlSetExecConfigOpt(options, ACL_MDL_STREAM_SYNC_TIMEOUT, &wait, sizeof(wait)) == ACL_SUCCESS);
  CHECK(aclmdlSetExecConfigOpt(options, ACL_MDL_STREAM_SYNC_TIMEOUT, &wait, 1) == ACL_ERROR_INVALID_PARAM);
  CHECK(aclmdlSetExecConfigOpt(options, static_cast<aclmdlExecConfigAttr>(77), &wait, sizeof(wait)) == ACL_ERROR_INVALID_PARAM);
  CHECK(aclmdlExecuteV2(id, none, none, nullptr, options) == Code(ACL_ERROR_GE_PARAM_INVALID));  // no buffers
  CHECK(aclmdlDestroyExecConfigHandle(options) == ACL_SUCCESS);
  CHECK(aclmdlDestroyExecConfigHandle(options) == ACL_ERROR_INVALID_PARAM);
  aclmdlDestroyDataset(none);
}

TEST_CASE_METHOD(DeviceFixture, "the models of a bundle go with it") {
  uint32_t bundle = 0, model = 0;
  size_t count = 0;
  REQUIRE(aclmdlBundleLoadFromMem(kModel, sizeof(kModel), &bundle) == ACL_SUCCESS);
  CHECK(aclmdlBundleGetModelNum(bundle, &count) == ACL_SUCCESS);
  CHECK(count == 1);
  CHECK(aclmdlBundleGetModelId(bundle, 1, &model) == ACL_ERROR_INVALID_PARAM);
  REQUIRE(aclmdlBundleGetModelId(bundle, 0, &model) == ACL_SUCCESS);
  CHECK(aclmdlUnload(model) == ACL_ERROR_INVALID_PARAM);
  CHECK(aclmdlBundleUnload(bundle) == ACL_SUCCESS);
  CHECK(aclmdlBundleUnload(bundle) == ACL_ERROR_INVALID_BUNDLE_MODEL_ID);
  CHECK(aclmdlUnload(model) == Code(ACL_ERROR_GE_EXEC_MODEL_ID_INVALID));
}

TEST_CASE_METHOD(DeviceFixture, "each thread has its own context, and the default stream is that context's") {
  aclrtContext mine = nullptr, other = nullptr, seen = nullptr;
  REQUIRE(aclrtGetCurrentContext(&mine) == ACL_SUCCESS);
  REQUIRE(aclrtCreateContext(&other, 0) == ACL_SUCCESS);
  aclrtStream of_other = nullptr, of_mine = nullptr;
  REQUIRE(aclrtCtxGetCurrentDefaultStream(&of_other) == ACL_SUCCESS);
  REQUIRE(aclrtSetCurrentContext(mine) == ACL_SUCCESS);
  REQUIRE(aclrtCtxGetCurrentDefaultStream(&of_mine) == ACL_SUCCESS);
  CHECK(of_mine != of_other);
  int code = 0;
  std::thread([&] {
    code = aclrtGetCurrentContext(&seen);  // none in a new thread
    aclrtSetCurrentContext(other);
    aclrtGetCurrentContext(&seen);
  }).join();
  CHECK(code == ACL_ERROR_RT_CONTEXT_NULL);
  CHECK(seen == other);
  CHECK(aclrtSynchronizeStream(of_other) == ACL_ERROR_RT_STREAM_CONTEXT);
  CHECK(aclrtDestroyStream(of_mine) != ACL_SUCCESS);  // it goes with its context
  CHECK(aclrtSynchronizeStream(of_mine) == ACL_SUCCESS);
  CHECK(aclrtDestroyContext(other) == ACL_SUCCESS);
  CHECK(aclrtSetCurrentContext(other) != ACL_SUCCESS);
  CHECK(aclrtSynchronizeStream(nullptr) == ACL_SUCCESS);
}

// Kernels of a program's own, over blocks.
#include <cstring>
#include <vector>

#include "backend/acl/include/acl/openatc_kernel.h"
#include "test/backend/acl/fixture.h"

namespace {

struct Kernels : DeviceFixture {
  Kernels() { REQUIRE(aclrtBinaryLoadFromFile(OPENATC_TEST_KERNELS, nullptr, &library) == ACL_SUCCESS); }
  aclrtFuncHandle Find(const char* name) {
    aclrtFuncHandle function = nullptr;
    REQUIRE(aclrtBinaryGetFunction(library, name, &function) == ACL_SUCCESS);
    return function;
  }
  aclrtBinHandle library = nullptr;
};

std::vector<int32_t> Read(const DeviceMemory& memory, size_t count) {
  std::vector<int32_t> values(count);
  REQUIRE(aclrtMemcpy(values.data(), 4 * count, memory.data, 4 * count, ACL_MEMCPY_DEVICE_TO_HOST) == ACL_SUCCESS);
  return values;
}

void Add(uint8_t* x, uint8_t* y, uint8_t* z, int32_t count) {
  for (int64_t i = GetBlockIdx(); i < count; i += GetBlockNum()) {
    reinterpret_cast<int32_t*>(z)[i] = reinterpret_cast<int32_t*>(x)[i] + reinterpret_cast<int32_t*>(y)[i];
  }
}

}  // namespace

TEST_CASE_METHOD(Kernels, "a kernel of a library runs once for each block") {
  constexpr size_t kCount = 1000;
  DeviceMemory x(4 * kCount), y(4 * kCount), z(4 * kCount);
  REQUIRE(aclrtMemsetD32(x.data, x.bytes, 5, kCount) == ACL_SUCCESS);
  REQUIRE(aclrtMemsetD32(y.data, y.bytes, 7, kCount) == ACL_SUCCESS);
  const uint64_t args[] = {reinterpret_cast<uint64_t>(x.data), reinterpret_cast<uint64_t>(y.data), reinterpret_cast<uint64_t>(z.data), kCount, 3};
  for (const uint32_t blocks : {1u, 7u, 64u}) {
    REQUIRE(aclrtMemset(z.data, z.bytes, 0, z.bytes) == ACL_SUCCESS);
    REQUIRE(aclrtLaunchKernel(Find("scale_add"), blocks, args, sizeof(args), nullptr) == ACL_SUCCESS);
    REQUIRE(aclrtSynchronizeStream(nullptr) == ACL_SUCCESS);
    CHECK(Read(z, kCount) == std::vector<int32_t>(kCount, 26));
  }
  char name[32];
  CHECK(aclrtGetFunctionName(Find("scale_add"), sizeof(name), name) == ACL_SUCCESS);
  CHECK(std::strcmp(name, "scale_add") == 0);
}

TEST_CASE_METHOD(Kernels, "arguments one by one, with a buffer that is copied along") {
  DeviceMemory out(4 * 4);
  aclrtArgsHandle args = nullptr;
  aclrtParamHandle first = nullptr, second = nullptr;
  const aclrtFuncHandle function = Find("add_table");
  REQUIRE(aclrtKernelArgsInit(function, &args) == ACL_SUCCESS);
  void* nowhere = nullptr;
  REQUIRE(aclrtKernelArgsAppend(args, &nowhere, sizeof(nowhere), &first) == ACL_SUCCESS);
  REQUIRE(aclrtKernelArgsAppendPlaceHolder(args, &second) == ACL_SUCCESS);
  void* table = nullptr;
  REQUIRE(aclrtKernelArgsGetPlaceHolderBuffer(args, second, 16, &table) == ACL_SUCCESS);
  const int32_t values[] = {4, 3, 2, 1};
  std::memcpy(table, values, sizeof(values));
  void* address = out.data;
  REQUIRE(aclrtKernelArgsParaUpdate(args, first, &address, sizeof(address)) == ACL_SUCCESS);
  CHECK(aclrtLaunchKernelWithConfig(function, 4, nullptr, nullptr, args, nullptr) == ACL_ERROR_INVALID_PARAM);
  REQUIRE(aclrtKernelArgsFinalize(args) == ACL_SUCCESS);
  REQUIRE(aclrtLaunchKernelWithConfig(function, 4, nullptr, nullptr, args, nullptr) == ACL_SUCCESS);
  REQUIRE(aclrtSynchronizeStream(nullptr) == ACL_SUCCESS);
  CHECK(Read(out, 4) == std::vector<int32_t>{4, 3, 2, 1});
  CHECK(aclrtKernelArgsFinalize(args) == ACL_ERROR_INVALID_PARAM);  // released by the launch
}

TEST_CASE_METHOD(Kernels, "arguments of the host with data behind them") {
  DeviceMemory out(4 * 2);
  struct {
    void* out;
    void* table;
    int32_t values[2];
  } args = {out.data, nullptr, {8, 9}};
  aclrtPlaceHolderInfo place = {8, 16};
  REQUIRE(aclrtLaunchKernelWithHostArgs(Find("add_table"), 2, nullptr, nullptr, &args, sizeof(args), &place, 1) == ACL_SUCCESS);
  REQUIRE(aclrtSynchronizeStream(nullptr) == ACL_SUCCESS);
  CHECK(Read(out, 2) == std::vector<int32_t>{8, 9});
}

TEST_CASE_METHOD(Kernels, "launches that are refused") {
  const aclrtFuncHandle function = Find("nothing");
  aclrtFuncHandle other = nullptr;
  CHECK(aclrtBinaryGetFunction(library, "none", &other) == ACL_ERROR_KERNEL_NOT_FOUND);
  CHECK(aclrtBinaryLoadFromFile("none.so", nullptr, &library) == ACL_ERROR_INVALID_FILE);
  CHECK(aclrtLaunchKernel(function, 0, nullptr, 0, nullptr) == ACL_ERROR_INVALID_PARAM);
  CHECK(aclrtLaunchKernel(nullptr, 1, nullptr, 0, nullptr) == ACL_ERROR_INVALID_PARAM);
  CHECK(aclrtLaunchKernel(function, 1, nullptr, 7, nullptr) == ACL_ERROR_INVALID_PARAM);
  const std::vector<uint64_t> many(33);
  CHECK(aclrtLaunchKernel(function, 1, many.data(), 8 * many.size(), nullptr) == ACL_ERROR_INVALID_PARAM);
  CHECK(aclrtLaunchKernel(function, 1, nullptr, 0, nullptr) == ACL_SUCCESS);
  CHECK(aclrtSynchronizeStream(nullptr) == ACL_SUCCESS);
  REQUIRE(aclrtBinaryUnLoad(library) == ACL_SUCCESS);
  CHECK(aclrtLaunchKernel(function, 1, nullptr, 0, nullptr) == ACL_ERROR_INVALID_PARAM);
}

TEST_CASE_METHOD(DeviceFixture, "a function of the program as a kernel") {
  DeviceMemory x(400), y(400), z(400);
  REQUIRE(aclrtMemsetD32(x.data, 400, 1, 100) == ACL_SUCCESS);
  REQUIRE(aclrtMemsetD32(y.data, 400, 2, 100) == ACL_SUCCESS);
  REQUIRE(ACLRT_LAUNCH_KERNEL(Add)(8, nullptr, x.data, y.data, z.data, 100) == ACL_SUCCESS);
  REQUIRE(aclrtSynchronizeStream(nullptr) == ACL_SUCCESS);
  CHECK(Read(z, 100) == std::vector<int32_t>(100, 3));
  CHECK(openatcGetBlockIdx() == 0);
  CHECK(openatcGetBlockNum() == 1);
}

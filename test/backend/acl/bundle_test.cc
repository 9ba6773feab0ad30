// Bundles of several models: header and table as the vendor's files have them, the models of this program's own.
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "test/backend/acl/fixture.h"

namespace {

template <class T>
void Put(std::string* to, size_t at, T value) {
  std::memcpy(to->data() + at, &value, sizeof(value));
}

// A file of these partitions, by type.
std::string File(const std::vector<std::pair<uint32_t, std::string>>& partitions) {
  const size_t table = 256 + 8 + 24 * partitions.size();
  std::string file(table, '\0');
  uint64_t offset = 0;
  Put<uint32_t>(&file, 256, static_cast<uint32_t>(partitions.size()));
  for (size_t i = 0; i < partitions.size(); ++i) {
    Put<uint32_t>(&file, 264 + 24 * i, partitions[i].first);
    Put<uint64_t>(&file, 264 + 24 * i + 8, offset);
    Put<uint64_t>(&file, 264 + 24 * i + 16, partitions[i].second.size());
    offset += partitions[i].second.size();
  }
  for (const auto& partition : partitions) file += partition.second;
  std::memcpy(file.data(), "IMOD", 4);
  Put<uint32_t>(&file, 4, 256);
  Put<uint32_t>(&file, 8, 0x20000000);
  file[82] = 5;  // a bundle
  Put<uint64_t>(&file, 184, file.size() - 256);
  return file;
}

std::string Variables(uint64_t bytes) { return std::string(reinterpret_cast<const char*>(&bytes), 8); }

constexpr uint32_t kModel = 24, kVariables = 25;

size_t Inputs(uint32_t model) {
  aclmdlDesc* desc = aclmdlCreateDesc();
  REQUIRE(aclmdlGetDesc(desc, model) == ACL_SUCCESS);
  aclmdlIODims dims;
  REQUIRE(aclmdlGetInputDims(desc, 1, &dims) == ACL_SUCCESS);
  aclmdlDestroyDesc(desc);
  return static_cast<size_t>(dims.dims[0]);
}

}  // namespace

TEST_CASE_METHOD(DeviceFixture, "bundle: all models of a file or of memory are loaded at once") {
  const std::string file = File({{kVariables, Variables(4096)}, {kModel, "model"}, {kModel, "model fixed"}});
  const std::string path = "/tmp/openatc_bundle_" + std::to_string(getpid());
  std::ofstream(path, std::ios::binary) << file;
  for (const bool from_file : {true, false}) {
    uint32_t bundle = 0, first = 0, second = 0;
    REQUIRE((from_file ? aclmdlBundleLoadFromFile(path.c_str(), &bundle)
                       : aclmdlBundleLoadFromMem(file.data(), file.size(), &bundle)) == ACL_SUCCESS);
    size_t count = 0;
    CHECK(aclmdlBundleGetModelNum(bundle, &count) == ACL_SUCCESS);
    CHECK(count == 2);
    REQUIRE(aclmdlBundleGetModelId(bundle, 0, &first) == ACL_SUCCESS);
    REQUIRE(aclmdlBundleGetModelId(bundle, 1, &second) == ACL_SUCCESS);
    CHECK(aclmdlBundleGetModelId(bundle, 2, &second) == 100000);
    CHECK(first != second);
    CHECK(Inputs(first) == static_cast<size_t>(-1));
    CHECK(Inputs(second) == 3);
    CHECK(aclmdlUnload(second) == 100000);
    CHECK(aclmdlBundleUnload(bundle) == ACL_SUCCESS);
    CHECK(aclmdlBundleUnload(bundle) == 148053);
    CHECK(aclmdlBundleUnloadModel(bundle, first) == 148053);
    CHECK(aclmdlUnload(first) == 145003);
  }
  std::remove(path.c_str());
}

TEST_CASE_METHOD(DeviceFixture, "bundle: models loaded one by one") {
  const std::string file = File({{kVariables, Variables(4096)}, {kModel, "model"}, {kModel, "model fixed"}});
  aclmdlBundleQueryInfo* info = aclmdlBundleCreateQueryInfo();
  size_t count = 0, variables = 0, work = 0, weight = 0;
  CHECK(aclmdlBundleGetQueryModelNum(info, &count) == 100000);  // empty
  REQUIRE(aclmdlBundleQueryInfoFromMem(file.data(), file.size(), info) == ACL_SUCCESS);
  CHECK(aclmdlBundleGetQueryModelNum(info, &count) == ACL_SUCCESS);
  CHECK(count == 2);
  CHECK(aclmdlBundleGetVarWeightSize(info, &variables) == ACL_SUCCESS);
  CHECK(variables == 4096);
  CHECK(aclmdlBundleGetSize(info, 1, &work, &weight) == ACL_SUCCESS);
  CHECK(work == 512);
  CHECK(weight == 100);
  CHECK(aclmdlBundleGetSize(info, 2, &work, &weight) == 100000);
  CHECK(aclmdlBundleDestroyQueryInfo(info) == ACL_SUCCESS);

  uint32_t bundle = 0, model = 0, seen = 0;
  DeviceMemory shared(4096);
  CHECK(aclmdlBundleInitFromMem(file.data(), file.size(), shared.data, 4095, &bundle) == 145000);
  REQUIRE(aclmdlBundleInitFromMem(file.data(), file.size(), shared.data, 4096, &bundle) == ACL_SUCCESS);
  CHECK(aclmdlBundleGetModelId(bundle, 1, &seen) == 100000);  // not loaded yet
  CHECK(aclmdlBundleLoadModel(bundle, 2, &model) == 100000);
  REQUIRE(aclmdlBundleLoadModel(bundle, 1, &model) == ACL_SUCCESS);
  CHECK(aclmdlBundleLoadModel(bundle, 1, &seen) == 145009);
  CHECK(aclmdlBundleGetModelId(bundle, 1, &seen) == ACL_SUCCESS);
  CHECK(seen == model);
  CHECK(Inputs(model) == 3);
  uint32_t other = 0;
  aclmdlConfigHandle* config = aclmdlCreateConfigHandle();
  REQUIRE(aclmdlBundleLoadModelWithConfig(bundle, 0, config, &other) == ACL_SUCCESS);
  CHECK(aclmdlDestroyConfigHandle(config) == ACL_SUCCESS);
  CHECK(aclmdlBundleUnloadModel(bundle, 99999) == 100000);
  CHECK(aclmdlBundleUnloadModel(bundle, model) == ACL_SUCCESS);
  CHECK(aclmdlBundleUnloadModel(bundle, model) == 100000);
  CHECK(Inputs(other) == static_cast<size_t>(-1));
  REQUIRE(aclmdlBundleLoadModel(bundle, 1, &model) == ACL_SUCCESS);
  // A reset takes the models along, not the bundle.
  CHECK(aclrtResetDeviceForce(0) == ACL_SUCCESS);
  CHECK(aclrtSetDevice(0) == ACL_SUCCESS);
  CHECK(aclmdlBundleLoadModel(bundle, 1, &model) == ACL_SUCCESS);
  CHECK(aclmdlBundleUnload(bundle) == ACL_SUCCESS);
}

TEST_CASE_METHOD(DeviceFixture, "bundle: damaged files are refused, and leave no model") {
  const std::string good = File({{kModel, "model"}, {kModel, "model fixed"}});
  std::string cut = good.substr(0, good.size() - 1), past = good;
  Put<uint64_t>(&past, 264 + 16, 1 << 20);
  const std::string files[] = {
      cut, past, good.substr(0, 100), File({}), File({{kVariables, Variables(1)}}), File({{kVariables, "1"}, {kModel, "model"}}),
      File({{kModel, "model"}, {kModel, "nonsense"}}), File({{kModel, "model"}, {kModel, "model of others"}})};
  for (const std::string& file : files) {
    uint32_t bundle = 0;
    CHECK(aclmdlBundleLoadFromMem(file.data(), file.size(), &bundle) == 145000);
  }
  uint32_t bundle = 0;
  CHECK(aclmdlBundleLoadFromMem(nullptr, 3, &bundle) == 100000);
  CHECK(aclmdlBundleLoadFromMem(good.data(), 0, &bundle) == 100000);
  CHECK(aclmdlBundleLoadFromFile("/no/such/file", &bundle) == 145002);
}

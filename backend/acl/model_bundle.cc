// acl_mdl.h: bundles. Every om here is a bundle of one model without variables.
#include "backend/acl/handle_table.h"
#include "backend/acl/include/acl/acl_mdl.h"
#include "backend/acl/model_table.h"

using namespace atc::acl;

namespace {

struct QueryInfo {
  std::mutex mutex;
  bool filled = false;
  size_t work_bytes = 0;
  size_t weight_bytes = 0;
};

HandleTable<QueryInfo>& Queries() {
  static auto* table = new HandleTable<QueryInfo>(HandleKind::kBundleQuery);
  return *table;
}

aclError CheckIndex(size_t index) {
  if (index == 0) return ACL_SUCCESS;
  return Fail(ACL_ERROR_INVALID_PARAM, "model " + std::to_string(index) + " was asked for; the bundle has 1");
}

// What the bundle's model is loaded from when it is asked for by index.
struct Source {
  std::string path;
  std::vector<std::byte> memory;
};

struct Sources {
  std::mutex mutex;
  std::map<uint32_t, std::shared_ptr<const Source>> by_bundle;
};

Sources& TheSources() {
  static auto* sources = new Sources;
  return *sources;
}

aclError Init(std::shared_ptr<const Source> source, uint32_t* bundle) {
  *bundle = ModelTable::Get().AddBundle();
  std::lock_guard lock(TheSources().mutex);
  TheSources().by_bundle[*bundle] = std::move(source);
  return ACL_SUCCESS;
}

// Loads the bundle's model by what `load` does with its source.
template <class Load>
aclError LoadInto(uint32_t bundle, uint32_t* model, Load&& load) {
  if (model == nullptr) return NullArgument("modelId");
  if (const aclError code = ModelTable::Get().CheckBundle(bundle); code != ACL_SUCCESS) return code;
  if (ModelTable::Get().ModelOf(bundle) != 0) {
    return Fail(static_cast<aclError>(ACL_ERROR_GE_EXEC_LOAD_MODEL_REPEATED), "the bundle's model is loaded already");
  }
  std::shared_ptr<const Source> source;
  {
    std::lock_guard lock(TheSources().mutex);
    source = TheSources().by_bundle[bundle];
  }
  if (const aclError code = load(*source); code != ACL_SUCCESS) return code;
  return ModelTable::Get().Join(bundle, *model);
}

aclError LoadOf(uint32_t bundle, void* work, size_t work_bytes, void* weight, size_t weight_bytes, uint32_t* model) {
  return LoadInto(bundle, model, [&](const Source& source) {
    return source.memory.empty()
               ? aclmdlLoadFromFileWithMem(source.path.c_str(), model, work, work_bytes, weight, weight_bytes)
               : aclmdlLoadFromMemWithMem(source.memory.data(), source.memory.size(), model, work, work_bytes, weight,
                                          weight_bytes);
  });
}

template <class Query>
aclError Fill(aclmdlBundleQueryInfo* info, Query&& query) {
  return Guard([&]() -> aclError {
    if (info == nullptr) return NullArgument("queryInfo");
    const auto found = Queries().Find(info);
    if (!found) return BadHandle("queryInfo", "a bundle's information");
    std::lock_guard lock(found->mutex);
    const aclError code = query(&found->work_bytes, &found->weight_bytes);
    found->filled = code == ACL_SUCCESS;
    return code;
  });
}

template <class Read>
aclError Ask(const aclmdlBundleQueryInfo* info, Read&& read) {
  return Guard([&]() -> aclError {
    if (info == nullptr) return NullArgument("queryInfo");
    const auto found = Queries().Find(info);
    if (!found) return BadHandle("queryInfo", "a bundle's information");
    std::lock_guard lock(found->mutex);
    if (!found->filled) return Fail(ACL_ERROR_INVALID_PARAM, "the information is empty: query a file or memory first");
    return read(*found);
  });
}

}  // namespace

aclError aclmdlBundleInitFromFile(const char* modelPath, void* varWeightPtr, size_t varWeightSize, uint32_t* bundleId) {
  return Guard([&]() -> aclError {
    if (bundleId == nullptr) return NullArgument("bundleId");
    size_t work = 0;
    size_t weight = 0;
    if (const aclError code = aclmdlQuerySize(modelPath, &work, &weight); code != ACL_SUCCESS) return code;
    return Init(std::make_shared<const Source>(Source{modelPath, {}}), bundleId);
  });
}

aclError aclmdlBundleInitFromMem(const void* model, size_t modelSize, void* varWeightPtr, size_t varWeightSize,
                                 uint32_t* bundleId) {
  return Guard([&]() -> aclError {
    if (bundleId == nullptr) return NullArgument("bundleId");
    size_t work = 0;
    size_t weight = 0;
    if (const aclError code = aclmdlQuerySizeFromMem(model, modelSize, &work, &weight); code != ACL_SUCCESS) return code;
    const auto* bytes = static_cast<const std::byte*>(model);
    return Init(std::make_shared<const Source>(Source{{}, {bytes, bytes + modelSize}}), bundleId);
  });
}

aclError aclmdlBundleLoadFromFile(const char* modelPath, uint32_t* bundleId) {
  if (const aclError code = aclmdlBundleInitFromFile(modelPath, nullptr, 0, bundleId); code != ACL_SUCCESS) return code;
  uint32_t model = 0;
  const aclError code = aclmdlBundleLoadModel(*bundleId, 0, &model);
  if (code != ACL_SUCCESS) aclmdlBundleUnload(*bundleId);
  return code;
}

aclError aclmdlBundleLoadFromMem(const void* model, size_t modelSize, uint32_t* bundleId) {
  if (const aclError code = aclmdlBundleInitFromMem(model, modelSize, nullptr, 0, bundleId); code != ACL_SUCCESS) return code;
  uint32_t loaded = 0;
  const aclError code = aclmdlBundleLoadModel(*bundleId, 0, &loaded);
  if (code != ACL_SUCCESS) aclmdlBundleUnload(*bundleId);
  return code;
}

aclError aclmdlBundleUnload(uint32_t bundleId) {
  return Guard([&] {
    const aclError code = ModelTable::Get().RemoveBundle(bundleId);
    std::lock_guard lock(TheSources().mutex);
    TheSources().by_bundle.erase(bundleId);
    return code;
  });
}

aclError aclmdlBundleGetModelNum(uint32_t bundleId, size_t* modelNum) {
  return Guard([&]() -> aclError {
    if (modelNum == nullptr) return NullArgument("modelNum");
    if (const aclError code = ModelTable::Get().CheckBundle(bundleId); code != ACL_SUCCESS) return code;
    *modelNum = 1;
    return ACL_SUCCESS;
  });
}

aclError aclmdlBundleGetModelId(uint32_t bundleId, size_t index, uint32_t* modelId) {
  return Guard([&]() -> aclError {
    if (modelId == nullptr) return NullArgument("modelId");
    if (const aclError code = ModelTable::Get().CheckBundle(bundleId); code != ACL_SUCCESS) return code;
    if (const aclError code = CheckIndex(index); code != ACL_SUCCESS) return code;
    *modelId = ModelTable::Get().ModelOf(bundleId);
    return *modelId != 0 ? ACL_SUCCESS : Fail(ACL_ERROR_INVALID_PARAM, "the bundle's model is not loaded");
  });
}

aclError aclmdlBundleLoadModel(uint32_t bundleId, size_t index, uint32_t* modelId) {
  return aclmdlBundleLoadModelWithMem(bundleId, index, nullptr, 0, nullptr, 0, modelId);
}

aclError aclmdlBundleLoadModelWithMem(uint32_t bundleId, size_t index, void* workPtr, size_t workSize, void* weightPtr,
                                      size_t weightSize, uint32_t* modelId) {
  return Guard([&]() -> aclError {
    if (const aclError code = CheckIndex(index); code != ACL_SUCCESS) return code;
    return LoadOf(bundleId, workPtr, workSize, weightPtr, weightSize, modelId);
  });
}

aclError aclmdlBundleLoadModelWithConfig(uint32_t bundleId, size_t index, aclmdlConfigHandle* handle,
                                         uint32_t* modelId) {
  return Guard([&]() -> aclError {
    if (handle == nullptr) return NullArgument("handle");
    if (const aclError code = CheckIndex(index); code != ACL_SUCCESS) return code;
    return LoadInto(bundleId, modelId, [&](const Source& source) -> aclError {
      const size_t type = source.memory.empty() ? ACL_MDL_LOAD_FROM_FILE : ACL_MDL_LOAD_FROM_MEM;
      const char* path = source.path.c_str();
      const void* memory = source.memory.data();
      const size_t bytes = source.memory.size();
      aclError code = aclmdlSetConfigOpt(handle, ACL_MDL_LOAD_TYPE_SIZET, &type, sizeof(type));
      if (code == ACL_SUCCESS) code = aclmdlSetConfigOpt(handle, ACL_MDL_PATH_PTR, &path, sizeof(path));
      if (code == ACL_SUCCESS) code = aclmdlSetConfigOpt(handle, ACL_MDL_MEM_ADDR_PTR, &memory, sizeof(memory));
      if (code == ACL_SUCCESS) code = aclmdlSetConfigOpt(handle, ACL_MDL_MEM_SIZET, &bytes, sizeof(bytes));
      return code == ACL_SUCCESS ? aclmdlLoadWithConfig(handle, modelId) : code;
    });
  });
}

aclError aclmdlBundleUnloadModel(uint32_t bundleId, uint32_t modelId) {
  return Guard([&]() -> aclError {
    if (const aclError code = ModelTable::Get().CheckBundle(bundleId); code != ACL_SUCCESS) return code;
    if (modelId == 0 || ModelTable::Get().ModelOf(bundleId) != modelId) {
      return Fail(ACL_ERROR_INVALID_PARAM, "model " + std::to_string(modelId) + " is not one of the bundle's");
    }
    return ModelTable::Get().Unload(modelId, true);
  });
}

aclmdlBundleQueryInfo* aclmdlBundleCreateQueryInfo(void) {
  return GuardValue<aclmdlBundleQueryInfo*>(nullptr, [] {
    return static_cast<aclmdlBundleQueryInfo*>(Queries().Add(std::make_shared<QueryInfo>()));
  });
}

aclError aclmdlBundleDestroyQueryInfo(aclmdlBundleQueryInfo* queryInfo) {
  return Guard([&]() -> aclError {
    if (queryInfo == nullptr) return NullArgument("queryInfo");
    return Queries().Remove(queryInfo) ? ACL_SUCCESS : BadHandle("queryInfo", "a bundle's information");
  });
}

aclError aclmdlBundleQueryInfoFromFile(const char* fileName, aclmdlBundleQueryInfo* queryInfo) {
  return Fill(queryInfo, [&](size_t* work, size_t* weight) { return aclmdlQuerySize(fileName, work, weight); });
}

aclError aclmdlBundleQueryInfoFromMem(const void* model, size_t modelSize, aclmdlBundleQueryInfo* queryInfo) {
  return Fill(queryInfo, [&](size_t* work, size_t* weight) {
    return aclmdlQuerySizeFromMem(model, modelSize, work, weight);
  });
}

aclError aclmdlBundleGetQueryModelNum(const aclmdlBundleQueryInfo* queryInfo, size_t* modelNum) {
  return Ask(queryInfo, [&](const QueryInfo&) -> aclError {
    if (modelNum == nullptr) return NullArgument("modelNum");
    *modelNum = 1;
    return ACL_SUCCESS;
  });
}

aclError aclmdlBundleGetVarWeightSize(const aclmdlBundleQueryInfo* queryInfo, size_t* variableWeightSize) {
  return Ask(queryInfo, [&](const QueryInfo&) -> aclError {
    if (variableWeightSize == nullptr) return NullArgument("variableWeightSize");
    *variableWeightSize = 0;
    return ACL_SUCCESS;
  });
}

aclError aclmdlBundleGetSize(const aclmdlBundleQueryInfo* queryInfo, size_t index, size_t* workSize,
                             size_t* constWeightSize) {
  return Ask(queryInfo, [&](const QueryInfo& info) -> aclError {
    if (workSize == nullptr) return NullArgument("workSize");
    if (constWeightSize == nullptr) return NullArgument("constWeightSize");
    if (const aclError code = CheckIndex(index); code != ACL_SUCCESS) return code;
    *workSize = info.work_bytes;
    *constWeightSize = info.weight_bytes;
    return ACL_SUCCESS;
  });
}

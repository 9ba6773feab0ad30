// acl_mdl.h: bundles of models. An om by itself is a bundle of one model without variables.
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "backend/acl/handle_table.h"
#include "backend/acl/include/acl/acl_mdl.h"
#include "backend/acl/model_table.h"
#include "backend/executor/bundle.h"

using namespace atc::acl;
using atc::Bundle;

namespace {

// What a model of a bundle takes.
struct Sizes {
  size_t work_bytes = 0;
  size_t weight_bytes = 0;
};

struct QueryInfo {
  std::mutex mutex;
  bool filled = false;
  std::vector<Sizes> models;
  uint64_t variable_bytes = 0;
};

HandleTable<QueryInfo>& Queries() {
  static auto* table = new HandleTable<QueryInfo>(HandleKind::kBundleQuery);
  return *table;
}

aclError CheckIndex(size_t index, size_t count) {
  if (index < count) return ACL_SUCCESS;
  return Fail(ACL_ERROR_INVALID_PARAM, "model " + std::to_string(index) + " was asked for; the bundle has " + std::to_string(count));
}

// What the models of a bundle are loaded from.
struct Source {
  std::string path;               // of an om by itself in a file
  std::vector<std::byte> memory;  // of one in memory
  std::optional<Bundle> bundle;

  size_t count() const { return bundle ? bundle->models.size() : 1; }
  uint64_t variable_bytes() const { return bundle ? bundle->variable_bytes : 0; }
  // Where the model lies; none for an om in a file.
  std::span<const std::byte> InMemory(size_t index) const {
    return bundle ? bundle->models[index] : std::span<const std::byte>(memory);
  }
  bool in_file() const { return !bundle && memory.empty(); }

  aclError Query(size_t index, Sizes* sizes) const {
    if (in_file()) return aclmdlQuerySize(path.c_str(), &sizes->work_bytes, &sizes->weight_bytes);
    const auto om = InMemory(index);
    return aclmdlQuerySizeFromMem(om.data(), om.size(), &sizes->work_bytes, &sizes->weight_bytes);
  }
  aclError Query(std::vector<Sizes>* all) const {
    all->resize(count());
    for (size_t i = 0; i < all->size(); ++i) {
      if (const aclError code = Query(i, &(*all)[i]); code != ACL_SUCCESS) return code;
    }
    return ACL_SUCCESS;
  }
};

aclError OpenFile(const char* path, Source* source) {
  if (path == nullptr) return NullArgument("path");
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) {
    return Fail(static_cast<aclError>(ACL_ERROR_GE_EXEC_MODEL_PATH_INVALID), std::string("there is no file '") + path + "'");
  }
  source->bundle = atc::OpenBundle(std::string(path));
  source->path = path;
  return ACL_SUCCESS;
}

aclError OpenMemory(const void* model, size_t bytes, Source* source) {
  if (model == nullptr) return NullArgument("model");
  if (bytes == 0) return Fail(ACL_ERROR_INVALID_PARAM, "a model of 0 bytes was given");
  const auto* begin = static_cast<const std::byte*>(model);
  source->bundle = atc::OpenBundle(std::span(begin, bytes));
  if (!source->bundle) source->memory.assign(begin, begin + bytes);
  return ACL_SUCCESS;
}

struct Sources {
  std::mutex mutex;
  std::map<uint32_t, std::shared_ptr<const Source>> by_bundle;
};

Sources& TheSources() {
  static auto* sources = new Sources;
  return *sources;
}

// 148053 for a bundle that is none.
aclError FindSource(uint32_t bundle, std::shared_ptr<const Source>* out) {
  if (const aclError code = ModelTable::Get().CheckBundle(bundle); code != ACL_SUCCESS) return code;
  std::lock_guard lock(TheSources().mutex);
  const auto found = TheSources().by_bundle.find(bundle);
  if (found == TheSources().by_bundle.end()) {  // it is being unloaded
    return Fail(ACL_ERROR_INVALID_BUNDLE_MODEL_ID, "there is no bundle " + std::to_string(bundle));
  }
  *out = found->second;
  return ACL_SUCCESS;
}

// A bundle of what `open` finds, whose models can be read.
template <class Open>
aclError Init(void* variables, size_t variable_bytes, uint32_t* bundle, Open&& open) {
  return Guard([&]() -> aclError {
    if (bundle == nullptr) return NullArgument("bundleId");
    auto source = std::make_shared<Source>();
    if (const aclError code = open(source.get()); code != ACL_SUCCESS) return code;
    std::vector<Sizes> sizes;
    if (const aclError code = source->Query(&sizes); code != ACL_SUCCESS) return code;
    if (variables != nullptr && variable_bytes < source->variable_bytes()) {
      return Fail(static_cast<aclError>(ACL_ERROR_GE_PARAM_INVALID),
                  "memory of " + std::to_string(variable_bytes) + " bytes was given for variables; the bundle needs " +
                      std::to_string(source->variable_bytes()));
    }
    *bundle = ModelTable::Get().AddBundle(source->count());
    std::lock_guard lock(TheSources().mutex);
    TheSources().by_bundle[*bundle] = std::move(source);
    return ACL_SUCCESS;
  });
}

// Loads a model of the bundle by what `load` does with the source.
template <class Load>
aclError LoadInto(uint32_t bundle, size_t index, uint32_t* model, Load&& load) {
  if (model == nullptr) return NullArgument("modelId");
  std::shared_ptr<const Source> source;
  if (const aclError code = FindSource(bundle, &source); code != ACL_SUCCESS) return code;
  if (const aclError code = CheckIndex(index, source->count()); code != ACL_SUCCESS) return code;
  if (ModelTable::Get().ModelOf(bundle, index) != 0) {
    return Fail(static_cast<aclError>(ACL_ERROR_GE_EXEC_LOAD_MODEL_REPEATED),
                "model " + std::to_string(index) + " of the bundle is loaded already");
  }
  if (const aclError code = load(*source); code != ACL_SUCCESS) return code;
  const aclError code = ModelTable::Get().Join(bundle, index, *model);
  if (code != ACL_SUCCESS) ModelTable::Get().Unload(*model);  // the bundle went, or another thread was faster
  return code;
}

// A bundle whose models are all loaded, or none.
aclError LoadAll(aclError opened, uint32_t* bundle) {
  if (opened != ACL_SUCCESS) return opened;
  std::shared_ptr<const Source> source;
  if (const aclError code = FindSource(*bundle, &source); code != ACL_SUCCESS) return code;
  for (size_t i = 0; i < source->count(); ++i) {
    uint32_t model = 0;
    if (const aclError code = aclmdlBundleLoadModel(*bundle, i, &model); code != ACL_SUCCESS) {
      aclmdlBundleUnload(*bundle);
      return code;
    }
  }
  return ACL_SUCCESS;
}

template <class Open>
aclError Fill(aclmdlBundleQueryInfo* info, Open&& open) {
  return Guard([&]() -> aclError {
    if (info == nullptr) return NullArgument("queryInfo");
    const auto found = Queries().Find(info);
    if (!found) return BadHandle("queryInfo", "a bundle's information");
    std::lock_guard lock(found->mutex);
    found->filled = false;
    Source source;
    if (const aclError code = open(&source); code != ACL_SUCCESS) return code;
    if (const aclError code = source.Query(&found->models); code != ACL_SUCCESS) return code;
    found->variable_bytes = source.variable_bytes();
    found->filled = true;
    return ACL_SUCCESS;
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
  return Init(varWeightPtr, varWeightSize, bundleId, [&](Source* source) { return OpenFile(modelPath, source); });
}

aclError aclmdlBundleInitFromMem(const void* model, size_t modelSize, void* varWeightPtr, size_t varWeightSize,
                                 uint32_t* bundleId) {
  return Init(varWeightPtr, varWeightSize, bundleId, [&](Source* source) { return OpenMemory(model, modelSize, source); });
}

aclError aclmdlBundleLoadFromFile(const char* modelPath, uint32_t* bundleId) {
  return LoadAll(aclmdlBundleInitFromFile(modelPath, nullptr, 0, bundleId), bundleId);
}

aclError aclmdlBundleLoadFromMem(const void* model, size_t modelSize, uint32_t* bundleId) {
  return LoadAll(aclmdlBundleInitFromMem(model, modelSize, nullptr, 0, bundleId), bundleId);
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
    std::shared_ptr<const Source> source;
    if (const aclError code = FindSource(bundleId, &source); code != ACL_SUCCESS) return code;
    *modelNum = source->count();
    return ACL_SUCCESS;
  });
}

aclError aclmdlBundleGetModelId(uint32_t bundleId, size_t index, uint32_t* modelId) {
  return Guard([&]() -> aclError {
    if (modelId == nullptr) return NullArgument("modelId");
    std::shared_ptr<const Source> source;
    if (const aclError code = FindSource(bundleId, &source); code != ACL_SUCCESS) return code;
    if (const aclError code = CheckIndex(index, source->count()); code != ACL_SUCCESS) return code;
    const uint32_t model = ModelTable::Get().ModelOf(bundleId, index);
    if (model == 0) return Fail(ACL_ERROR_INVALID_PARAM, "model " + std::to_string(index) + " of the bundle is not loaded");
    *modelId = model;
    return ACL_SUCCESS;
  });
}

aclError aclmdlBundleLoadModel(uint32_t bundleId, size_t index, uint32_t* modelId) {
  return aclmdlBundleLoadModelWithMem(bundleId, index, nullptr, 0, nullptr, 0, modelId);
}

aclError aclmdlBundleLoadModelWithMem(uint32_t bundleId, size_t index, void* workPtr, size_t workSize, void* weightPtr,
                                      size_t weightSize, uint32_t* modelId) {
  return Guard([&]() -> aclError {
    return LoadInto(bundleId, index, modelId, [&](const Source& source) {
      if (source.in_file()) {
        return aclmdlLoadFromFileWithMem(source.path.c_str(), modelId, workPtr, workSize, weightPtr, weightSize);
      }
      const auto om = source.InMemory(index);
      return aclmdlLoadFromMemWithMem(om.data(), om.size(), modelId, workPtr, workSize, weightPtr, weightSize);
    });
  });
}

aclError aclmdlBundleLoadModelWithConfig(uint32_t bundleId, size_t index, aclmdlConfigHandle* handle,
                                         uint32_t* modelId) {
  return Guard([&]() -> aclError {
    if (handle == nullptr) return NullArgument("handle");
    return LoadInto(bundleId, index, modelId, [&](const Source& source) -> aclError {
      const size_t type = source.in_file() ? ACL_MDL_LOAD_FROM_FILE : ACL_MDL_LOAD_FROM_MEM;
      const char* path = source.path.c_str();
      const auto om = source.InMemory(index);
      const void* memory = om.data();
      const size_t bytes = om.size();
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
    if (!ModelTable::Get().Holds(bundleId, modelId)) {
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
  return Fill(queryInfo, [&](Source* source) { return OpenFile(fileName, source); });
}

aclError aclmdlBundleQueryInfoFromMem(const void* model, size_t modelSize, aclmdlBundleQueryInfo* queryInfo) {
  return Fill(queryInfo, [&](Source* source) { return OpenMemory(model, modelSize, source); });
}

aclError aclmdlBundleGetQueryModelNum(const aclmdlBundleQueryInfo* queryInfo, size_t* modelNum) {
  return Ask(queryInfo, [&](const QueryInfo& info) -> aclError {
    if (modelNum == nullptr) return NullArgument("modelNum");
    *modelNum = info.models.size();
    return ACL_SUCCESS;
  });
}

aclError aclmdlBundleGetVarWeightSize(const aclmdlBundleQueryInfo* queryInfo, size_t* variableWeightSize) {
  return Ask(queryInfo, [&](const QueryInfo& info) -> aclError {
    if (variableWeightSize == nullptr) return NullArgument("variableWeightSize");
    *variableWeightSize = info.variable_bytes;
    return ACL_SUCCESS;
  });
}

aclError aclmdlBundleGetSize(const aclmdlBundleQueryInfo* queryInfo, size_t index, size_t* workSize,
                             size_t* constWeightSize) {
  return Ask(queryInfo, [&](const QueryInfo& info) -> aclError {
    if (workSize == nullptr) return NullArgument("workSize");
    if (constWeightSize == nullptr) return NullArgument("constWeightSize");
    if (const aclError code = CheckIndex(index, info.models.size()); code != ACL_SUCCESS) return code;
    *workSize = info.models[index].work_bytes;
    *constWeightSize = info.models[index].weight_bytes;
    return ACL_SUCCESS;
  });
}

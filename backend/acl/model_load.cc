// acl_mdl.h: sizes, loading, unloading.
#include <filesystem>
#include <span>

#include "backend/acl/handles.h"
#include "backend/acl/include/acl/acl_mdl.h"
#include "backend/acl/model_table.h"

using namespace atc::acl;
using atc::LoadedModel;
using atc::LoadOptions;
using atc::ModelInfo;
using atc::runtime::Context;
using atc::runtime::Runtime;

namespace {

constexpr auto kParam = static_cast<aclError>(ACL_ERROR_GE_PARAM_INVALID);
constexpr auto kPath = static_cast<aclError>(ACL_ERROR_GE_EXEC_MODEL_PATH_INVALID);

// A model in a file or in memory.
struct Source {
  const char* path = nullptr;
  std::span<const std::byte> memory;

  static Source File(const char* path) { return {path, {}}; }
  static Source Memory(const void* data, size_t bytes) {
    return {nullptr, {static_cast<const std::byte*>(data), bytes}};
  }

  aclError Check() const {
    if (path == nullptr) {
      if (memory.data() == nullptr) return NullArgument("model");
      return memory.empty() ? Fail(ACL_ERROR_INVALID_PARAM, "a model of 0 bytes was given") : ACL_SUCCESS;
    }
    std::error_code error;
    const auto status = std::filesystem::status(path, error);
    if (!std::filesystem::exists(status)) return Fail(kPath, std::string("there is no file '") + path + "'");
    if (std::filesystem::is_directory(status)) {
      return Fail(kPath, std::string("'") + path + "' is a folder, not an om file");
    }
    return ACL_SUCCESS;
  }

  ModelInfo Describe(bool* own) const {
    return path != nullptr ? LoadedModel::Describe(path, own) : LoadedModel::Describe(memory, own);
  }
  std::shared_ptr<LoadedModel> Load(const LoadOptions& options) const {
    return path != nullptr ? LoadedModel::Load(path, options) : LoadedModel::Load(memory, options);
  }
};

// Memory that a caller brings along.
struct CallersMemory {
  void* work = nullptr;
  size_t work_bytes = 0;
  void* weight = nullptr;
  size_t weight_bytes = 0;

  aclError Check(const ModelInfo& info) const {
    if (const aclError code = CheckOne(work, work_bytes, info.arena_bytes, "work"); code != ACL_SUCCESS) return code;
    return CheckOne(weight, weight_bytes, info.weight_bytes, "weight");
  }

  static aclError CheckOne(void* data, size_t bytes, uint64_t needed, const char* what) {
    if (data == nullptr) return ACL_SUCCESS;
    if (bytes < needed) {
      return Fail(kParam, std::string(what) + " memory of " + std::to_string(bytes) + " bytes was given; the model needs " +
                              std::to_string(needed));
    }
    const auto found = Runtime::Get().memory().Find(data);
    if (found && found->kind == atc::runtime::MemoryKind::kDevice && Runtime::Get().memory().InBounds(data, bytes)) {
      return ACL_SUCCESS;
    }
    return Fail(static_cast<aclError>(ACL_ERROR_GE_EXEC_MODEL_ADDR_INVALID),
                std::string(what) + " memory is not device memory of that size (aclrtMalloc)");
  }
};

aclError QuerySize(const Source& source, size_t* workSize, size_t* weightSize) {
  return Guard([&]() -> aclError {
    if (workSize == nullptr) return NullArgument("workSize");
    if (weightSize == nullptr) return NullArgument("weightSize");
    if (const aclError code = source.Check(); code != ACL_SUCCESS) return code;
    const ModelInfo info = source.Describe(nullptr);
    *workSize = info.arena_bytes;
    *weightSize = info.weight_bytes;
    return ACL_SUCCESS;
  });
}

aclError Load(const Source& source, const CallersMemory& memory, uint32_t* modelId) {
  return Guard([&]() -> aclError {
    if (modelId == nullptr) return NullArgument("modelId");
    if (const aclError code = source.Check(); code != ACL_SUCCESS) return code;
    std::shared_ptr<Context> context;
    if (const aclError code = CurrentContext(&context); code != ACL_SUCCESS) return code;
    if (memory.work != nullptr || memory.weight != nullptr) {
      if (const aclError code = memory.Check(source.Describe(nullptr)); code != ACL_SUCCESS) return code;
    }
    LoadOptions options;
    options.device_id = context->device().id();
    options.device = &context->device();
    options.cores = Runtime::Get().cores();
    options.work = memory.work;
    options.work_bytes = memory.work_bytes;
    ModelTable& table = ModelTable::Get();
    *modelId = table.Add(options.device_id, source.Load(options));
    return ACL_SUCCESS;
  });
}

}  // namespace

aclError aclmdlQuerySize(const char* fileName, size_t* workSize, size_t* weightSize) {
  return fileName == nullptr ? NullArgument("fileName") : QuerySize(Source::File(fileName), workSize, weightSize);
}

aclError aclmdlQuerySizeFromMem(const void* model, size_t modelSize, size_t* workSize, size_t* weightSize) {
  return QuerySize(Source::Memory(model, modelSize), workSize, weightSize);
}

aclError aclmdlLoadFromFile(const char* modelPath, uint32_t* modelId) {
  return modelPath == nullptr ? NullArgument("modelPath") : Load(Source::File(modelPath), {}, modelId);
}

aclError aclmdlLoadFromMem(const void* model, size_t modelSize, uint32_t* modelId) {
  return Load(Source::Memory(model, modelSize), {}, modelId);
}

aclError aclmdlLoadFromFileWithMem(const char* modelPath, uint32_t* modelId, void* workPtr, size_t workSize,
                                   void* weightPtr, size_t weightSize) {
  if (modelPath == nullptr) return NullArgument("modelPath");
  return Load(Source::File(modelPath), {workPtr, workSize, weightPtr, weightSize}, modelId);
}

aclError aclmdlLoadFromMemWithMem(const void* model, size_t modelSize, uint32_t* modelId, void* workPtr,
                                  size_t workSize, void* weightPtr, size_t weightSize) {
  return Load(Source::Memory(model, modelSize), {workPtr, workSize, weightPtr, weightSize}, modelId);
}

aclError aclmdlUnload(uint32_t modelId) {
  return Guard([&] { return ModelTable::Get().Unload(modelId); });
}

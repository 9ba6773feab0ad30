// acl_mdl.h: loading and running by options, attributes of models, sizes of the parts of an om.
#include <chrono>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "backend/acl/compiled_model.h"
#include "backend/acl/failed_task.h"
#include "backend/acl/handles.h"
#include "backend/acl/include/acl/acl_mdl.h"
#include "backend/acl/model_table.h"

using namespace atc::acl;

namespace {

enum class ValueKind { kInt32, kSize, kAddress, kText };

struct Option {
  int attr;
  ValueKind kind;
};

// Options of a load that mean something here; the others are kept for the parts that an om of ours does not have.
constexpr Option kLoadOptions[] = {
    {ACL_MDL_PRIORITY_INT32, ValueKind::kInt32},     {ACL_MDL_LOAD_TYPE_SIZET, ValueKind::kSize},
    {ACL_MDL_PATH_PTR, ValueKind::kText},            {ACL_MDL_MEM_ADDR_PTR, ValueKind::kAddress},
    {ACL_MDL_MEM_SIZET, ValueKind::kSize},           {ACL_MDL_WEIGHT_ADDR_PTR, ValueKind::kAddress},
    {ACL_MDL_WEIGHT_SIZET, ValueKind::kSize},        {ACL_MDL_WORKSPACE_ADDR_PTR, ValueKind::kAddress},
    {ACL_MDL_WORKSPACE_SIZET, ValueKind::kSize},     {ACL_MDL_INPUTQ_NUM_SIZET, ValueKind::kSize},
    {ACL_MDL_INPUTQ_ADDR_PTR, ValueKind::kAddress},  {ACL_MDL_OUTPUTQ_NUM_SIZET, ValueKind::kSize},
    {ACL_MDL_OUTPUTQ_ADDR_PTR, ValueKind::kAddress}, {ACL_MDL_WORKSPACE_MEM_OPTIMIZE, ValueKind::kSize},
    {ACL_MDL_WEIGHT_PATH_PTR, ValueKind::kText},     {ACL_MDL_MODEL_DESC_PTR, ValueKind::kAddress},
    {ACL_MDL_MODEL_DESC_SIZET, ValueKind::kSize},    {ACL_MDL_KERNEL_PTR, ValueKind::kAddress},
    {ACL_MDL_KERNEL_SIZET, ValueKind::kSize},        {ACL_MDL_KERNEL_ARGS_PTR, ValueKind::kAddress},
    {ACL_MDL_KERNEL_ARGS_SIZET, ValueKind::kSize},   {ACL_MDL_STATIC_TASK_PTR, ValueKind::kAddress},
    {ACL_MDL_STATIC_TASK_SIZET, ValueKind::kSize},   {ACL_MDL_DYNAMIC_TASK_PTR, ValueKind::kAddress},
    {ACL_MDL_DYNAMIC_TASK_SIZET, ValueKind::kSize},  {ACL_MDL_MEM_MALLOC_POLICY_SIZET, ValueKind::kSize},
    {ACL_MDL_FIFO_PTR, ValueKind::kAddress},         {ACL_MDL_FIFO_SIZET, ValueKind::kSize},
    {ACL_MDL_WITHOUT_GRAPH_INT32, ValueKind::kInt32}, {ACL_NPU_PERF_MODE, ValueKind::kInt32},
};
constexpr Option kRunOptions[] = {
    {ACL_MDL_STREAM_SYNC_TIMEOUT, ValueKind::kInt32}, {ACL_MDL_EVENT_SYNC_TIMEOUT, ValueKind::kInt32},
    {ACL_MDL_WORK_ADDR_PTR, ValueKind::kAddress},     {ACL_MDL_WORK_SIZET, ValueKind::kSize},
    {ACL_MDL_MPAIMID_SIZET, ValueKind::kSize},        {ACL_MDL_AICQOS_SIZET, ValueKind::kSize},
    {ACL_MDL_AICOST_SIZET, ValueKind::kSize},         {ACL_MDL_MEC_TIMETHR_SIZET, ValueKind::kSize},
    {ACL_MDL_EXEC_PRIORITY_INT32, ValueKind::kInt32}, {ACL_MDL_NPU_PERF_MODE, ValueKind::kInt32},
};

// What was set: numbers and addresses as 64 bits, texts apart.
struct Config {
  std::mutex mutex;
  std::map<int, uint64_t> numbers;
  std::map<int, std::string> texts;

  std::optional<uint64_t> Number(int attr) const {
    const auto found = numbers.find(attr);
    return found == numbers.end() ? std::nullopt : std::optional(found->second);
  }
  void* Address(int attr) const { return reinterpret_cast<void*>(Number(attr).value_or(0)); }

  template <size_t kCount>
  aclError Set(const Option (&options)[kCount], int attr, const void* value, size_t bytes) {
    constexpr size_t kBytes[] = {sizeof(int32_t), sizeof(size_t), sizeof(void*), sizeof(const char*)};
    for (const Option& option : options) {
      if (option.attr != attr) continue;
      if (bytes != kBytes[static_cast<int>(option.kind)]) {
        return Fail(ACL_ERROR_INVALID_PARAM, "option " + std::to_string(attr) + " has a value of " +
                                                 std::to_string(kBytes[static_cast<int>(option.kind)]) + " bytes, not " +
                                                 std::to_string(bytes));
      }
      std::lock_guard lock(mutex);
      uint64_t number = 0;
      std::memcpy(&number, value, bytes);
      if (option.kind == ValueKind::kText) {
        if (number == 0) return NullArgument("attrValue");
        texts[attr] = reinterpret_cast<const char*>(number);
      } else {
        numbers[attr] = number;
      }
      return ACL_SUCCESS;
    }
    return Fail(ACL_ERROR_INVALID_PARAM, "there is no option " + std::to_string(attr));
  }
};

HandleTable<Config>& LoadConfigs() {
  static auto* table = new HandleTable<Config>(HandleKind::kModelConfig);
  return *table;
}

HandleTable<Config>& RunConfigs() {
  static auto* table = new HandleTable<Config>(HandleKind::kExecConfig);
  return *table;
}

aclError Missing(const char* what) {
  return Fail(ACL_ERROR_INVALID_PARAM, std::string("this way of loading needs ") + what + ", which was not set");
}

constexpr int64_t kLowestPriority = 7;

// Device memory of the caller's that the model is to use.
struct DeviceParts {
  explicit DeviceParts(const Config& config)
      : work(config.Address(ACL_MDL_WORKSPACE_ADDR_PTR)),
        work_bytes(config.Number(ACL_MDL_WORKSPACE_SIZET).value_or(0)),
        weight(config.Address(ACL_MDL_WEIGHT_ADDR_PTR)),
        weight_bytes(config.Number(ACL_MDL_WEIGHT_SIZET).value_or(0)) {}
  void* work;
  size_t work_bytes;
  void* weight;
  size_t weight_bytes;
};

aclError LoadBy(const Config& config, uint32_t* modelId) {
  const std::optional<uint64_t> type = config.Number(ACL_MDL_LOAD_TYPE_SIZET);
  if (!type) return Missing("ACL_MDL_LOAD_TYPE_SIZET");
  const bool from_file = *type == ACL_MDL_LOAD_FROM_FILE || *type == ACL_MDL_LOAD_FROM_FILE_WITH_MEM;
  const auto path = config.texts.find(ACL_MDL_PATH_PTR);
  void* const memory = config.Address(ACL_MDL_MEM_ADDR_PTR);
  const size_t bytes = config.Number(ACL_MDL_MEM_SIZET).value_or(0);
  const DeviceParts parts(config);
  switch (*type) {
    case ACL_MDL_LOAD_FROM_FILE:
    case ACL_MDL_LOAD_FROM_FILE_WITH_MEM:
    case ACL_MDL_LOAD_FROM_MEM:
    case ACL_MDL_LOAD_FROM_MEM_WITH_MEM:
      if (from_file && path == config.texts.end()) return Missing("ACL_MDL_PATH_PTR");
      if (!from_file && memory == nullptr) return Missing("ACL_MDL_MEM_ADDR_PTR");
      return from_file
                 ? aclmdlLoadFromFileWithMem(path->second.c_str(), modelId, parts.work, parts.work_bytes, parts.weight,
                                             parts.weight_bytes)
                 : aclmdlLoadFromMemWithMem(memory, bytes, modelId, parts.work, parts.work_bytes, parts.weight,
                                            parts.weight_bytes);
    case ACL_MDL_LOAD_FROM_FILE_WITH_Q:
    case ACL_MDL_LOAD_FROM_MEM_WITH_Q: return Unoffered("loading with queues");
    default: return Fail(ACL_ERROR_INVALID_PARAM, "there is no way of loading " + std::to_string(*type));
  }
}

// What all ways of loading by options have in common; `load` is called with the options, under their lock.
template <class Load>
aclError LoadByOptions(const aclmdlConfigHandle* handle, uint32_t* modelId, Load&& load) {
  if (handle == nullptr) return NullArgument("handle");
  if (modelId == nullptr) return NullArgument("modelId");
  const auto config = LoadConfigs().Find(handle);
  if (!config) return BadHandle("handle", "a configuration");
  std::lock_guard lock(config->mutex);
  const auto priority = config->Number(ACL_MDL_PRIORITY_INT32);
  if (priority && *priority > kLowestPriority) return Fail(ACL_ERROR_INVALID_PARAM, "a model's priority is 0 to 7");
  if (const aclError code = load(*config); code != ACL_SUCCESS || !priority) return code;
  std::shared_ptr<Model> model;
  if (const aclError code = ModelTable::Get().Find(*modelId, &model); code != ACL_SUCCESS) return code;
  model->priority = static_cast<uint32_t>(*priority);
  return ACL_SUCCESS;
}

}  // namespace

aclmdlConfigHandle* aclmdlCreateConfigHandle(void) {
  return GuardValue<aclmdlConfigHandle*>(nullptr, [] {
    return static_cast<aclmdlConfigHandle*>(LoadConfigs().Add(std::make_shared<Config>()));
  });
}

aclError aclmdlDestroyConfigHandle(aclmdlConfigHandle* handle) {
  return Guard([&]() -> aclError {
    if (handle == nullptr) return NullArgument("handle");
    return LoadConfigs().Remove(handle) ? ACL_SUCCESS : BadHandle("handle", "a configuration");
  });
}

aclError aclmdlSetConfigOpt(aclmdlConfigHandle* handle, aclmdlConfigAttr attr, const void* attrValue, size_t valueSize) {
  return Guard([&]() -> aclError {
    if (handle == nullptr) return NullArgument("handle");
    if (attrValue == nullptr) return NullArgument("attrValue");
    const auto config = LoadConfigs().Find(handle);
    return config ? config->Set(kLoadOptions, attr, attrValue, valueSize) : BadHandle("handle", "a configuration");
  });
}

aclError aclmdlLoadWithConfig(const aclmdlConfigHandle* handle, uint32_t* modelId) {
  return Guard([&] { return LoadByOptions(handle, modelId, [&](const Config& config) { return LoadBy(config, modelId); }); });
}

aclError aclmdlLoadFromModel(const aclmdlModel* model, const aclmdlConfigHandle* handle, uint32_t* modelId) {
  return Guard([&]() -> aclError {
    if (model == nullptr) return NullArgument("model");
    const auto compiled = CompiledModels().Find(*model);
    if (!compiled) return BadHandle("model", "a compiled model");
    return LoadByOptions(handle, modelId, [&](const Config& config) -> aclError {
      const uint64_t type = config.Number(ACL_MDL_LOAD_TYPE_SIZET).value_or(ACL_MDL_LOAD_FROM_MEM);
      if (type != ACL_MDL_LOAD_FROM_MEM && type != ACL_MDL_LOAD_FROM_MEM_WITH_MEM) {
        return Fail(ACL_ERROR_INVALID_PARAM, "the model is given by its handle; the options tell of another source, " + std::to_string(type));
      }
      const DeviceParts parts(config);
      return aclmdlLoadFromMemWithMem(compiled->om.data(), compiled->om.size(), modelId, parts.work, parts.work_bytes,
                                      parts.weight, parts.weight_bytes);
    });
  });
}

aclError aclmdlSetExternalWeightAddress(aclmdlConfigHandle* handle, const char* weightFileName, void* devPtr,
                                        size_t size) {
  return Unoffered("aclmdlSetExternalWeightAddress");
}

aclError aclmdlLoadFromFileWithQ(const char* modelPath, uint32_t* modelId, const uint32_t* inputQ, size_t inputQNum,
                                 const uint32_t* outputQ, size_t outputQNum) {
  return Unoffered("aclmdlLoadFromFileWithQ");
}

aclError aclmdlLoadFromMemWithQ(const void* model, size_t modelSize, uint32_t* modelId, const uint32_t* inputQ,
                                size_t inputQNum, const uint32_t* outputQ, size_t outputQNum) {
  return Unoffered("aclmdlLoadFromMemWithQ");
}

aclmdlExecConfigHandle* aclmdlCreateExecConfigHandle(void) {
  return GuardValue<aclmdlExecConfigHandle*>(nullptr, [] {
    return static_cast<aclmdlExecConfigHandle*>(RunConfigs().Add(std::make_shared<Config>()));
  });
}

aclError aclmdlDestroyExecConfigHandle(const aclmdlExecConfigHandle* handle) {
  return Guard([&]() -> aclError {
    if (handle == nullptr) return NullArgument("handle");
    return RunConfigs().Remove(handle) ? ACL_SUCCESS : BadHandle("handle", "a configuration");
  });
}

aclError aclmdlSetExecConfigOpt(aclmdlExecConfigHandle* handle, aclmdlExecConfigAttr attr, const void* attrValue,
                                size_t valueSize) {
  return Guard([&]() -> aclError {
    if (handle == nullptr) return NullArgument("handle");
    if (attrValue == nullptr) return NullArgument("attrValue");
    const auto config = RunConfigs().Find(handle);
    return config ? config->Set(kRunOptions, attr, attrValue, valueSize) : BadHandle("handle", "a configuration");
  });
}

aclError aclmdlExecuteAsyncV2(uint32_t modelId, const aclmdlDataset* input, aclmdlDataset* output, aclrtStream stream,
                              const aclmdlExecConfigHandle* handle) {
  return Guard([&]() -> aclError {
    if (handle == nullptr) return NullArgument("handle");
    if (!RunConfigs().Find(handle)) return BadHandle("handle", "a configuration");
    return aclmdlExecuteAsync(modelId, input, output, stream);
  });
}

aclError aclmdlExecuteV2(uint32_t modelId, const aclmdlDataset* input, aclmdlDataset* output, aclrtStream stream,
                         const aclmdlExecConfigHandle* handle) {
  return Guard([&]() -> aclError {
    if (handle == nullptr) return NullArgument("handle");
    const auto config = RunConfigs().Find(handle);
    if (!config) return BadHandle("handle", "a configuration");
    int32_t timeout = -1;
    {
      std::lock_guard lock(config->mutex);
      if (const auto set = config->Number(ACL_MDL_STREAM_SYNC_TIMEOUT)) timeout = static_cast<int32_t>(*set);
    }
    if (timeout < 0) return aclmdlExecute(modelId, input, output);
    if (const aclError code = aclmdlExecuteAsync(modelId, input, output, stream); code != ACL_SUCCESS) return code;
    return aclrtSynchronizeStreamWithTimeout(stream, timeout);
  });
}

aclError aclmdlSetAttribute(uint32_t modelId, aclmdlAttr attr, aclmdlAttrValue_t* attrValue) {
  return Guard([&]() -> aclError {
    if (attrValue == nullptr) return NullArgument("attrValue");
    if (attr != ACL_MDL_ATTR_PRIORITY_INT32 || attrValue->mdlPriority > kLowestPriority) {
      return Fail(ACL_ERROR_INVALID_PARAM, "a model has the attribute 0, its priority, of 0 to 7");
    }
    std::shared_ptr<Model> model;
    if (const aclError code = ModelTable::Get().Find(modelId, &model); code != ACL_SUCCESS) return code;
    model->priority = attrValue->mdlPriority;
    return ACL_SUCCESS;
  });
}

aclError aclmdlGetAttribute(uint32_t modelId, aclmdlAttr attr, aclmdlAttrValue_t* attrValue) {
  return Guard([&]() -> aclError {
    if (attrValue == nullptr) return NullArgument("attrValue");
    if (attr != ACL_MDL_ATTR_PRIORITY_INT32) {
      return Fail(ACL_ERROR_INVALID_PARAM, "a model has no attribute " + std::to_string(static_cast<int>(attr)));
    }
    std::shared_ptr<Model> model;
    if (const aclError code = ModelTable::Get().Find(modelId, &model); code != ACL_SUCCESS) return code;
    *attrValue = {};
    attrValue->mdlPriority = model->priority;
    return ACL_SUCCESS;
  });
}

aclError aclmdlQueryExeOMDesc(const char* fileName, aclmdlExeOMDesc* mdlPartitionSize) {
  return Guard([&]() -> aclError {
    if (mdlPartitionSize == nullptr) return NullArgument("mdlPartitionSize");
    aclmdlExeOMDesc sizes = {};
    if (const aclError code = aclmdlQuerySize(fileName, &sizes.workSize, &sizes.weightSize); code != ACL_SUCCESS) return code;
    const size_t whole = std::filesystem::file_size(fileName);
    sizes.modelDescSize = whole - std::min(whole, sizes.weightSize);
    *mdlPartitionSize = sizes;
    return ACL_SUCCESS;
  });
}

aclError aclmdlCreateAndGetOpDesc(uint32_t deviceId, uint32_t streamId, uint32_t taskId, char* opName, size_t opNameLen,
                                  aclTensorDesc** inputDesc, size_t* numInputs, aclTensorDesc** outputDesc,
                                  size_t* numOutputs) {
  return Guard([&]() -> aclError {
    if (opName == nullptr || inputDesc == nullptr || numInputs == nullptr || outputDesc == nullptr || numOutputs == nullptr) {
      return NullArgument("opName, inputDesc, numInputs, outputDesc or numOutputs");
    }
    return DescribeFailedTask(deviceId, streamId, taskId, opName, opNameLen, inputDesc, numInputs, outputDesc, numOutputs);
  });
}

aclError aclRecoverAllHcclTasks(int32_t deviceId) { return Unoffered("aclRecoverAllHcclTasks"); }

// openatc_ext.h.
#include "backend/acl/include/acl/openatc_ext.h"

#include <sys/utsname.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "backend/acl/handles.h"
#include "backend/acl/model_table.h"
#include "backend/acl/objects.h"
#include "backend/executor/describe.h"

using namespace atc::acl;
using atc::runtime::Context;
using atc::runtime::MemoryKind;
using atc::runtime::MemoryStats;
using atc::runtime::Runtime;

namespace {

// As many bytes of the structure as the caller has room for.
template <class Stats>
aclError Give(const Stats& stats, Stats* out, size_t bytes) {
  std::memcpy(out, &stats, std::min(bytes, sizeof(stats)));
  return ACL_SUCCESS;
}

}  // namespace

const char* openatcGetVersion(void) { return "OpenATC " OPENATC_VERSION; }

const char* openatcGetDeviceDescription(void) {
  return GuardValue<const char*>("", [] {
    static const std::string* text = [] {
      utsname machine = {};
      uname(&machine);
      return new std::string("simulated Ascend device on the host CPU (" + std::string(machine.machine) + ", " +
                             std::to_string(Runtime::UsableCores()) + " cores)");
    }();
    return text->c_str();
  });
}

// Names of kernels are literals, which end with a zero byte.
const char* openatcGetKernelName(const char* opType) {
  return GuardValue<const char*>("reference",
                                 [&] { return atc::FastKernelName(opType == nullptr ? "" : opType).data(); });
}

aclError openatcSetCores(uint32_t cores) {
  return Guard([&]() -> aclError {
    return Runtime::Get().SetCores(cores) == ACL_SUCCESS ? ACL_SUCCESS : ACL_ERROR_INVALID_PARAM;
  });
}

aclError openatcGetCores(uint32_t* cores) {
  return Guard([&]() -> aclError {
    if (cores == nullptr) return NullArgument("cores");
    *cores = Runtime::Get().cores();
    return ACL_SUCCESS;
  });
}

aclError openatcGetModelStats(uint32_t modelId, openatcModelStats* stats, size_t statsSize) {
  return Guard([&]() -> aclError {
    if (stats == nullptr) return NullArgument("stats");
    std::shared_ptr<Model> model;
    if (const aclError code = ModelTable::Get().Find(modelId, &model); code != ACL_SUCCESS) return code;
    openatcModelStats filled = {};
    std::lock_guard lock(model->run);
    const atc::ModelInfo& info = model->loaded ? model->loaded->info() : *model->signature;
    filled.arenaBytes = info.arena_bytes;
    filled.weightBytes = info.weight_bytes;
    filled.preparedWeightBytes = info.prepared_weight_bytes;
    filled.peakBytes = info.peak_bytes;
    filled.streamCount = info.streams;
    filled.eventCount = info.events;
    filled.taskCount = info.tasks;
    return Give(filled, stats, statsSize);
  });
}

aclError openatcGetOutputPrecision(uint32_t modelId, size_t index, aclDataType* dataType) {
  return Guard([&]() -> aclError {
    if (dataType == nullptr) return NullArgument("dataType");
    std::shared_ptr<Model> model;
    if (const aclError code = ModelTable::Get().Find(modelId, &model); code != ACL_SUCCESS) return code;
    const auto& outputs = model->signature->outputs;
    if (index >= outputs.size()) {
      return Fail(ACL_ERROR_INVALID_PARAM, "there is no output " + std::to_string(index) + ": the model has " + std::to_string(outputs.size()));
    }
    *dataType = ToAcl(outputs[index].computed_in);
    return ACL_SUCCESS;
  });
}

aclError openatcGetMemoryStats(openatcMemoryStats* stats, size_t statsSize) {
  return Guard([&]() -> aclError {
    if (stats == nullptr) return NullArgument("stats");
    std::shared_ptr<Context> context;
    if (const aclError code = CurrentContext(&context); code != ACL_SUCCESS) return code;
    const MemoryStats device = context->device().memory_stats();
    const MemoryStats host = Runtime::Get().memory().stats(MemoryKind::kHost, 0);
    openatcMemoryStats filled = {};
    filled.deviceBytes = device.bytes;
    filled.devicePeakBytes = device.peak_bytes;
    filled.deviceCount = device.count;
    filled.hostBytes = host.bytes;
    filled.hostPeakBytes = host.peak_bytes;
    filled.hostCount = host.count;
    return Give(filled, stats, statsSize);
  });
}

aclError openatcIsOwnModel(const char* fileName, int32_t* own) {
  return Guard(
      [&]() -> aclError {
        if (fileName == nullptr) return NullArgument("fileName");
        if (own == nullptr) return NullArgument("own");
        std::error_code error;
        if (!std::filesystem::is_regular_file(fileName, error)) {
          return Fail(ACL_ERROR_INVALID_FILE, std::string("'") + fileName + "' is not a file that can be read");
        }
        *own = atc::LoadedModel::IsOwn(fileName) ? 1 : 0;
        return ACL_SUCCESS;
      },
      ACL_ERROR_PARSE_MODEL);
}

// acl_prof.h: sessions and steps.
#include <algorithm>
#include <charconv>

#include "backend/acl/call_log.h"
#include "backend/acl/handles.h"
#include "backend/acl/include/acl/acl_prof.h"
#include "backend/acl/prof_session.h"

using namespace atc::acl;
using atc::runtime::Runtime;
using atc::runtime::Stream;

namespace {

constexpr uint64_t kKnownData = ACL_PROF_ACL_API | ACL_PROF_TASK_TIME | ACL_PROF_AICORE_METRICS | ACL_PROF_AICPU |
                                ACL_PROF_L2CACHE | ACL_PROF_HCCL_TRACE | ACL_PROF_TRAINING_TRACE | ACL_PROF_MSPROFTX |
                                ACL_PROF_RUNTIME_API | ACL_PROF_TASK_TIME_L0 | ACL_PROF_TASK_MEMORY | ACL_PROF_OP_ATTR;
// Bits between the named ones that newer toolkits give a meaning.
constexpr uint64_t kReservedData = 0x0200 | 0x0400 | 0x2000 | 0x8000;

HandleTable<ProfConfig>& Configs() {
  static auto* table = new HandleTable<ProfConfig>(HandleKind::kProfConfig);
  return *table;
}

struct Step {
  uint64_t number = 0;
  std::atomic<uint64_t> start{0};
};

HandleTable<Step>& Steps() {
  static auto* table = new HandleTable<Step>(HandleKind::kProfStep);
  return *table;
}

// The configuration that runs, for aclprofStop.
struct Running {
  std::mutex mutex;
  std::shared_ptr<ProfConfig> config;
};
Running& TheRunning() {
  static auto* running = new Running;
  return *running;
}

bool IsKnownMetric(int metric) { return (metric >= 0 && metric <= ACL_AICORE_MEMORY_ACCESS) || metric == ACL_AICORE_NONE; }

}  // namespace

aclError aclprofInit(const char* profilerResultPath, size_t length) {
  return Guard([&]() -> aclError {
    if (profilerResultPath == nullptr) return NullArgument("profilerResultPath");
    const std::string path(profilerResultPath);
    if (path.empty() || path.size() != length) {
      return Fail(ACL_ERROR_INVALID_PARAM, "the path '" + path + "' has " + std::to_string(path.size()) +
                                               " characters, the length given is " + std::to_string(length));
    }
    if (AnySubscription()) return Fail(ACL_ERROR_PROF_API_CONFLICT, "aclprofInit and subscriptions of models exclude each other");
    return InitProf(path);
  });
}

aclError aclprofFinalize(void) {
  return Guard([]() -> aclError {
    {
      std::lock_guard lock(TheRunning().mutex);
      TheRunning().config.reset();
    }
    return FinalizeProf();
  });
}

aclprofConfig* aclprofCreateConfig(uint32_t* deviceIdList, uint32_t deviceNums, aclprofAicoreMetrics aicoreMetrics,
                                   const aclprofAicoreEvents* aicoreEvents, uint64_t dataTypeConfig) {
  return GuardValue<aclprofConfig*>(nullptr, [&]() -> aclprofConfig* {
    const auto refuse = [](const std::string& why) { return Fail(ACL_ERROR_INVALID_PARAM, why), nullptr; };
    if (deviceIdList == nullptr && deviceNums > 0) return refuse("deviceIdList is NULL");
    if (aicoreEvents != nullptr) return refuse("aicoreEvents are not offered: NULL is to be given");
    if (!IsKnownMetric(static_cast<int>(aicoreMetrics))) return refuse("aicoreMetrics " + std::to_string(aicoreMetrics) + " is none");
    if (const uint64_t unknown = dataTypeConfig & ~(kKnownData | kReservedData); dataTypeConfig == 0 || unknown != 0) {
      return refuse("dataTypeConfig " + std::to_string(dataTypeConfig) + " is no union of ACL_PROF_... values");
    }
    auto config = std::make_shared<ProfConfig>();
    config->data = dataTypeConfig;
    for (uint32_t i = 0; i < deviceNums; ++i) {
      const uint32_t device = deviceIdList[i];
      if (device >= static_cast<uint32_t>(Runtime::Get().device_count())) {
        return refuse("device " + std::to_string(device) + " was named; there are " + std::to_string(Runtime::Get().device_count()));
      }
      config->devices.push_back(device);
    }
    return static_cast<aclprofConfig*>(Configs().Add(std::move(config)));
  });
}

aclError aclprofDestroyConfig(const aclprofConfig* profilerConfig) {
  return Guard([&]() -> aclError {
    if (profilerConfig == nullptr) return NullArgument("profilerConfig");
    return Configs().Remove(profilerConfig) ? ACL_SUCCESS : BadHandle("profilerConfig", "a configuration of the profiler");
  });
}

aclError aclprofSetConfig(aclprofConfigType configType, const char* config, size_t configLength) {
  return Guard([&]() -> aclError {
    if (config == nullptr) return NullArgument("config");
    if (configType <= ACL_PROF_ARGS_MIN || configType >= ACL_PROF_ARGS_MAX) {
      return Fail(ACL_ERROR_INVALID_PARAM, "configType " + std::to_string(configType) + " is none");
    }
    if (configLength == 0 || std::string_view(config).size() != configLength) {
      return Fail(ACL_ERROR_INVALID_PARAM, "configLength is not the length of '" + std::string(config) + "'");
    }
    return ACL_SUCCESS;
  });
}

aclError aclprofStart(const aclprofConfig* profilerConfig) {
  return Guard([&]() -> aclError {
    if (profilerConfig == nullptr) return NullArgument("profilerConfig");
    const std::shared_ptr<ProfConfig> config = Configs().Find(profilerConfig);
    if (!config) return BadHandle("profilerConfig", "a configuration of the profiler");
    if (const aclError code = StartProf(*config); code != ACL_SUCCESS) return code;
    std::lock_guard lock(TheRunning().mutex);
    TheRunning().config = config;
    return ACL_SUCCESS;
  });
}

aclError aclprofStop(const aclprofConfig* profilerConfig) {
  return Guard([&]() -> aclError {
    if (profilerConfig == nullptr) return NullArgument("profilerConfig");
    const std::shared_ptr<ProfConfig> config = Configs().Find(profilerConfig);
    if (!config) return BadHandle("profilerConfig", "a configuration of the profiler");
    {
      std::lock_guard lock(TheRunning().mutex);
      if (TheRunning().config && (config->data != TheRunning().config->data || config->devices != TheRunning().config->devices)) {
        return Fail(ACL_ERROR_INVALID_PARAM, "aclprofStop was given another configuration than aclprofStart");
      }
      TheRunning().config.reset();
    }
    return StopProf();
  });
}

aclprofStepInfo* aclprofCreateStepInfo(void) {
  return GuardValue<aclprofStepInfo*>(nullptr, [] {
    static std::atomic<uint64_t> next{0};
    auto step = std::make_shared<Step>();
    step->number = next++;
    return static_cast<aclprofStepInfo*>(Steps().Add(std::move(step)));
  });
}

void aclprofDestroyStepInfo(aclprofStepInfo* stepinfo) {
  Guard([&]() -> aclError {
    return Steps().Remove(stepinfo) ? ACL_SUCCESS : BadHandle("stepinfo", "a step");
  });
}

aclError aclprofGetStepTimestamp(aclprofStepInfo* stepInfo, aclprofStepTag tag, aclrtStream stream) {
  return Guard([&]() -> aclError {
    if (stepInfo == nullptr) return NullArgument("stepInfo");
    const std::shared_ptr<Step> step = Steps().Find(stepInfo);
    if (!step) return BadHandle("stepInfo", "a step");
    if (tag != ACL_STEP_START && tag != ACL_STEP_END) return Fail(ACL_ERROR_INVALID_PARAM, "tag " + std::to_string(tag) + " is none");
    std::shared_ptr<Stream> on;
    if (const aclError code = FindStream(stream, &on); code != ACL_SUCCESS) return code;
    return on->Enqueue([step, tag](Stream&) -> aclError {
      const uint64_t now = CallClock();
      if (tag == ACL_STEP_START) step->start = now;
      if (tag == ACL_STEP_END && step->start != 0 && (KeepsMarks() || keep_calls)) {
        AddSpan("step " + std::to_string(step->number), "step", step->start, now);
      }
      return ACL_SUCCESS;
    });
  });
}

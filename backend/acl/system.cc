// acl_rt.h: start, end, error texts.
#include <charconv>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>

#include "backend/acl/dump.h"
#include "backend/acl/handles.h"
#include "backend/acl/include/acl/acl_rt.h"
#include "backend/acl/lifetime_callbacks.h"
#include "backend/acl/model_table.h"
#include "backend/acl/prof_session.h"
#include "compiler/ir/op_def.h"

using namespace atc::acl;
using atc::runtime::Runtime;

namespace {

enum class Stage { kNever, kInitialised, kFinalised };

struct State {
  std::mutex mutex;
  Stage stage = Stage::kNever;
  uint64_t references = 0;
  std::string config;  // text of the file that the first aclInit read; "" without one
};

State& TheState() {
  static auto* state = new State;
  return *state;
}

// "defaultDevice": {"default_device": 0}; "soc_version": "Ascend310P3"; "device_count": 2.
aclError Apply(const std::string& text) {
  if (text.empty()) return ACL_SUCCESS;
  const nlohmann::json config = nlohmann::json::parse(text, nullptr, false);
  const auto number = [](const nlohmann::json& value) {
    if (value.is_number_integer()) return value.get<int>();
    int result = -1;
    if (value.is_string()) {
      const std::string digits = value.get<std::string>();
      std::from_chars(digits.data(), digits.data() + digits.size(), result);
    }
    return result;
  };
  if (const auto count = config.find("device_count"); count != config.end()) {
    if (const aclError code = Runtime::Get().SetDeviceCount(number(*count)); code != ACL_SUCCESS) return code;
  }
  if (const auto soc = config.find("soc_version"); soc != config.end() && soc->is_string()) {
    Runtime::Get().set_soc_name(soc->get<std::string>());
  }
  if (const aclError code = ConfigureDump(text); code != ACL_SUCCESS) return code;
  if (const aclError code = ConfigureProf(text); code != ACL_SUCCESS) return code;
  const auto section = config.find("defaultDevice");
  if (section == config.end() || !section->is_object() || !section->contains("default_device")) return ACL_SUCCESS;
  const int device = number(section->at("default_device"));
  if (device < 0 || device >= Runtime::Get().device_count()) {
    return Fail(ACL_ERROR_INVALID_PARAM, "the configuration's default_device is not one of the devices 0 to " +
                                             std::to_string(Runtime::Get().device_count() - 1));
  }
  Runtime::Get().set_default_device(device);
  return ACL_SUCCESS;
}

aclError ReadConfig(const char* path, std::string* text) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return Fail(ACL_ERROR_INVALID_FILE, std::string("the configuration file '") + path + "' cannot be opened");
  text->assign(std::istreambuf_iterator<char>(file), {});
  if (text->empty()) return ACL_SUCCESS;
  const nlohmann::json config = nlohmann::json::parse(*text, nullptr, false);
  if (!config.is_object()) {
    return Fail(ACL_ERROR_PARSE_FILE, std::string("the configuration file '") + path + "' does not hold a JSON object");
  }
  return ACL_SUCCESS;
}

}  // namespace

aclError aclInit(const char* configPath) {
  return Guard([&]() -> aclError {
    State& state = TheState();
    std::unique_lock lock(state.mutex);
    if (state.stage == Stage::kInitialised) {
      ++state.references;
      return Fail(ACL_ERROR_REPEAT_INITIALIZE, "aclInit was called before");
    }
    std::string config;
    if (configPath != nullptr) {
      if (const aclError code = ReadConfig(configPath, &config); code != ACL_SUCCESS) return code;
    }
    if (state.stage == Stage::kFinalised && config != state.config) {
      return Fail(ACL_ERROR_INVALID_PARAM, "a process that starts again must do so with the configuration it had before");
    }
    if (const aclError code = Apply(config); code != ACL_SUCCESS) return code;
    atc::OpRegistry::Get();  // made at first use: the first model need not wait for it
    state.config = config;
    state.references = 1;
    state.stage = Stage::kInitialised;
    lock.unlock();
    NoteStarted(true, config);
    return CallAtInit(config);
  });
}

aclError aclFinalizeReference(uint64_t* refCount) {
  return Guard([&]() -> aclError {
    State& state = TheState();
    {
      std::lock_guard lock(state.mutex);
      if (state.stage == Stage::kInitialised && state.references > 1) {
        --state.references;
        if (refCount != nullptr) *refCount = state.references;
        return ACL_SUCCESS;
      }
    }
    if (refCount != nullptr) *refCount = 0;
    return aclFinalize();
  });
}

aclError aclFinalize(void) {
  return Guard([]() -> aclError {
    State& state = TheState();
    std::unique_lock lock(state.mutex);
    if (state.stage == Stage::kFinalised) return Fail(ACL_ERROR_REPEAT_FINALIZE, "aclFinalize was called before");
    if (state.stage == Stage::kNever) return Fail(ACL_ERROR_UNINITIALIZE, "aclFinalize without aclInit");
    // What runs told is written before the models go.
    if (ProfInitialised()) FinalizeProf();
    EndDump();
    if (const aclError code = Runtime::Get().Shutdown(); code != ACL_SUCCESS) return code;
    SweepHandles();
    state.stage = Stage::kFinalised;
    lock.unlock();
    NoteStarted(false, "");
    return CallAtFinalize();
  });
}

const char* aclGetRecentErrMsg(void) {
  return GuardValue<const char*>(nullptr, []() -> const char* {
    thread_local std::string text;
    text = atc::runtime::TakeLog();
    return text.empty() ? nullptr : text.c_str();
  });
}

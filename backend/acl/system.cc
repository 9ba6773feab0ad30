// acl_rt.h: start, end, error texts.
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>

#include "backend/acl/handles.h"
#include "backend/acl/include/acl/acl_rt.h"
#include "backend/acl/model_table.h"

using namespace atc::acl;
using atc::runtime::Runtime;

namespace {

enum class Stage { kNever, kInitialised, kFinalised };

struct State {
  std::mutex mutex;
  Stage stage = Stage::kNever;
  std::string config;  // text of the file that the first aclInit read; "" without one
};

State& TheState() {
  static auto* state = new State;
  return *state;
}

// What the file asks for and this device does not offer: told, not passed over in silence.
const char* UnofferedRequest(const nlohmann::json& config) {
  const auto dump = config.find("dump");
  if (dump != config.end() && dump->is_object() && !dump->empty()) return "dump";
  const auto profiler = config.find("profiler");
  if (profiler != config.end() && profiler->is_object() && profiler->value("switch", "") == "on") return "profiler";
  return nullptr;
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
  if (const char* request = UnofferedRequest(config); request != nullptr) {
    return Fail(ACL_ERROR_FEATURE_UNSUPPORTED, std::string("the configuration file '") + path + "' asks for '" + request +
                                                   "', which this device does not offer");
  }
  return ACL_SUCCESS;
}

}  // namespace

aclError aclInit(const char* configPath) {
  return Guard([&]() -> aclError {
    State& state = TheState();
    std::lock_guard lock(state.mutex);
    if (state.stage == Stage::kInitialised) return Fail(ACL_ERROR_REPEAT_INITIALIZE, "aclInit was called before");
    std::string config;
    if (configPath != nullptr) {
      if (const aclError code = ReadConfig(configPath, &config); code != ACL_SUCCESS) return code;
    }
    if (state.stage == Stage::kFinalised && config != state.config) {
      return Fail(ACL_ERROR_INVALID_PARAM, "a process that starts again must do so with the configuration it had before");
    }
    state.config = std::move(config);
    state.stage = Stage::kInitialised;
    return ACL_SUCCESS;
  });
}

aclError aclFinalize(void) {
  return Guard([]() -> aclError {
    State& state = TheState();
    std::lock_guard lock(state.mutex);
    if (state.stage == Stage::kFinalised) return Fail(ACL_ERROR_REPEAT_FINALIZE, "aclFinalize was called before");
    if (state.stage == Stage::kNever) return Fail(ACL_ERROR_UNINITIALIZE, "aclFinalize without aclInit");
    if (const aclError code = Runtime::Get().Shutdown(); code != ACL_SUCCESS) return code;
    SweepHandles();
    state.stage = Stage::kFinalised;
    return ACL_SUCCESS;
  });
}

const char* aclGetRecentErrMsg(void) {
  return GuardValue<const char*>(nullptr, []() -> const char* {
    thread_local std::string text;
    text = atc::runtime::TakeLog();
    return text.empty() ? nullptr : text.c_str();
  });
}

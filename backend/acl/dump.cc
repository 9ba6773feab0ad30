#include "backend/acl/dump.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <vector>

#include "backend/acl/include/acl/acl_rt.h"
#include "backend/executor/value_codec.h"

using namespace atc::acl;
using atc::NodeObserver;
using atc::NodeTensor;
namespace fs = std::filesystem;

namespace {

struct Config {
  std::string path;
  bool inputs = false, outputs = true;
  bool all_models = true;
  std::map<std::string, std::set<std::string>> layers;  // by model; none: all of its operators
};

struct State {
  std::mutex mutex;
  bool initialised = false;       // aclmdlInitDump
  std::optional<Config> config;   // nothing is dumped without one
  std::string began;              // when, as the name of a folder
  std::atomic<uint64_t> stamp{0};
  std::atomic<bool> dumps{false};
  DumpCallback callback = nullptr;  // takes what would be files
};

State& TheState() {
  static auto* state = new State;
  return *state;
}

aclError Wrong(const std::string& what) { return Fail(ACL_ERROR_INVALID_DUMP_CONFIG, "the configuration of the dump: " + what); }

// The value of a key that is one of those words; the first where it is absent.
bool ReadWord(const nlohmann::json& dump, const char* key, const std::vector<std::string>& words, std::string* value) {
  *value = words[0];
  if (!dump.contains(key)) return true;
  if (!dump[key].is_string()) return false;
  *value = dump[key].get<std::string>();
  return std::find(words.begin(), words.end(), *value) != words.end();
}

aclError ParseList(const nlohmann::json& list, Config* config) {
  if (!list.is_array()) return Wrong("dump_list is no list");
  for (const nlohmann::json& entry : list) {
    if (!entry.is_object() || !entry.contains("model_name") || !entry["model_name"].is_string()) {
      if (entry.is_object() && entry.empty()) continue;  // as examples have it: all models
      return Wrong("an entry of dump_list has no model_name");
    }
    config->all_models = false;
    std::set<std::string>& layers = config->layers[entry["model_name"].get<std::string>()];
    if (!entry.contains("layer")) continue;
    if (!entry["layer"].is_array()) return Wrong("layer is no list of names of operators");
    for (const nlohmann::json& layer : entry["layer"]) {
      if (!layer.is_string()) return Wrong("layer is no list of names of operators");
      layers.insert(layer.get<std::string>());
    }
  }
  return ACL_SUCCESS;
}

aclError Parse(const nlohmann::json& dump, Config* config) {
  if (!dump.contains("dump_path") || !dump["dump_path"].is_string() || dump["dump_path"].get<std::string>().empty()) {
    return Wrong("dump_path is missing: the folder to write to");
  }
  config->path = dump["dump_path"].get<std::string>();
  std::string mode, data, ignored;
  if (!ReadWord(dump, "dump_mode", {"output", "input", "all"}, &mode)) return Wrong("dump_mode is input, output or all");
  if (!ReadWord(dump, "dump_data", {"tensor", "stats"}, &data)) return Wrong("dump_data is tensor or stats");
  if (data == "stats") return Wrong("dump_data stats is not offered here, tensor is");
  if (!ReadWord(dump, "dump_op_switch", {"off", "on"}, &ignored)) return Wrong("dump_op_switch is on or off");
  if (!ReadWord(dump, "dump_level", {"op", "all", "kernel"}, &ignored)) return Wrong("dump_level is op, kernel or all");
  config->inputs = mode != "output";
  config->outputs = mode != "input";
  return dump.contains("dump_list") ? ParseList(dump["dump_list"], config) : ACL_SUCCESS;
}

std::string NowAsName() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  localtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y%m%d%H%M%S", &parts);
  return text;
}

std::string Bytes(const atc::Tensor& tensor) {
  if (atc::IsSerialised(tensor.dtype())) return atc::SerialiseElements(tensor);
  return {tensor.Data<char>(), tensor.NumBytes()};
}

// The file of the task that one stream of a model is at.
class OperatorFile {
 public:
  OperatorFile(fs::path folder, DumpCallback callback) : file_(std::move(folder), callback) {}

  void Add(const NodeTensor& tensor) {
    if (file_.open() && (tensor.position != position_ || tensor.node != node_)) file_.Close();
    if (!file_.open()) {
      node_ = tensor.node;
      position_ = tensor.position;
      file_.Open(tensor.node->type().str(), tensor.node->name, tensor.task, tensor.stream);
    }
    file_.Add(tensor.input, tensor.data.dtype(), tensor.graph->desc(tensor.value).origin_format, tensor.data.shape(),
              Bytes(tensor.data));
  }
  ~OperatorFile() {
    try {
      file_.Close();
    } catch (const std::exception& error) {
      Fail(ACL_ERROR_WRITE_FILE, error.what());
    }
  }

 private:
  DumpFile file_;
  const atc::Node* node_ = nullptr;
  uint32_t position_ = 0;
};

// Files of the tasks under way: streams run at the same time, each with a file of its own.
struct RunDump {
  explicit RunDump(fs::path to) : folder(std::move(to)) {}
  fs::path folder;
  std::map<uint32_t, std::unique_ptr<OperatorFile>> by_stream;
};

}  // namespace

aclError atc::acl::ConfigureDump(const std::string& json) {
  const nlohmann::json config = nlohmann::json::parse(json, nullptr, false);
  if (!config.is_object()) return Fail(ACL_ERROR_PARSE_FILE, "the configuration of the dump does not hold a JSON object");
  const auto dump = config.find("dump");
  if (dump == config.end()) return ACL_SUCCESS;
  if (!dump->is_object()) return Wrong("\"dump\" is no object");
  if (dump->empty()) return ACL_SUCCESS;
  Config parsed;
  if (const aclError code = Parse(*dump, &parsed); code != ACL_SUCCESS) return code;
  std::error_code error;
  if (!fs::is_directory(parsed.path, error)) return Wrong("dump_path '" + parsed.path + "' is not a folder that is there");
  if (access(parsed.path.c_str(), W_OK) != 0) return Wrong("dump_path '" + parsed.path + "' cannot be written to");
  State& state = TheState();
  std::lock_guard lock(state.mutex);
  state.config = std::move(parsed);
  state.began = NowAsName();
  state.dumps = true;
  ++state.stamp;
  return ACL_SUCCESS;
}

void atc::acl::EndDump() {
  State& state = TheState();
  std::lock_guard lock(state.mutex);
  if (!state.config) return;
  state.config.reset();
  state.dumps = false;
  ++state.stamp;
}

uint64_t atc::acl::DumpStamp() { return TheState().stamp; }
bool atc::acl::DumpsNow() { return TheState().dumps; }

NodeObserver atc::acl::DumpRun(Model& model) {
  State& state = TheState();
  std::lock_guard lock(state.mutex);
  const std::string& name = model.signature->name;
  if (!state.config) return {};
  const Config& config = *state.config;
  const auto listed = config.layers.find(name);
  if (!config.all_models && listed == config.layers.end()) return {};
  const std::set<std::string> layers = listed == config.layers.end() ? std::set<std::string>() : listed->second;
  const fs::path folder = fs::path(config.path) / state.began / std::to_string(model.device) / FileWord(name) /
                          std::to_string(model.id) / std::to_string(model.dumped_runs++);
  if (state.callback == nullptr) fs::create_directories(folder);
  auto run = std::make_shared<RunDump>(folder);
  return {config.inputs, [run, layers, outputs = config.outputs, callback = state.callback](const NodeTensor& tensor) {
            if (!tensor.input && !outputs) return;
            if (!layers.empty() && layers.count(tensor.node->name) == 0) return;
            std::unique_ptr<OperatorFile>& file = run->by_stream[tensor.stream];
            if (!file) file = std::make_unique<OperatorFile>(run->folder, callback);
            file->Add(tensor);
          }};
}

std::optional<OperatorDump> atc::acl::DumpOfOperators(int device) {
  State& state = TheState();
  std::lock_guard lock(state.mutex);
  if (!state.config) return std::nullopt;
  const fs::path folder = fs::path(state.config->path) / state.began / std::to_string(device);
  return OperatorDump{folder, state.config->inputs, state.config->outputs, state.callback};
}

aclError aclmdlInitDump(void) {
  return Guard([]() -> aclError {
    State& state = TheState();
    std::lock_guard lock(state.mutex);
    if (state.initialised || state.config) {
      return Fail(ACL_ERROR_DUMP_ALREADY_RUN, "the dump was begun before, by aclmdlInitDump or the configuration of aclInit");
    }
    state.initialised = true;
    if (state.callback == nullptr) return ACL_SUCCESS;
    state.config = Config();  // until aclmdlSetDump says more: the outputs of all models, for the callback
    state.began = NowAsName();
    state.dumps = true;
    ++state.stamp;
    return ACL_SUCCESS;
  });
}

aclError aclmdlSetDump(const char* dumpCfgPath) {
  return Guard([&]() -> aclError {
    if (dumpCfgPath == nullptr) return NullArgument("dumpCfgPath");
    {
      State& state = TheState();
      std::lock_guard lock(state.mutex);
      if (!state.initialised) return Fail(ACL_ERROR_DUMP_NOT_RUN, "aclmdlSetDump comes after aclmdlInitDump");
    }
    std::ifstream file(dumpCfgPath, std::ios::binary);
    if (!file) return Fail(ACL_ERROR_INVALID_FILE, std::string("the configuration '") + dumpCfgPath + "' cannot be opened");
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    return ConfigureDump(text);
  });
}

aclError aclmdlFinalizeDump(void) {
  return Guard([]() -> aclError {
    {
      State& state = TheState();
      std::lock_guard lock(state.mutex);
      if (!state.initialised) return Fail(ACL_ERROR_DUMP_NOT_RUN, "aclmdlFinalizeDump comes after aclmdlInitDump");
      state.initialised = false;
    }
    EndDump();
    return ACL_SUCCESS;
  });
}

aclError acldumpRegCallback(int32_t (*const messageCallback)(const acldumpChunk*, int32_t), int32_t flag) {
  return Guard([&]() -> aclError {
    if (messageCallback == nullptr) return NullArgument("messageCallback");
    if (flag != 0) return Fail(ACL_ERROR_FAILURE, "the flag of the dump's callback is 0, not " + std::to_string(flag));
    std::lock_guard lock(TheState().mutex);
    TheState().callback = messageCallback;
    return ACL_SUCCESS;
  });
}

void acldumpUnregCallback(void) {
  std::lock_guard lock(TheState().mutex);
  TheState().callback = nullptr;
}

const char* acldumpGetPath(acldumpType dumpType) {
  return GuardValue<const char*>(nullptr, [&]() -> const char* {
    thread_local std::string path;
    std::lock_guard lock(TheState().mutex);
    if (dumpType != DATA_DUMP || !TheState().config || TheState().config->path.empty()) return nullptr;
    path = (fs::path(TheState().config->path) / TheState().began).string();
    return path.c_str();
  });
}

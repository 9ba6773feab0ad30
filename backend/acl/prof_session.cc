#include "backend/acl/prof_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "backend/acl/call_log.h"
#include "backend/acl/include/acl/acl_prof.h"
#include "backend/runtime/runtime.h"

namespace atc::acl {
namespace {

namespace fs = std::filesystem;

struct Session {
  std::mutex mutex;
  bool initialised = false;
  std::string path;
  std::optional<ProfConfig> config;  // while it runs
  std::vector<profile::ModelProfile> done;  // of models that are gone
  std::atomic<bool> runs{false}, marks{false};
};

Session& TheSession() {
  static auto* session = new Session;
  return *session;
}

// The first folder PROF_<number> that is not there yet.
fs::path MakeFolder(const std::string& path) {
  for (uint32_t number = 1;; ++number) {
    const fs::path folder = fs::path(path) / fmt::format("PROF_{:06}", number);
    if (fs::create_directory(folder)) return folder;
  }
}

void WriteFile(const fs::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) throw std::runtime_error("the profile '" + path.string() + "' cannot be written");
}

void Write(const std::string& path, const profile::Profile& profile) {
  const fs::path folder = MakeFolder(path);
  std::string sentences;
  for (const profile::ModelProfile& model : profile.models) {
    for (const std::string& sentence : StreamSentences(model)) sentences += fmt::format("model {} '{}': {}\n", model.model, model.name, sentence);
  }
  WriteFile(folder / "op_summary.csv", OpSummaryCsv(profile));
  WriteFile(folder / "op_statistic.csv", OpStatisticCsv(profile));
  WriteFile(folder / "trace.json", TraceJson(profile));
  WriteFile(folder / "streams.txt", sentences);
}

// With model.run held.
void Take(Model& model, std::vector<profile::ModelProfile>* to) {
  if (!model.profile || !model.profiled_by_session) return;
  if (model.loaded) model.loaded->SetProfile(nullptr);
  if (!model.profile->spans.empty()) to->push_back(ToModelProfile(model, *model.profile));
  model.profile.reset();
  model.profiled_by_session = false;
}

}  // namespace

profile::ModelProfile ToModelProfile(const Model& model, const RunProfile& run) {
  profile::ModelProfile profile;
  profile.device = static_cast<uint32_t>(model.device);
  profile.model = model.id;
  profile.name = model.signature->name;
  std::vector<TaskSpan> spans = run.spans;
  std::stable_sort(spans.begin(), spans.end(), [](const TaskSpan& a, const TaskSpan& b) { return a.start_ns < b.start_ns; });
  for (const TaskSpan& span : spans) {
    const TaskDescription& task = run.tasks[span.task];
    profile.tasks.push_back({span.run, task.id, task.stream, span.cores, static_cast<profile::TaskKind>(task.kind), task.event,
                             span.start_ns, span.end_ns, task.op_name, task.op_type, task.task_type, task.input_shapes,
                             task.input_types, task.input_formats, task.output_shapes, task.output_types, task.output_formats});
  }
  return profile;
}

aclError InitProf(const std::string& path) {
  Session& session = TheSession();
  std::lock_guard lock(session.mutex);
  if (session.initialised) return Fail(ACL_ERROR_PROF_ALREADY_RUN, "the profiler was initialised before");
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    return Fail(ACL_ERROR_INVALID_FILE, "the profiler is to write to '" + path + "', which is not a folder that is there");
  }
  session.initialised = true;
  session.path = path;
  return ACL_SUCCESS;
}

aclError StartProf(const ProfConfig& config) {
  Session& session = TheSession();
  std::lock_guard lock(session.mutex);
  if (!session.initialised) return Fail(ACL_ERROR_PROF_NOT_RUN, "aclprofStart comes after aclprofInit");
  if (session.config) return Fail(ACL_ERROR_PROF_ALREADY_RUN, "the profiler is running already");
  session.config = config;
  session.done.clear();
  TakeCalls();
  session.runs = (config.data & (ACL_PROF_TASK_TIME | ACL_PROF_TASK_TIME_L0)) != 0;
  session.marks = (config.data & ACL_PROF_MSPROFTX) != 0;
  keep_calls = (config.data & (ACL_PROF_ACL_API | ACL_PROF_RUNTIME_API)) != 0;
  return ACL_SUCCESS;
}

aclError StopProf() {
  Session& session = TheSession();
  std::string path;
  {
    std::lock_guard lock(session.mutex);
    if (!session.config) return Fail(ACL_ERROR_PROF_NOT_RUN, "the profiler is not running");
    session.config.reset();
    path = session.path;
    session.runs = session.marks = false;
    keep_calls = false;
  }
  profile::Profile profile;
  for (const std::shared_ptr<Model>& model : ModelTable::Get().All()) {
    std::lock_guard run(model->run);
    Take(*model, &profile.models);
  }
  {
    std::lock_guard lock(session.mutex);
    profile.models.insert(profile.models.end(), session.done.begin(), session.done.end());
    session.done.clear();
  }
  std::stable_sort(profile.models.begin(), profile.models.end(),
                   [](const auto& a, const auto& b) { return a.model < b.model; });
  profile.calls = TakeCalls();
  Write(path, profile);
  return ACL_SUCCESS;
}

aclError FinalizeProf() {
  Session& session = TheSession();
  bool running = false;
  {
    std::lock_guard lock(session.mutex);
    if (!session.initialised) return Fail(ACL_ERROR_PROF_NOT_RUN, "aclprofFinalize comes after aclprofInit");
    running = session.config.has_value();
  }
  const aclError code = running ? StopProf() : ACL_SUCCESS;
  std::lock_guard lock(session.mutex);
  session.initialised = false;
  return code;
}

aclError ConfigureProf(const std::string& json) {
  const nlohmann::json config = nlohmann::json::parse(json, nullptr, false);
  const auto wrong = [](const std::string& what) { return Fail(ACL_ERROR_INVALID_PROFILING_CONFIG, "the configuration of the profiler: " + what); };
  if (!config.is_object() || !config.contains("profiler")) return ACL_SUCCESS;
  const nlohmann::json& profiler = config["profiler"];
  if (!profiler.is_object()) return wrong("\"profiler\" is no object");
  const auto word = [&](const char* key, const char* otherwise) {
    return profiler.contains(key) && profiler[key].is_string() ? profiler[key].get<std::string>() : std::string(otherwise);
  };
  if (word("switch", "off") != "on") return ACL_SUCCESS;
  const std::string output = word("output", ".");
  std::error_code error;
  if (!fs::is_directory(output, error)) return wrong("output '" + output + "' is not a folder that is there");
  if (const aclError code = InitProf(output); code != ACL_SUCCESS) return code;
  ProfConfig all;
  for (int device = 0; device < runtime::Runtime::Get().device_count(); ++device) all.devices.push_back(static_cast<uint32_t>(device));
  all.data = ACL_PROF_ACL_API | ACL_PROF_TASK_TIME | (word("msproftx", "off") == "on" ? ACL_PROF_MSPROFTX : 0);
  return StartProf(all);
}

bool ProfInitialised() {
  Session& session = TheSession();
  std::lock_guard lock(session.mutex);
  return session.initialised;
}

bool KeepsMarks() { return TheSession().marks; }

void ProfileRun(Model& model) {
  Session& session = TheSession();
  if (!session.runs.load(std::memory_order_relaxed) || model.profile) return;
  std::lock_guard lock(session.mutex);
  if (!session.config) return;
  const std::vector<uint32_t>& devices = session.config->devices;
  if (std::find(devices.begin(), devices.end(), static_cast<uint32_t>(model.device)) == devices.end()) return;
  model.profile = std::make_unique<RunProfile>();
  model.profiled_by_session = true;
  model.loaded->SetProfile(model.profile.get());
}

void KeepProfile(Model& model) {
  if (!model.profiled_by_session) return;
  Session& session = TheSession();
  std::lock_guard lock(session.mutex);
  Take(model, &session.done);
}

}  // namespace atc::acl

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "backend/profile/profile.h"

namespace atc::profile {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kHost = 0;  // process of the host; that of model i is i + 1

double Us(uint64_t ns) { return static_cast<double>(ns) / 1000; }

Json Named(const char* what, int process, const std::string& name) {
  return {{"ph", "M"}, {"name", what}, {"pid", process}, {"args", {{"name", name}}}};
}

Json Lane(int process, uint32_t lane, const std::string& name) {
  Json event = Named("thread_name", process, name);
  event["tid"] = lane;
  return event;
}

void AddHost(const Profile& profile, uint64_t origin, Json* events) {
  events->push_back(Named("process_name", kHost, "Host: calls of the program"));
  std::set<uint32_t> threads;
  for (const HostCall& call : profile.calls) threads.insert(call.thread);
  for (const uint32_t thread : threads) events->push_back(Lane(kHost, thread, fmt::format("Thread {}", thread)));
  for (const HostCall& call : profile.calls) {
    Json event = {{"ph", "X"}, {"name", call.name}, {"cat", call.category}, {"pid", kHost}, {"tid", call.thread},
                  {"ts", Us(call.start_ns - origin)}};
    if (call.end_ns == call.start_ns) {
      event["ph"] = "i";
      event["s"] = "t";
    } else {
      event["dur"] = Us(call.end_ns - call.start_ns);
    }
    events->push_back(std::move(event));
  }
}

Json Span(const TaskTime& task, int process, uint64_t origin) {
  Json args = {{"run", task.run}, {"task id", task.task}};
  const char* category = "kernel";
  if (task.kind == TaskKind::kKernel) {
    args["type"] = task.type;
    args["cores"] = task.cores;
    args["inputs"] = task.input_shapes;
    args["outputs"] = task.output_shapes;
  } else {
    category = task.kind == TaskKind::kEventWait ? "wait" : "record";
    args["event"] = task.event;
  }
  return {{"ph", "X"}, {"name", task.name}, {"cat", category}, {"pid", process}, {"tid", task.stream},
          {"ts", Us(task.start_ns - origin)}, {"dur", Us(task.end_ns - task.start_ns)}, {"args", std::move(args)}};
}

void AddModel(const ModelProfile& model, int process, uint64_t origin, size_t* arrow, Json* events) {
  events->push_back(Named("process_name", process,
                          fmt::format("Model {}{} on simulated device {} (CPU times, not those of an NPU)", model.model,
                                      model.name.empty() ? "" : " '" + model.name + "'", model.device)));
  std::set<uint32_t> streams;
  for (const TaskTime& task : model.tasks) streams.insert(task.stream);
  for (const uint32_t stream : streams) events->push_back(Lane(process, stream, fmt::format("Stream {}", stream)));
  // A record ends before the wait for it does, but the wait may have begun first.
  std::map<std::pair<uint32_t, int64_t>, const TaskTime*> records;
  for (const TaskTime& task : model.tasks) {
    if (task.kind == TaskKind::kEventRecord) records[{task.run, task.event}] = &task;
  }
  for (const TaskTime& task : model.tasks) {
    events->push_back(Span(task, process, origin));
    if (task.kind != TaskKind::kEventWait) continue;
    const auto record = records.find({task.run, task.event});
    if (record == records.end()) continue;
    const std::string name = fmt::format("event {}", task.event);
    events->push_back({{"ph", "s"}, {"id", *arrow}, {"name", name}, {"cat", "event"}, {"pid", process},
                       {"tid", record->second->stream}, {"ts", Us(record->second->start_ns - origin)}});
    events->push_back({{"ph", "f"}, {"bp", "e"}, {"id", (*arrow)++}, {"name", name}, {"cat", "event"}, {"pid", process},
                       {"tid", task.stream}, {"ts", Us(task.end_ns - origin)}});
  }
}

}  // namespace

std::string TraceJson(const Profile& profile) {
  uint64_t origin = UINT64_MAX;
  for (const HostCall& call : profile.calls) origin = std::min(origin, call.start_ns);
  for (const ModelProfile& model : profile.models) {
    for (const TaskTime& task : model.tasks) origin = std::min(origin, task.start_ns);
  }
  Json events = Json::array();
  AddHost(profile, origin, &events);
  size_t arrow = 0;
  for (size_t i = 0; i < profile.models.size(); ++i) {
    AddModel(profile.models[i], static_cast<int>(i) + 1, origin, &arrow, &events);
  }
  // Names come from model files and may be no UTF-8.
  return Json{{"displayTimeUnit", "ms"}, {"traceEvents", std::move(events)}}.dump(
             -1, ' ', false, Json::error_handler_t::replace) +
         "\n";
}

}  // namespace atc::profile

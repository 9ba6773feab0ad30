#include "cmd/omrun/profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

namespace atc::omrun {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kColumns =
    "Device_id,Model ID,Task ID,Stream ID,Op Name,OP Type,OP State,Task Type,Task Start Time(us),Task Duration(us),"
    "Task Wait Time(us),Block Num,Mix Block Num,Input Shapes,Input Data Types,Input Formats,Output Shapes,"
    "Output Data Types,Output Formats,Context ID\n";
constexpr int kHost = 0, kDevice = 1;  // processes of the trace

double Us(uint64_t ns) { return static_cast<double>(ns) / 1000; }

// A cell that may hold commas or quotation marks.
std::string Cell(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

// msprof puts shapes into quotation marks of their own.
std::string Shapes(const std::string& text) { return Cell("\"" + text + "\""); }

Json Named(const char* what, int process, const std::string& name) {
  return {{"ph", "M"}, {"name", what}, {"pid", process}, {"args", {{"name", name}}}};
}

}  // namespace

TaskTime::TaskTime(const openatcTaskRecord& r)
    : run(r.run),
      task(r.taskId),
      stream(r.streamId),
      cores(r.cores),
      kind(r.kind),
      event(r.eventId),
      start_ns(r.startNs),
      end_ns(r.endNs),
      name(r.opName),
      type(r.opType),
      task_type(r.taskType),
      input_shapes(r.inputShapes),
      input_types(r.inputTypes),
      input_formats(r.inputFormats),
      output_shapes(r.outputShapes),
      output_types(r.outputTypes),
      output_formats(r.outputFormats) {}

std::string OpSummaryCsv(const Profile& profile) {
  std::string csv = kColumns;
  std::map<std::pair<uint32_t, uint32_t>, uint64_t> free_at;  // by run and stream: when its last kernel was over
  for (const TaskTime& task : profile.tasks) {
    if (task.kind != OPENATC_TASK_KERNEL) continue;
    const auto [last, first] = free_at.try_emplace({task.run, task.stream}, task.start_ns);
    const uint64_t idle = task.start_ns - std::min(task.start_ns, last->second);
    last->second = task.end_ns;
    fmt::format_to(std::back_inserter(csv), "0,{},{},{},{},{},static,{},{:.3f},{:.3f},{:.3f},{},0,{},{},{},{},{},{},N/A\n",
                   profile.model_id, task.task, task.stream, Cell(task.name), Cell(task.type), task.task_type,
                   Us(task.start_ns), Us(task.end_ns - task.start_ns), Us(idle), task.cores, Shapes(task.input_shapes),
                   Cell(task.input_types), Cell(task.input_formats), Shapes(task.output_shapes), Cell(task.output_types),
                   Cell(task.output_formats));
  }
  return csv;
}

std::string TraceJson(const Profile& profile) {
  uint64_t origin = UINT64_MAX;
  for (const HostCall& call : profile.calls) origin = std::min(origin, call.start_ns);
  for (const TaskTime& task : profile.tasks) origin = std::min(origin, task.start_ns);
  Json events = Json::array();
  events.push_back(Named("process_name", kHost, "Host: calls of omrun"));
  events.push_back(Named("process_name", kDevice, "Simulated device (CPU times, not those of an NPU)"));
  std::set<uint32_t> streams;
  for (const TaskTime& task : profile.tasks) streams.insert(task.stream);
  for (const uint32_t stream : streams) {
    Json lane = Named("thread_name", kDevice, fmt::format("Stream {}", stream));
    lane["tid"] = stream;
    events.push_back(std::move(lane));
  }
  for (const HostCall& call : profile.calls) {
    events.push_back({{"ph", "X"}, {"name", call.name}, {"cat", "host"}, {"pid", kHost}, {"tid", 0},
                      {"ts", Us(call.start_ns - origin)}, {"dur", Us(call.end_ns - call.start_ns)}});
  }
  // A record ends before the wait for it does, but the wait may have begun first.
  std::map<std::pair<uint32_t, int64_t>, const TaskTime*> records;
  for (const TaskTime& task : profile.tasks) {
    if (task.kind == OPENATC_TASK_EVENT_RECORD) records[{task.run, task.event}] = &task;
  }
  size_t arrow = 0;
  for (const TaskTime& task : profile.tasks) {
    Json args = {{"run", task.run}, {"task id", task.task}};
    const char* category = "kernel";
    if (task.kind == OPENATC_TASK_KERNEL) {
      args["type"] = task.type;
      args["cores"] = task.cores;
      args["inputs"] = task.input_shapes;
      args["outputs"] = task.output_shapes;
    } else {
      category = task.kind == OPENATC_TASK_EVENT_WAIT ? "wait" : "record";
      args["event"] = task.event;
    }
    events.push_back({{"ph", "X"}, {"name", task.name}, {"cat", category}, {"pid", kDevice}, {"tid", task.stream},
                      {"ts", Us(task.start_ns - origin)}, {"dur", Us(task.end_ns - task.start_ns)}, {"args", std::move(args)}});
    if (task.kind != OPENATC_TASK_EVENT_WAIT) continue;
    const auto record = records.find({task.run, task.event});
    if (record == records.end()) continue;
    const std::string name = fmt::format("event {}", task.event);
    events.push_back({{"ph", "s"}, {"id", arrow}, {"name", name}, {"cat", "event"}, {"pid", kDevice},
                      {"tid", record->second->stream}, {"ts", Us(record->second->start_ns - origin)}});
    events.push_back({{"ph", "f"}, {"bp", "e"}, {"id", arrow++}, {"name", name}, {"cat", "event"}, {"pid", kDevice},
                      {"tid", task.stream}, {"ts", Us(task.end_ns - origin)}});
  }
  return Json{{"displayTimeUnit", "ms"}, {"traceEvents", std::move(events)}}.dump(
             -1, ' ', false, Json::error_handler_t::replace) +
         "\n";
}

}  // namespace atc::omrun

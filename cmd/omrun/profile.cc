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

namespace {

struct Span {
  uint64_t start, end;
};

// Overlapping spans joined, in order.
std::vector<Span> Joined(std::vector<Span> spans) {
  std::sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) { return a.start < b.start; });
  std::vector<Span> joined;
  for (const Span& span : spans) {
    if (!joined.empty() && span.start <= joined.back().end) joined.back().end = std::max(joined.back().end, span.end);
    else joined.push_back(span);
  }
  return joined;
}

uint64_t Length(const std::vector<Span>& spans) {
  uint64_t length = 0;
  for (const Span& span : spans) length += span.end - span.start;
  return length;
}

// Parts of `whole` that lie in none of `taken`; both joined.
std::vector<Span> Without(const std::vector<Span>& whole, const std::vector<Span>& taken) {
  std::vector<Span> left;
  size_t first = 0;  // of taken that may still matter
  for (Span span : whole) {
    while (first < taken.size() && taken[first].end <= span.start) ++first;
    for (size_t i = first; i < taken.size() && taken[i].start < span.end; ++i) {
      if (taken[i].start > span.start) left.push_back({span.start, taken[i].start});
      span.start = std::min(span.end, std::max(span.start, taken[i].end));
    }
    if (span.start < span.end) left.push_back(span);
  }
  return left;
}

}  // namespace

std::vector<std::string> StreamSentences(const Profile& profile) {
  std::map<uint32_t, std::vector<Span>> runs;  // from the first to the last task of each run
  std::map<uint32_t, std::vector<Span>> working, waiting;
  std::vector<Span> all_working;
  for (const TaskTime& task : profile.tasks) {
    const Span span{task.start_ns, task.end_ns};
    runs[task.run].push_back(span);
    working[task.stream];
    if (task.kind == OPENATC_TASK_KERNEL) working[task.stream].push_back(span), all_working.push_back(span);
    if (task.kind == OPENATC_TASK_EVENT_WAIT) waiting[task.stream].push_back(span);
  }
  std::vector<Span> whole;
  for (const auto& [run, spans] : runs) {
    uint64_t start = UINT64_MAX, end = 0;
    for (const Span& span : spans) start = std::min(start, span.start), end = std::max(end, span.end);
    whole.push_back({start, end});
  }
  whole = Joined(std::move(whole));
  const double total = static_cast<double>(std::max<uint64_t>(Length(whole), 1));
  all_working = Joined(std::move(all_working));
  std::vector<std::string> sentences;
  for (const auto& [stream, spans] : working) {
    const std::vector<Span> busy = Joined(spans);
    const std::vector<Span> not_busy = Without(whole, busy);
    const std::vector<Span> no_wait = Without(not_busy, Joined(waiting[stream]));
    const std::vector<Span> nobody = Without(no_wait, all_working);
    const double shares[] = {Length(busy) / total, (Length(not_busy) - Length(no_wait)) / total,
                             (Length(no_wait) - Length(nobody)) / total, Length(nobody) / total};
    constexpr const char* kVerdicts[] = {"works", "waits for data", "waits for cores", "waits for the host"};
    const size_t most = static_cast<size_t>(std::max_element(std::begin(shares), std::end(shares)) - std::begin(shares));
    sentences.push_back(fmt::format("stream {} mostly {}: it worked {:.0f} % of the time, waited {:.0f} % for data, {:.0f} % for cores, {:.0f} % for the host",
                                    stream, kVerdicts[most], 100 * shares[0], 100 * shares[1], 100 * shares[2], 100 * shares[3]));
  }
  return sentences;
}

}  // namespace atc::omrun

#include "compiler/streams/stream_options.h"

#include <charconv>
#include <cstdlib>

#include "compiler/ir/error.h"

namespace atc {
namespace {

Error Bad(std::string_view key, const std::string& value, std::string reason) {
  return Error("E10001", {{"value", value}, {"parameter", std::string(key)}, {"reason", std::move(reason)}});
}

bool ReadBool(std::string_view key, const std::string& value) {
  if (value == "1" || value == "true") return true;
  if (value == "0" || value == "false") return false;
  throw Bad(key, value, "It is 0 or 1.");
}

int32_t ReadNumber(std::string_view key, const std::string& value, int32_t least, int32_t most) {
  int32_t number = 0;
  const auto [end, fault] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (fault == std::errc() && end == value.data() + value.size() && number >= least && number <= most) return number;
  throw Bad(key, value, "It is a number from " + std::to_string(least) + " to " + std::to_string(most) + ".");
}

constexpr int32_t kMostParallel = 1024;
constexpr int32_t kMostTasks = 1 << 30;

// "AIcoreEngine:4,DNN_VM_AICPU:2".
void ReadMaxParallel(std::string_view key, const std::string& value, StreamOptions* options) {
  for (size_t begin = 0; begin <= value.size();) {
    const size_t end = std::min(value.find(',', begin), value.size());
    const std::string item = value.substr(begin, end - begin);
    const size_t colon = item.rfind(':');
    if (colon == std::string::npos || colon == 0) {
      throw Bad(key, value, "It is engine:number,engine:number, such as AIcoreEngine:4.");
    }
    options->max_parallel_of_engine[item.substr(0, colon)] = ReadNumber(key, item.substr(colon + 1), 1, kMostParallel);
    begin = end + 1;
  }
}

void ReadPolicy(std::string_view key, const std::string& value, StreamOptions* options) {
  if (value != "MemoryPriority" && value != "BalancePriority") {
    throw Bad(key, value, "It is MemoryPriority or BalancePriority.");
  }
  options->memory_priority = value == "MemoryPriority";
}

void ReadEvent(std::string_view key, const std::string& value, StreamOptions* options) {
  if (value != "event" && value != "notify") throw Bad(key, value, "It is event or notify.");
  options->notify = value == "notify";
}

struct Row {
  std::string_view key;
  void (*read)(std::string_view key, const std::string& value, StreamOptions* options);
};

// Keys that begin with "openatc." stand for what GE asks the device: how many streams and events it has, and how long
// streams are.
constexpr Row kRows[] = {
    {"ac_parallel_enable", [](auto key, auto& value, auto* to) { to->parallel_ai_cpu = ReadBool(key, value); }},
    {"ge.event", ReadEvent},
    {"ge.exec.memoryOptimizationPolicy", ReadPolicy},
    {"ge.exec.static_model_ops_lower_limit",
     [](auto key, auto& value, auto* to) { to->least_static_ops = ReadNumber(key, value, -1, kMostTasks); }},
    {"ge.hcomParallel", [](auto key, auto& value, auto* to) { to->hcom_parallel = ReadBool(key, value); }},
    {"ge.streamMaxParallelNum", ReadMaxParallel},
    {"openatc.maxEvents",
     [](auto key, auto& value, auto* to) { to->max_events = ReadNumber(key, value, 1, kMostTasks); }},
    {"openatc.maxHugeStreamTasks",
     [](auto key, auto& value, auto* to) { to->max_huge_stream_tasks = ReadNumber(key, value, 0, kMostTasks); }},
    {"openatc.maxStreamTasks",
     [](auto key, auto& value, auto* to) { to->max_stream_tasks = ReadNumber(key, value, 0, kMostTasks); }},
    {"openatc.maxStreams", [](auto key, auto& value, auto* to) { to->max_streams = ReadNumber(key, value, 0, kMostTasks); }},
};

}  // namespace

StreamOptions ReadStreamOptions(const CompileOptions& options) {
  StreamOptions read;
  read.single_stream = options.single_stream;
  read.parallel_mode = options.parallel_mode;
  read.max_stream_tasks = options.max_stream_tasks;
  for (const Row& row : kRows) {
    const std::string value = options.GeOption(std::string(row.key));
    if (!value.empty()) row.read(row.key, value, &read);
  }
  const char* dynamic = std::getenv("ENABLE_DYNAMIC_SHAPE_MULTI_STREAM");
  read.dynamic_multi_stream = dynamic != nullptr && std::string_view(dynamic) == "1";
  return read;
}

std::vector<std::string_view> StreamOptionKeys() {
  std::vector<std::string_view> keys;
  for (const Row& row : kRows) keys.push_back(row.key);
  return keys;
}

}  // namespace atc

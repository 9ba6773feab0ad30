#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "backend/profile/profile.h"

namespace atc::profile {
namespace {

constexpr const char* kSummaryColumns =
    "Device_id,Model ID,Task ID,Stream ID,Infer ID,Op Name,OP Type,OP State,Task Type,Task Start Time(us),"
    "Task Duration(us),Task Wait Time(us),Block Num,Mix Block Num,HF32 Eligible,Input Shapes,Input Data Types,"
    "Input Formats,Output Shapes,Output Data Types,Output Formats,Context ID\n";
constexpr const char* kStatisticColumns =
    "Device_id,OP Type,Core Type,Count,Total Time(us),Min Time(us),Avg Time(us),Max Time(us),Ratio(%)\n";

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

}  // namespace

std::string OpSummaryCsv(const Profile& profile) {
  std::string csv = kSummaryColumns;
  for (const ModelProfile& model : profile.models) {
    std::map<std::pair<uint32_t, uint32_t>, uint64_t> free_at;  // by run and stream: when its last kernel was over
    for (const TaskTime& task : model.tasks) {
      if (task.kind != TaskKind::kKernel) continue;
      const auto [last, first] = free_at.try_emplace({task.run, task.stream}, task.start_ns);
      const uint64_t idle = task.start_ns - std::min(task.start_ns, last->second);
      last->second = task.end_ns;
      fmt::format_to(std::back_inserter(csv),
                     "{},{},{},{},{},{},{},static,{},{:.3f},{:.3f},{:.3f},{},0,NO,{},{},{},{},{},{},N/A\n", model.device,
                     model.model, task.task, task.stream, task.run, Cell(task.name), Cell(task.type), task.task_type,
                     Us(task.start_ns), Us(task.end_ns - task.start_ns), Us(idle), task.cores,
                     Shapes(task.input_shapes), Cell(task.input_types), Cell(task.input_formats),
                     Shapes(task.output_shapes), Cell(task.output_types), Cell(task.output_formats));
    }
  }
  return csv;
}

std::string OpStatisticCsv(const Profile& profile) {
  struct Row {
    uint64_t count = 0, total = 0, least = UINT64_MAX, most = 0;
  };
  struct Key {
    uint32_t device;
    std::string type, unit;
    auto operator<=>(const Key&) const = default;
  };
  std::map<Key, Row> rows;
  uint64_t all = 0;
  for (const ModelProfile& model : profile.models) {
    for (const TaskTime& task : model.tasks) {
      if (task.kind != TaskKind::kKernel) continue;
      Row& row = rows[{model.device, task.type, task.task_type}];
      const uint64_t time = task.end_ns - task.start_ns;
      ++row.count;
      row.total += time;
      row.least = std::min(row.least, time);
      row.most = std::max(row.most, time);
      all += time;
    }
  }
  std::vector<std::pair<Key, Row>> sorted(rows.begin(), rows.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second.total > b.second.total; });
  std::string csv = kStatisticColumns;
  for (const auto& [key, row] : sorted) {
    fmt::format_to(std::back_inserter(csv), "{},{},{},{},{:.3f},{:.3f},{:.3f},{:.3f},{:.3f}\n", key.device,
                   Cell(key.type), key.unit, row.count, Us(row.total), Us(row.least),
                   Us(row.total) / static_cast<double>(row.count), Us(row.most),
                   all > 0 ? 100.0 * static_cast<double>(row.total) / static_cast<double>(all) : 0.0);
  }
  return csv;
}

}  // namespace atc::profile

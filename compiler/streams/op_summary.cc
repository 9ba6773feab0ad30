#include "compiler/streams/op_summary.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <vector>

#include "compiler/ir/error.h"

namespace atc {
namespace {

enum Column { kName, kType, kDuration, kBlocks, kMixBlocks, kColumns };

constexpr std::array<std::string_view, kColumns> kTitles = {"Op Name", "Task Type", "Task Duration(us)", "Block Num",
                                                            "Mix Block Num"};
constexpr size_t kAbsent = SIZE_MAX;

Error Bad(const std::string& source, std::string reason) {
  return Error("E10001", {{"value", source}, {"parameter", "MINIDAG_PROFILING_PATH"}, {"reason", std::move(reason)}},
               "Give an op_summary.csv of the profiler, or unset MINIDAG_PROFILING_PATH.");
}

// The cells of one line; in quotation marks a cell may hold commas, and "" is one mark.
std::vector<std::string> Cells(std::string_view line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"') {
      if (quoted && i + 1 < line.size() && line[i + 1] == '"') {
        cells.back() += line[++i];
      } else {
        quoted = !quoted;
      }
    } else if (c == ',' && !quoted) {
      cells.emplace_back();
    } else if (c != '\r') {
      cells.back() += c;
    }
  }
  for (std::string& cell : cells) {
    const size_t begin = cell.find_first_not_of(" \t");
    cell = begin == std::string::npos ? "" : cell.substr(begin, cell.find_last_not_of(" \t") - begin + 1);
  }
  return cells;
}

}  // namespace

OpSummary ParseOpSummary(std::string_view csv, const std::string& source) {
  if (csv.starts_with("\xEF\xBB\xBF")) csv.remove_prefix(3);
  OpSummary summary;
  std::map<std::string, int, std::less<>> times;
  std::array<size_t, kColumns> column;
  column.fill(kAbsent);
  int number = 0;
  while (!csv.empty()) {
    const size_t end = std::min(csv.find('\n'), csv.size());
    const std::vector<std::string> cells = Cells(csv.substr(0, end));
    csv.remove_prefix(std::min(end + 1, csv.size()));
    ++number;
    if (cells.size() == 1 && cells[0].empty()) continue;
    if (column[kName] == kAbsent) {
      for (size_t title = 0; title < kColumns; ++title) {
        for (size_t i = 0; i < cells.size(); ++i) {
          if (cells[i] == kTitles[title]) column[title] = i;
        }
        if (title <= kDuration && column[title] == kAbsent) {
          throw Bad(source, "Its first line has no column '" + std::string(kTitles[title]) + "'.");
        }
      }
      continue;
    }
    const auto cell = [&](Column which) { return column[which] < cells.size() ? cells[column[which]] : std::string(); };
    const auto positive = [&](Column which, double absent) {
      const std::string text = cell(which);
      if (text.empty() || text == "N/A") return absent;
      double value = 0;
      const auto [stop, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
      if (fault != std::errc() || stop != text.data() + text.size() || !(value >= 0 && value < 1e12)) {
        throw Bad(source, "Line " + std::to_string(number) + " has '" + text + "' as " + std::string(kTitles[which]) +
                              "; a number that is not negative is wanted.");
      }
      return value;
    };
    if (cell(kName).empty()) continue;
    MeasuredTask& task = summary[cell(kName)];
    const std::string type = cell(kType);
    task.cube = type == "AI_CORE" || type == "MIX_AIC";
    task.us += positive(kDuration, 0);
    task.blocks = static_cast<int>(std::min(positive(kBlocks, 1), 1e6));
    task.mix_blocks = static_cast<int>(std::min(positive(kMixBlocks, 0), 1e6));
    ++times[cell(kName)];
  }
  if (column[kName] == kAbsent) throw Bad(source, "It is empty.");
  for (auto& [name, task] : summary) task.us /= times[name];
  return summary;
}

OpSummary OpSummaryOfProcess() {
  const char* path = std::getenv("MINIDAG_PROFILING_PATH");
  if (path == nullptr || *path == '\0') return {};
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (file) text << file.rdbuf();
  if (!file || !text) throw Bad(path, "The file cannot be read.");
  return ParseOpSummary(text.str(), path);
}

}  // namespace atc

#include "compiler/stage_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "compiler/io/utf8.h"

namespace atc {
namespace {

constexpr size_t kNamed = 3;  // nodes that a line of text names

std::string Named(const char* sign, const std::vector<std::string>& nodes) {
  if (nodes.empty()) return "";
  const std::vector<std::string> first(nodes.begin(), nodes.begin() + std::min(nodes.size(), kNamed));
  return fmt::format("{}{} {}{}", sign, nodes.size(), OneLine(fmt::format("{}", fmt::join(first, ", "))),
                     nodes.size() > kNamed ? ", ..." : "");
}

std::string Counted(const std::map<std::string, int64_t>& counts) {
  std::vector<std::string> parts;
  for (const auto& [name, count] : counts) parts.push_back(fmt::format("{} {}", name, count));
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

void StageReport::See(std::string_view stage, const Graph& graph) {
  ModelView view = ViewGraph(graph);
  std::erase_if(view.nodes, [](const ViewedNode& node) { return node.fused; });
  ReportedStage report;
  report.name = stage;
  report.nodes = static_cast<int64_t>(view.nodes.size());
  // Before the first stage there is nothing to compare with: it shows the graph as parsed.
  if (!stages_.empty()) {
    const ModelDiff diff = DiffModels(last_, view, OneSided::kTold);
    report.changes = diff.Counts();
    report.changes.erase("node");
    if (diff.moved > 0) report.changes["order"] = diff.moved;
    for (const Difference& difference : diff.differences) {
      if (difference.kind != "node") continue;
      (difference.b.empty() ? report.removed : report.added)
          .push_back(fmt::format("{} ({})", difference.node, difference.b.empty() ? difference.a : difference.b));
    }
  }
  stages_.push_back(std::move(report));
  last_ = std::move(view);
}

void StageReport::Finish(const std::vector<StageTime>& times, const Journal& journal) {
  if (times.size() > stages_.size()) {
    ReportedStage& failed = stages_.emplace_back();
    failed.name = times.back().stage;
    failed.nodes = -1;
  }
  for (ReportedStage& stage : stages_) {
    for (const StageTime& time : times) {
      if (time.stage == stage.name) stage.seconds = time.seconds;
    }
    for (const Journal::Entry& entry : journal.entries()) {
      if (entry.stage == stage.name) ++stage.rewrites[entry.pass.empty() ? entry.pattern : entry.pass];
    }
  }
}

std::string StageReport::Text() const {
  size_t width = std::string_view("stage").size();
  for (const ReportedStage& stage : stages_) width = std::max(width, stage.name.size());
  std::string out = fmt::format("{:<{}} {:>10} {:>7}  what changed\n", "stage", width, "ms", "nodes");
  double total = 0;
  for (const ReportedStage& stage : stages_) {
    total += stage.seconds;
    std::vector<std::string> parts;
    for (const std::string& part : {Named("+", stage.added), Named("-", stage.removed), Counted(stage.changes)}) {
      if (!part.empty()) parts.push_back(part);
    }
    if (stage.nodes < 0) parts.push_back("failed");
    if (!stage.rewrites.empty()) parts.push_back("by " + Counted(stage.rewrites));
    out += fmt::format("{:<{}} {:>10.3f} {:>7}  {}\n", stage.name, width, stage.seconds * 1e3,
                       stage.nodes < 0 ? "-" : std::to_string(stage.nodes),
                       parts.empty() ? "-" : fmt::format("{}", fmt::join(parts, "; ")));
  }
  return out + fmt::format("{:<{}} {:>10.3f} ms in {} stages\n", "total", width, total * 1e3, stages_.size());
}

std::string StageReport::Json() const {
  using Object = nlohmann::ordered_json;
  Object json = {{"schema", 1}, {"failed", nullptr}, {"stages", Object::array()}};
  if (!stages_.empty() && stages_.back().nodes < 0) json["failed"] = stages_.back().name;
  for (const ReportedStage& stage : stages_) {
    json["stages"].push_back({{"name", stage.name},
                              {"milliseconds", stage.seconds * 1e3},
                              {"nodes", stage.nodes < 0 ? Object() : Object(stage.nodes)},
                              {"added", stage.added},
                              {"removed", stage.removed},
                              {"changes", stage.changes},
                              {"rewrites", stage.rewrites}});
  }
  return json.dump(2, ' ', false, Object::error_handler_t::replace) + "\n";
}

}  // namespace atc

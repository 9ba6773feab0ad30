#include "compiler/html_pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "compiler/plan/buffers.h"

namespace atc {
namespace {

constexpr double kWidth = 1000;     // of a picture, in its own units
constexpr double kMargin = 90;      // left, for names
constexpr double kNarrowest = 0.5;  // what is narrower is not drawn by itself

// The same text with U+FFFD for what is no UTF-8.
std::string Utf8(std::string_view text) {
  if (std::all_of(text.begin(), text.end(), [](char c) { return static_cast<signed char>(c) > 0; })) return std::string(text);
  using Json = nlohmann::json;
  return Json::parse(Json(text).dump(-1, ' ', false, Json::error_handler_t::replace)).get<std::string>();
}

// One colour for one type of operator in every picture (FNV-1a of its name as a hue).
std::string ColourOf(std::string_view type) {
  uint32_t hash = 2166136261u;
  for (const char c : type) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return fmt::format("hsl({} {}% {}%)", hash % 360, 45 + hash / 360 % 25, 52 + hash / 9000 % 16);
}

std::string Open(double height, std::string_view label) {
  return fmt::format("<svg viewBox=\"0 0 {} {:.0f}\" role=\"img\" aria-label=\"{}\">\n", kWidth, height, HtmlText(label));
}

std::string Label(double x, double y, std::string_view text, std::string_view anchor = "start") {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor, HtmlText(text));
}

std::string Box(double x, double y, double width, double height, std::string_view colour, std::string_view title) {
  return fmt::format(
      "<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" fill=\"{}\"><title>{}</title></rect>\n", x, y,
      width, height, colour, HtmlText(title));
}

// The types that take the most of the run, the longest first, without what only waits.
std::vector<std::string> LongestTypes(const Graph& graph, const PredictedRun& run) {
  constexpr size_t kMost = 18;
  std::map<std::string, double> us;
  for (const PredictedTask& task : run.tasks) {
    const std::string type = graph.node(task.node).type().str();
    if (type != "Recv" && task.end > task.start) us[type] += task.end - task.start;
  }
  std::vector<std::pair<double, std::string>> order;
  for (const auto& [type, time] : us) order.emplace_back(-time, type);
  std::sort(order.begin(), order.end());
  std::vector<std::string> types;
  for (size_t i = 0; i < std::min(order.size(), kMost); ++i) types.push_back(order[i].second);
  return types;
}

constexpr size_t kLegendColumns = 6;
constexpr double kLegendRow = 16;

std::string Legend(const std::vector<std::string>& types, double y) {
  std::string out;
  const double step = (kWidth - kMargin) / kLegendColumns;
  for (size_t i = 0; i < types.size(); ++i) {
    const double x = kMargin + step * static_cast<double>(i % kLegendColumns);
    const double top = y + kLegendRow * static_cast<double>(i / kLegendColumns);
    out += Box(x, top, 10, 10, ColourOf(types[i]), types[i]) + Label(x + 14, top + 9, types[i]);
  }
  return out;
}

// Tasks of one stream that follow each other too closely to be told apart.
struct Heap {
  double from = 0, to = 0;
  size_t tasks = 0;
};

}  // namespace

std::string HtmlText(std::string_view text) {
  std::string out;
  for (const char c : Utf8(text)) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: out += c;
    }
  }
  return out;
}

std::string StageTimesPicture(const StageReport& report) {
  constexpr double kRow = 16, kNames = 330, kBars = kWidth - kNames - 140;
  double longest = 1e-9;
  for (const ReportedStage& stage : report.stages()) longest = std::max(longest, stage.seconds);
  std::string out = Open(kRow * static_cast<double>(report.stages().size()) + 4, "time of each stage");
  double y = 0;
  for (const ReportedStage& stage : report.stages()) {
    const double width = stage.seconds / longest * kBars;
    out += Label(kNames - 6, y + 12, stage.name, "end");
    out += Box(kNames, y + 3, std::max(width, kNarrowest), kRow - 5, "var(--accent)", stage.name);
    out += Label(kNames + width + 5, y + 12, fmt::format("{:.3f} ms, {} nodes", stage.seconds * 1e3, stage.nodes));
    y += kRow;
  }
  return out + "</svg>\n";
}

std::string TimelinePicture(const Graph& graph, const PredictedRun& run) {
  constexpr double kLane = 34, kAxis = 24;
  const std::vector<std::string> types = LongestTypes(graph, run);
  const auto legend_rows = static_cast<double>((types.size() + kLegendColumns - 1) / kLegendColumns);
  int32_t lanes = 1;
  for (const PredictedTask& task : run.tasks) lanes = std::max(lanes, graph.node(task.node).stream + 1);
  const double scale = (kWidth - kMargin) / std::max(run.makespan, 1e-9);
  std::string out = Open(kLane * lanes + kAxis + kLegendRow * legend_rows, "predicted run");
  for (int32_t lane = 0; lane < lanes; ++lane) {
    out += Label(4, kLane * lane + 20, fmt::format("stream {}", lane));
  }
  std::vector<Heap> heaps(static_cast<size_t>(lanes));
  const auto flush = [&](size_t lane) {
    Heap& heap = heaps[lane];
    if (heap.tasks > 0) {
      out += Box(kMargin + heap.from * scale, kLane * static_cast<double>(lane) + 4,
                 (heap.to - heap.from) * scale, kLane - 8, "var(--quiet)",
                 fmt::format("{} short tasks, {:.2f} us", heap.tasks, heap.to - heap.from));
    }
    heap = {};
  };
  for (const PredictedTask& task : run.tasks) {
    const Node& node = graph.node(task.node);
    const auto lane = static_cast<size_t>(std::max(node.stream, 0));
    const double y = kLane * static_cast<double>(lane) + 4;
    if (node.type() == "Recv" && task.waited * scale >= kNarrowest) {
      flush(lane);
      out += Box(kMargin + (task.end - task.waited) * scale, y + 9, task.waited * scale, kLane - 26, "var(--wait)",
                 fmt::format("{} waits {:.2f} us", node.name, task.waited));
      continue;
    }
    if (task.end <= task.start) continue;  // inputs and the like take no time
    const double width = (task.end - task.start) * scale;
    if (width < kNarrowest) {
      Heap& heap = heaps[lane];
      if (heap.tasks > 0 && (task.start - heap.to) * scale > kNarrowest) flush(lane);
      if (heap.tasks == 0) heap.from = task.start;
      heap.to = task.end;
      ++heap.tasks;
      if ((heap.to - heap.from) * scale > 4) flush(lane);
      continue;
    }
    flush(lane);
    out += Box(kMargin + task.start * scale, y, width, kLane - 8, ColourOf(node.type().str()),
               fmt::format("{} ({})\nfrom {:.2f} us, {:.2f} us {}", node.name, node.type().str(), task.start,
                           task.end - task.start, task.cost.measured ? "measured" : "predicted"));
  }
  for (size_t lane = 0; lane < heaps.size(); ++lane) flush(lane);
  const double bottom = kLane * lanes + 14;
  out += Label(kMargin, bottom, "0 us");
  out += Label(kWidth, bottom, fmt::format("{:.1f} us predicted", run.makespan), "end");
  out += Legend(types, bottom + 10);
  return out + "</svg>\n";
}

std::string MemoryPicture(const OmModel& model, size_t* left_out) {
  constexpr double kHeight = 320, kAxis = 20;
  *left_out = 0;
  if (model.dynamic || model.memory_size <= 0) return "";
  const std::unique_ptr<Graph> graph = model.graph->Clone();
  std::vector<NodeId> order;
  for (NodeId id = 0; id < graph->node_capacity(); ++id) {
    if (graph->node(id).alive) order.push_back(id);
  }
  std::vector<size_t> place(graph->node_capacity());
  for (size_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  const double across = (kWidth - kMargin) / static_cast<double>(std::max<size_t>(order.size(), 1));
  const double up = kHeight / static_cast<double>(model.memory_size);
  std::string out = Open(kHeight + kAxis, "memory plan");
  for (const PlannedBuffer& buffer : CollectBuffers(*graph, order)) {
    const Node* owner = nullptr;
    int64_t offset = -1;
    if (!buffer.values.empty()) {
      const PlannedBuffer::Held& held = buffer.values.front();
      owner = &graph->producer(held.value);
      offset = graph->value(held.value).offset - held.at;
    } else if (buffer.workspace_of != kNoId) {
      owner = &graph->node(buffer.workspace_of);
      if (buffer.workspace < owner->workspace_offset.size()) offset = owner->workspace_offset[buffer.workspace];
    }
    const double height = static_cast<double>(buffer.size) * up;
    if (owner == nullptr || offset < 0 || buffer.users.empty()) continue;
    if (height < kNarrowest) {
      ++*left_out;
      continue;
    }
    size_t first = order.size(), last = 0;
    for (const NodeId user : buffer.users) {
      first = std::min(first, place[user]);
      last = std::max(last, place[user]);
    }
    out += Box(kMargin + static_cast<double>(first) * across, kHeight - static_cast<double>(offset) * up - height,
               std::max(static_cast<double>(last + 1 - first) * across, kNarrowest), height, ColourOf(owner->type().str()),
               fmt::format("{}{} ({})\n{} bytes at {}", owner->name, buffer.values.empty() ? ", workspace" : "",
                           owner->type().str(), buffer.size, offset));
  }
  out += Label(kMargin - 6, 12, fmt::format("{:.2f} MB", static_cast<double>(model.memory_size) / 1e6), "end");
  out += Label(kMargin - 6, kHeight, "0", "end");
  out += Label(kMargin, kHeight + 14, "first task") + Label(kWidth, kHeight + 14, "last task", "end");
  return out + "</svg>\n";
}

}  // namespace atc

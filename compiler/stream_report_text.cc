// The stream report as text and as JSON.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "compiler/io/utf8.h"
#include "compiler/stream_report.h"

namespace atc {
namespace {

using JsonValue = nlohmann::ordered_json;

constexpr size_t kNamesShown = 3;  // of nodes in a row that share a rule

std::string Rule(const std::string& rule) { return rule.empty() ? "(the om does not say)" : rule; }

// "a ... b (5 nodes)", with the rule that they share.
std::string GroupLine(const std::vector<ReportedNode>& nodes, size_t begin, size_t end) {
  double us = 0;
  for (size_t i = begin; i < end; ++i) us += nodes[i].predicted_us;
  std::string names;
  if (end - begin <= kNamesShown) {
    for (size_t i = begin; i < end; ++i) names += (i > begin ? ", " : "") + nodes[i].name;
  } else {
    names = fmt::format("{} ... {} ({} nodes)", nodes[begin].name, nodes[end - 1].name, end - begin);
  }
  return fmt::format("    {:10.1f} us  {}\n                    {}: {}\n", us, OneLine(names), nodes[begin].engine,
                     Rule(nodes[begin].rule));
}

JsonValue NodeJson(const ReportedNode& node) {
  return {{"name", node.name},
          {"type", node.type},
          {"engine", node.engine},
          {"rule", node.rule.empty() ? JsonValue() : JsonValue(node.rule)},
          {"predicted_us", node.predicted_us},
          {"cost", node.measured ? "profile" : "estimate"}};
}

}  // namespace

std::string StreamReport::Text() const {
  std::string text = fmt::format("Streams of {} for {}\n", OneLine(model), soc_version);
  auto out = std::back_inserter(text);
  fmt::format_to(
      out,
      "All times are predictions, not measurements: {} of {} tasks have a measured time (MINIDAG_PROFILING_PATH), "
      "the others an estimate.\n",
      measured, kernels);
  if (unknown_shapes) text += "Shapes stay unknown, so that times are little more than counts of tasks.\n";
  for (const ReportedStream& stream : streams) {
    fmt::format_to(
        out, "stream {}: {} nodes, predicted load {:.1f} us ({:.0f} % of the run), {} waits, predicted {:.1f} us\n",
        stream.id, stream.nodes.size(), stream.predicted_load_us,
        100 * stream.predicted_load_us / std::max(predicted_makespan_us, 1e-9), stream.waits.size(),
        stream.predicted_wait_us);
    for (size_t begin = 0; begin < stream.nodes.size();) {
      size_t end = begin;
      const auto same = [&](const ReportedNode& node) {
        return node.rule == stream.nodes[begin].rule && node.engine == stream.nodes[begin].engine;
      };
      while (end < stream.nodes.size() && same(stream.nodes[end])) ++end;
      text += GroupLine(stream.nodes, begin, end);
      begin = end;
    }
    for (const ReportedWait& wait : stream.waits) {
      fmt::format_to(out, "    event {}: {} waits for {} on stream {}, predicted {:.1f} us\n", wait.event,
                     OneLine(wait.before), OneLine(wait.for_node), wait.on_stream, wait.predicted_us);
    }
  }
  fmt::format_to(out, "predicted run {:.1f} us; critical path of {} nodes:\n", predicted_makespan_us,
                 critical_path.size());
  for (size_t begin = 0; begin < critical_path.size();) {
    size_t end = begin;
    while (end < critical_path.size() && critical_path[end].rule == critical_path[begin].rule &&
           critical_path[end].engine == critical_path[begin].engine) {
      ++end;
    }
    text += GroupLine(critical_path, begin, end);
    begin = end;
  }
  fmt::format_to(out, "events: {} by the plain rule, {} by GE's, {} by ours; {} in the om\n", events.edges, events.ge,
                 events.events, inserted);
  if (!splits.empty()) fmt::format_to(out, "split streams (stream:logical stream): {}\n", splits);
  text += "what if (predictions):\n    N  mode                    streams    run in us  events  memory in B\n";
  for (const WhatIf& what : what_if) {
    fmt::format_to(out, "    {}  {:22} {:8} {:12.1f} {:7}  {}\n", what.streams_wanted, what.mode, what.streams,
                   what.predicted_makespan_us, what.events,
                   what.memory_bytes < 0 ? std::string("unknown shapes") : std::to_string(what.memory_bytes));
  }
  return text;
}

std::string StreamReport::Json() const {
  JsonValue json = {{"schema", 1},
                    {"model", model},
                    {"soc_version", soc_version},
                    {"note", "Figures named predicted_* are predictions, not measurements."},
                    {"unknown_shapes", unknown_shapes},
                    {"tasks", kernels},
                    {"tasks_with_measured_cost", measured}};
  JsonValue& list = json["streams"] = JsonValue::array();
  for (const ReportedStream& stream : streams) {
    JsonValue nodes = JsonValue::array();
    for (const ReportedNode& node : stream.nodes) nodes.push_back(NodeJson(node));
    JsonValue waits = JsonValue::array();
    for (const ReportedWait& wait : stream.waits) {
      waits.push_back({{"event", wait.event},
                       {"node", wait.before},
                       {"for", wait.for_node},
                       {"on_stream", wait.on_stream},
                       {"predicted_us", wait.predicted_us}});
    }
    list.push_back({{"id", stream.id},
                    {"predicted_load_us", stream.predicted_load_us},
                    {"predicted_wait_us", stream.predicted_wait_us},
                    {"nodes", std::move(nodes)},
                    {"waits", std::move(waits)}});
  }
  json["predicted_makespan_us"] = predicted_makespan_us;
  JsonValue& path = json["critical_path"] = JsonValue::array();
  for (const ReportedNode& node : critical_path) path.push_back(NodeJson(node));
  json["events"] = {{"plain", events.edges}, {"ge", events.ge}, {"ours", events.events}, {"in_om", inserted}};
  json["split_streams"] = splits.empty() ? JsonValue() : JsonValue(splits);
  JsonValue& tries = json["what_if"] = JsonValue::array();
  for (const WhatIf& what : what_if) {
    tries.push_back({{"n", what.streams_wanted},
                     {"mode", what.mode},
                     {"streams", what.streams},
                     {"predicted_makespan_us", what.predicted_makespan_us},
                     {"events", what.events},
                     {"predicted_memory_bytes", what.memory_bytes < 0 ? JsonValue() : JsonValue(what.memory_bytes)}});
  }
  return json.dump(2, ' ', false, JsonValue::error_handler_t::replace) + "\n";
}

}  // namespace atc

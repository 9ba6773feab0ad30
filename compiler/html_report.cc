#include "compiler/html_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>

#include "compiler/html_pictures.h"
#include "compiler/soc/soc.h"
#include "compiler/streams/op_summary.h"

namespace atc {
namespace {

constexpr std::string_view kHead = R"(<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{0}</title>
<style>
:root {{ --paper: #fff; --ink: #1c2430; --quiet: #66707e; --line: #dfe4ea; --accent: #3b6ea8; --wait: #c2453c; }}
@media (prefers-color-scheme: dark) {{
  :root {{ --paper: #14181d; --ink: #dfe5ec; --quiet: #929dab; --line: #2b323b; --accent: #6ea3dc; --wait: #e06b62; }}
}}
body {{ margin: 2em auto; max-width: 1100px; padding: 0 1em; background: var(--paper); color: var(--ink);
       font: 15px/1.45 system-ui, sans-serif; }}
h1 {{ font-size: 1.5em; }} h2 {{ font-size: 1.15em; margin-top: 2em; border-bottom: 1px solid var(--line); }}
svg {{ width: 100%; height: auto; display: block; }} svg text {{ font-size: 11px; fill: var(--ink); }}
svg rect {{ stroke: var(--paper); stroke-width: .3; }}
table {{ border-collapse: collapse; font-size: 13px; }} td, th {{ text-align: left; padding: 2px 12px 2px 0; vertical-align: top; }}
th {{ border-bottom: 1px solid var(--line); }} td.number {{ text-align: right; }}
.note {{ color: var(--quiet); }} .wide {{ overflow-x: auto; }} summary {{ cursor: pointer; }}
input {{ font: inherit; width: 24em; max-width: 100%; background: inherit; color: inherit; border: 1px solid var(--line); padding: 3px 6px; }}
</style></head><body>
<h1>{0}</h1>
)";

// Hides the rows of the table of nodes that do not hold what is typed.
constexpr std::string_view kFilter = R"(<script>
document.getElementById("filter").addEventListener("input", event => {
  const words = event.target.value.toLowerCase().split(/\s+/);
  for (const row of document.querySelectorAll("#nodes tbody tr"))
    row.hidden = !words.every(word => row.textContent.toLowerCase().includes(word));
});
</script>
)";

using Row = std::vector<std::string>;

std::string Table(const Row& heads, const std::vector<Row>& rows, std::string_view id = "") {
  std::string out = fmt::format("<div class=\"wide\"><table{}><thead><tr>", id.empty() ? "" : fmt::format(" id=\"{}\"", id));
  for (const std::string& head : heads) out += "<th>" + HtmlText(head) + "</th>";
  out += "</tr></thead><tbody>\n";
  for (const Row& row : rows) {
    out += "<tr>";
    for (const std::string& cell : row) out += "<td>" + HtmlText(cell) + "</td>";
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

std::string Note(std::string_view text) { return fmt::format("<p class=\"note\">{}</p>\n", HtmlText(text)); }

std::string Facts(const CompileResult& result, const PredictedRun& run) {
  const OmModel& model = result.model;
  std::vector<Row> rows = {
      {"chip", model.attrs.Get<std::string>("soc_version", "")},
      {"command line", model.attrs.Get<std::string>("atc_cmdline", "")},
      {"kernels", fmt::format("{} on {} stream{}, {} event{}", run.kernels, model.stream_num, model.stream_num == 1 ? "" : "s", model.event_num,
                              model.event_num == 1 ? "" : "s")},
      {"predicted run", model.dynamic ? "shapes are only known when it runs"
                                      : fmt::format("{:.1f} us on the NPU, {} of {} costs measured", run.makespan,
                                                    run.measured, run.kernels)},
  };
  if (!model.dynamic) {
    rows.push_back({"memory", fmt::format("{} bytes by {}; lower bound {} ({}); {} without reuse", model.memory_size,
                                          result.memory_strategy, result.memory_lower_bound,
                                          result.memory_lower_bound_exact ? "exact" : "of a sweep",
                                          result.memory_without_reuse)});
  }
  return Table({"", ""}, rows);
}

std::string Counted(const std::map<std::string, int64_t>& counts) {
  Row parts;
  for (const auto& [name, count] : counts) parts.push_back(fmt::format("{} {}", name, count));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string Stages(const StageReport& report) {
  std::string out = "<h2>Stages</h2>\n" + StageTimesPicture(report) + Note("Time of each stage alone, on this host.");
  std::vector<Row> rows;
  for (const ReportedStage& stage : report.stages()) {
    if (stage.added.empty() && stage.removed.empty() && stage.changes.empty() && stage.rewrites.empty()) continue;
    rows.push_back({stage.name, fmt::format("+{} -{}", stage.added.size(), stage.removed.size()), Counted(stage.changes),
                    Counted(stage.rewrites)});
  }
  return out + "<details><summary>What changed</summary>\n" + Table({"stage", "nodes", "changed", "by pass"}, rows) +
         "</details>\n";
}

std::string Forecast(std::string_view by, const OverflowForecast& forecast) {
  if (!forecast.found()) return "";
  return Note(fmt::format("By {} the first node whose values {} fp16 is {} ({}): {:g} to {:g}.", by,
                          forecast.fp16 ? "leave" : "would leave", forecast.node, forecast.type, forecast.low,
                          forecast.high));
}

std::string Precision(const PrecisionReport& report) {
  std::map<std::string, std::map<std::string, int64_t>> kinds;  // output types; nodes by type of operator
  for (const ReportedPrecision& node : report.nodes) ++kinds[node.outputs][node.type];
  std::vector<Row> rows;
  for (const auto& [types, operators] : kinds) {
    int64_t nodes = 0;
    for (const auto& [type, count] : operators) nodes += count;
    rows.push_back({types.empty() ? "-" : types, std::to_string(nodes), Counted(operators)});
  }
  return "<h2>Types</h2>\n" + Table({"outputs", "nodes", "operators"}, rows) + Forecast("constants", report.overflow.constants) +
         Forecast("ranges", report.overflow.ranges) + Forecast("samples", report.overflow.samples);
}

std::string Formats(const FormatReport& report) {
  std::vector<Row> rows;
  for (const RemainingMove& move : report.moves) {
    rows.push_back({move.node, move.type, move.from, move.to, move.bytes < 0 ? "" : std::to_string(move.bytes),
                    fmt::format("{:.1f}", move.predicted_us), move.alias ? "view" : "task", move.because_of, move.rule});
  }
  std::string out = "<h2>Formats</h2>\n" + Note("Results by storage format: " + Counted(report.formats) + ".");
  if (rows.empty()) return out + Note("No TransData or Transpose remains.");
  return out + "<details open><summary>TransData and Transpose that remain</summary>\n" +
         Table({"node", "type", "from", "to", "bytes", "predicted us", "here", "because of", "why"}, rows) + "</details>\n";
}

std::string Nodes(const CompileResult& result, const PrecisionReport& precision, const PredictedRun& run) {
  std::map<NodeId, const PredictedTask*> tasks;
  for (const PredictedTask& task : run.tasks) tasks[task.node] = &task;
  std::map<std::string, std::string> reasons;
  for (const ReportedPrecision& node : precision.nodes) reasons[node.node] = node.reason;
  const Graph& graph = *result.model.graph;
  std::vector<Row> rows;
  for (NodeId id = 0; id < graph.node_capacity(); ++id) {
    const Node& node = graph.node(id);
    if (!node.alive || node.type() == "Const") continue;
    Row outputs;
    for (const ValueId value : node.outputs) {
      const TensorDesc& desc = graph.desc(value);
      outputs.push_back(fmt::format("{} {} {}", DataTypeName(desc.dtype), FormatName(desc.format), ToString(desc.shape)));
    }
    const auto task = tasks.find(id);
    const bool timed = task != tasks.end() && !result.model.dynamic;
    rows.push_back({node.name, node.type().str(), fmt::format("{}", fmt::join(outputs, ", ")),
                    node.stream < 0 ? "" : std::to_string(node.stream), node.engine,
                    timed ? fmt::format("{:.2f}", task->second->end - task->second->start) : "", reasons[node.name],
                    fmt::format("{}", fmt::join(graph.origins().Flatten(node.origin), ", "))});
  }
  return "<h2>Nodes</h2>\n<p><label>Show rows with these words: <input id=\"filter\"></label></p>\n" +
         Table({"node", "type", "outputs", "stream", "engine", "predicted us", "type because", "from"}, rows, "nodes") +
         std::string(kFilter);
}

}  // namespace

std::string HtmlReport(const CompileResult& result, const StageReport& stages, const PrecisionReport& precision,
                       const FormatReport& formats) {
  const OmModel& model = result.model;
  const Soc& soc = FindSoc(model.attrs.Get<std::string>("soc_version", ""));
  const PredictedRun run = PredictRun(*model.graph, OpSummaryOfProcess(), soc.cube_cores, soc.vector_cores);
  std::string out = fmt::format(fmt::runtime(kHead), HtmlText(model.name));
  out += Facts(result, run) + Stages(stages) + "<h2>Streams</h2>\n";
  if (model.dynamic) {
    out += Note("Shapes are only known when the model runs, so no time can be predicted.");
  } else {
    out += TimelinePicture(*model.graph, run) +
           Note("A prediction of the NPU's run from tables of its chip; red: the stream waits for another one. Boxes tell of "
                "their node when the pointer rests on them.");
    size_t left_out = 0;
    if (const std::string memory = MemoryPicture(model, &left_out); !memory.empty()) {
      out += "<h2>Memory</h2>\n" + memory +
             Note(fmt::format("Bytes upwards, tasks in launch order to the right.{}",
                              left_out == 0 ? "" : fmt::format(" {} buffers are too small to see.", left_out)));
    }
  }
  return out + Precision(precision) + Formats(formats) + Nodes(result, precision, run) + "</body></html>\n";
}

}  // namespace atc

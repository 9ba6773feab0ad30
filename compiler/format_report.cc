#include "compiler/format_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "compiler/io/utf8.h"
#include "compiler/ir/blocked_formats.h"
#include "compiler/layout/device_slots.h"
#include "compiler/streams/engines.h"
#include "compiler/streams/task_cost.h"

namespace atc {
namespace {

// A TransData that stands for a Transpose too says what its dims are; elsewhere tensors do.
std::string View(const Node& node, const TensorDesc& desc, const char* attr) {
  const bool says = node.type() == "TransData" && node.fused;
  return (says ? node.Attr<std::string>(attr) : std::string(FormatName(desc.format))) + " " + ToString(desc.shape);
}

int64_t Bytes(const TensorDesc& desc) {
  return desc.shape.IsKnown() ? static_cast<int64_t>(DataTypeBytes(desc.dtype, desc.shape.NumElements())) : -1;
}

std::string FormatReason(const Node& node) {
  for (const Reason& reason : node.reasons) {
    if (reason.aspect == "format") return reason.rule;
  }
  return "";
}

bool IsMove(const Node& node) { return node.type() == "TransData" || node.type() == "Transpose"; }

struct Cause {
  std::string node, rule;
};

Cause Interface(const Node& node) { return {node.name, "the interface keeps its layout"}; }

// A tensor comes in the origin layout because of whoever makes it.
Cause BecauseOfProducer(const Graph& graph, ValueId value) {
  const Node* producer = &graph.producer(value);
  while (producer->type() == "Cast") producer = &graph.producer(producer->inputs[0]);
  if (producer->type() == "Data") return Interface(*producer);
  const std::string rule = FormatReason(*producer);
  return {producer->name, rule.empty() ? producer->type().str() + " gives the origin layout" : rule};
}

// It is taken out of a storage format because of the first reader that needs it so, in the order of the graph.
Cause BecauseOfReaders(const Graph& graph, ValueId value) {
  std::vector<Use> uses = graph.value(value).uses;
  std::sort(uses.begin(), uses.end(),
            [](const Use& a, const Use& b) { return std::pair(a.node, a.input) < std::pair(b.node, b.input); });
  if (uses.empty()) return {};
  const Node* reader = &graph.node(uses[0].node);
  while (reader->type() == "Cast" && !graph.value(reader->outputs[0]).uses.empty()) {
    reader = &graph.node(graph.value(reader->outputs[0]).uses[0].node);
  }
  if (reader->type() == "NetOutput") return Interface(*reader);
  if (!reader->outputs.empty() && IsPrivate(graph.desc(reader->outputs[0]).format)) {
    return {reader->name, "reads it in the origin layout beside data that are in " +
                              std::string(FormatName(graph.desc(reader->outputs[0]).format))};
  }
  const std::string rule = FormatReason(*reader);
  return {reader->name, rule.empty() ? reader->type().str() + " takes the origin layout" : rule};
}

Cause CauseOf(const Graph& graph, const Node& node) {
  if (node.type() == "Transpose")
    return {node.name, "the model permutes the dims, and nothing takes them as they were"};
  return IsPrivate(graph.desc(node.outputs[0]).format) ? BecauseOfProducer(graph, node.inputs[0])
                                                       : BecauseOfReaders(graph, node.outputs[0]);
}

std::string Megabytes(int64_t bytes) {
  return bytes < 0 ? "?" : fmt::format("{:.3f}", static_cast<double>(bytes) / 1e6);
}

}  // namespace

void FormatReport::Add(const Graph& graph) {
  for (const NodeId id : graph.TopologicalOrder()) {
    const Node& node = graph.node(id);
    for (const Subgraph& nested : node.subgraphs) Add(*nested.graph);
    if (node.Is(kSource) || node.outputs.empty()) continue;
    const bool alias = node.attrs.Get<bool>(kDeviceAlias, false);
    const bool on_npu = alias || EmitsTask(graph, node);
    const double us = on_npu ? CostOf(graph, node, {}).us : 0;
    predicted_us += us;
    for (const ValueId output : node.outputs) ++formats[std::string(FormatName(graph.desc(output).format))];
    if (!IsMove(node)) continue;
    RemainingMove move;
    move.node = node.name;
    move.type = node.type().str();
    move.from = View(node, graph.desc(node.inputs[0]), "src_format");
    move.to = View(node, graph.desc(node.outputs[0]), "dst_format");
    const int64_t from = Bytes(graph.desc(node.inputs[0]));
    const int64_t to = Bytes(graph.desc(node.outputs[0]));
    move.bytes = from < 0 || to < 0 ? -1 : from + to;
    move.predicted_us = us;
    move.alias = alias;
    const Cause cause = CauseOf(graph, node);
    move.because_of = cause.node;
    move.rule = cause.rule;
    moves.push_back(std::move(move));
  }
}

void FormatReport::Finish(const CompileResult& result) { Add(*result.model.graph); }

std::string FormatReport::Text() const {
  std::string out = "results by format:";
  for (const auto& [format, count] : formats) out += fmt::format("  {} {}", format, count);
  double us = 0;
  size_t aliases = 0, widest = 4, from = 4, to = 2;
  for (const RemainingMove& move : moves) {
    us += move.predicted_us;
    aliases += move.alias;
    widest = std::max(widest, OneLine(move.node).size());
    from = std::max(from, move.from.size());
    to = std::max(to, move.to.size());
  }
  const double share = predicted_us > 0 ? 100 * us / predicted_us : 0;
  out += fmt::format(
      "\nTransData and Transpose that remain: {}, {} of them views on this device, which emit no task here.\n",
      moves.size(), aliases);
  out +=
      fmt::format("On an NPU they are predicted to take {:.1f} us, {:.1f} % of {:.1f} us.\n", us, share, predicted_us);
  if (moves.empty()) return out;
  out += fmt::format("\n{:<{}}  {:<{}}  {:<{}}  {:>9}  {:>6}  {:<5} because of\n", "node", widest, "from", from, "to",
                     to, "MB moved", "NPU us", "here");
  for (const RemainingMove& move : moves) {
    out += fmt::format("{:<{}}  {:<{}}  {:<{}}  {:>9}  {:>6.1f}  {:<5} {}: {}\n", OneLine(move.node), widest, move.from,
                       from, move.to, to, Megabytes(move.bytes), move.predicted_us, move.alias ? "view" : "task",
                       OneLine(move.because_of), move.rule);
  }
  return out;
}

std::string FormatReport::Json() const {
  using Object = nlohmann::ordered_json;
  Object json = {
      {"schema", 1}, {"npu_predicted_us", predicted_us}, {"formats", Object::object()}, {"moves", Object::array()}};
  for (const auto& [format, count] : formats) json["formats"][format] = count;
  for (const RemainingMove& move : moves) {
    json["moves"].push_back({{"node", move.node},
                             {"type", move.type},
                             {"from", move.from},
                             {"to", move.to},
                             {"bytes", move.bytes},
                             {"npu_predicted_us", move.predicted_us},
                             {"device_alias", move.alias},
                             {"because_of", move.because_of},
                             {"rule", move.rule}});
  }
  return json.dump(2, ' ', false, Object::error_handler_t::replace) + "\n";
}

}  // namespace atc

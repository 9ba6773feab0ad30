#include "compiler/precision_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "compiler/ops/evaluator.h"
#include "compiler/value_ranges.h"

namespace atc {
namespace {

// The last stage at which every tensor still has the type of the model.
constexpr std::string_view kBeforeTypes = "PreRunAfterOptimizeOriginalGraph";
constexpr double kLargestHalf = 65504;

std::string Types(const Graph& graph, const std::vector<ValueId>& values) {
  std::string text;
  for (const ValueId id : values) {
    text += text.empty() ? "" : ", ";
    text += id == kNoId ? "-" : std::string(DataTypeName(graph.desc(id).dtype));
  }
  return text;
}

void AddNodes(const Graph& graph, std::vector<ReportedPrecision>* to) {
  for (const NodeId id : graph.TopologicalOrder()) {
    const Node& node = graph.node(id);
    std::string reason;
    for (const Reason& because : node.reasons) {
      if (because.aspect == "dtype") reason += (reason.empty() ? "" : "; ") + because.rule;
    }
    to->push_back({node.name, node.type().str(), Types(graph, node.inputs), Types(graph, node.outputs), reason});
    for (const Subgraph& nested : node.subgraphs) AddNodes(*nested.graph, to);
  }
}

// Keeps the first that leaves fp16.
class First {
 public:
  First(const std::map<std::string, bool>& halves, OverflowForecast* to) : halves_(halves), to_(to) {}

  void See(const Node& node, const ValueRange& range) {
    // Infinities are values of fp16 too: what counts is a finite value that becomes one.
    const bool leaves = (std::isfinite(range.low) && range.low < -kLargestHalf) ||
                        (std::isfinite(range.high) && range.high > kLargestHalf);
    if (to_->found() || !leaves) return;
    const auto half = halves_.find(node.name);
    *to_ = {node.name, node.type().str(), range.low, range.high, half != halves_.end() && half->second};
  }

 private:
  const std::map<std::string, bool>& halves_;  // by node of the compiled graph: an output is fp16
  OverflowForecast* to_;
};

std::string Line(const char* evidence, const OverflowForecast& forecast, const char* verb) {
  if (!forecast.found()) return fmt::format("by {:<10} no value leaves fp16\n", evidence);
  return fmt::format("by {:<10} {} ({}) {} {:.6g} to {:.6g}; {}\n", evidence, forecast.node, forecast.type, verb,
                     forecast.low, forecast.high, forecast.fp16 ? "it is in fp16" : "it is not in fp16");
}

nlohmann::ordered_json ToJson(const OverflowForecast& forecast) {
  if (!forecast.found()) return nullptr;
  return {{"node", forecast.node}, {"type", forecast.type}, {"low", forecast.low}, {"high", forecast.high},
          {"fp16", forecast.fp16}};
}

}  // namespace

void PrecisionReport::See(std::string_view stage, const Graph& graph) {
  // Read while inputs are as the model has them: a wrong file is told of before the conversion goes on.
  if (inputs_.empty() && !samples_.empty()) inputs_ = MakeSamples(graph, samples_);
  if (stage == kBeforeTypes) floats_ = graph.Clone();
}

void PrecisionReport::Finish(const CompileResult& result) {
  const Graph& final = *result.model.graph;
  AddNodes(final, &nodes);
  std::map<std::string, bool> halves;
  for (NodeId id = 0; id < final.node_capacity(); ++id) {
    const Node& node = final.node(id);
    if (!node.alive) continue;
    halves[node.name] = std::any_of(node.outputs.begin(), node.outputs.end(),
                                    [&](ValueId value) { return final.desc(value).dtype == DT_FLOAT16; });
  }
  const Graph& graph = *floats_;
  std::vector<ValueRange> given;
  const std::vector<NodeId> data = graph.Inputs();
  for (size_t i = 0; i < data.size(); ++i) {
    const Node& input = graph.node(data[i]);
    const auto sample = std::find_if(samples_.begin(), samples_.end(),
                                     [&](const SampleInput& item) { return item.name == input.name; });
    if (sample == samples_.end()) {
      given.push_back(RangeOf(graph.desc(input.outputs[0]).dtype));
    } else if (sample->file.empty()) {
      given.push_back({sample->low, sample->high});
    } else {
      given.push_back(RangeOf(inputs_[i]));
    }
  }
  const std::vector<ValueRange> found = FindRanges(graph, given);
  First by_constants(halves, &constants), by_ranges(halves, &ranges), by_samples(halves, &samples);
  for (const NodeId id : graph.TopologicalOrder()) {
    const Node& node = graph.node(id);
    for (const ValueId value : node.outputs) {
      if (!IsFloating(graph.desc(value).dtype)) continue;
      const bool constant = node.type() == "Const";
      (constant ? by_constants : by_ranges).See(node, found[value]);
      if (unbounded.empty() && !constant && !found[value].bounded()) unbounded = node.name;
    }
  }
  sampled = !inputs_.empty();
  if (!sampled) return;
  EvaluateOptions options;
  options.observe = [&](const Graph& seen, const Node& node, const std::vector<Tensor>& outputs) {
    if (&seen != &graph || node.type() == "Const") return;
    for (const Tensor& output : outputs) {
      if (output.defined() && IsFloating(output.dtype())) by_samples.See(node, RangeOf(output));
    }
  };
  Evaluate(graph, inputs_, options);
}

std::string PrecisionReport::Text() const {
  std::string out;
  size_t widest = 4;
  for (const ReportedPrecision& entry : nodes) widest = std::max(widest, std::min<size_t>(entry.node.size(), 48));
  out += fmt::format("{:<{}}  {:<20} {:<24} why\n", "node", widest, "type", "outputs");
  for (const ReportedPrecision& entry : nodes) {
    out += fmt::format("{:<{}}  {:<20} {:<24} {}\n", entry.node, widest, entry.type,
                       entry.outputs.empty() ? "-" : entry.outputs,
                       entry.reason.empty() ? "its type is that of the model" : entry.reason);
  }
  out += fmt::format("\nThe largest finite number of fp16 is {}. The first node beyond it:\n", kLargestHalf);
  out += Line("constants", constants, "holds");
  out += Line("ranges", ranges, "can reach");
  if (!unbounded.empty()) {
    out += fmt::format("              there is no bound for '{}' and perhaps more: give ranges with --sample_inputs\n",
                       unbounded);
  }
  return out + (sampled ? Line("samples", samples, "reaches") : "by samples    none were given: --sample_inputs\n");
}

std::string PrecisionReport::Json() const {
  using Object = nlohmann::ordered_json;
  Object json = {{"schema", 1}, {"nodes", Object::array()}};
  for (const ReportedPrecision& entry : nodes) {
    json["nodes"].push_back({{"name", entry.node},
                             {"type", entry.type},
                             {"inputs", entry.inputs},
                             {"outputs", entry.outputs},
                             {"reason", entry.reason}});
  }
  json["overflow"] = {{"constants", ToJson(constants)}, {"ranges", ToJson(ranges)}, {"samples", ToJson(samples)},
                      {"sampled", sampled}, {"unbounded", unbounded}};
  return json.dump(2, ' ', false, Object::error_handler_t::replace) + "\n";
}

}  // namespace atc

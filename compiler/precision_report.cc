#include "compiler/precision_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "compiler/io/utf8.h"
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

// Of what no rule chose a type for.
std::string Unchosen(const Graph& graph, const Node& node) {
  const auto is_float = [&](ValueId value) { return value != kNoId && IsFloating(graph.desc(value).dtype); };
  const bool floats = std::any_of(node.inputs.begin(), node.inputs.end(), is_float) ||
                      std::any_of(node.outputs.begin(), node.outputs.end(), is_float);
  if (!floats) return "no floating-point tensors";
  if (node.type() == "Data" || node.type() == "NetOutput") return "the interface keeps the types of the model";
  if (node.type() == "Const") return "a constant as the model has it";
  if (node.type() == "TransData") return "the type of what it moves";
  if (node.type() == "Cast") return "a conversion that the model asks for";
  return "the types of the model";
}

void AddNodes(const Graph& graph, std::vector<ReportedPrecision>* to) {
  for (const NodeId id : graph.TopologicalOrder()) {
    const Node& node = graph.node(id);
    std::string reason;
    for (const Reason& because : node.reasons) {
      if (because.aspect == "dtype") reason += (reason.empty() ? "" : "; ") + because.rule;
    }
    if (reason.empty()) reason = Unchosen(graph, node);
    to->push_back({node.name, node.type().str(), Types(graph, node.inputs), Types(graph, node.outputs), reason});
    for (const Subgraph& nested : node.subgraphs) AddNodes(*nested.graph, to);
  }
}

std::string Line(const char* evidence, const OverflowForecast& forecast, const char* verb) {
  if (!forecast.found()) return fmt::format("by {:<10} no value leaves fp16\n", evidence);
  return fmt::format("by {:<10} {} ({}) {} {:.6g} to {:.6g}; {}\n", evidence, OneLine(forecast.node), forecast.type,
                     verb, forecast.low, forecast.high,
                     forecast.fp16 ? "it is read in fp16" : "it is not read in fp16");
}

nlohmann::ordered_json ToJson(const OverflowForecast& forecast) {
  if (!forecast.found()) return nullptr;
  return {{"node", forecast.node},
          {"type", forecast.type},
          {"low", forecast.low},
          {"high", forecast.high},
          {"fp16", forecast.fp16}};
}

}  // namespace

void PrecisionReport::See(std::string_view stage, const Graph& graph) {
  // Read while inputs are as the model has them: a wrong file is told of before the conversion goes on.
  if (inputs_.empty() && !samples_.empty()) inputs_ = MakeSampleSets(graph, samples_, warnings_);
  if (stage == kBeforeTypes) floats_ = graph.Clone();
}

void PrecisionReport::Finish(const CompileResult& result) {
  const Graph& final = *result.model.graph;
  AddNodes(final, &nodes);
  const Graph& graph = *floats_;
  std::vector<ValueRange> given;
  const std::vector<NodeId> data = graph.Inputs();
  for (size_t i = 0; i < data.size(); ++i) {
    const Node& input = graph.node(data[i]);
    const auto is_given = [&](const SampleInput& item) { return item.name == input.name; };
    if (std::none_of(samples_.begin(), samples_.end(), is_given)) {
      given.push_back(RangeOf(graph.desc(input.outputs[0]).dtype));
      continue;
    }
    // The ends of ranges are among the samples.
    ValueRange range = RangeOf(inputs_[0][i]);
    for (const std::vector<Tensor>& sample : inputs_) {
      const ValueRange one = RangeOf(sample[i]);
      range = {std::min(range.low, one.low), std::max(range.high, one.high)};
    }
    given.push_back(range);
  }
  overflow = ForecastOverflow(graph, final, given, inputs_);
}

std::string PrecisionReport::Text() const {
  std::string out;
  size_t widest = 4;
  for (const ReportedPrecision& entry : nodes)
    widest = std::max(widest, std::min<size_t>(OneLine(entry.node).size(), 48));
  out += fmt::format("{:<{}}  {:<20} {:<24} why\n", "node", widest, "type", "outputs");
  for (const ReportedPrecision& entry : nodes) {
    out += fmt::format("{:<{}}  {:<20} {:<24} {}\n", OneLine(entry.node), widest, entry.type,
                       entry.outputs.empty() ? "-" : entry.outputs, OneLine(entry.reason));
  }
  const OverflowForecast& verdict = overflow.verdict();
  out += fmt::format("\nThe largest finite number of fp16 is {}. ", kLargestHalf);
  if (!verdict.found()) {
    out += overflow.sampled ? "On the samples no value leaves it.\n" : "By what is known no value leaves it.\n";
  } else {
    out += fmt::format("The first node beyond it is {} ({}){}.\n", OneLine(verdict.node), verdict.type,
                       verdict.fp16 ? "" : ", were it in fp16");
  }
  out += Line("constants", overflow.constants, "holds");
  if (overflow.constants.fp16) {
    out += clips_ ? "              where it becomes fp16 it is clipped, as --is_weight_clip is 1\n"
                  : "              where it becomes fp16, --is_weight_clip=1 would clip it\n";
  }
  out += Line("ranges", overflow.ranges, "can reach");
  if (overflow.ranges.found() && overflow.sampled && !overflow.samples.found()) {
    out += "              by bounds alone: no sample comes so far\n";
  }
  if (!overflow.unbounded.empty()) {
    out += fmt::format("              there is no bound for '{}' and perhaps more: give ranges with --sample_inputs\n",
                       OneLine(overflow.unbounded));
  }
  if (!overflow.sampled) return out + "by samples    none were given: --sample_inputs\n";
  out += Line("samples", overflow.samples, "reaches");
  return out + (overflow.outputs_finite ? "" : "              outputs of the model become infinite or NaN by it\n");
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
  json["overflow"] = {{"verdict", ToJson(overflow.verdict())},
                      {"constants", ToJson(overflow.constants)},
                      {"ranges", ToJson(overflow.ranges)},
                      {"samples", ToJson(overflow.samples)},
                      {"sampled", overflow.sampled},
                      {"unbounded", overflow.unbounded},
                      {"outputs_finite", overflow.outputs_finite}};
  return json.dump(2, ' ', false, Object::error_handler_t::replace) + "\n";
}

}  // namespace atc

// --summary: what is in a model, without converting it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "cmd/atc/paths.h"
#include "cmd/atc/run.h"
#include "parsers/onnx/summary.h"
#include "plugins/operators/custom_operators.h"

namespace atc::cli {
namespace {

std::string DimsText(const OnnxSummary::Value& value) {
  return value.has_rank ? fmt::format("[{}]", fmt::join(value.dims, ", ")) : "of any shape";
}

// A line of its own for each, under one heading.
void AddValues(std::string_view heading, const std::vector<OnnxSummary::Value>& values, std::string* out) {
  for (const OnnxSummary::Value& value : values) {
    *out += fmt::format("{:<11}{}  {} {}\n", heading, value.name, value.type, DimsText(value));
  }
}

std::string Text(const std::string& path, const OnnxSummary& summary) {
  std::vector<std::string> opsets;
  for (const auto& [domain, version] : summary.opsets) opsets.push_back(fmt::format("{} {}", domain, version));
  std::string out = fmt::format("model      {}, {} bytes\n", path, summary.file_bytes);
  out += fmt::format("onnx       IR version {}; {}\n", summary.ir_version, fmt::join(opsets, ", "));
  if (!summary.producer.empty()) out += fmt::format("made by    {}\n", summary.producer);
  AddValues("input", summary.inputs, &out);
  AddValues("output", summary.outputs, &out);
  out += fmt::format("parameters {}, {} bytes\n", summary.parameters, summary.parameter_bytes);
  for (const OnnxSummary::DataFile& file : summary.external_data) {
    out += fmt::format("data       {} bytes in {}\n", file.bytes, file.location);
  }
  out += fmt::format("operators  {} nodes of {} types\n", summary.nodes, summary.operators.size());
  bool all = true;
  for (const OnnxSummary::Operator& op : summary.operators) {
    all = all && op.supported;
    out += fmt::format("{:>10} {}{}{}\n", op.count, op.domain == "ai.onnx" ? "" : op.domain + "::", op.type,
                       op.supported ? "" : fmt::format("  NOT SUPPORTED, first '{}'", op.first_node));
  }
  return out + (all ? "All operators are supported.\n" : "Operators that are not supported keep it from conversion.\n");
}

nlohmann::ordered_json ToJson(const std::vector<OnnxSummary::Value>& values) {
  auto list = nlohmann::ordered_json::array();
  for (const OnnxSummary::Value& value : values) {
    nlohmann::ordered_json entry = {{"name", value.name}, {"type", value.type}};
    if (value.has_rank) {
      entry["dims"] = nlohmann::ordered_json::array();
      for (const std::string& dim : value.dims) {
        // Sizes are numbers, symbols are texts.
        const bool number = !dim.empty() && dim.find_first_not_of("-0123456789") == std::string::npos;
        if (number) {
          entry["dims"].push_back(std::stoll(dim));
        } else {
          entry["dims"].push_back(dim);
        }
      }
    } else {
      entry["dims"] = nullptr;
    }
    list.push_back(std::move(entry));
  }
  return list;
}

std::string Json(const std::string& path, const OnnxSummary& summary) {
  using Object = nlohmann::ordered_json;
  Object json = {{"schema", 1},
                 {"model", path},
                 {"file_bytes", summary.file_bytes},
                 {"framework", "onnx"},
                 {"ir_version", summary.ir_version},
                 {"producer", summary.producer},
                 {"graph", summary.graph}};
  json["opsets"] = Object::object();
  for (const auto& [domain, version] : summary.opsets) json["opsets"][domain] = version;
  json["inputs"] = ToJson(summary.inputs);
  json["outputs"] = ToJson(summary.outputs);
  json["nodes"] = summary.nodes;
  json["functions"] = summary.functions;
  json["operators"] = Object::array();
  json["unsupported"] = Object::array();
  for (const OnnxSummary::Operator& op : summary.operators) {
    json["operators"].push_back({{"domain", op.domain},
                                 {"type", op.type},
                                 {"opset", op.opset},
                                 {"count", op.count},
                                 {"first_node", op.first_node},
                                 {"supported", op.supported}});
    if (!op.supported) json["unsupported"].push_back(fmt::format("{}::{}::{}", op.domain, op.opset, op.type));
  }
  json["parameters"] = summary.parameters;
  json["parameter_bytes"] = summary.parameter_bytes;
  json["external_data"] = Object::array();
  for (const OnnxSummary::DataFile& file : summary.external_data) {
    json["external_data"].push_back({{"location", file.location}, {"bytes", file.bytes}});
  }
  return json.dump(2, ' ', false, Object::error_handler_t::replace) + "\n";
}

}  // namespace

void Summarize(Run& run) {
  const std::string path = run.flags.Get("model");
  if (path.empty()) throw Error("E10054", {{"parameter", "--model"}});
  CheckInputFile("model", path);
  if (run.flags.IsSet("framework") && run.flags.Get("framework") != "5") {
    throw Error("E10055", {{"reason", "--summary reads ONNX models"}}, "Give an ONNX model, or leave --framework out.");
  }
  // Operators that plugins bring count as supported.
  const CustomOperatorReport plugins = LoadCustomOperators();
  if (!plugins.empty()) run.log.Write(LogLevel::kInfo, plugins.Text());
  const OnnxSummary summary = SummarizeOnnx(path);
  run.flags.Given("json") ? GiveJson(run, Json(path, summary)) : run.console.Print(Text(path, summary));
}

}  // namespace atc::cli

// --summary: what is in a model, without converting it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cmd/atc/paths.h"
#include "cmd/atc/run.h"
#include "compiler/io/utf8.h"
#include "parsers/model_summary.h"
#include "plugins/operators/custom_operators.h"

namespace atc::cli {
namespace {

std::string TypeText(const ModelSummary::Value& value) {
  if (value.type.empty()) return "of a type that is not known before the conversion";
  return value.type + (value.has_rank ? fmt::format(" [{}]", fmt::join(value.dims, ", ")) : " of any shape");
}

// A line of its own for each, under one heading.
void AddValues(std::string_view heading, const std::vector<ModelSummary::Value>& values, std::string* out) {
  for (const ModelSummary::Value& value : values) {
    *out += fmt::format("{:<11}{}  {}\n", heading, OneLine(value.name), OneLine(TypeText(value)));
  }
}

// The domain that goes without saying in names of operators.
bool IsPlainDomain(std::string_view domain) { return domain == "ai.onnx" || domain == "tensorflow"; }

std::string FormatLine(const ModelSummary& summary) {
  if (summary.framework == "tensorflow") {
    const std::string signature = summary.graph.empty() ? "frozen graph" : "signature " + summary.graph;
    return fmt::format("tensorflow {}; written by version {}\n", signature, summary.ir_version);
  }
  std::vector<std::string> opsets;
  for (const auto& [domain, version] : summary.opsets) opsets.push_back(fmt::format("{} {}", domain, version));
  return fmt::format("onnx       IR version {}; {}\n", summary.ir_version, fmt::join(opsets, ", "));
}

std::string Text(const std::string& path, const ModelSummary& summary) {
  std::string out = fmt::format("model      {}, {} bytes\n", path, summary.file_bytes);
  out += FormatLine(summary);
  if (!summary.producer.empty()) out += fmt::format("made by    {}\n", OneLine(summary.producer));
  AddValues("input", summary.inputs, &out);
  AddValues("output", summary.outputs, &out);
  out += fmt::format("parameters {}, {} bytes\n", summary.parameters, summary.parameter_bytes);
  for (const ModelSummary::DataFile& file : summary.external_data) {
    out += fmt::format("data       {} bytes in {}\n", file.bytes, file.location);
  }
  out += fmt::format("operators  {} nodes of {} types\n", summary.nodes, summary.operators.size());
  bool all = true;
  for (const ModelSummary::Operator& op : summary.operators) {
    all = all && op.supported;
    out += fmt::format("{:>10} {}{}{}\n", op.count, OneLine(IsPlainDomain(op.domain) ? "" : op.domain + "::"),
                       OneLine(op.type),
                       op.supported ? "" : fmt::format("  NOT SUPPORTED, first '{}'", OneLine(op.first_node)));
  }
  return out + (all ? "All operators are supported.\n" : "Operators that are not supported keep it from conversion.\n");
}

nlohmann::ordered_json ToJson(const std::vector<ModelSummary::Value>& values) {
  auto list = nlohmann::ordered_json::array();
  for (const ModelSummary::Value& value : values) {
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

std::string Json(const std::string& path, const ModelSummary& summary) {
  using Object = nlohmann::ordered_json;
  Object json = {{"schema", 1},
                 {"model", path},
                 {"file_bytes", summary.file_bytes},
                 {"framework", summary.framework},
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
  for (const ModelSummary::Operator& op : summary.operators) {
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
  for (const ModelSummary::DataFile& file : summary.external_data) {
    json["external_data"].push_back({{"location", file.location}, {"bytes", file.bytes}});
  }
  return json.dump(2, ' ', false, Object::error_handler_t::replace) + "\n";
}

}  // namespace

void Summarize(Run& run) {
  const std::string path = run.flags.Get("model");
  if (path.empty()) throw Error("E10054", {{"parameter", "--model"}});
  const std::string framework = run.flags.Get("framework");
  // A folder is a SavedModel; other files are told apart by what the flag says.
  const bool folder = std::filesystem::is_directory(path);
  const bool tensorflow =
      framework == "3" ||
      (framework.empty() && (folder || path.ends_with("saved_model.pb") || path.ends_with("saved_model.pbtxt")));
  if (folder && tensorflow) {
    CheckPathCharacters("model", path);
  } else {
    CheckInputFile("model", path);
  }
  if (!framework.empty() && framework != "3" && framework != "5") {
    throw Error("E10055", {{"reason", "--summary reads ONNX and TensorFlow models"}},
                "Give an ONNX model, or a TensorFlow model with --framework=3.");
  }
  // Operators that plugins bring count as supported.
  const CustomOperatorReport plugins = LoadCustomOperators();
  if (!plugins.empty()) run.log.Write(LogLevel::kInfo, plugins.Text());
  const ModelSummary summary = (tensorflow ? SummarizeTensorFlow : SummarizeOnnx)(path);
  run.flags.Given("json") ? GiveJson(run, Json(path, summary)) : run.console.Print(Text(path, summary));
}

}  // namespace atc::cli

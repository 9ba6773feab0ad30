#include "cmd/atc/source.h"

#include "cmd/atc/check_model.h"
#include "cmd/atc/validate.h"
#include "parsers/onnx/parser.h"
#include "parsers/tensorflow/parser.h"

namespace atc::cli {
namespace {

// Says what became of each library with operators, when there are any.
CustomOperatorReport LoadOperators(Run& run) {
  CustomOperatorReport report = LoadCustomOperators();
  if (!report.empty()) {
    run.console.Tell(report.Text());
    run.log.Write(LogLevel::kInfo, report.Text());
  }
  return report;
}

std::unique_ptr<Graph> Parse(Run& run, const CompileOptions& options, const CustomOperatorReport& operators) {
  options.progress("parse");
  try {
    const auto parse = run.flags.Get("framework") == "3" ? ParseTensorFlow : ParseOnnx;
    return parse(options.model_path, options, &run.diagnostics);
  } catch (const Error& error) {
    throw ExplainPlugins(error, operators);
  }
}

}  // namespace

std::unique_ptr<Graph> ReadSource(Run& run, const CompileOptions& options, CustomOperatorReport* report) {
  const CustomOperatorReport operators = LoadOperators(run);
  std::unique_ptr<Graph> graph = Parse(run, options, operators);
  CheckModel(*graph, run.flags, options);
  RefuseUnavailable(run.flags);
  if (report != nullptr) *report = operators;
  return graph;
}

}  // namespace atc::cli

#include "parsers/tensorflow/parser.h"

#include <fmt/format.h>

#include "compiler/ir/framework.h"
#include "parsers/tensorflow/read_model.h"
#include "parsers/tensorflow/scope_fusion.h"
#include "parsers/tensorflow/support_check.h"
#include "parsers/tensorflow/unknown_operator.h"

namespace atc {
namespace {

using namespace tf_parser;

std::string Counts(const std::map<std::string, int>& operators) {
  std::string list;
  for (const auto& [op, count] : operators) list += fmt::format("{}{} {}", list.empty() ? "" : ", ", count, op);
  return list;
}

void Note(const ModelState& model) {
  if (model.diagnostics == nullptr) return;
  if (!model.removed.empty()) {
    model.diagnostics->Warn("W19999", {{"reason", "Nodes that serve training or debugging alone were left out: " +
                                                      Counts(model.removed) + "."}});
  }
  if (!model.written.empty()) {
    model.diagnostics->Warn("W19999", {{"reason", "A model keeps no state between runs: what these nodes write into "
                                                  "variables holds for one run: " + Counts(model.written) + "."}});
  }
}

std::unique_ptr<Graph> Build(const ModelSource& from, const CompileOptions& options, Diagnostics* diagnostics) {
  ModelState model = from.State();
  model.options = &options;
  model.diagnostics = diagnostics;
  model.scope_passes = EnabledScopePasses(options.GeOption("enable_scope_fusion_passes"), diagnostics);
  const ResolvedGraph resolved = Resolve(model, from);
  SupportCheck check(model);
  check.Check(resolved.source);
  try {
    check.ThrowIfAny();
  } catch (const Error& error) {
    if (!GoesPastUnknown()) throw;
    if (diagnostics != nullptr) {
      diagnostics->Warn("W19999", {{"reason", std::string("ENABLE_NETWORK_ANALYSIS_DEBUG=1: the analysis goes on past: ") +
                                              error.what()}});
    }
  }
  auto graph = std::make_unique<Graph>("graph");
  graph->attrs.Set(kFrameworkAttr, kFrameworkTensorFlow);
  GraphBuilder(model, *graph, resolved.source)
      .BuildRoot(resolved.inputs, resolved.source.results, resolved.output_names);
  Note(model);
  return graph;
}

}  // namespace

std::unique_ptr<Graph> ParseTensorFlow(const std::string& path, const CompileOptions& options,
                                       Diagnostics* diagnostics) try {
  return Build(ReadModel(path), options, diagnostics);
} catch (Error& error) {
  error.At(Called(path));
  throw;
}

std::unique_ptr<Graph> ParseTensorFlowBytes(std::string path, std::string bytes, const CompileOptions& options,
                                            Diagnostics* diagnostics) try {
  return Build(ReadModelFile(ModelFile::FromBytes(path, std::move(bytes))), options, diagnostics);
} catch (Error& error) {
  error.At(fmt::format("file '{}'", path));
  throw;
}

}  // namespace atc

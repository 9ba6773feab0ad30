// --mode=1: an om or an ONNX model as JSON.
#include "cmd/atc/run.h"
#include "cmd/atc/validate.h"
#include "compiler/inspect.h"
#include "compiler/io/output_file.h"
#include "compiler/ir/options.h"
#include "parsers/onnx/model_json.h"
#include "parsers/onnx/parser.h"

namespace atc::cli {
namespace {

void WriteInferred(Run& run, const std::string& model, ByteSink& out) {
  CompileOptions options;
  options.model_path = model;
  const std::unique_ptr<Graph> graph = ParseOnnx(model, options, &run.diagnostics);
  WriteInferredJson(*graph, &run.diagnostics, out);
}

}  // namespace

void ToJson(Run& run) {
  const ToJsonRequest request = CheckToJson(run.flags);
  run.Step("write JSON");
  MakeParentFolders(request.json);
  OutputFile file(request.json, 0600);
  if (!request.is_onnx) {
    WriteOmJson(request.input, file);
  } else if (request.infer_shapes) {
    WriteInferred(run, request.input, file);
  } else {
    WriteOnnxJson(request.input, file);
  }
  file.Commit();
}

}  // namespace atc::cli

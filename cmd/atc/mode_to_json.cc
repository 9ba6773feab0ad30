// --mode=1: an om, an ONNX or a TensorFlow model as JSON. --mode=5: the text dump of a stage as JSON.
#include "cmd/atc/om2_file.h"
#include "cmd/atc/om_error.h"
#include "cmd/atc/run.h"
#include "cmd/atc/validate.h"
#include "compiler/inspect.h"
#include "compiler/io/output_file.h"
#include "compiler/ir/options.h"
#include "parsers/onnx/model_json.h"
#include "parsers/onnx/parser.h"
#include "parsers/tensorflow/model_json.h"
#include "parsers/tensorflow/parser.h"
#include "plugins/operators/custom_operators.h"

namespace atc::cli {
namespace {

void WriteInferred(Run& run, const ToJsonRequest& request, ByteSink& out) {
  const bool tensorflow = request.source == ToJsonRequest::kTensorFlowInferred;
  CompileOptions options;
  options.model_path = request.input;
  LoadCustomOperators();  // operators that plugins bring can be converted too
  if (tensorflow) options.input_format = FORMAT_NHWC;
  const auto parse = tensorflow ? ParseTensorFlow : ParseOnnx;
  const std::unique_ptr<Graph> graph = parse(request.input, options, &run.diagnostics);
  WriteInferredJson(*graph, &run.diagnostics, out);
}

void WriteOm(const std::string& om, ByteSink& out) {
  try {
    IsOm2(om) ? WriteOm2Json(om, out) : WriteOmJson(om, out);
  } catch (const Error& error) {
    throw InvalidOm(om, error);
  }
}

}  // namespace

void ToJson(Run& run) {
  const ToJsonRequest request = CheckToJson(run.flags);
  run.Step("write JSON");
  MakeParentFolders(request.json);
  OutputFile file(request.json, 0600);
  switch (request.source) {
    case ToJsonRequest::kOm: WriteOm(request.input, file); break;
    case ToJsonRequest::kOnnx: WriteOnnxJson(request.input, file); break;
    case ToJsonRequest::kTensorFlow: WriteTensorFlowJson(request.input, file); break;
    case ToJsonRequest::kOnnxInferred:
    case ToJsonRequest::kTensorFlowInferred: WriteInferred(run, request, file); break;
    case ToJsonRequest::kTextDump: WriteTextDumpJson(request.input, file); break;
  }
  file.Commit();
}

}  // namespace atc::cli

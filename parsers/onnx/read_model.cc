#include "parsers/onnx/read_model.h"

#include <string_view>

#include "compiler/ir/error.h"
#include "parsers/onnx/functions.h"

namespace atc::onnx_parser {
namespace {

// An ONNX model begins with its version, 3 or more; a GraphDef with a node, a SavedModel with the version 1.
std::string CureWithoutGraph(const ModelFile& file) {
  const std::string_view bytes(reinterpret_cast<const char*>(file.data()), file.size());
  const bool tensorflow = bytes.starts_with("\x0a") || bytes.starts_with("\x08\x01\x12");
  return tensorflow ? "It looks like a TensorFlow model: convert those with --framework=3." : "";
}

}  // namespace

onnx::ModelProto ReadModelProto(const ModelFile& file, std::vector<TensorPayload>* payloads) {
  ScannedFile scanned = Scan(file, Message::kModel);
  onnx::ModelProto proto;
  if (!proto.ParseFromString(scanned.skeleton)) {
    throw Error("E13005", {{"file", file.path()}, {"reason", "a message within it is damaged"}});
  }
  if (!proto.has_graph()) throw Error("E16004", {}, CureWithoutGraph(file));
  if (proto.graph().output_size() == 0) throw Error("E16001", {{"value", "output"}});
  *payloads = std::move(scanned.payloads);
  return proto;
}

ModelState StateOf(const onnx::ModelProto& proto) {
  ModelState model;
  model.opsets = OpsetsOf(proto.opset_import());
  if (model.opsets.empty()) model.opsets["ai.onnx"] = 1;
  for (const onnx::FunctionProto& function : proto.functions()) model.functions.emplace(KeyOf(function), &function);
  return model;
}

}  // namespace atc::onnx_parser

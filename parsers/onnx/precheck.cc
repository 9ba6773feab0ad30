#include "parsers/precheck.h"

#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <set>

#include "compiler/ir/error.h"
#include "parsers/model_file.h"
#include "parsers/onnx/census.h"
#include "parsers/onnx/read_model.h"

namespace atc {
namespace {

using namespace onnx_parser;

// Whether all that the node itself, and graphs inside of it, need can be read.
bool IsSupported(const ModelState& model, const onnx::NodeProto& node) {
  onnx::GraphProto alone;
  *alone.add_node() = node;
  const OperatorCensus census = TakeCensus(model, alone);
  return std::all_of(census.begin(), census.end(), [](const auto& entry) { return entry.second.supported; });
}

}  // namespace

PrecheckReport PrecheckOnnx(const std::string& path) try {
  const auto file = ModelFile::Map(path);
  std::vector<TensorPayload> payloads;
  const onnx::ModelProto proto = ReadModelProto(*file, &payloads);
  const ModelState model = StateOf(proto);
  PrecheckReport report;
  report.graph = proto.graph().name();
  std::set<std::string> names;
  for (const onnx::NodeProto& node : proto.graph().node()) {
    PrecheckReport::Operator op;
    op.name = node.name().empty() ? fmt::format("{}_{}", node.op_type(), report.operators.size()) : node.name();
    op.type = node.op_type();
    if (!IsSupported(model, node)) op.causes.push_back(PrecheckReport::kTypeUnsupported);
    if (!names.insert(op.name).second) op.causes.push_back(PrecheckReport::kNameRepeated);
    report.operators.push_back(std::move(op));
  }
  return report;
} catch (Error& error) {
  error.At(fmt::format("file '{}'", path));
  throw;
}

}  // namespace atc

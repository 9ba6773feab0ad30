#include "parsers/model_summary.h"

#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include <charconv>
#include <set>

#include "compiler/ir/data_type.h"
#include "parsers/model_file.h"
#include "parsers/onnx/census.h"
#include "parsers/onnx/read_model.h"

namespace atc {
namespace {

using namespace onnx_parser;

ModelSummary::Value Describe(const onnx::ValueInfoProto& info) {
  ModelSummary::Value value;
  const TensorDesc desc = DescribeValue(info);
  value.name = info.name();
  value.type = DataTypeName(desc.dtype);
  value.has_rank = desc.dtype != DT_VARIANT && desc.origin_shape.HasRank();
  for (size_t i = 0; value.has_rank && i < desc.origin_shape.rank(); ++i) {
    const bool symbol = i < desc.symbols.size() && !desc.symbols[i].empty();
    value.dims.push_back(symbol ? desc.symbols[i] : std::to_string(desc.origin_shape[i]));
  }
  return value;
}

int64_t Elements(const onnx::TensorProto& tensor) {
  int64_t elements = 1;
  for (const int64_t dim : tensor.dims()) {
    if (dim < 0 || __builtin_mul_overflow(elements, dim, &elements)) return 0;  // the conversion tells of it
  }
  return elements;
}

class Adder {
 public:
  explicit Adder(ModelSummary* summary) : summary_(*summary) {}
  ~Adder() {
    for (const auto& [location, bytes] : external_) summary_.external_data.push_back({location, bytes});
  }

  void Graph(const onnx::GraphProto& graph) {
    for (const onnx::TensorProto& tensor : graph.initializer()) Tensor(tensor);
    for (const onnx::SparseTensorProto& tensor : graph.sparse_initializer()) Tensor(tensor.values());
    for (const onnx::NodeProto& node : graph.node()) {
      for (const onnx::AttributeProto& attribute : node.attribute()) {
        // Some exporters keep weights as nodes.
        if (attribute.has_t() && node.op_type() == "Constant") Tensor(attribute.t());
        if (attribute.has_g()) Graph(attribute.g());
        for (const onnx::GraphProto& nested : attribute.graphs()) Graph(nested);
      }
    }
  }

 private:
  void Tensor(const onnx::TensorProto& tensor) {
    const int64_t elements = Elements(tensor);
    const DataType dtype = DataTypeFromOnnx(tensor.data_type());
    const int64_t bytes =
        dtype == DT_STRING || dtype == DT_UNDEFINED ? 0 : static_cast<int64_t>(DataTypeBytes(dtype, elements));
    summary_.parameters += elements;
    summary_.parameter_bytes += bytes;
    if (tensor.data_location() != onnx::TensorProto::EXTERNAL) return;
    for (const auto& entry : tensor.external_data()) {
      if (entry.key() == "location") external_[entry.value()] += bytes;
    }
  }

  ModelSummary& summary_;
  std::map<std::string, int64_t> external_;
};

}  // namespace

ModelSummary SummarizeOnnx(const std::string& path) try {
  const auto file = ModelFile::Map(path);
  std::vector<TensorPayload> payloads;
  const onnx::ModelProto proto = ReadModelProto(*file, &payloads);
  const onnx::GraphProto& graph = proto.graph();
  const ModelState model = StateOf(proto);
  ModelSummary summary;
  summary.framework = "onnx";
  summary.ir_version = proto.ir_version();
  summary.producer = proto.producer_name() + (proto.producer_version().empty() ? "" : " " + proto.producer_version());
  summary.graph = graph.name();
  summary.file_bytes = static_cast<int64_t>(file->size());
  summary.opsets = model.opsets;
  summary.functions = proto.functions_size();
  std::set<std::string> initializers;
  for (const onnx::TensorProto& tensor : graph.initializer()) initializers.insert(tensor.name());
  for (const onnx::ValueInfoProto& input : graph.input()) {
    if (!initializers.contains(input.name())) summary.inputs.push_back(Describe(input));
  }
  for (const onnx::ValueInfoProto& output : graph.output()) summary.outputs.push_back(Describe(output));
  for (const auto& [key, use] : TakeCensus(model, graph)) {
    const auto& [domain, type, opset] = key;
    summary.operators.push_back({domain, type, opset, use.count, use.first_node, use.supported});
    summary.nodes += use.count;
  }
  Adder(&summary).Graph(graph);
  return summary;
} catch (Error& error) {
  error.At(fmt::format("file '{}'", path));
  throw;
}

}  // namespace atc

#include <filesystem>
#include <set>

#include "compiler/ir/data_type.h"
#include "compiler/ops/inference.h"
#include "parsers/model_summary.h"
#include "parsers/tensorflow/parser.h"
#include "parsers/tensorflow/read_model.h"
#include "parsers/tensorflow/support_check.h"

namespace atc {
namespace {

using namespace tf_parser;

ModelSummary::Value Describe(const std::string& name, const TensorDesc& desc) {
  ModelSummary::Value value;
  value.name = name;
  value.type = DataTypeName(desc.dtype);
  value.has_rank = desc.origin_shape.HasRank();
  for (size_t i = 0; value.has_rank && i < desc.origin_shape.rank(); ++i) {
    value.dims.push_back(std::to_string(desc.origin_shape[i]));
  }
  return value;
}

// What the outputs are is known when all before them is.
std::vector<ModelSummary::Value> InferredOutputs(const std::string& path, const std::vector<std::string>& names) {
  std::vector<ModelSummary::Value> outputs;
  for (const std::string& name : names) outputs.push_back({name, "", false, {}});
  try {
    CompileOptions options;
    options.input_format = FORMAT_NHWC;
    const auto graph = ParseTensorFlow(path, options, nullptr);
    InferShapes(*graph);
    const Node& results = *graph->NetOutput();
    for (size_t i = 0; i < outputs.size() && i < results.inputs.size(); ++i) {
      outputs[i] = Describe(names[i], graph->desc(results.inputs[i]));
    }
  } catch (const Error&) {
    // The conversion tells why.
  }
  return outputs;
}

class ParameterCount {
 public:
  explicit ParameterCount(ModelSummary* summary) : summary_(*summary) {}

  void Add(const proto::NodeDef& node) {
    const auto& attrs = node.attr();
    const auto value = attrs.find("value");
    if (node.op() == "Const" && value != attrs.end()) {
      return Add(value->second.tensor().dtype(), value->second.tensor().tensor_shape());
    }
    const auto dtype = attrs.find("dtype");
    const auto shape = attrs.find("shape");
    const bool variable = node.op() == "VarHandleOp" || node.op() == "VariableV2" || node.op() == "Variable";
    if (!variable || dtype == attrs.end() || shape == attrs.end()) return;
    // Several nodes may stand for one variable.
    const auto shared = attrs.find("shared_name");
    const std::string& name = shared == attrs.end() || shared->second.s().empty() ? node.name() : shared->second.s();
    if (variables_.insert(name).second) Add(dtype->second.type(), shape->second.shape());
  }

 private:
  void Add(int type, const proto::ShapeProto& dims) {
    const DataType dtype = DataTypeFromTf(type);
    int64_t elements = 1;
    for (const auto& dim : dims.dim()) {
      if (dim.size() < 0 || __builtin_mul_overflow(elements, dim.size(), &elements)) return;  // the conversion tells
    }
    summary_.parameters += elements;
    if (dtype == DT_STRING || dtype == DT_UNDEFINED || dtype == DT_VARIANT) return;
    summary_.parameter_bytes += static_cast<int64_t>(DataTypeBytes(dtype, elements));
  }

  ModelSummary& summary_;
  std::set<std::string> variables_;
};

// Files with variables, by name.
std::vector<ModelSummary::DataFile> VariableFiles(const std::string& folder) {
  namespace fs = std::filesystem;
  std::map<std::string, int64_t> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder + "/variables")) {
    const std::string name = entry.path().filename();
    if (name.starts_with("variables.data-")) files["variables/" + name] = static_cast<int64_t>(entry.file_size());
  }
  std::vector<ModelSummary::DataFile> list;
  for (const auto& [name, bytes] : files) list.push_back({name, bytes});
  return list;
}

}  // namespace

ModelSummary SummarizeTensorFlow(const std::string& path) try {
  const ModelSource from = ReadModel(path);
  CompileOptions options;
  options.input_format = FORMAT_NHWC;
  ModelState model = from.State();
  model.options = &options;
  const ResolvedGraph resolved = Resolve(model, from);
  SupportCheck check(model);
  check.Check(resolved.source);
  ModelSummary summary;
  summary.framework = "tensorflow";
  summary.ir_version = from.graph.versions().producer();
  summary.graph = from.signature.name;
  summary.file_bytes = from.bytes;
  summary.functions = from.graph.library().function_size();
  for (const auto& [node, desc] : resolved.inputs) {
    summary.inputs.push_back(Describe(resolved.source.nodes[node].name, desc));
  }
  summary.outputs = InferredOutputs(path, resolved.output_names);
  for (const auto& [type, use] : check.uses()) {
    summary.operators.push_back({"tensorflow", type, 0, use.count, use.first_node, use.supported});
    summary.nodes += use.count;
  }
  ParameterCount parameters(&summary);
  for (const proto::NodeDef& node : from.graph.node()) parameters.Add(node);
  for (const proto::FunctionDef& function : from.graph.library().function()) {
    for (const proto::NodeDef& node : function.node_def()) parameters.Add(node);
  }
  if (from.checkpoint) summary.external_data = VariableFiles(from.folder);
  return summary;
} catch (Error& error) {
  error.At(Called(path));
  throw;
}

}  // namespace atc

#include "test/backend_cases/generated_samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "parsers/onnx/signature.h"

namespace atc::backend_cases {
namespace {

using onnx_parser::AttributeKind;
using onnx_parser::Signature;
using onnx_parser::SignaturePort;

constexpr int kIrVersion = 10;

// A tensor type that the port may have, float where it may; nothing where it takes no tensor.
std::optional<DataType> TypeOf(const SignaturePort& port) {
  for (const DataType preferred : {DT_FLOAT, DT_INT64, DT_BOOL, DT_STRING}) {
    if (port.types.Holds(preferred)) return preferred;
  }
  for (const DataType dtype : port.types.dtypes) {
    if (dtype != DT_VARIANT) return dtype;
  }
  return {};
}

bool AddAttribute(const onnx_parser::SignatureAttribute& wanted, onnx::NodeProto* node) {
  onnx::AttributeProto* attribute = node->add_attribute();
  attribute->set_name(wanted.name);
  switch (wanted.kind) {
    case AttributeKind::kInt:
      attribute->set_type(onnx::AttributeProto::INT);
      attribute->set_i(1);
      return true;
    case AttributeKind::kInts:
      attribute->set_type(onnx::AttributeProto::INTS);
      attribute->add_ints(1);
      return true;
    case AttributeKind::kFloat:
      attribute->set_type(onnx::AttributeProto::FLOAT);
      attribute->set_f(1);
      return true;
    case AttributeKind::kFloats:
      attribute->set_type(onnx::AttributeProto::FLOATS);
      attribute->add_floats(1);
      return true;
    case AttributeKind::kString:
      attribute->set_type(onnx::AttributeProto::STRING);
      attribute->set_s("x");
      return true;
    case AttributeKind::kStrings:
      attribute->set_type(onnx::AttributeProto::STRINGS);
      attribute->add_strings("x");
      return true;
    case AttributeKind::kTensor:
      attribute->set_type(onnx::AttributeProto::TENSOR);
      attribute->mutable_t()->set_data_type(onnx::TensorProto::FLOAT);
      attribute->mutable_t()->add_dims(1);
      attribute->mutable_t()->add_float_data(1);
      return true;
    case AttributeKind::kGraph:
    case AttributeKind::kSparse:
    case AttributeKind::kType: return false;
  }
  return false;
}

void AddInput(const SignaturePort& port, size_t number, std::map<std::string, DataType>* bound, Sample* sample) {
  DataType dtype = TypeOf(port).value_or(DT_FLOAT);
  if (!port.variable.empty()) dtype = bound->emplace(port.variable, dtype).first->second;
  onnx::GraphProto& graph = *sample->model.mutable_graph();
  onnx::ValueInfoProto* input = graph.add_input();
  input->set_name(fmt::format("in{}", number));
  auto* type = input->mutable_type()->mutable_tensor_type();
  type->set_elem_type(OnnxNumber(dtype));
  for (const int64_t dim : {2, 3}) type->mutable_shape()->add_dim()->set_dim_value(dim);
  graph.mutable_node(0)->add_input(input->name());
  sample->inputs.push_back(Tensor::Allocate(dtype, {2, 3}));
}

// False where the operator needs what is no tensor.
bool Generate(const Signature& signature, bool all, Sample* sample) {
  sample->model.set_ir_version(kIrVersion);
  onnx::OperatorSetIdProto* import = sample->model.add_opset_import();
  const std::string domain = signature.domain == "ai.onnx" ? "" : signature.domain;
  import->set_domain(domain);
  import->set_version(signature.since);
  onnx::GraphProto& graph = *sample->model.mutable_graph();
  graph.set_name("g");
  onnx::NodeProto* node = graph.add_node();
  node->set_name(kNodeName);
  node->set_op_type(signature.type);
  node->set_domain(domain);
  for (const auto& attribute : signature.attributes) {
    if (attribute.required && !AddAttribute(attribute, node)) return false;
  }
  std::map<std::string, DataType> bound;
  for (const SignaturePort& port : signature.inputs) {
    const size_t least = port.kind == SignaturePort::kRequired   ? 1
                         : port.kind == SignaturePort::kVariadic ? std::max<size_t>(port.least, 1)
                                                                 : size_t{all};
    if (least > 0 && !TypeOf(port)) return false;
    for (size_t i = 0; i < least; ++i) AddInput(port, sample->inputs.size(), &bound, sample);
    if (least == 0) break;  // what follows is optional as well
  }
  for (size_t i = 0; i < signature.outputs.size(); ++i) {
    if (signature.outputs[i].kind == SignaturePort::kOptional && !all && i > 0) break;
    node->add_output(fmt::format("out{}", i));
    graph.add_output()->set_name(node->output(static_cast<int>(i)));
  }
  return true;
}

}  // namespace

std::vector<std::pair<std::string, Sample>> GeneratedSamples() {
  std::vector<std::pair<std::string, Sample>> samples;
  for (const auto& [key, versions] : onnx_parser::SignatureTable::Get().all()) {
    const Signature& newest = versions.back();
    for (const bool all : {false, true}) {
      Sample sample;
      if (!Generate(newest, all, &sample)) continue;
      if (all && samples.size() > 0 && samples.back().second.inputs.size() == sample.inputs.size() &&
          samples.back().second.model.graph().node(0).op_type() == newest.type &&
          samples.back().second.model.graph().output_size() == sample.model.graph().output_size()) {
        continue;  // the same once more
      }
      samples.emplace_back(fmt::format("{}::{}::{}{}", key.first, newest.since, newest.type, all ? ", all inputs" : ""),
                           std::move(sample));
    }
  }
  return samples;
}

}  // namespace atc::backend_cases

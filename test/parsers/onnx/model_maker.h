// Small ONNX models for tests.
#pragma once

#include <onnx/onnx_pb.h>

#include <string>
#include <vector>

#include "parsers/onnx/parser.h"

namespace atc::testing {

inline onnx::ModelProto EmptyModel(int opset = 17) {
  onnx::ModelProto model;
  model.set_ir_version(8);
  model.add_opset_import()->set_version(opset);
  model.mutable_graph()->set_name("g");
  return model;
}

// Dims: -1 is left open.
inline void AddValue(onnx::ValueInfoProto* value, const std::string& name, const std::vector<int64_t>& dims,
                     int elem_type = onnx::TensorProto::FLOAT) {
  value->set_name(name);
  auto* tensor = value->mutable_type()->mutable_tensor_type();
  tensor->set_elem_type(elem_type);
  tensor->mutable_shape();
  for (const int64_t dim : dims) {
    auto* added = tensor->mutable_shape()->add_dim();
    if (dim >= 0) added->set_dim_value(dim);
  }
}

inline onnx::NodeProto* AddNode(onnx::GraphProto* graph, const std::string& type, const std::string& name,
                                const std::vector<std::string>& inputs, const std::vector<std::string>& outputs) {
  onnx::NodeProto* node = graph->add_node();
  node->set_op_type(type);
  node->set_name(name);
  for (const std::string& input : inputs) node->add_input(input);
  for (const std::string& output : outputs) node->add_output(output);
  return node;
}

inline void AddInts(onnx::GraphProto* graph, const std::string& name, const std::vector<int64_t>& values) {
  onnx::TensorProto* tensor = graph->add_initializer();
  tensor->set_name(name);
  tensor->set_data_type(onnx::TensorProto::INT64);
  tensor->add_dims(static_cast<int64_t>(values.size()));
  for (const int64_t value : values) tensor->add_int64_data(value);
}

inline void SetInt(onnx::NodeProto* node, const std::string& name, int64_t value) {
  onnx::AttributeProto* attribute = node->add_attribute();
  attribute->set_name(name);
  attribute->set_type(onnx::AttributeProto::INT);
  attribute->set_i(value);
}

inline std::unique_ptr<Graph> Parse(const onnx::ModelProto& model, const CompileOptions& options = {},
                                    Diagnostics* diagnostics = nullptr) {
  auto graph = ParseOnnxBytes("model.onnx", model.SerializeAsString(), options, diagnostics);
  graph->Verify();
  return graph;
}

// What `run` throws; an empty code when it throws nothing.
template <typename F>
Diagnostic Thrown(F&& run) {
  try {
    run();
  } catch (const Error& error) {
    return error.diagnostic();
  }
  return {};
}

inline std::string Argument(const Diagnostic& diagnostic, const std::string& name) {
  for (const auto& [key, value] : diagnostic.args) {
    if (key == name) return value;
  }
  return "";
}

}  // namespace atc::testing

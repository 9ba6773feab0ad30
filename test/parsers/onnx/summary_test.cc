#include "parsers/model_summary.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "compiler/ir/error.h"
#include "test/parsers/onnx/model_maker.h"

namespace atc {
namespace {

using namespace testing;

ModelSummary Summarize(const onnx::ModelProto& model) {
  const std::string path = std::filesystem::temp_directory_path() / ("summary" + std::to_string(getpid()) + ".onnx");
  std::ofstream(path, std::ios::binary) << model.SerializeAsString();
  const ModelSummary summary = SummarizeOnnx(path);
  std::filesystem::remove(path);
  return summary;
}

TEST_CASE("inputs, outputs, opsets and parameters of a model") {
  onnx::ModelProto model = EmptyModel(17);
  model.set_producer_name("maker");
  model.set_producer_version("2");
  onnx::GraphProto* graph = model.mutable_graph();
  AddValue(graph->add_input(), "x", {-1, 3});
  graph->mutable_input(0)->mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim(0)->set_dim_param(
      "batch");
  AddValue(graph->add_input(), "axes", {2}, onnx::TensorProto::INT64);  // an initializer gives it
  AddInts(graph, "axes", {0, 1});
  AddNode(graph, "ReduceSum", "sum", {"x", "axes"}, {"y"});
  AddValue(graph->add_output(), "y", {});
  const ModelSummary summary = Summarize(model);
  CHECK(summary.ir_version == 8);
  CHECK(summary.producer == "maker 2");
  CHECK(summary.opsets == std::map<std::string, int>{{"ai.onnx", 17}});
  REQUIRE(summary.inputs.size() == 1);
  CHECK(summary.inputs[0].name == "x");
  CHECK(summary.inputs[0].type == "DT_FLOAT");
  CHECK(summary.inputs[0].dims == std::vector<std::string>{"batch", "3"});
  CHECK(summary.outputs[0].dims.empty());
  CHECK(summary.outputs[0].has_rank);
  CHECK(summary.parameters == 2);
  CHECK(summary.parameter_bytes == 16);
  CHECK(summary.file_bytes == static_cast<int64_t>(model.ByteSizeLong()));
}

TEST_CASE("operators are counted in nested graphs too, and those without parser are told") {
  onnx::ModelProto model = EmptyModel(17);
  onnx::GraphProto* graph = model.mutable_graph();
  AddValue(graph->add_input(), "c", {}, onnx::TensorProto::BOOL);
  AddValue(graph->add_input(), "x", {2});
  onnx::NodeProto* branch = AddNode(graph, "If", "if", {"c"}, {"y"});
  for (const char* name : {"then_branch", "else_branch"}) {
    onnx::AttributeProto* attribute = branch->add_attribute();
    attribute->set_name(name);
    attribute->set_type(onnx::AttributeProto::GRAPH);
    AddNode(attribute->mutable_g(), "Relu", "", {"x"}, {"t"});
    AddNode(attribute->mutable_g(), "NoSuchOperator", "", {"t"}, {"u"});
    AddValue(attribute->mutable_g()->add_output(), "u", {2});
  }
  AddValue(graph->add_output(), "y", {2});
  const ModelSummary summary = Summarize(model);
  CHECK(summary.nodes == 5);
  REQUIRE(summary.operators.size() == 3);
  CHECK(summary.operators[0].type == "If");
  CHECK(summary.operators[1].type == "NoSuchOperator");
  CHECK(summary.operators[1].count == 2);
  CHECK_FALSE(summary.operators[1].supported);
  CHECK(summary.operators[1].first_node == "NoSuchOperator_1");
  CHECK(summary.operators[2].count == 2);
  CHECK(summary.operators[2].supported);
}

TEST_CASE("data outside of the file are listed by location") {
  onnx::ModelProto model = EmptyModel(17);
  onnx::GraphProto* graph = model.mutable_graph();
  for (const char* name : {"a", "b"}) {
    onnx::TensorProto* tensor = graph->add_initializer();
    tensor->set_name(name);
    tensor->set_data_type(onnx::TensorProto::FLOAT);
    tensor->add_dims(8);
    tensor->set_data_location(onnx::TensorProto::EXTERNAL);
    auto* entry = tensor->add_external_data();
    entry->set_key("location");
    entry->set_value("weights.bin");
  }
  AddNode(graph, "Add", "add", {"a", "b"}, {"y"});
  AddValue(graph->add_output(), "y", {8});
  const ModelSummary summary = Summarize(model);
  REQUIRE(summary.external_data.size() == 1);
  CHECK(summary.external_data[0].location == "weights.bin");
  CHECK(summary.external_data[0].bytes == 64);
  CHECK(summary.parameters == 16);
}

}  // namespace
}  // namespace atc

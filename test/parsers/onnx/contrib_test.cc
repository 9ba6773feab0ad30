// Operators of domain com.microsoft: what becomes of them, and what is refused. Numbers: test/programs/contrib_test.py.
#include <catch2/catch.hpp>
#include <string>

#include "test/parsers/onnx/model_maker.h"

namespace atc::testing {
namespace {

onnx::ModelProto ModelOf(const std::string& type, std::vector<std::string> inputs,
                         std::vector<std::string> outputs = {"y"}) {
  onnx::ModelProto model = EmptyModel();
  auto* own = model.add_opset_import();
  own->set_domain("com.microsoft");
  own->set_version(1);
  for (const std::string& input : inputs) {
    if (!input.empty()) AddValue(model.mutable_graph()->add_input(), input, {2, 3, 8});
  }
  AddValue(model.mutable_graph()->add_output(), outputs.back(), {2, 3, 8});
  AddNode(model.mutable_graph(), type, "node", inputs, outputs)->set_domain("com.microsoft");
  return model;
}

std::string Fault(const onnx::ModelProto& model) {
  const Diagnostic thrown = Thrown([&] { Parse(model); });
  CHECK(thrown.code != "");
  std::string all;
  for (const auto& [key, value] : thrown.args) all += value + " ";
  return all;
}

int Count(const Graph& graph, std::string_view type) {
  int count = 0;
  for (const NodeId id : graph.TopologicalOrder()) count += graph.node(id).type().str() == type;
  return count;
}

TEST_CASE("a contrib operator becomes the nodes that it stands for, under its name") {
  const auto graph = Parse(ModelOf("SkipLayerNormalization", {"x", "skip", "gamma"}, {"", "", "", "sum"}));
  CHECK(Count(*graph, "Add") == 1);
  for (const NodeId id : graph->TopologicalOrder()) {
    const Node& node = graph->node(id);
    if (node.type() == "Add") CHECK(node.name.starts_with("node/"));
  }
}

TEST_CASE("the numbers that an operator brings along are of the type of its inputs") {
  for (const char* type : {"FusedConv", "QuickGelu"}) {
    onnx::ModelProto model = EmptyModel();
    auto* own = model.add_opset_import();
    own->set_domain("com.microsoft");
    own->set_version(1);
    onnx::GraphProto* graph = model.mutable_graph();
    for (const char* input : {"x", "w"}) AddValue(graph->add_input(), input, {4, 3, 5, 5}, onnx::TensorProto::FLOAT16);
    AddValue(graph->add_output(), "y", {4, 4, 1, 1}, onnx::TensorProto::FLOAT16);
    const bool convolves = type == std::string_view("FusedConv");
    onnx::NodeProto* node = AddNode(
        graph, type, "node", convolves ? std::vector<std::string>{"x", "w"} : std::vector<std::string>{"x"}, {"y"});
    node->set_domain("com.microsoft");
    if (convolves) {
      onnx::AttributeProto* activation = node->add_attribute();
      activation->set_name("activation");
      activation->set_type(onnx::AttributeProto::STRING);
      activation->set_s("Clip");
    }
    INFO(type);
    CHECK_NOTHROW(Parse(model));
  }
}

TEST_CASE("what a contrib operator may hold that is not supported is refused") {
  const auto heads = [](const char* type, std::vector<std::string> inputs, int64_t count) {
    onnx::ModelProto model = ModelOf(type, std::move(inputs));
    SetInt(model.mutable_graph()->mutable_node(0), "num_heads", count);
    return model;
  };
  CHECK(Fault(heads("Attention", {"x", "w", "b", "", "past"}, 2)).find("input 4") != std::string::npos);
  CHECK(Fault(heads("Attention", {"x", "w", "b"}, 0)).find("num_heads is 0") != std::string::npos);
  CHECK(Fault(heads("MultiHeadAttention", {"q", "", "v"}, 2)).find("input 1 is missing") != std::string::npos);
  CHECK(Fault(ModelOf("SkipSimplifiedLayerNormalization", {"x", "skip", "gamma"}, {"y", "mean"})).find("output 1") !=
        std::string::npos);
  const auto retyped = [](onnx::ModelProto model, std::initializer_list<int> inputs, onnx::TensorProto::DataType type) {
    for (const int i : inputs)
      model.mutable_graph()->mutable_input(i)->mutable_type()->mutable_tensor_type()->set_elem_type(type);
    return model;
  };
  const auto embed = ModelOf("EmbedLayerNormalization", {"i", "t", "w", "e", "", "g", "b"});
  CHECK(Fault(retyped(embed, {0, 1}, onnx::TensorProto::INT32)).find("wanted both or none") != std::string::npos);
  const auto rotary = ModelOf("RotaryEmbedding", {"x", "p", "c", "n"});
  CHECK(Fault(retyped(rotary, {1}, onnx::TensorProto::INT64)).find("position_ids has the shape [2,3,8]") !=
        std::string::npos);
  onnx::ModelProto fused = ModelOf("FusedConv", {"x", "w"});
  onnx::AttributeProto* activation = fused.mutable_graph()->mutable_node(0)->add_attribute();
  activation->set_name("activation");
  activation->set_type(onnx::AttributeProto::STRING);
  activation->set_s("Elu");
  CHECK(Fault(fused).find("activation is 'Elu'") != std::string::npos);
  onnx::ModelProto product = ModelOf("FusedMatMul", {"a", "b"});
  SetInt(product.mutable_graph()->mutable_node(0), "transBatchA", 1);
  CHECK(Fault(product).find("transBatchA is 1") != std::string::npos);
}

}  // namespace
}  // namespace atc::testing

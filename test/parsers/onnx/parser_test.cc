#include "parsers/onnx/parser.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "compiler/ops/evaluator.h"
#include "test/parsers/onnx/model_maker.h"

namespace atc::testing {
namespace {

// y = Identity(x) with x float [n,2].
onnx::ModelProto Copy() {
  onnx::ModelProto model = EmptyModel();
  AddValue(model.mutable_graph()->add_input(), "x", {-1, 2});
  AddValue(model.mutable_graph()->add_output(), "y", {-1, 2});
  AddNode(model.mutable_graph(), "Identity", "copy", {"x"}, {"y"});
  return model;
}

CompileOptions WithShape(const std::string& name, std::vector<DimRange> dims) {
  CompileOptions options;
  options.input_shapes.push_back({name, std::move(dims)});
  return options;
}

TEST_CASE("inputs, nodes and outputs keep their names") {
  onnx::ModelProto model = Copy();
  model.mutable_graph()
      ->mutable_input(0)
      ->mutable_type()
      ->mutable_tensor_type()
      ->mutable_shape()
      ->mutable_dim(0)
      ->set_dim_param("n");
  const auto graph = Parse(model);
  REQUIRE(graph->Inputs().size() == 1);
  const Node& data = graph->node(graph->Inputs()[0]);
  CHECK(data.name == "x");
  CHECK(graph->desc(data.outputs[0]).shape == Shape{-1, 2});
  CHECK(graph->desc(data.outputs[0]).symbols == std::vector<std::string>{"n", ""});
  const Node* copy = graph->Find("copy");
  REQUIRE(copy != nullptr);
  CHECK(graph->origins().Flatten(copy->origin) == std::vector<std::string>{"copy"});
  const Node* output = graph->NetOutput();
  REQUIRE(output != nullptr);
  CHECK(output->name == "Node_Output");
  CHECK(*output->attrs.FindAs<std::vector<std::string>>("output_names") == std::vector<std::string>{"y"});
}

TEST_CASE("input_shape replaces dims and is checked against the model") {
  const onnx::ModelProto model = Copy();
  const auto graph = Parse(model, WithShape("x", {{3, 3}, {2, 2}}));
  CHECK(graph->desc(graph->node(graph->Inputs()[0]).outputs[0]).shape == Shape{3, 2});
  const auto ranged = Parse(model, WithShape("x", {{1, 8}, {2, 2}}));
  const TensorDesc& desc = ranged->desc(ranged->node(ranged->Inputs()[0]).outputs[0]);
  CHECK(desc.shape == Shape{-1, 2});
  REQUIRE(desc.ranges.size() == 2);
  CHECK(desc.ranges[0] == DimRange{1, 8});

  CHECK(Thrown([&] { Parse(model, WithShape("z", {{1, 1}})); }).code == "E10016");
  CHECK(Thrown([&] { Parse(model, WithShape("y", {{1, 1}})); }).code == "E10017");
  CHECK(Thrown([&] { Parse(model, WithShape("x", {{1, 1}})); }).code == "E10049");
  CHECK(Thrown([&] { Parse(model, WithShape("x", {{1, 1}, {3, 8}})); }).code == "E10050");
  CompileOptions by_position;
  by_position.input_shapes_by_position = true;
  by_position.input_shapes = {{"", {{1, 1}}}, {"", {{1, 1}}}};
  CHECK(Thrown([&] { Parse(model, by_position); }).code == "E10001");
}

TEST_CASE("out_nodes chooses outputs by node and index or by tensor") {
  onnx::ModelProto model = Copy();
  AddNode(model.mutable_graph(), "Identity", "more", {"y"}, {"z"});
  CompileOptions options;
  options.out_nodes = {{"more", 0, ""}, {"", 0, "y"}};
  const auto graph = Parse(model, options);
  CHECK(*graph->NetOutput()->attrs.FindAs<std::vector<std::string>>("output_names") ==
        std::vector<std::string>{"z", "y"});
  options.out_nodes = {{"absent", 0, ""}};
  CHECK(Thrown([&] { Parse(model, options); }).code == "E10016");
  options.out_nodes = {{"copy", 1, ""}};
  CHECK(Thrown([&] { Parse(model, options); }).code == "E10003");
}

TEST_CASE("out_nodes names inputs and constants by index as by tensor, and nodes before them") {
  onnx::ModelProto model = Copy();
  onnx::TensorProto* constant = model.mutable_graph()->add_initializer();
  constant->set_name("c");
  constant->set_data_type(onnx::TensorProto::FLOAT);
  constant->add_dims(1);
  constant->add_float_data(3);
  const auto names = [&](std::vector<OutNodeOption> chosen) {
    CompileOptions options;
    options.out_nodes = std::move(chosen);
    return *Parse(model, options)->NetOutput()->attrs.FindAs<std::vector<std::string>>("output_names");
  };
  CHECK(names({{"x", 0, ""}, {"c", 0, ""}}) == names({{"", 0, "x"}, {"", 0, "c"}}));
  CHECK(names({{"x", 0, ""}}) == std::vector<std::string>{"x"});
  CHECK(Thrown([&] { names({{"x", 1, ""}}); }).code == "E10003");
  model.mutable_graph()->mutable_node(0)->set_name("x");
  CHECK(names({{"x", 0, ""}}) == std::vector<std::string>{"y"});
}

TEST_CASE("nodes may come in any order, cycles and missing tensors are told") {
  onnx::ModelProto model = Copy();
  onnx::GraphProto* graph = model.mutable_graph();
  graph->clear_node();
  AddNode(graph, "Identity", "second", {"t"}, {"y"});
  AddNode(graph, "Identity", "first", {"x"}, {"t"});
  CHECK(Parse(model)->Find("second") != nullptr);

  graph->mutable_node(1)->set_input(0, "y");
  const Diagnostic cycle = Thrown([&] { Parse(model); });
  CHECK(cycle.code == "E13014");
  CHECK(Argument(cycle, "reason").find("cycle") != std::string::npos);

  graph->mutable_node(1)->set_input(0, "nowhere");
  const Diagnostic missing = Thrown([&] { Parse(model); });
  CHECK(missing.code == "E13014");
  CHECK(Argument(missing, "value") == "'nowhere'");
  CHECK(Argument(missing, "opname") == "first");
}

TEST_CASE("all unsupported operators are reported at once") {
  onnx::ModelProto model = Copy();
  onnx::GraphProto* graph = model.mutable_graph();
  AddNode(graph, "NoSuchThing", "a", {"x"}, {"p"});
  AddNode(graph, "NoSuchThing", "b", {"x"}, {"q"});
  AddNode(graph, "Odd", "c", {"x"}, {"r"})->set_domain("com.example");
  const Diagnostic diagnostic = Thrown([&] { Parse(model); });
  CHECK(diagnostic.code == "E16002");
  const std::string list = Argument(diagnostic, "optype");
  CHECK(list.find("ai.onnx::17::NoSuchThing (2 nodes, first 'a')") != std::string::npos);
  CHECK(list.find("com.example::0::Odd (1 node, 'c')") != std::string::npos);
}

TEST_CASE("functions of the model are inlined with their attributes") {
  onnx::ModelProto model = Copy();
  onnx::GraphProto* graph = model.mutable_graph();
  graph->clear_node();
  onnx::NodeProto* call = AddNode(graph, "Pick", "call", {"x"}, {"y"});
  call->set_domain("local");
  SetInt(call, "which", 1);
  model.add_opset_import()->set_domain("local");
  onnx::FunctionProto* function = model.add_functions();
  function->set_domain("local");
  function->set_name("Pick");
  function->add_input("a");
  function->add_output("b");
  function->add_attribute("which");
  function->add_opset_import()->set_version(17);
  onnx::NodeProto* concat = function->add_node();
  concat->set_op_type("Concat");
  concat->add_input("a");
  concat->add_input("a");
  concat->add_output("b");
  onnx::AttributeProto* axis = concat->add_attribute();
  axis->set_name("axis");
  axis->set_type(onnx::AttributeProto::INT);
  axis->set_ref_attr_name("which");
  const auto parsed = Parse(model);
  const Tensor x = Tensor::From<float>(DT_FLOAT, {1, 2}, {1, 2});
  const std::vector<Tensor> y = Evaluate(*parsed, {x});
  CHECK(BitEqual(y.at(0), Tensor::From<float>(DT_FLOAT, {1, 4}, {1, 2, 1, 2})));

  concat->set_op_type("Pick");  // a function that calls itself
  concat->set_domain("local");
  CHECK(Thrown([&] { Parse(model); }).code == "E13014");
}

TEST_CASE("faults of the model as a whole have their codes") {
  onnx::ModelProto model = Copy();
  model.mutable_graph()->clear_output();
  CHECK(Thrown([&] { Parse(model); }).code == "E16001");
  model.clear_graph();
  CHECK(Thrown([&] { Parse(model); }).code == "E16004");
  onnx::ModelProto twice = Copy();
  twice.add_opset_import()->set_version(11);
  CHECK(Thrown([&] { Parse(twice); }).code == "E16005");
  onnx::ModelProto newer = Copy();
  newer.set_ir_version(99);
  newer.mutable_opset_import(0)->set_version(99);
  Diagnostics diagnostics;
  Parse(newer, {}, &diagnostics);
  CHECK(diagnostics.all().size() == 2);
  CHECK(Thrown([] { ParseOnnx("/nonexistent/model.onnx", {}, nullptr); }).code == "E10001");
  CHECK(Thrown([] { ParseOnnx(".", {}, nullptr); }).code == "E10001");
}

TEST_CASE("a model that is cut or damaged anywhere ends in an error") {
  onnx::ModelProto model = Copy();
  AddInts(model.mutable_graph(), "ints", {1, 2, 3, 400});
  AddNode(model.mutable_graph(), "Reshape", "r", {"x", "ints"}, {"z"});
  const std::string whole = model.SerializeAsString();
  const auto parse = [](std::string bytes) {
    return Thrown([&] { ParseOnnxBytes("m.onnx", std::move(bytes), {}, nullptr); }).code;
  };
  for (size_t size = 0; size < whole.size(); ++size) parse(whole.substr(0, size));
  for (size_t at = 0; at < whole.size(); ++at) {
    for (const unsigned char byte : {0x00, 0x7F, 0x80, 0xFF}) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(byte);
      parse(damaged);
    }
  }
  CHECK(parse(whole.substr(0, whole.size() / 2)) == "E13005");
  CHECK(parse("just some text, no model at all") == "E13005");
}

}  // namespace
}  // namespace atc::testing

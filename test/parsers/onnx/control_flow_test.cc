// If, Loop and Scan from the file to their results.
#include <catch2/catch.hpp>

#include "compiler/ir/error.h"
#include "compiler/ops/evaluator.h"
#include "compiler/ops/inference.h"
#include "compiler/ops/nested.h"
#include "test/parsers/onnx/model_maker.h"

namespace atc {
namespace {

using namespace testing;
using onnx::TensorProto;

onnx::GraphProto* SetGraph(onnx::NodeProto* node, const std::string& name) {
  onnx::AttributeProto* attribute = node->add_attribute();
  attribute->set_name(name);
  attribute->set_type(onnx::AttributeProto::GRAPH);
  attribute->mutable_g()->set_name(node->name() + "_" + name);
  return attribute->mutable_g();
}

void SetInts(onnx::NodeProto* node, const std::string& name, const std::vector<int64_t>& values) {
  onnx::AttributeProto* attribute = node->add_attribute();
  attribute->set_name(name);
  attribute->set_type(onnx::AttributeProto::INTS);
  for (const int64_t value : values) attribute->add_ints(value);
}

void AddBool(onnx::GraphProto* graph, const std::string& name, bool value) {
  TensorProto* tensor = graph->add_initializer();
  tensor->set_name(name);
  tensor->set_data_type(TensorProto::BOOL);
  tensor->add_int32_data(value);
}

Tensor Floats(Shape shape, const std::vector<float>& values) { return Tensor::From<float>(DT_FLOAT, shape, values); }
Tensor Bool(bool value) { return Tensor::From<uint8_t>(DT_BOOL, {}, {value}); }

// y = condition ? x + x : Concat(x, x)
onnx::ModelProto Choice() {
  onnx::ModelProto model = EmptyModel();
  onnx::GraphProto* graph = model.mutable_graph();
  AddValue(graph->add_input(), "c", {}, TensorProto::BOOL);
  AddValue(graph->add_input(), "x", {3});
  onnx::NodeProto* node = AddNode(graph, "If", "if", {"c"}, {"y"});
  onnx::GraphProto* then_branch = SetGraph(node, "then_branch");
  AddNode(then_branch, "Add", "sum", {"x", "x"}, {"a"});
  AddValue(then_branch->add_output(), "a", {3});
  onnx::GraphProto* else_branch = SetGraph(node, "else_branch");
  SetInt(AddNode(else_branch, "Concat", "twice", {"x", "x"}, {"b"}), "axis", 0);
  AddValue(else_branch->add_output(), "b", {6});
  AddValue(graph->add_output(), "y", {-1});
  return model;
}

// Carries x along, x = Concat(x, x), and collects the iteration number.
onnx::ModelProto Doubling(bool with_limit) {
  onnx::ModelProto model = EmptyModel();
  onnx::GraphProto* graph = model.mutable_graph();
  if (with_limit) AddValue(graph->add_input(), "m", {}, TensorProto::INT64);
  AddValue(graph->add_input(), "x", {1, 2});
  AddValue(graph->add_input(), "most", {}, TensorProto::INT64);
  onnx::NodeProto* node = AddNode(graph, "Loop", "loop", {with_limit ? "m" : "", "", "x"}, {"y", "steps"});
  onnx::GraphProto* body = SetGraph(node, "body");
  AddValue(body->add_input(), "i", {}, TensorProto::INT64);
  AddValue(body->add_input(), "go", {}, TensorProto::BOOL);
  body->add_input()->set_name("state");  // its type is that of x
  SetInt(AddNode(body, "Concat", "twice", {"state", "state"}, {"next"}), "axis", 0);
  AddNode(body, "Less", "less", {"i", "most"}, {"on"});
  AddNode(body, "Identity", "same", {"i"}, {"step"});
  AddValue(body->add_output(), "on", {}, TensorProto::BOOL);
  AddValue(body->add_output(), "next", {-1, 2});
  AddValue(body->add_output(), "step", {}, TensorProto::INT64);
  AddValue(graph->add_output(), "y", {-1, 2});
  AddValue(graph->add_output(), "steps", {-1}, TensorProto::INT64);
  return model;
}

TEST_CASE("If takes the branch of its condition; shapes of the branches merge") {
  const std::unique_ptr<Graph> graph = Parse(Choice());
  const Tensor x = Floats({3}, {1, 2, 3});
  CHECK(BitEqual(Evaluate(*graph, {Bool(true), x})[0], Floats({3}, {2, 4, 6})));
  CHECK(BitEqual(Evaluate(*graph, {Bool(false), x})[0], Floats({6}, {1, 2, 3, 1, 2, 3})));
  const Node& node = *graph->Find("if");
  CHECK(node.inputs.size() == 2);  // x is captured once for both branches
  CHECK(FindNested(node, "then_branch")->name == "if_0_then_branch");
  Journal journal;
  InferShapesAndFold(*graph, journal);
  graph->Verify(true);
  CHECK(graph->desc(graph->Find("if")->outputs[0]).origin_shape == Shape{-1});
}

TEST_CASE("an If of a constant condition gives way to its branch") {
  onnx::ModelProto model = Choice();
  model.mutable_graph()->mutable_input()->DeleteSubrange(0, 1);
  AddBool(model.mutable_graph(), "c", false);
  const std::unique_ptr<Graph> graph = Parse(model);
  Journal journal;
  InferShapesAndFold(*graph, journal);
  graph->Verify(true);
  CHECK(graph->Find("if") == nullptr);
  CHECK(graph->desc(graph->NetOutput()->inputs[0]).origin_shape == Shape{6});
  CHECK(BitEqual(Evaluate(*graph, {Floats({3}, {1, 2, 3})})[0], Floats({6}, {1, 2, 3, 1, 2, 3})));
}

TEST_CASE("a branch that does not fit the shapes fails only when it is taken") {
  onnx::ModelProto model = Choice();
  onnx::GraphProto* branch = model.mutable_graph()->mutable_node(0)->mutable_attribute(1)->mutable_g();
  branch->mutable_node(0)->set_op_type("Squeeze");
  branch->mutable_node(0)->clear_attribute();
  branch->mutable_node(0)->set_input(1, "axes");
  AddInts(branch, "axes", {0});
  const std::unique_ptr<Graph> graph = Parse(model);
  Journal journal;
  InferShapesAndFold(*graph, journal);
  graph->Verify(true);
  CHECK(graph->desc(graph->Find("if")->outputs[0]).origin_shape == Shape{3});
  const Tensor x = Floats({3}, {1, 2, 3});
  CHECK(BitEqual(Evaluate(*graph, {Bool(true), x})[0], Floats({3}, {2, 4, 6})));
  CHECK_THROWS_AS(Evaluate(*graph, {Bool(false), x}), Error);
}

TEST_CASE("Loop carries values whose shape changes and collects one result a run") {
  const std::unique_ptr<Graph> graph = Parse(Doubling(true));
  const auto run = [&](int64_t limit, int64_t most) {
    return Evaluate(*graph, {Tensor::Scalar(limit), Floats({1, 2}, {1, 2}), Tensor::Scalar(most)});
  };
  const std::vector<Tensor> three = run(3, 100);
  CHECK(three[0].shape() == Shape{8, 2});
  CHECK(BitEqual(three[1], Tensor::Ints({0, 1, 2})));
  CHECK(BitEqual(run(100, 1)[1], Tensor::Ints({0, 1})));  // the condition ends it
  const std::vector<Tensor> none = run(0, 100);
  CHECK(BitEqual(none[0], Floats({1, 2}, {1, 2})));
  CHECK(BitEqual(none[1], Tensor::Ints({})));
  Journal journal;
  InferShapesAndFold(*graph, journal);
  graph->Verify(true);
  const Node& node = *graph->Find("loop");
  CHECK(graph->desc(node.outputs[0]).origin_shape == Shape{-1, 2});
  CHECK(graph->desc(node.outputs[1]).origin_shape == Shape{-1});
  CHECK(run(3, 100)[0].shape() == Shape{8, 2});  // nothing was folded for the first run's shape alone
}

TEST_CASE("Loop without a trip count runs on its condition; what it captures comes after absent inputs") {
  const std::unique_ptr<Graph> graph = Parse(Doubling(false));
  const Node& node = *graph->Find("loop");
  REQUIRE(node.inputs.size() == 4);
  CHECK(node.inputs[0] == kNoId);
  CHECK(node.inputs[1] == kNoId);
  CHECK(BitEqual(Evaluate(*graph, {Floats({1, 2}, {1, 2}), Tensor::Scalar(int64_t{2})})[1], Tensor::Ints({0, 1, 2})));
}

// A running sum along an axis, collected along another and from the last to the first.
TEST_CASE("Scan goes along axes in either direction") {
  onnx::ModelProto model = EmptyModel();
  onnx::GraphProto* graph = model.mutable_graph();
  AddValue(graph->add_input(), "start", {2});
  AddValue(graph->add_input(), "x", {2, 3});
  onnx::NodeProto* node = AddNode(graph, "Scan", "scan", {"start", "x"}, {"total", "sums"});
  SetInt(node, "num_scan_inputs", 1);
  SetInts(node, "scan_input_axes", {1});
  SetInts(node, "scan_input_directions", {1});
  SetInts(node, "scan_output_axes", {-1});
  SetInts(node, "scan_output_directions", {1});
  onnx::GraphProto* body = SetGraph(node, "body");
  AddValue(body->add_input(), "sum", {2});
  AddValue(body->add_input(), "one", {2});
  AddNode(body, "Add", "add", {"sum", "one"}, {"next"});
  AddNode(body, "Identity", "same", {"next"}, {"seen"});
  AddValue(body->add_output(), "next", {2});
  AddValue(body->add_output(), "seen", {2});
  AddValue(graph->add_output(), "total", {2});
  AddValue(graph->add_output(), "sums", {2, 3});
  const std::unique_ptr<Graph> parsed = Parse(model);
  Journal journal;
  InferShapesAndFold(*parsed, journal);
  parsed->Verify(true);
  CHECK(parsed->desc(parsed->Find("scan")->outputs[1]).origin_shape == Shape{2, 3});
  const std::vector<Tensor> out = Evaluate(*parsed, {Floats({2}, {0, 0}), Floats({2, 3}, {1, 2, 3, 10, 20, 30})});
  CHECK(BitEqual(out[0], Floats({2}, {6, 60})));
  // numpy.cumsum(x[:, ::-1], axis=1)[:, ::-1]
  CHECK(BitEqual(out[1], Floats({2, 3}, {6, 5, 3, 60, 50, 30})));
}

TEST_CASE("graphs that do not fit their operator are refused at the node") {
  onnx::ModelProto model = Doubling(true);
  onnx::GraphProto* body = model.mutable_graph()->mutable_node(0)->mutable_attribute(0)->mutable_g();
  SECTION("an input too few") { body->mutable_input()->RemoveLast(); }
  SECTION("outputs too few") { body->mutable_output()->DeleteSubrange(0, 3); }
  SECTION("no body") { model.mutable_graph()->mutable_node(0)->clear_attribute(); }
  const Diagnostic error = Thrown([&] { Parse(model); });
  CHECK(error.code == "E14001");
  CHECK(Argument(error, "opname") == "loop");
}

}  // namespace
}  // namespace atc

// Shapes that a model computes from shapes resolve with one dim unknown.
#include <catch2/catch.hpp>

#include "compiler/ops/inference.h"
#include "test/parsers/onnx/model_maker.h"

namespace atc::testing {
namespace {

Shape ShapeOf(const Graph& graph, const std::string& node) {
  const Node* found = graph.Find(node);
  REQUIRE(found != nullptr);
  return graph.desc(found->outputs[0]).origin_shape;
}

TEST_CASE("Shape, Gather, Unsqueeze, Concat, Reshape with a symbolic batch") {
  // y = Reshape(x [n,4,6], Concat(Unsqueeze(Shape(x)[0]), Unsqueeze(Shape(x)[1] * 2), [-1]))
  onnx::ModelProto model = EmptyModel(17);
  onnx::GraphProto* graph = model.mutable_graph();
  AddValue(graph->add_input(), "x", {-1, 4, 6});
  AddValue(graph->add_output(), "y", {-1, -1, -1});
  onnx::TensorProto* zero = graph->add_initializer();
  zero->set_name("zero");
  zero->set_data_type(onnx::TensorProto::INT64);
  zero->add_int64_data(0);
  AddInts(graph, "one", {1});
  AddInts(graph, "axes", {0});
  AddInts(graph, "two", {2});
  AddInts(graph, "rest", {-1});
  AddNode(graph, "Shape", "shape", {"x"}, {"s"});
  AddNode(graph, "Gather", "batch", {"s", "zero"}, {"n"});
  AddNode(graph, "Unsqueeze", "batch1", {"n", "axes"}, {"n1"});
  AddNode(graph, "Slice", "rows", {"s", "one", "two"}, {"r"});
  AddNode(graph, "Mul", "rows2", {"r", "two"}, {"r2"});
  SetInt(AddNode(graph, "Concat", "target", {"n1", "r2", "rest"}, {"t"}), "axis", 0);
  AddNode(graph, "Reshape", "reshape", {"x", "t"}, {"y"});
  const auto parsed = Parse(model);
  InferShapes(*parsed);
  // The batch stays open, so the -1 cannot be told; 4 * 2 can.
  CHECK(ShapeOf(*parsed, "reshape") == Shape{-1, 8, -1});
  CHECK(ShapeOf(*parsed, "target") == Shape{3});

  CompileOptions options;
  options.input_shapes = {{"x", {{5, 5}, {4, 4}, {6, 6}}}};
  const auto fixed = Parse(model, options);
  InferShapes(*fixed);
  CHECK(ShapeOf(*fixed, "reshape") == Shape{5, 8, 3});
}

TEST_CASE("a 0 in Reshape copies an unknown dim, which then cancels out") {
  onnx::ModelProto model = EmptyModel(13);
  onnx::GraphProto* graph = model.mutable_graph();
  AddValue(graph->add_input(), "x", {-1, 4, 6});
  AddValue(graph->add_output(), "y", {-1, -1});
  AddInts(graph, "target", {0, -1});
  AddNode(graph, "Reshape", "reshape", {"x", "target"}, {"y"});
  const auto parsed = Parse(model);
  InferShapes(*parsed);
  CHECK(ShapeOf(*parsed, "reshape") == Shape{-1, 24});
}

TEST_CASE("ConstantOfShape, Expand and Range follow from known integers") {
  onnx::ModelProto model = EmptyModel(13);
  onnx::GraphProto* graph = model.mutable_graph();
  AddValue(graph->add_input(), "x", {3, 1});
  AddValue(graph->add_output(), "e", {-1, -1});
  AddInts(graph, "length", {2});
  AddNode(graph, "ConstantOfShape", "fill", {"length"}, {"zeros"});  // float 0, as the default is
  AddInts(graph, "target", {2, 1, 5});
  AddNode(graph, "Expand", "expand", {"x", "target"}, {"e"});
  const auto parsed = Parse(model);
  InferShapes(*parsed);
  CHECK(ShapeOf(*parsed, "fill") == Shape{2});
  CHECK(ShapeOf(*parsed, "expand") == Shape{2, 3, 5});
}

}  // namespace
}  // namespace atc::testing

// Gradient of ai.onnx.preview.training against derivatives by hand.
#include <catch2/catch.hpp>
#include <cmath>

#include "compiler/ir/error.h"
#include "compiler/ops/evaluator.h"
#include "test/parsers/onnx/model_maker.h"

namespace atc::testing {
namespace {

onnx::NodeProto* AddGradient(onnx::ModelProto* model, const std::vector<std::string>& inputs,
                             const std::vector<std::string>& outputs, const std::vector<std::string>& xs,
                             const std::string& y) {
  auto* import = model->add_opset_import();
  import->set_domain("ai.onnx.preview.training");
  import->set_version(1);
  onnx::NodeProto* node = AddNode(model->mutable_graph(), "Gradient", "gradient", inputs, outputs);
  node->set_domain("ai.onnx.preview.training");
  onnx::AttributeProto* names = node->add_attribute();
  names->set_name("xs");
  names->set_type(onnx::AttributeProto::STRINGS);
  for (const std::string& x : xs) names->add_strings(x);
  onnx::AttributeProto* target = node->add_attribute();
  target->set_name("y");
  target->set_type(onnx::AttributeProto::STRING);
  target->set_s(y);
  return node;
}

Tensor Floats(Shape shape, const std::vector<float>& values) { return Tensor::From(DT_FLOAT, shape, values); }

TEST_CASE("the derivative of a broadcast sigmoid product") {
  // y = sigmoid(a * b), a [2], b []: dy/db sums over a.
  onnx::ModelProto model = EmptyModel(13);
  onnx::GraphProto* graph = model.mutable_graph();
  AddValue(graph->add_input(), "a", {2});
  AddValue(graph->add_input(), "b", {});
  AddValue(graph->add_output(), "da", {2});
  AddValue(graph->add_output(), "db", {});
  AddNode(graph, "Mul", "mul", {"a", "b"}, {"c"});
  AddNode(graph, "Sigmoid", "sigmoid", {"c"}, {"y"});
  AddGradient(&model, {"a", "b"}, {"da", "db"}, {"a", "b"}, "y");
  const auto results = Evaluate(*Parse(model), {Floats({2}, {0, 1}), Floats({}, {2})});
  const double at1 = 1 / (1 + std::exp(-2.0)), slope1 = at1 * (1 - at1);
  CHECK(results[0].Data<float>()[0] == Approx(0.25 * 2));
  CHECK(results[0].Data<float>()[1] == Approx(slope1 * 2));
  CHECK(results[1].shape() == Shape{});
  CHECK(results[1].Data<float>()[0] == Approx(slope1));
}

TEST_CASE("the derivative at other values than the graph's own, and of what has no part in y") {
  // y = x * x + x at z is 2 z + 1.
  onnx::ModelProto model = EmptyModel(13);
  onnx::GraphProto* graph = model.mutable_graph();
  AddValue(graph->add_input(), "x", {1});
  AddValue(graph->add_input(), "z", {1});
  AddValue(graph->add_output(), "dx", {1});
  AddValue(graph->add_output(), "dz", {1});
  AddNode(graph, "Mul", "mul", {"x", "x"}, {"xx"});
  AddNode(graph, "Add", "add", {"xx", "x"}, {"y"});
  AddGradient(&model, {"z", "z"}, {"dx", "dz"}, {"x", "z"}, "y");
  const auto results = Evaluate(*Parse(model), {Floats({1}, {100}), Floats({1}, {3})});
  CHECK(results[0].Data<float>()[0] == Approx(7));
}

TEST_CASE("a Gradient that cannot be made says why") {
  onnx::ModelProto model = EmptyModel(13);
  onnx::GraphProto* graph = model.mutable_graph();
  AddValue(graph->add_input(), "x", {1});
  AddValue(graph->add_output(), "dx", {1});
  AddNode(graph, "Gelu", "gelu", {"x"}, {"y"});
  model.mutable_opset_import(0)->set_version(20);
  AddGradient(&model, {"x"}, {"dx"}, {"x"}, "y");
  CHECK(Argument(Thrown([&] { Parse(model); }), "reason").find("derivative of") != std::string::npos);
  graph->mutable_node(1)->mutable_attribute(1)->set_s("nothing");
  CHECK(Argument(Thrown([&] { Parse(model); }), "reason").find("'nothing'") != std::string::npos);
}

}  // namespace
}  // namespace atc::testing

// Functions of a model that grow without end.
#include <catch2/catch.hpp>

#include "test/parsers/onnx/model_maker.h"

namespace atc::testing {
namespace {

// Adds function `name` of domain "d" to the model: y = g(g(x)), each g a call of `callee`.
void AddFunction(onnx::ModelProto* model, const std::string& name, const std::string& callee) {
  onnx::FunctionProto* function = model->add_functions();
  function->set_domain("d");
  function->set_name(name);
  function->add_input("x");
  function->add_output("y");
  function->add_opset_import()->set_version(17);
  auto* own = function->add_opset_import();
  own->set_domain("d");
  own->set_version(1);
  const char* tensors[] = {"x", "between", "y"};
  for (int i = 0; i < 2; ++i) {
    onnx::NodeProto* node = function->add_node();
    node->set_op_type(callee);
    if (callee != "Relu") node->set_domain("d");
    node->add_input(tensors[i]);
    node->add_output(tensors[i + 1]);
  }
}

// y = F0(x).
onnx::ModelProto Calling() {
  onnx::ModelProto model = EmptyModel();
  auto* own = model.add_opset_import();
  own->set_domain("d");
  own->set_version(1);
  AddValue(model.mutable_graph()->add_input(), "x", {4});
  AddValue(model.mutable_graph()->add_output(), "y", {4});
  AddNode(model.mutable_graph(), "F0", "call", {"x"}, {"y"})->set_domain("d");
  return model;
}

TEST_CASE("functions in functions become their nodes") {
  onnx::ModelProto model = Calling();
  AddFunction(&model, "F0", "F1");
  AddFunction(&model, "F1", "Relu");
  const auto graph = Parse(model);
  int relus = 0;
  for (const NodeId id : graph->TopologicalOrder()) relus += graph->node(id).type() == "Relu";
  CHECK(relus == 4);
}

TEST_CASE("a function that calls itself is an error") {
  onnx::ModelProto model = Calling();
  AddFunction(&model, "F0", "F0");
  const Diagnostic thrown = Thrown([&] { Parse(model); });
  CHECK(thrown.code == "E13014");
  CHECK(Argument(thrown, "opname") == "F0");
}

TEST_CASE("functions that double at every level are an error, not a hang") {
  onnx::ModelProto model = Calling();
  for (int i = 0; i < 40; ++i)
    AddFunction(&model, "F" + std::to_string(i), i < 39 ? "F" + std::to_string(i + 1) : "Relu");
  CHECK(Thrown([&] { Parse(model); }).code == "E13014");
}

}  // namespace
}  // namespace atc::testing

// Resize of opset 10. The first case is that of ONNX 1.5's own tests; the second follows from the same rule.
#include <catch2/catch.hpp>

#include "compiler/ops/evaluator.h"
#include "test/parsers/onnx/model_maker.h"

namespace atc::testing {
namespace {

std::vector<float> Resized(const std::vector<float>& scales, bool constant) {
  onnx::ModelProto model = EmptyModel(10);
  onnx::GraphProto* graph = model.mutable_graph();
  AddValue(graph->add_input(), "x", {1, 1, 2, 4});
  AddValue(graph->add_output(), "y", {-1, -1, -1, -1});
  AddNode(graph, "Resize", "resize", {"x", "scales"}, {"y"});
  const Tensor x = Tensor::From<float>(DT_FLOAT, {1, 1, 2, 4}, {1, 2, 3, 4, 5, 6, 7, 8});
  std::vector<Tensor> inputs{x};
  if (constant) {
    onnx::TensorProto* tensor = graph->add_initializer();
    tensor->set_name("scales");
    tensor->set_data_type(onnx::TensorProto::FLOAT);
    tensor->add_dims(4);
    for (const float scale : scales) tensor->add_float_data(scale);
  } else {
    AddValue(graph->add_input(), "scales", {4});
    inputs.push_back(Tensor::From(DT_FLOAT, {4}, scales));
  }
  const Tensor y = Evaluate(*Parse(model), inputs)[0];
  return {y.Data<float>(), y.Data<float>() + y.NumElements()};
}

TEST_CASE("nearest of opset 10 rounds down where an axis grows and up where it shrinks") {
  for (const bool constant : {true, false}) {
    CHECK(Resized({1, 1, 0.6f, 0.6f}, constant) == std::vector<float>{1, 3});
    CHECK(Resized({1, 1, 2, 0.6f}, constant) == std::vector<float>{1, 3, 1, 3, 5, 7, 5, 7});
  }
}

}  // namespace
}  // namespace atc::testing

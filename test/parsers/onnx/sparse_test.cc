// Sparse initializers become dense constants.
#include <catch2/catch.hpp>

#include "test/parsers/onnx/model_maker.h"

namespace atc::testing {
namespace {

// y = x + s with a sparse s of [2, 3].
onnx::ModelProto Adding(const std::vector<int64_t>& index_dims, const std::vector<int64_t>& indices,
                        const std::vector<float>& values) {
  onnx::ModelProto model = EmptyModel();
  onnx::GraphProto* graph = model.mutable_graph();
  AddValue(graph->add_input(), "x", {2, 3});
  AddValue(graph->add_output(), "y", {2, 3});
  AddNode(graph, "Add", "add", {"x", "s"}, {"y"});
  onnx::SparseTensorProto* sparse = graph->add_sparse_initializer();
  sparse->add_dims(2);
  sparse->add_dims(3);
  sparse->mutable_values()->set_name("s");
  sparse->mutable_values()->set_data_type(onnx::TensorProto::FLOAT);
  sparse->mutable_values()->add_dims(static_cast<int64_t>(values.size()));
  for (const float value : values) sparse->mutable_values()->add_float_data(value);
  sparse->mutable_indices()->set_data_type(onnx::TensorProto::INT64);
  for (const int64_t dim : index_dims) sparse->mutable_indices()->add_dims(dim);
  for (const int64_t index : indices) sparse->mutable_indices()->add_int64_data(index);
  return model;
}

std::vector<double> Dense(const onnx::ModelProto& model) {
  const auto graph = Parse(model);
  const Tensor* constant = graph->ConstantInput(*graph->Find("add"), 1);
  REQUIRE(constant != nullptr);
  CHECK(constant->shape() == Shape{2, 3});
  return ToDoubles(constant->Materialized());
}

TEST_CASE("a sparse initializer may say its places as numbers or as coordinates") {
  const std::vector<double> dense{0, 1.5, 0, -2, 0, 7};
  CHECK(Dense(Adding({3}, {1, 3, 5}, {1.5f, -2, 7})) == dense);
  CHECK(Dense(Adding({3, 2}, {0, 1, 1, 0, 1, 2}, {1.5f, -2, 7})) == dense);
  CHECK(Dense(Adding({0}, {}, {})) == std::vector<double>(6, 0));
}

TEST_CASE("a sparse initializer whose places do not fit is refused") {
  for (const onnx::ModelProto& model :
       {Adding({3}, {1, 3, 6}, {1, 2, 3}), Adding({3}, {1, -1, 2}, {1, 2, 3}), Adding({1, 2}, {0, 3}, {1}),
        Adding({2}, {0, 1}, {1}), Adding({1, 3}, {0, 0, 0}, {1})}) {
    const Diagnostic diagnostic = Thrown([&] { Parse(model); });
    CHECK_FALSE(diagnostic.code.empty());
  }
}

}  // namespace
}  // namespace atc::testing

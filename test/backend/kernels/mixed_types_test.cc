// Kernels whose operands and result are of different float types, against the reference kernel, in every combination.
#include "test/backend/kernels/kernel_fixture.h"

using namespace atc;
using test::KernelCase;

namespace {

constexpr DataType kTypes[] = {DT_FLOAT, DT_FLOAT16, DT_BF16};

Tensor In(const Tensor& tensor, DataType dtype) { return dtype == DT_FLOAT ? tensor : Narrow(tensor, dtype); }

void Compare(const KernelCase& c, DataType result) {
  Graph graph("case");
  std::vector<ValueId> values;
  for (size_t i = 0; i < c.inputs.size(); ++i) {
    const TensorDesc desc(c.inputs[i].dtype(), c.inputs[i].shape());
    values.push_back(c.IsConstant(i) ? graph.AddConst("c", c.inputs[i]) : graph.AddData("x", static_cast<int64_t>(i), desc));
  }
  Node& node = graph.Add(c.type, "node", values, 1);
  c.set_attrs(node);
  const std::vector<Tensor> expected = RunReferenceKernel(node, c.inputs, {}, {result});
  REQUIRE(expected[0].dtype() == result);
  const std::vector<Tensor> found = test::RunFast(c, graph, node, expected);
  if (found.empty()) return;  // no fast kernel takes them: the reference kernel does
  const std::vector<double> x = ToDoubles(Widen(found[0])), y = ToDoubles(Widen(expected[0]));
  double worst = 0;
  for (size_t i = 0; i < x.size(); ++i) worst = std::max(worst, std::abs(x[i] - y[i]) / (1 + std::abs(y[i])));
  INFO(c.type << " to " << DataTypeName(result));
  CHECK(worst <= (result == DT_FLOAT ? 1e-5 : result == DT_FLOAT16 ? 2e-3 : 1e-2));
}

void CompareAll(KernelCase c) {
  const std::vector<Tensor> floats = c.inputs;
  size_t combinations = 1;
  for (size_t i = 0; i < floats.size(); ++i) combinations *= std::size(kTypes);
  for (size_t which = 0; which < combinations; ++which) {
    size_t rest = which;
    for (size_t i = 0; i < floats.size(); ++i, rest /= std::size(kTypes)) {
      c.inputs[i] = floats[i].dtype() == DT_FLOAT ? In(floats[i], kTypes[rest % std::size(kTypes)]) : floats[i];
    }
    for (const DataType result : kTypes) Compare(c, result);
  }
}

}  // namespace

TEST_CASE("operands and results of elementwise kernels may be of different float types") {
  const Tensor x = test::RandomFloats({3, 37}, 1), y = test::RandomFloats({3, 37}, 2);
  CompareAll({.type = "Relu", .inputs = {x}});
  CompareAll({.type = "Sigmoid", .inputs = {x}});
  CompareAll({.type = "Add", .inputs = {x, y}});
  CompareAll({.type = "Mul", .inputs = {x, test::RandomFloats({37}, 3)}});
}

TEST_CASE("factors, bias and sums of products may be of different float types") {
  const auto convolution = [](Node& node) {
    node.attrs.Set("strides", std::vector<int64_t>{1, 1, 1, 1});
    node.attrs.Set("pads", std::vector<int64_t>{1, 1, 1, 1});
    node.attrs.Set("data_format", "NCHW");
  };
  for (const bool last : {false, true}) {
    CompareAll({.type = "Conv2D", .set_attrs = convolution,
                .inputs = {test::RandomFloats({1, 5, 9, 8}, 1), test::RandomFloats({7, 5, 3, 3}, 2), test::RandomFloats({7}, 3)},
                .constant = {false, true, true}, .channels_last = {last, false, false, last}});
  }
  CompareAll({.type = "MatMulV2", .inputs = {test::RandomFloats({9, 20}, 1), test::RandomFloats({20, 17}, 2)}, .constant = {false, true}});
  CompareAll({.type = "MatMulV2", .inputs = {test::RandomFloats({9, 20}, 1), test::RandomFloats({20, 17}, 2)}});
}

TEST_CASE("what reduces or normalises rows may take and give different float types") {
  const Tensor x = test::RandomFloats({4, 33}, 1);
  CompareAll({.type = "SoftmaxV2", .inputs = {x}});
  CompareAll({.type = "LogSoftmaxV2", .inputs = {x}});
  CompareAll({.type = "LayerNormV3",
              .set_attrs = [](Node& node) { node.attrs.Set("begin_norm_axis", int64_t{1}); node.attrs.Set("begin_params_axis", int64_t{1}); },
              .inputs = {x, test::RandomFloats({33}, 2), test::RandomFloats({33}, 3)}, .constant = {false, true, true}});
  CompareAll({.type = "ReduceMean", .inputs = {x, Tensor::Ints({1})}, .constant = {false, true}});
}

// Element types that kernels do not know themselves. Codes of 8-bit and 4-bit floats by their published tables; complex
// results by hand: what is linear maps a + 2ai to the same multiple of its result for a.
#include <catch2/catch.hpp>
#include <cmath>

#include "compiler/ir/error.h"
#include "compiler/ops/cast.h"
#include "test/compiler/ops/run_op.h"

using namespace atc;        // NOLINT
using namespace atc::test;  // NOLINT
using Ints = std::vector<int64_t>;

namespace {

Tensor Raw(DataType dtype, Shape shape, const std::vector<uint8_t>& bytes) {
  Tensor tensor = Tensor::Allocate(dtype, std::move(shape));
  REQUIRE(tensor.NumBytes() == bytes.size());
  std::copy(bytes.begin(), bytes.end(), tensor.MutableData<uint8_t>());
  return tensor;
}

std::vector<uint8_t> BytesOf(const Tensor& tensor) {
  return {tensor.Data<uint8_t>(), tensor.Data<uint8_t>() + tensor.NumBytes()};
}

// a * (1 + 2i)
Tensor Complex(const Tensor& real) {
  Tensor tensor = Tensor::Allocate(DT_COMPLEX64, real.shape());
  for (int64_t i = 0; i < real.NumElements(); ++i) {
    tensor.MutableData<float>()[2 * i] = real.Data<float>()[i];
    tensor.MutableData<float>()[2 * i + 1] = 2 * real.Data<float>()[i];
  }
  return tensor;
}

}  // namespace

TEST_CASE("elements narrower than a byte are padded one by one") {
  const Tensor pads = Tensor::Ints({0, 1, 1, 1});
  // [[1, 2, 3], [-8, 7, 4]], low bits first.
  const Tensor x = Raw(DT_INT4, {2, 3}, {0x21, 0x83, 0x47});
  const auto y = RunOp("onnx::Pad", {x, pads, Raw(DT_INT4, {}, {0x0F})}, {{"mode", std::string("constant")}});
  // -1 1 2 3 -1 | -1 -8 7 4 -1 | -1 -1 -1 -1 -1
  CHECK(BytesOf(y[0]) == std::vector<uint8_t>{0x1F, 0x32, 0xFF, 0x78, 0xF4, 0xFF, 0xFF, 0x0F});
  const auto edge = RunOp("onnx::Pad", {Raw(DT_UINT2, {1, 3}, {0b111001}), Tensor::Ints({0, 2, 0, 0})},
                          {{"mode", std::string("edge")}});
  CHECK(BytesOf(edge[0]) == std::vector<uint8_t>{0b10010101, 0b11});
}

TEST_CASE("a scatter moves elements narrower than a byte") {
  const Tensor past = Raw(DT_FLOAT4_E2M1, {1, 3, 2}, {0x21, 0x43, 0x65});
  const auto y = RunOp("onnx::TensorScatter", {past, Raw(DT_FLOAT4_E2M1, {1, 1, 2}, {0xFE}), Tensor::Ints({1})}, {});
  CHECK(BytesOf(y[0]) == std::vector<uint8_t>{0x21, 0xFE, 0x65});
}

TEST_CASE("8-bit floats are asked whether they are numbers") {
  // 1, NaN, -NaN, 448 in E4M3FN, which has no infinity; 1, infinity, -infinity, NaN in E5M2.
  const auto nan = RunOp("IsNan", {Raw(DT_FLOAT8_E4M3FN, {4}, {0x38, 0x7F, 0xFF, 0x7E})}, {});
  CHECK(BytesOf(nan[0]) == std::vector<uint8_t>{0, 1, 1, 0});
  const auto infinite = RunOp("onnx::IsInf", {Raw(DT_FLOAT8_E5M2, {4}, {0x3C, 0x7C, 0xFC, 0x7D})}, {{"detect_negative", int64_t{0}}});
  CHECK(BytesOf(infinite[0]) == std::vector<uint8_t>{0, 1, 0, 0});
}

TEST_CASE("QLinearMatMul of 8-bit floats sums them as numbers") {
  // E4M3FN: 0x38 = 1, 0x30 = 0.5, 0x40 = 2, 0xB8 = -1, 0x44 = 3.
  const Tensor a = Raw(DT_FLOAT8_E4M3FN, {1, 2}, {0x30, 0x40}), b = Raw(DT_FLOAT8_E4M3FN, {2, 2}, {0x38, 0x44, 0xB8, 0x30});
  const Tensor one = Floats({}, {1}), zero = Raw(DT_FLOAT8_E4M3FN, {}, {0});
  // 0.5 - 2 = -1.5 and 1.5 + 1 = 2.5
  const auto y = RunOp("onnx::QLinearMatMul", {a, one, zero, b, one, zero, one, zero}, {});
  CHECK(BytesOf(y[0]) == std::vector<uint8_t>{0xBC, 0x42});
  CHECK_THROWS_AS(RunOp("onnx::QLinearMatMul", {a, one, zero, Raw(DT_INT8, {2, 1}, {1, 1}), one, Raw(DT_INT8, {}, {0}), one, zero}, {}), Error);
}

TEST_CASE("operators that are linear take complex numbers") {
  const Tensor x = Ramp({1, 1, 2, 3}, 7, -0.2f);
  const std::vector<std::pair<const char*, AttrValue>> linear{{"mode", std::string("linear")}};
  const Tensor sizes = Tensor::Ints({1, 1, 4, 3});
  const Tensor real = RunOp("onnx::Resize", {x, Tensor(), Tensor(), sizes}, linear)[0];
  const Tensor both = RunOp("onnx::Resize", {Complex(x), Tensor(), Tensor(), sizes}, linear)[0];
  REQUIRE(both.dtype() == DT_COMPLEX64);
  const Tensor wanted = Complex(real);
  for (int64_t i = 0; i < 2 * real.NumElements(); ++i) CHECK(both.Data<float>()[i] == Approx(wanted.Data<float>()[i]).margin(1e-6));

  const Tensor data = Complex(Floats({3}, {1, 2, 3})), updates = Complex(Floats({2}, {10, 20}));
  const Tensor at = Tensor::From<int64_t>(DT_INT64, {2, 1}, {2, 0});
  const Tensor sum = RunOp("onnx::ScatterND", {data, at, updates}, {{"reduction", std::string("add")}})[0];
  const std::vector<float> expected{21, 42, 2, 4, 13, 26};
  for (size_t i = 0; i < expected.size(); ++i) CHECK(sum.Data<float>()[i] == expected[i]);
  CHECK_THROWS_AS(RunOp("onnx::ScatterND", {data, at, updates}, {{"reduction", std::string("max")}}), Error);
}

TEST_CASE("a float output stays float beside a half one") {
  Tensor x = Tensor::Allocate(DT_FLOAT16, {1, 4});
  CastElements(Ramp({1, 4}, 4), {}, &x);
  Tensor scale = Tensor::Allocate(DT_FLOAT16, {4});
  CastElements(Floats({4}, {1, 1, 1, 1}), {}, &scale);
  const auto y = RunOp("onnx::LayerNormalization", {x, scale}, {}, 3);
  CHECK(y[0].dtype() == DT_FLOAT16);
  CHECK(y[1].dtype() == DT_FLOAT);
  CHECK(y[2].dtype() == DT_FLOAT);
}

TEST_CASE("a forest is made once for each place that keeps it") {
  Graph graph;
  const ValueId in = graph.AddData("x", 0, TensorDesc(DT_FLOAT, {2, 1}));
  Node& node = graph.Add("onnx::TreeEnsembleRegressor", "trees", {in}, 1);
  const std::vector<std::pair<const char*, Ints>> lists{
      {"nodes_treeids", {0, 0, 0}}, {"nodes_nodeids", {0, 1, 2}}, {"nodes_featureids", {0, 0, 0}},
      {"nodes_truenodeids", {1, 0, 0}}, {"nodes_falsenodeids", {2, 0, 0}}, {"target_treeids", {0, 0}},
      {"target_nodeids", {1, 2}}, {"target_ids", {0, 0}}};
  for (const auto& [name, list] : lists) node.attrs.Set(name, list);
  node.attrs.Set("nodes_modes", std::vector<std::string>{"BRANCH_LEQ", "LEAF", "LEAF"});
  node.attrs.Set("nodes_values", std::vector<float>{0.5f, 0, 0});
  node.attrs.Set("target_weights", std::vector<float>{-3, 8});
  KernelContext::Kept kept;
  CheckClose(RunReferenceKernel(node, {Floats({2, 1}, {0.2f, 0.9f})}, {}, {}, &kept)[0], {-3, 8});
  REQUIRE(kept != nullptr);
  const void* forest = kept.get();
  CheckClose(RunReferenceKernel(node, {Floats({2, 1}, {0.9f, 0.2f})}, {}, {}, &kept)[0], {8, -3});
  CHECK(kept.get() == forest);
}

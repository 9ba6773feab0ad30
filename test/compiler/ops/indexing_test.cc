// Gathers, scatters, paddings and selections at their edges. Wanted values by hand or from NumPy.
#include <cmath>

#include <catch2/catch.hpp>

#include "compiler/ir/error.h"
#include "test/compiler/ops/run_op.h"

namespace atc::test {
namespace {

Tensor Strings(Shape shape, const std::vector<std::string>& values) {
  return Tensor::From<std::string>(DT_STRING, std::move(shape), values);
}

std::vector<std::string> StringsOf(const Tensor& tensor) {
  return {tensor.Span<std::string>().begin(), tensor.Span<std::string>().end()};
}

}  // namespace

TEST_CASE("gathering along an axis with batch dims") {
  const Tensor x = Ramp({2, 3}, 100);
  const Tensor indices = Tensor::From<int64_t>(DT_INT64, {2, 2}, {2, 0, 1, -1});
  const std::vector<Tensor> y = RunOp("GatherV2", {x, indices, Tensor::Scalar(int64_t{1})},
                                      {{"batch_dims", int64_t{1}}, {"negative_index_support", true}});
  CHECK(ToString(y[0].shape()) == "[2,2]");
  CheckClose(y[0], {0.2, 0.0, 0.4, 0.5});
  CHECK_THROWS_AS(RunOp("GatherV2", {x, indices, Tensor::Scalar(int64_t{1})}, {}), Error);
}

TEST_CASE("gathers refuse indices out of range") {
  const Tensor x = Ramp({3}, 100);
  CHECK_THROWS_AS(RunOp("onnx::GatherElements", {x, Tensor::Ints({3})}, {}), Error);
  CHECK_THROWS_AS(RunOp("onnx::GatherElements", {x, Tensor::Ints({-4})}, {}), Error);
  CHECK_THROWS_AS(RunOp("GatherElements", {x, Tensor::Ints({-1})}, {}), Error);
  CheckClose(RunOp("onnx::GatherElements", {x, Tensor::Ints({-1, 0})}, {})[0], {0.2, 0.0});
}

TEST_CASE("scatters combine repeated places") {
  const Tensor data = Floats({3}, {1, 2, 3});
  const Tensor places = Tensor::Ints({0, -3, 2});
  const Tensor updates = Floats({3}, {10, 20, std::nanf("")});
  const Tensor sum = RunOp("onnx::ScatterElements", {data, places, updates}, {{"reduction", std::string("add")}})[0];
  CHECK(sum.Data<float>()[0] == 31);
  CHECK(std::isnan(sum.Data<float>()[2]));
  CHECK_THROWS_AS(RunOp("onnx::ScatterND", {data, Tensor::Ints({0, 1}), updates}, {}), Error);
}

TEST_CASE("padding crops first and mirrors what is left") {
  const Tensor x = Floats({4}, {1, 2, 3, 4});
  const auto pad = [&](const char* mode, std::vector<int64_t> pads) {
    return RunOp("PadV3", {x, Tensor::Ints(pads)}, {{"mode", std::string(mode)}, {"paddings_contiguous", false}})[0];
  };
  CheckClose(pad("reflect", {-1, 3}), {2, 3, 4, 3, 2, 3});
  CheckClose(pad("circular", {2, 1}), {3, 4, 1, 2, 3, 4, 1});
  CheckClose(pad("edge", {1, -2}), {1, 1, 2});
  CheckClose(pad("constant", {1, 0}), {0, 1, 2, 3, 4});
  CHECK_THROWS_AS(pad("constant", {-3, -3}), Error);
  CHECK_THROWS_AS(pad("constant", {1, 1, 1}), Error);
}

TEST_CASE("top-k orders equal elements by index and NaN as largest") {
  const Tensor x = Floats({5}, {2, std::nanf(""), 3, 2, 3});
  const auto y = RunOp("TopKV2", {x, Tensor::Scalar(int64_t{4})}, {{"indices_dtype", int64_t{DT_INT64}}}, 2);
  CHECK(ToInts(y[1]) == std::vector<int64_t>{1, 2, 4, 0});
  CHECK_THROWS_AS(RunOp("TopKV2", {x, Tensor::Scalar(int64_t{6})}, {}, 2), Error);
}

TEST_CASE("distinct elements in order of size and of appearance") {
  const Tensor x = Floats({5}, {3, 1, std::nanf(""), 1, std::nanf("")});
  const auto sorted = RunOp("UniqueWithCountsAndSorting", {x}, {}, 3, true);
  CHECK(ToInts(sorted[1]) == std::vector<int64_t>{1, 0, 2, 0, 2});
  CHECK(ToInts(sorted[2]) == std::vector<int64_t>{2, 1, 2});
}

TEST_CASE("sums by Einstein's convention") {
  const Tensor a = Ramp({2, 2, 3}, 100), b = Ramp({3, 2}, 100);
  const auto einsum = [](const char* equation, std::vector<Tensor> inputs) {
    const auto count = static_cast<int64_t>(inputs.size());
    return RunOp("Einsum", inputs, {{"equation", std::string(equation)}, {"N", count}})[0];
  };
  CheckClose(einsum("...ij, jk -> ...ik", {a, b}), {0.1, 0.13, 0.28, 0.4, 0.46, 0.67, 0.64, 0.94});
  CheckClose(einsum("ii", {Ramp({3, 3}, 100)}), {1.2});
  CheckClose(einsum("ba", {Ramp({2, 2}, 100)}), {0.0, 0.2, 0.1, 0.3});
  CHECK_THROWS_AS(einsum("ij->k", {b}), Error);
  CHECK_THROWS_AS(einsum("ij,jk", {b}), Error);
  CHECK_THROWS_AS(einsum("ijk->i", {b}), Error);
}

TEST_CASE("strings") {
  const auto split = RunOp("onnx::StringSplit", {Strings({2}, {" a  b c ", ""})}, {{"maxsplit", int64_t{1}}}, 1, true);
  CHECK(StringsOf(split[0]) == std::vector<std::string>{"a", "b c ", "", ""});
  const Tensor upper = RunOp("onnx::StringNormalizer", {Strings({2}, {"straße é", "THE"})},
                             {{"case_change_action", std::string("UPPER")},
                              {"stopwords", std::vector<std::string>{"the"}}}, 1, true)[0];
  CHECK(StringsOf(upper) == std::vector<std::string>{"STRAßE É"});
  CHECK_THROWS_AS(RunOp("onnx::RegexFullMatch", {Strings({1}, {"a"})}, {{"pattern", std::string("(")}}), Error);
}

}  // namespace atc::test

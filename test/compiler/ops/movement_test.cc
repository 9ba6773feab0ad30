// Operators that move elements. Golden values by hand.
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "compiler/ir/error.h"
#include "compiler/ops/cast.h"
#include "compiler/ops/reshape.h"
#include "test/compiler/ops/run_op.h"

namespace atc::test {
namespace {

Tensor Count(Shape shape) {
  std::vector<float> values(shape.NumElements());
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  return Floats(std::move(shape), values);
}

std::vector<double> Values(const Tensor& tensor) { return ToDoubles(tensor); }

TEST_CASE("Transpose") {
  const Tensor y = RunOp("Transpose", {Count({2, 3}), Tensor::Ints({1, 0})}, {})[0];
  CHECK(y.shape() == Shape{3, 2});
  CHECK(Values(y) == std::vector<double>{0, 3, 1, 4, 2, 5});
  CHECK_THROWS_AS(RunOp("Transpose", {Count({2, 3}), Tensor::Ints({0, 0})}, {}), Error);
}

TEST_CASE("Transpose moves packed types") {
  Tensor x = Tensor::Allocate(DT_INT4, {2, 3});  // 1 2 3 / 4 5 6
  x.MutableData()[0] = std::byte{0x21};
  x.MutableData()[1] = std::byte{0x43};
  x.MutableData()[2] = std::byte{0x65};
  CHECK(ToInts(RunOp("Transpose", {x, Tensor::Ints({1, 0})}, {})[0]) == std::vector<int64_t>{1, 4, 2, 5, 3, 6});
}

TEST_CASE("StridedSliceV2 follows numpy") {
  const auto slice = [](std::vector<int64_t> begin, std::vector<int64_t> end, std::vector<int64_t> axes,
                        std::vector<int64_t> steps) {
    return Values(RunOp("StridedSliceV2",
                        {Count({5}), Tensor::Ints(begin), Tensor::Ints(end), Tensor::Ints(axes), Tensor::Ints(steps)},
                        {})[0]);
  };
  CHECK(slice({1}, {4}, {0}, {2}) == std::vector<double>{1, 3});
  CHECK(slice({-2}, {INT64_MAX}, {-1}, {1}) == std::vector<double>{3, 4});
  CHECK(slice({-1}, {INT64_MIN}, {0}, {-2}) == std::vector<double>{4, 2, 0});
  CHECK(slice({0}, {5}, {0}, {INT64_MAX}) == std::vector<double>{0});
  CHECK(slice({4}, {INT64_MIN}, {0}, {INT64_MIN}) == std::vector<double>{4});
  CHECK(slice({3}, {1}, {0}, {1}).empty());
  CHECK_THROWS_AS(slice({0}, {1}, {0}, {0}), Error);
  CHECK_THROWS_AS(slice({0}, {1}, {1}, {1}), Error);
}

TEST_CASE("Expand broadcasts both ways and Tile repeats") {
  const Tensor wide = RunOp("Expand", {Count({2, 1}), Tensor::Ints({3, 1, 2})}, {})[0];
  CHECK(wide.shape() == Shape{3, 2, 2});
  CHECK(Values(wide) == std::vector<double>{0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1});
  const Tensor kept = RunOp("Expand", {Count({3, 2}), Tensor::Ints({1, -1})}, {})[0];
  CHECK(kept.shape() == Shape{3, 2});
  const Tensor tiled = RunOp("Tile", {Count({1, 2}), Tensor::Ints({2, 2})}, {})[0];
  CHECK(Values(tiled) == std::vector<double>{0, 1, 0, 1, 0, 1, 0, 1});
  CHECK_THROWS_AS(RunOp("Expand", {Count({2, 3}), Tensor::Ints({2})}, {}), Error);
}

TEST_CASE("ConcatD and the Splits") {
  const Tensor joined = RunOp("ConcatD", {Count({2, 1}), Count({2, 2})}, {{"concat_dim", int64_t{-1}}})[0];
  CHECK(joined.shape() == Shape{2, 3});
  CHECK(Values(joined) == std::vector<double>{0, 0, 1, 1, 2, 3});
  CHECK_THROWS_AS(RunOp("ConcatD", {Count({2, 1}), Count({3, 1})}, {{"concat_dim", int64_t{1}}}), Error);
  const auto parts =
      RunOp("SplitV", {Count({5}), Tensor::Ints({2, 0, 3}), Tensor::Ints({0})}, {{"num_split", int64_t{3}}}, 3);
  CHECK(Values(parts[0]) == std::vector<double>{0, 1});
  CHECK(parts[1].NumElements() == 0);
  CHECK(Values(parts[2]) == std::vector<double>{2, 3, 4});
  // Seven into three parts: 3, 3, 1.
  const auto uneven = RunOp("onnx::Split", {Count({7})}, {{"axis", int64_t{0}}}, 3);
  CHECK(Values(uneven[2]) == std::vector<double>{6});
}

TEST_CASE("Range and Fill") {
  const auto ints = [](std::vector<int64_t> v) {
    return ToInts(RunOp("Range", {Tensor::Scalar(v[0]), Tensor::Scalar(v[1]), Tensor::Scalar(v[2])}, {})[0]);
  };
  CHECK(ints({3, 9, 3}) == std::vector<int64_t>{3, 6});
  CHECK(ints({10, 4, -2}) == std::vector<int64_t>{10, 8, 6});
  CHECK(ints({1, 0, 1}).empty());
  CHECK_THROWS_AS(ints({0, 1, 0}), Error);
  const Tensor filled = RunOp("Fill", {Tensor::Ints({2, 2}), Tensor::Scalar(7.0f)}, {})[0];
  CHECK(Values(filled) == std::vector<double>{7, 7, 7, 7});
  CHECK_THROWS_AS(RunOp("Fill", {Tensor::Ints({-1}), Tensor::Scalar(7.0f)}, {}), Error);
}

TEST_CASE("Reshape tells dims that follow from the others") {
  Shape shape;
  CHECK(ResolveReshape({2, 3, 4}, {-1, 4}, false, &shape).empty());
  CHECK(shape == Shape{6, 4});
  CHECK(ResolveReshape({-1, 3, 4}, {0, std::nullopt}, false, &shape).empty());
  CHECK(shape == Shape{-1, 12});
  CHECK(ResolveReshape({0, 3}, {0, 3}, true, &shape).empty());
  CHECK(shape == Shape{0, 3});
  CHECK_FALSE(ResolveReshape({2, 3}, {4, -1}, false, &shape).empty());
  CHECK_FALSE(ResolveReshape({2, 3}, {-1, -1}, false, &shape).empty());
  CHECK_FALSE(ResolveReshape({2, 3}, {5}, false, &shape).empty());
  CHECK_FALSE(ResolveReshape({6}, {2, 0}, false, &shape).empty());
}

TEST_CASE("Cast between kinds of numbers") {
  const auto cast = [](const Tensor& from, DataType to) {
    Tensor result = Tensor::Allocate(to, from.shape());
    CHECK(CastElements(from, {}, &result) == "");
    return result;
  };
  const float inf = std::numeric_limits<float>::infinity();
  CHECK(ToInts(cast(Floats({5}, {2.9f, -2.9f, 300, NAN, -inf}), DT_INT8)) == std::vector<int64_t>{2, -2, 127, 0, -128});
  CHECK(ToInts(cast(Floats({3}, {0, -0.0f, NAN}), DT_BOOL)) == std::vector<int64_t>{0, 0, 1});
  CHECK(ToInts(cast(Tensor::Ints({300, -1}), DT_UINT8)) == std::vector<int64_t>{44, 255});
  // 1 + 2^-11 + 2^-40 lies above the middle of two halves: rounding through float would lose that.
  const Tensor near_tie = Tensor::From<double>(DT_DOUBLE, {1}, {1 + 0x1p-11 + 0x1p-40});
  CHECK(Values(cast(near_tie, DT_FLOAT16)) == std::vector<double>{1 + 0x1p-10});
  const Tensor text = cast(Floats({4}, {1, 0.5f, -1e-7f, inf}), DT_STRING);
  CHECK(std::vector<std::string>(text.Data<std::string>(), text.Data<std::string>() + 4) ==
        std::vector<std::string>{"1.0", "0.5", "-1e-07", "inf"});
  const Tensor words = Tensor::From<std::string>(DT_STRING, {3}, {" 3.5", "-inf", "1e3"});
  CHECK(Values(cast(words, DT_FLOAT)) == std::vector<double>{3.5, -inf, 1000});
  Tensor none = Tensor::Allocate(DT_FLOAT, {1});
  CHECK_FALSE(CastElements(Tensor::From<std::string>(DT_STRING, {1}, {"seven"}), {}, &none).empty());
}

}  // namespace
}  // namespace atc::test

// Sequences and optionals. Wanted values follow from ONNX's definitions by hand.
#include <catch2/catch.hpp>

#include "compiler/ir/error.h"
#include "test/compiler/ops/run_op.h"

namespace atc::test {
namespace {

using Elements = std::vector<Tensor>;

Tensor Sequence(const Elements& elements) {
  return Tensor::From<Tensor>(DT_VARIANT, {static_cast<int64_t>(elements.size())}, elements);
}

Tensor Number(int64_t value) { return Tensor::Scalar(value); }

const Tensor kOne = Floats({1}, {1});
const Tensor kTwo = Floats({2}, {2, 3});
const Tensor kRows = Floats({3, 2}, {0, 1, 2, 3, 4, 5});

TEST_CASE("SplitToSequence into parts of one size, of given sizes, and into elements") {
  const auto split = [](const Tensor& parts, int64_t axis, int64_t keep) {
    return RunOp("SplitToSequence", {kRows, parts}, {{"axis", NumberAttr(axis)}, {"keepdims", NumberAttr(keep)}})[0];
  };
  CHECK(BitEqual(split(Number(2), 0, 1), Sequence({Floats({2, 2}, {0, 1, 2, 3}), Floats({1, 2}, {4, 5})})));
  CHECK(BitEqual(split(Tensor::Ints({0, 3}), 0, 0),
                 Sequence({Floats({0, 2}, {}), kRows})));  // keepdims is of no effect with sizes
  CHECK(BitEqual(split(Tensor(), -1, 0), Sequence({Floats({3}, {0, 2, 4}), Floats({3}, {1, 3, 5})})));
  CHECK(BitEqual(split(Tensor(), 1, 1), Sequence({Floats({3, 1}, {0, 2, 4}), Floats({3, 1}, {1, 3, 5})})));
  CHECK_THROWS_AS(split(Tensor::Ints({1, 1}), 0, 1), Error);
  CHECK_THROWS_AS(split(Number(0), 0, 1), Error);
}

TEST_CASE("ConcatFromSequence joins along an axis, old or new") {
  const Tensor pair = Sequence({kTwo, Floats({2}, {4, 5})});
  const auto join = [&](int64_t axis, int64_t new_axis) {
    return RunOp("ConcatFromSequence", {pair}, {{"axis", NumberAttr(axis)}, {"new_axis", NumberAttr(new_axis)}})[0];
  };
  CHECK(BitEqual(join(0, 0), Floats({4}, {2, 3, 4, 5})));
  CHECK(BitEqual(join(-1, 1), Floats({2, 2}, {2, 4, 3, 5})));
  CHECK(BitEqual(join(0, 1), Floats({2, 2}, {2, 3, 4, 5})));
}

TEST_CASE("positions count from either end and stay within the sequence") {
  const Tensor both = Sequence({kOne, kTwo});
  CHECK(BitEqual(RunOp("SequenceAt", {both, Number(-1)}, {}, 1, true)[0], kTwo));
  CHECK(BitEqual(RunOp("SequenceErase", {both, Number(-2)}, {})[0], Sequence({kTwo})));
  CHECK(BitEqual(RunOp("SequenceErase", {both}, {})[0], Sequence({kOne})));
  CHECK(BitEqual(RunOp("SequenceInsert", {both, kOne, Number(-1)}, {})[0], Sequence({kOne, kOne, kTwo})));
  CHECK(BitEqual(RunOp("SequenceInsert", {both, kOne, Number(2)}, {})[0], Sequence({kOne, kTwo, kOne})));
  CHECK(BitEqual(RunOp("SequenceInsert", {both, kOne}, {})[0], Sequence({kOne, kTwo, kOne})));
  CHECK(BitEqual(RunOp("SequenceLength", {both}, {})[0], Number(2)));
  CHECK_THROWS_AS(RunOp("SequenceAt", {both, Number(2)}, {}), Error);
  CHECK_THROWS_AS(RunOp("SequenceErase", {both, Number(-3)}, {}), Error);
  CHECK_THROWS_AS(RunOp("SequenceInsert", {both, kOne, Number(3)}, {}), Error);
  CHECK_THROWS_AS(RunOp("SequenceErase", {Sequence({})}, {}), Error);
}

TEST_CASE("an optional is told apart from a sequence by an attribute") {
  const Tensor full = RunOp("onnx::Optional", {kTwo}, {})[0];
  const Tensor empty = RunOp("onnx::Optional", {}, {})[0];
  CHECK(empty.NumElements() == 0);
  const auto has = [](const std::vector<Tensor>& inputs, int64_t optional) {
    return *RunOp("onnx::OptionalHasElement", inputs, {{"optional", NumberAttr(optional)}})[0].Data<bool>();
  };
  CHECK(has({full}, 1));
  CHECK_FALSE(has({empty}, 1));
  CHECK(has({Sequence({})}, 0));
  CHECK(has({kOne}, 1));
  CHECK_FALSE(has({}, 1));
  CHECK(BitEqual(RunOp("onnx::OptionalGetElement", {full}, {})[0], kTwo));
  CHECK(BitEqual(RunOp("onnx::OptionalGetElement", {full}, {{"optional", NumberAttr(int64_t{0})}})[0], full));
  CHECK_THROWS_AS(RunOp("onnx::OptionalGetElement", {empty}, {}), Error);
}

}  // namespace
}  // namespace atc::test

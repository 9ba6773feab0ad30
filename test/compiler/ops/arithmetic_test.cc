// Arithmetic where C++, NumPy and ONNX could differ. Wanted values by hand or from NumPy.
#include <cmath>
#include <limits>

#include <catch2/catch.hpp>

#include "compiler/ir/error.h"
#include "compiler/ir/half.h"
#include "compiler/ops/broadcast.h"
#include "compiler/ops/integer.h"
#include "compiler/ops/scalar.h"
#include "test/compiler/ops/run_op.h"

namespace atc::test {
namespace {

Tensor Int32s(Shape shape, const std::vector<int32_t>& values) {
  return Tensor::From<int32_t>(DT_INT32, std::move(shape), values);
}

constexpr int32_t kSmallest = std::numeric_limits<int32_t>::min();

}  // namespace

TEST_CASE("integer arithmetic wraps, truncates and survives zero divisors") {
  const Tensor a = Int32s({6}, {7, -7, 7, -7, kSmallest, 5});
  const Tensor b = Int32s({6}, {2, 2, -2, -2, -1, 0});
  CheckClose(RunOp("TruncateDiv", {a, b}, {})[0], {3, -3, -3, 3, static_cast<double>(kSmallest), 0});
  CheckClose(RunOp("Mod", {a, b}, {})[0], {1, -1, 1, -1, 0, 0});
  CheckClose(RunOp("FloorMod", {a, b}, {})[0], {1, 1, -1, -1, 0, 0});
  CheckClose(RunOp("FloorDiv", {a, b}, {})[0], {3, -4, -4, 3, static_cast<double>(kSmallest), 0});
  CheckClose(RunOp("Abs", {Int32s({1}, {kSmallest})}, {})[0], {static_cast<double>(kSmallest)});
  const Tensor u = Tensor::From<uint16_t>(DT_UINT16, {1}, {65535});
  CheckClose(RunOp("Mul", {u, u}, {})[0], {1});
  const Tensor bytes = Tensor::From<uint8_t>(DT_UINT8, {2}, {0x81, 0x81});
  const Tensor shifts = Tensor::From<uint8_t>(DT_UINT8, {2}, {1, 8});
  CheckClose(RunOp("LeftShift", {bytes, shifts}, {})[0], {2, 0});
  CheckClose(RunOp("RightShift", {bytes, shifts}, {})[0], {0x40, 0});
}

TEST_CASE("integer powers") {
  CHECK(integer::Pow<int32_t>(-2, 3) == -8);
  CHECK(integer::Pow<int32_t>(2, -1) == 0);
  CHECK(integer::Pow<int32_t>(-1, -3) == -1);
  CHECK(integer::Pow<int32_t>(3, 40) == 689956897);  // 3^40 modulo 2^32, signed
  CHECK(integer::FromDouble<int8_t>(1e9) == 127);
  CHECK(integer::FromDouble<uint64_t>(std::nan("")) == 0);
  CHECK(integer::FromDouble<int64_t>(9.3e18) == std::numeric_limits<int64_t>::max());
}

TEST_CASE("maximum and minimum let NaN through from either side") {
  const float nan = std::nanf("");
  for (const char* type : {"Maximum", "Minimum"}) {
    const Tensor y = RunOp(type, {Floats({2}, {nan, 1}), Floats({2}, {1, nan})}, {})[0];
    CHECK(std::isnan(y.Data<float>()[0]));
    CHECK(std::isnan(y.Data<float>()[1]));
  }
}

TEST_CASE("broadcasting merges dims and repeats operands") {
  const BroadcastPlan plan = PlanBroadcast({2, 3, 4}, {Shape{2, 3, 4}, Shape{3, 4}, Shape{2, 1, 1}});
  CHECK(plan.dims == std::vector<int64_t>{2, 12});
  CHECK(plan.strides == std::vector<std::vector<int64_t>>{{12, 1}, {0, 1}, {1, 0}});
  const Tensor y = RunOp("Add", {Floats({2, 1, 2}, {1, 2, 3, 4}), Floats({3, 1}, {10, 20, 30})}, {})[0];
  CHECK(ToString(y.shape()) == "[2,3,2]");
  CheckClose(y, {11, 12, 21, 22, 31, 32, 13, 14, 23, 24, 33, 34});
  CHECK_THROWS_AS(RunOp("Add", {Floats({2}, {1, 2}), Floats({3}, {1, 2, 3})}, {}), Error);
  CHECK(ToString(RunOp("Mul", {Floats({0, 1}, {}), Floats({1, 3}, {1, 2, 3})}, {})[0].shape()) == "[0,3]");
}

TEST_CASE("a half result is rounded once") {
  // fp16 has steps of 2 here: 2049 is a tie, which goes to the even 2048.
  const Tensor x = Narrow(Floats({1}, {2048}), DT_FLOAT16);
  const Tensor one = Narrow(Floats({1}, {1}), DT_FLOAT16);
  const Tensor y = RunOp("Add", {x, one}, {})[0];
  CHECK(y.dtype() == DT_FLOAT16);
  CHECK(HalfToFloat(y.Data<uint16_t>()[0]) == 2048.0f);
}

TEST_CASE("the power of ONNX has the type of its base") {
  const Tensor y = RunOp("onnx::Pow", {Int32s({3}, {1, 2, 3}), Floats({3}, {4, 0.5f, 2})}, {})[0];
  CHECK(y.dtype() == DT_INT32);
  CheckClose(y, {1, 1, 9});
}

TEST_CASE("reductions of nothing give neutral elements") {
  const std::vector<Tensor> inputs = {Floats({2, 0}, {}), Tensor::Ints({1})};
  const double infinity = std::numeric_limits<double>::infinity();
  CheckClose(RunOp("ReduceSum", inputs, {})[0], {0, 0});
  CheckClose(RunOp("ReduceProd", inputs, {})[0], {1, 1});
  CHECK(ToDoubles(RunOp("ReduceMax", inputs, {})[0])[0] == -infinity);
  CHECK(ToDoubles(RunOp("ReduceLogSumExp", inputs, {})[0])[0] == -infinity);
  CHECK(std::isnan(ToDoubles(RunOp("ReduceMean", inputs, {})[0])[0]));
}

TEST_CASE("reductions over chosen axes, all axes and none") {
  const Tensor x = Ramp({2, 3, 2}, 100);
  CheckClose(RunOp("ReduceSum", {x, Tensor::Ints({0, -1})}, {{"keep_dims", true}})[0], {1.4, 2.2, 3.0});
  const Tensor none = Tensor::Ints({});
  CheckClose(RunOp("ReduceMax", {x, none}, {{"noop_with_empty_axes", false}})[0], {1.1});
  CHECK(ToString(RunOp("ReduceMax", {x, none}, {})[0].shape()) == "[2,3,2]");
  CheckClose(RunOp("LpNormV2", {Floats({2}, {3, 4})}, {{"axes", std::vector<int64_t>{0}}})[0], {5});
  CHECK_THROWS_AS(RunOp("ReduceSum", {x, Tensor::Ints({3})}, {}), Error);
}

TEST_CASE("log-sum-exp of large numbers and infinities") {
  const float infinity = std::numeric_limits<float>::infinity();
  const Tensor axis = Tensor::Ints({1});
  const Tensor x = Floats({3, 2}, {1000, 1000, -infinity, -infinity, infinity, infinity});
  const std::vector<double> y = ToDoubles(RunOp("ReduceLogSumExp", {x, axis}, {})[0]);
  CHECK(y[0] == Approx(1000.693147));
  CHECK(y[1] == -infinity);
  CHECK(y[2] == infinity);
}

TEST_CASE("scalars of every type") {
  CheckClose(ScalarOf(DT_FLOAT16, 0.1), {0.0999755859375}, 1e-9);
  CheckClose(ScalarOf(DT_UINT8, -3), {0});
  CHECK_FALSE(ScalarOf(DT_STRING, 1).defined());
}

}  // namespace atc::test

// Norms of sums, judged by hand: rows {3, 7} and {1, 1} have the means 5 and 1 and the variances 4 and 0.
#include <catch2/catch.hpp>

#include "compiler/ir/error.h"
#include "test/compiler/ops/run_op.h"

using namespace atc;
using namespace atc::test;

TEST_CASE("AddLayerNorm normalises the sum and gives it out") {
  const Tensor x1 = Floats({2, 2}, {1, 2, 0.5f, 3}), x2 = Floats({2, 2}, {2, 5, 0.5f, -2});
  const std::vector<Tensor> y =
      RunOp("AddLayerNorm", {x1, x2, Floats({2}, {10, 100}), Floats({2}, {1, 2})}, {{"epsilon", AttrValue(2.25f)}}, 4);
  // 1 / sqrt(4 + 2.25) = 0.4 and 1 / sqrt(2.25) = 2 / 3
  CheckClose(y[0], {1 - 10 * 0.8, 2 + 100 * 0.8, 1, 2});
  CheckClose(y[1], {5, 1});
  CheckClose(y[2], {0.4, 2.0 / 3});
  CheckClose(y[3], {3, 7, 1, 1});
}

TEST_CASE("the bias of AddLayerNorm is of a row or of all") {
  const Tensor x1 = Floats({2, 2}, {1, 2, 0.5f, 3}), x2 = Floats({2, 2}, {1, 4, -0.5f, -3});
  const Tensor ones = Floats({2}, {1, 1}), zeros = Floats({2}, {0, 0});
  const Tensor row = Floats({2}, {1, 1}), all = Floats({2, 2}, {1, 1, 1, 1});
  for (const Tensor& bias : {row, all}) {
    const std::vector<Tensor> y = RunOp("AddLayerNorm", {x1, x2, ones, zeros, bias}, {{"epsilon", AttrValue(2.25f)}}, 4);
    CheckClose(y[0], {-0.8, 0.8, 0, 0});
    CheckClose(y[3], {3, 7, 1, 1});
  }
}

TEST_CASE("AddRmsNorm divides the sum by the root of its mean square") {
  // Of {3, 7, 1} the mean square is 59 / 3.
  const std::vector<Tensor> y = RunOp("AddRmsNorm", {Floats({1, 3}, {1, 2, 0}), Floats({1, 3}, {2, 5, 1}), Floats({3}, {1, 2, 3})},
                                      {{"epsilon", AttrValue(16.0f / 3)}}, 3);
  CheckClose(y[0], {0.6, 2.8, 0.6});
  CheckClose(y[1], {0.2});
  CheckClose(y[2], {3, 7, 1});
}

TEST_CASE("norms of sums of halves have float statistics") {
  const auto half = [](const Tensor& t) { return Narrow(t, DT_FLOAT16); };
  const std::vector<Tensor> y = RunOp("AddRmsNorm", {half(Floats({1, 2}, {1, 2})), half(Floats({1, 2}, {2, 2})), half(Floats({2}, {1, 1}))},
                                      {{"epsilon", AttrValue(12.5f)}}, 3);
  CHECK(y[0].dtype() == DT_FLOAT16);
  CHECK(y[1].dtype() == DT_FLOAT);
  CHECK(y[2].dtype() == DT_FLOAT16);
  CheckClose(y[1], {0.2});
  CheckClose(Widen(y[2]), {3, 4});
}

TEST_CASE("addends and parameters of a norm of a sum have to fit") {
  const Tensor x = Floats({2, 2}, {1, 2, 3, 4}), row = Floats({2}, {1, 1});
  CHECK_THROWS_AS(RunOp("AddLayerNorm", {x, row, row, row}, {}), Error);
  CHECK_THROWS_AS(RunOp("AddLayerNorm", {x, x, Floats({3}, {1, 1, 1}), row}, {}), Error);
  CHECK_THROWS_AS(RunOp("AddLayerNorm", {x, x, row, row, Floats({3}, {1, 1, 1})}, {}), Error);
  CHECK_THROWS_AS(RunOp("AddRmsNorm", {x, x, Floats({1, 2, 2}, {1, 1, 1, 1})}, {}), Error);
}

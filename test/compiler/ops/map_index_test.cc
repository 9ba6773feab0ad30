// MapIndex: rows found among rows, by hand.
#include <catch2/catch.hpp>

#include "compiler/ir/error.h"
#include "test/compiler/ops/run_op.h"

using namespace atc;

namespace {

Tensor Ints(const std::vector<int32_t>& values) {
  return Tensor::From<int32_t>(DT_INT32, {static_cast<int64_t>(values.size())}, values);
}

int64_t Index(const std::vector<int32_t>& x, const std::vector<int32_t>& all, Tensor levels = {},
              bool transpose = false) {
  return ToInts(test::RunOp("MapIndex", {Ints(x), Ints(all), std::move(levels)}, {{"transpose", transpose}})[0])[0];
}

}  // namespace

TEST_CASE("MapIndex gives the number of a row") {
  CHECK(Index({4}, {1, 4, 8}) == 1);
  CHECK(Index({3, 4}, {1, 2, 3, 4}) == 1);
  CHECK(Index({2, 3}, {1, 2, 3, 4, 2, 3}) == 2);  // 2, 3 across two rows is none
  CHECK(Index({1, 3}, {1, 2, 3, 4}, {}, true) == 0);
  CHECK(Index({3, 4}, {1, 2, 3, 4}, Ints({7, 9})) == 9);
}

TEST_CASE("MapIndex names the rows when there is none like it, and refuses what are no rows") {
  try {
    Index({2, 4}, {1, 2, 3, 4});
    FAIL("found");
  } catch (const Error& error) {
    CHECK(std::string(error.what()).find("2,4 is none of 1,2; 3,4") != std::string::npos);
  }
  CHECK_THROWS_AS(Index({1, 2}, {1, 2, 3}), Error);
  CHECK_THROWS_AS(Index({1}, {1, 2}, Ints({1})), Error);
}

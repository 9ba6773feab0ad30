// What repeats along axes is kept once and comes back as it was.
#include "compiler/ops/compact_tensor.h"

#include <catch2/catch.hpp>

namespace atc {
namespace {

TEST_CASE("a tensor is compacted along the axes along which it repeats") {
  struct Row {
    Shape whole, compact;
    std::vector<float> values;
  };
  const std::vector<Row> rows = {
      {{2, 3}, {1, 1}, {7, 7, 7, 7, 7, 7}},
      {{2, 3}, {1, 3}, {1, 2, 3, 1, 2, 3}},
      {{2, 3}, {2, 1}, {1, 1, 1, 2, 2, 2}},
      {{2, 3}, {2, 3}, {1, 1, 1, 2, 2, 3}},
      {{2, 2, 2}, {1, 2, 1}, {5, 5, 6, 6, 5, 5, 6, 6}},
      {{2, 2, 2}, {2, 1, 2}, {1, 2, 1, 2, 3, 4, 3, 4}},
      {{3}, {3}, {0.0f, -0.0f, 0.0f}},  // equal numbers, different bytes
  };
  for (const Row& row : rows) {
    const Tensor whole = Tensor::From<float>(DT_FLOAT, row.whole, row.values);
    const Tensor compact = Compacted(whole);
    CHECK(compact.shape() == row.compact);
    CHECK(BitEqual(Spread(compact, row.whole), whole));
  }
}

TEST_CASE("types of less than a byte and strings stay as they are") {
  CHECK(Compacted(Tensor::Allocate(DT_INT4, {4, 4})).shape() == Shape{4, 4});
  CHECK(Compacted(Tensor::From<std::string>(DT_STRING, {2}, {"a", "a"})).shape() == Shape{2});
  CHECK(Compacted(Tensor::Allocate(DT_FLOAT, {0, 4})).shape() == Shape{0, 4});
}

TEST_CASE("short constants are stored whole unless folding made them") {
  const Tensor shortish = Tensor::Allocate(DT_FLOAT, {32});
  CHECK(Stored(shortish, false).NumElements() == 32);
  CHECK(Stored(shortish, true).NumElements() == 1);
  CHECK(Stored(Tensor::Allocate(DT_FLOAT, {256}), false).NumElements() == 1);
}

}  // namespace
}  // namespace atc

#include <catch2/catch.hpp>
#include <limits>

#include "compiler/ir/error.h"
#include "compiler/ir/shape_limit.h"
#include "compiler/ir/tensor.h"

namespace atc {
namespace {

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

TEST_CASE("products of dims never wrap") {
  CHECK(Shape{}.NumElements() == 1);
  CHECK(Shape{2, 3, 4}.NumElements() == 24);
  CHECK(Shape{2, -1, 0}.NumElements() == -1);
  CHECK(Shape{int64_t{1} << 32, int64_t{1} << 32}.NumElements() == kMaxElements);
  CHECK(Shape{kMost, kMost, kMost, 3}.NumElements() == kMaxElements);
  CHECK(Shape{kMost, kMost, 0}.NumElements() == 0);
}

TEST_CASE("shapes that cannot be counted are told, behind dims of 0 too") {
  CHECK(IsCountable(Shape{}));
  CHECK(IsCountable(Shape{0, -1, 7}));
  CHECK(IsCountable(Shape{kMaxElements, 1}));
  CHECK_FALSE(IsCountable(Shape{kMaxElements, 2}));
  CHECK_FALSE(IsCountable(Shape{int64_t{1} << 32, int64_t{1} << 32, 0}));
  CHECK_FALSE(IsCountable(Shape{-1, kMost, kMost}));
}

TEST_CASE("elements of a wrong type are an error, not none") {
  CHECK_THROWS_AS(ToInts(Tensor::Allocate(DT_DOUBLE, {3})), Error);
  CHECK_THROWS_AS(ToDoubles(Tensor::Allocate(DT_COMPLEX64, {3})), Error);
  CHECK_THROWS_AS(ToDoubles(Tensor::Allocate(DT_STRING, {3})), Error);
}

}  // namespace
}  // namespace atc

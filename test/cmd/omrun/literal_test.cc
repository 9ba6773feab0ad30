#include "cmd/omrun/literal.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "folder.h"

namespace atc::omrun {
namespace {

TensorInfo Info(aclDataType type, const Dims& dims) { return {"x", type, ACL_FORMAT_ND, dims, 0}; }

std::vector<float> Floats(const char* text, const Dims& dims) {
  return ValuesOf<float>(ParseLiteral(text, Info(ACL_FLOAT, dims), {}));
}
std::string Fault(const char* text, aclDataType type, const Dims& dims) {
  return ErrorOf([&] { ParseLiteral(text, Info(type, dims), {}); });
}

}  // namespace

TEST_CASE("numbers in a row fill the shape, one number fills it alone") {
  CHECK(Floats("1, 2.5 -3e2,4", {2, 2}) == std::vector<float>{1, 2.5f, -300, 4});
  CHECK(Floats("7", {2, 2}) == std::vector<float>{7, 7, 7, 7});
  CHECK(Floats("zero", {3}) == std::vector<float>{0, 0, 0});
  CHECK(std::isnan(Floats("nan,1", {2})[0]));
  CHECK(ParseLiteral("1,2,3,4,5,6", Info(ACL_FLOAT, {-1, 2}), {}).dims == Dims{3, 2});
  CHECK(ParseLiteral("5", Info(ACL_FLOAT, {-1, 2}), {Dims{4, 2}, 0, 0}).dims == Dims{4, 2});
  CHECK(ValuesOf<int64_t>(ParseLiteral("9007199254740993", Info(ACL_INT64, {}), {})) == std::vector<int64_t>{9007199254740993});
  CHECK(ValuesOf<uint8_t>(ParseLiteral("true,false", Info(ACL_BOOL, {2}), {})) == std::vector<uint8_t>{1, 0});
}

TEST_CASE("nested lists tell the shape") {
  const Tensor tensor = ParseLiteral("[[1, 2], [3, 4], [5, 6]]", Info(ACL_FLOAT, {-1, -1}), {});
  CHECK(tensor.dims == Dims{3, 2});
  CHECK(ValuesOf<float>(tensor) == std::vector<float>{1, 2, 3, 4, 5, 6});
  CHECK(ParseLiteral("[]", Info(ACL_FLOAT, {-1}), {}).dims == Dims{0});
  CHECK_THAT(Fault("[[1,2],[3]]", ACL_FLOAT, {-1, -1}), Catch::Contains("no list of numbers"));
  CHECK_THAT(Fault("[[1,2],[3,4]]", ACL_FLOAT, {2, 3}), Catch::Contains("its lists have the shape [2, 2]") && Catch::Contains("expected float32 [2, 3]"));
}

TEST_CASE("ranges count their end, open ones as far as the shape goes") {
  CHECK(Floats("0..3", {2, 2}) == std::vector<float>{0, 1, 2, 3});
  CHECK(Floats("1..2:0.5", {3}) == std::vector<float>{1, 1.5f, 2});
  CHECK(Floats("5..", {3}) == std::vector<float>{5, 6, 7});
  CHECK(Floats("3..1:-1", {3}) == std::vector<float>{3, 2, 1});
  CHECK(ParseLiteral("0..9", Info(ACL_INT32, {-1, 5}), {}).dims == Dims{2, 5});
  CHECK_THAT(Fault("0..4", ACL_FLOAT, {2, 2}), Catch::Contains("5 numbers where [2, 2] takes 4"));
  CHECK_THAT(Fault("0..9:-1", ACL_FLOAT, {10}), Catch::Contains("never comes to its end"));
  CHECK_THAT(Fault("250..", ACL_UINT8, {10}), Catch::Contains("256 is no uint8 number"));
}

TEST_CASE("random literals draw as inputs without a source do, by their seed") {
  const TensorInfo info = Info(ACL_FLOAT, {64});
  CHECK(ParseLiteral("random:7", info, {}).bytes == ParseLiteral("random", info, {std::nullopt, 7, 0}).bytes);
  CHECK(ParseLiteral("random:8", info, {}).bytes != ParseLiteral("random:7", info, {}).bytes);
}

TEST_CASE("what is no literal is not taken for one") {
  for (const char* text : {"x.npy", "a/b", "1.npy", "in/*.npy", "[ab].npy", "", "random:x", "1..x", "1,,x"}) {
    INFO(text);
    CHECK_FALSE(LooksLikeLiteral(text, ACL_FLOAT));
  }
  for (const char* text : {"1", "-1.5", "1,2", "[1]", "0..", "random", "zero", "nan"}) {
    INFO(text);
    CHECK(LooksLikeLiteral(text, ACL_FLOAT));
  }
  CHECK(LooksLikeLiteral("[\"a\"]", ACL_STRING));
  CHECK_THAT(Fault("1,2,3", ACL_FLOAT, {2, 2}), Catch::Contains("3 numbers where [2, 2] takes 4"));
  CHECK_THAT(Fault("1.5", ACL_INT32, {1}), Catch::Contains("'1.5' is no int32 number"));
  CHECK_THAT(Fault("1,2", ACL_FLOAT, {-1, -1}), Catch::Contains("--shape"));
}

}  // namespace atc::omrun

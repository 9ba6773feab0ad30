#include "cmd/atc/grammar.h"

#include <catch2/catch.hpp>
#include <functional>

#include "compiler/ir/error.h"

namespace atc::cli {
namespace {

using Shapes = std::vector<InputShapeOption>;
constexpr DimRange kAnySize{1, -1};

DimRange Fixed(int64_t size) { return {size, size}; }

std::string Code(const std::function<void()>& parse) {
  try {
    parse();
  } catch (const Error& error) {
    return error.diagnostic().code;
  }
  return "";
}

std::string ShapeCode(const std::string& text, bool gears = false) {
  return Code([&] { ParseInputShape(text, gears); });
}

TEST_CASE("static shapes by name and by position") {
  CHECK(ParseInputShape("x:1,3,48,320") == Shapes{{"x", {Fixed(1), Fixed(3), Fixed(48), Fixed(320)}}});
  CHECK(ParseInputShape("a:;b:1,3") == Shapes{{"a", {}}, {"b", {Fixed(1), Fixed(3)}}});
  CHECK(ParseInputShape("scope:x:0:2, 3") == Shapes{{"scope:x:0", {Fixed(2), Fixed(3)}}});
  CHECK(ParseInputShape("1,3;7") == Shapes{{"", {Fixed(1), Fixed(3)}}, {"", {Fixed(7)}}});
}

TEST_CASE("ranges") {
  CHECK(ParseInputShape("x:1~8,3,-1") == Shapes{{"x", {{1, 8}, Fixed(3), kAnySize}}});
  CHECK(ParseInputShape("-1,3;4") == Shapes{{"", {kAnySize, Fixed(3)}}, {"", {Fixed(4)}}});
  CHECK(ParseInputShapeRange("x:[1~20,3,3~6,-1];y:[ 4 ]") ==
        Shapes{{"x", {{1, 20}, Fixed(3), {3, 6}, kAnySize}}, {"y", {Fixed(4)}}});
  CHECK(ParseInputShapeRange("[1~2],[3,-1]") == Shapes{{"", {{1, 2}}}, {"", {Fixed(3), kAnySize}}});
}

TEST_CASE("faults of --input_shape") {
  CHECK(ShapeCode("a:1,3;") == "E10002");
  CHECK(ShapeCode("a:1;2") == "E10002");
  CHECK(ShapeCode(":1,2") == "E10002");
  CHECK(ShapeCode("a:1,,2") == "E10002");
  CHECK(ShapeCode("a:1.5") == "E10002");
  CHECK(ShapeCode("a:one") == "E10002");
  CHECK(ShapeCode("a:1;a:2") == "E10002");
  CHECK(ShapeCode("a:[1,2]") == "E10002");
  CHECK(ShapeCode("") == "E10002");
  CHECK(ShapeCode("a:0,3") == "E10011");
  CHECK(ShapeCode("a:-2,3") == "E10011");
  CHECK(ShapeCode("a:99999999999999999999") == "E10013");
  CHECK(ShapeCode("a:2~1") == "E10048");
  CHECK(ShapeCode("a:0~1") == "E10048");
  CHECK(ShapeCode("a:1~-1") == "E10048");
  CHECK(ShapeCode("a:1~2~3") == "E10048");
  CHECK(ShapeCode("a:-1,x") == "E10048");
}

TEST_CASE("with gears -1 marks an axis and ranges are refused") {
  CHECK(ParseInputShape("x:-1,3", true) == Shapes{{"x", {kAnySize, Fixed(3)}}});
  CHECK(ShapeCode("x:1~4,3", true) == "E10040");
  CHECK(ShapeCode("x:-1,0", true) == "E10011");
}

TEST_CASE("faults of --input_shape_range") {
  for (const std::string text : {"x:1,2", "x[1]", "[1];[2]", "x:[1],y:[2]", "x:[1", "x:[a]", "x:[1];", "x:[1]y"}) {
    INFO(text);
    CHECK(Code([&] { ParseInputShapeRange(text); }) == "E10048");
  }
}

TEST_CASE("out_nodes names nodes with an index, or tensors") {
  const auto nodes = ParseOutNodes("conv:1:0;relu:2");
  REQUIRE(nodes.size() == 2);
  CHECK(nodes[0].node == "conv:1");
  CHECK(nodes[0].index == 0);
  CHECK(nodes[1].index == 2);
  const auto tensors = ParseOutNodes("a;b");
  REQUIRE(tensors.size() == 2);
  CHECK_FALSE(tensors[0].by_index());
  CHECK(tensors[1].tensor == "b");
  for (const std::string text : {"a:0;b", "a:x", "a:-1", "a:", ":0", "a:0;", ";a"}) {
    INFO(text);
    CHECK(Code([&] { ParseOutNodes(text); }) == "E10001");
  }
}

TEST_CASE("output_type is one type, or types of outputs that out_nodes names") {
  CHECK(ParseOutputType("FP16", {}).all == DT_FLOAT16);
  CHECK(ParseOutputType("DOUBLE", {}).all == DT_DOUBLE);
  CHECK(ParseOutputType("FP8E4M3FN", {}).all == DT_FLOAT8_E4M3FN);
  const auto nodes = ParseOutNodes("a:0;b:c:1");
  const OutputTypeOption types = ParseOutputType("a:0:FP32;b:c:1:UINT8", nodes);
  CHECK(types.all == DT_UNDEFINED);
  REQUIRE(types.items.size() == 2);
  CHECK(types.items[1].node == "b:c");
  CHECK(types.items[1].index == 1);
  CHECK(types.items[1].dtype == DT_UINT8);
  for (const std::string text :
       {"float32", "FP64", "a:FP32", "a:x:FP32", "a:0:FP64", "a:1:FP32", "a:0:FP32;a:0:FP16"}) {
    INFO(text);
    CHECK(Code([&] { ParseOutputType(text, nodes); }) == "E10001");
  }
}

TEST_CASE("both spellings of the precision mode mean the same") {
  CHECK(ParsePrecisionMode("origin") == ParsePrecisionMode("must_keep_origin_dtype"));
  CHECK(ParsePrecisionMode("fp16") == ParsePrecisionMode("force_fp16"));
  CHECK(ParsePrecisionMode("mixed_float16") == ParsePrecisionMode("allow_mix_precision"));
  CHECK(ParsePrecisionMode("mixed_bfloat16") == ParsePrecisionMode("allow_mix_precision_bf16"));
}

}  // namespace
}  // namespace atc::cli

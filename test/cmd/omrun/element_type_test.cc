// Values of the small floats are those of their published encodings (OCP 8-bit and 4-bit formats, IEEE 754 binary16).
#include "cmd/omrun/element_type.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

namespace atc::omrun {
namespace {

double Decode(aclDataType type, uint32_t code) {
  std::byte bytes[4];
  for (int i = 0; i < 4; ++i) bytes[i] = static_cast<std::byte>(code >> (8 * i));
  return ScalarAt(*FindElementType(type), bytes, 0);
}

uint32_t Encode(aclDataType type, double value) {
  std::byte bytes[4] = {};
  StoreScalar(*FindElementType(type), value, bytes, 0);
  uint32_t code = 0;
  for (int i = 0; i < 4; ++i) code |= static_cast<uint32_t>(bytes[i]) << (8 * i);
  return code;
}

struct Value {
  aclDataType type;
  uint32_t code;
  double value;
};
const Value kValues[] = {
    {ACL_FLOAT16, 0x3C00, 1},
    {ACL_FLOAT16, 0x0001, 0x1p-24},
    {ACL_FLOAT16, 0x7BFF, 65504},
    {ACL_FLOAT16, 0xC000, -2},
    {ACL_BF16, 0x3F80, 1},
    {ACL_BF16, 0xC040, -3},
    {ACL_FLOAT8_E4M3FN, 0x7E, 448},
    {ACL_FLOAT8_E4M3FN, 0x01, 0x1p-9},
    {ACL_FLOAT8_E4M3FN, 0xB8, -1},
    {ACL_FLOAT8_E5M2, 0x7B, 57344},
    {ACL_FLOAT8_E5M2, 0x01, 0x1p-16},
    {ACL_FLOAT8_E8M0, 127, 1},
    {ACL_FLOAT8_E8M0, 130, 8},
    {ACL_FLOAT4_E2M1, 7, 6},
    {ACL_FLOAT4_E2M1, 0xD, -3},
    {ACL_FLOAT4_E2M1, 1, 0.5},
    {ACL_INT4, 0xF, -1},
    {ACL_UINT1, 1, 1},
    {ACL_INT8, 0x80, -128},
    {ACL_UINT16, 0xFFFF, 65535},
};

}  // namespace

TEST_CASE("codes of narrow types and their values") {
  for (const Value& v : kValues) {
    INFO(TypeName(v.type) << " " << v.code);
    CHECK(Decode(v.type, v.code) == v.value);
    CHECK(Encode(v.type, v.value) == v.code);
  }
  CHECK(std::isnan(Decode(ACL_FLOAT8_E4M3FN, 0x7F)));
  CHECK(std::isinf(Decode(ACL_FLOAT8_E5M2, 0x7C)));
  CHECK(std::isnan(Decode(ACL_FLOAT16, 0x7E00)));
  CHECK(std::isnan(Decode(ACL_FLOAT8_E8M0, 255)));
}

TEST_CASE("rounding to narrow floats goes to the nearest, ties to even") {
  CHECK(Encode(ACL_FLOAT16, 1 + 0x1p-11) == 0x3C00);      // a tie
  CHECK(Encode(ACL_FLOAT16, 1 + 3 * 0x1p-11) == 0x3C02);  // a tie
  CHECK(Encode(ACL_FLOAT16, 65519.9) == 0x7BFF);
  CHECK(Encode(ACL_FLOAT16, 65520) == 0x7C00);  // half a step beyond the largest: infinity
  CHECK(Encode(ACL_FLOAT16, -std::numeric_limits<double>::infinity()) == 0xFC00);
  CHECK(Encode(ACL_FLOAT8_E4M3FN, 1e9) == 0x7E);  // no infinity: the largest
}

TEST_CASE("every type is found by each of its names") {
  for (const char* name : {"float32", "int64", "bool", "bfloat16", "complex64", "uint8"}) {
    const ElementType* type = FindElementType(std::string_view(name));
    REQUIRE(type);
    CHECK(FindElementType(type->acl) == type);
    CHECK(FindElementTypeOfOnnx(type->onnx) == type);
    CHECK(TypeName(type->acl) == name);
  }
  CHECK(FindElementTypeOfDescr("i1")->acl == ACL_INT8);
  CHECK(FindElementTypeOfDescr("u1")->acl == ACL_UINT8);
}

}  // namespace atc::omrun

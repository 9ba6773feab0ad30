#include "cmd/omrun/element_type.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

namespace atc::omrun {
namespace {

// Sorted by ACL's code. FLOAT6 types are missing: nothing defines how they are packed in a host buffer.
constexpr ElementType kTypes[] = {
    {ACL_FLOAT, "float32", Kind::kFloat, 32, "f4", 1},
    {ACL_FLOAT16, "float16", Kind::kFloat, 16, "f2", 10},
    {ACL_INT8, "int8", Kind::kInt, 8, "i1", 3},
    {ACL_INT32, "int32", Kind::kInt, 32, "i4", 6},
    {ACL_UINT8, "uint8", Kind::kUint, 8, "u1", 2},
    {ACL_INT16, "int16", Kind::kInt, 16, "i2", 5},
    {ACL_UINT16, "uint16", Kind::kUint, 16, "u2", 4},
    {ACL_UINT32, "uint32", Kind::kUint, 32, "u4", 12},
    {ACL_INT64, "int64", Kind::kInt, 64, "i8", 7},
    {ACL_UINT64, "uint64", Kind::kUint, 64, "u8", 13},
    {ACL_DOUBLE, "float64", Kind::kFloat, 64, "f8", 11},
    {ACL_BOOL, "bool", Kind::kBool, 8, "b1", 9},
    {ACL_STRING, "string", Kind::kString, 0, "", 8},
    {ACL_COMPLEX64, "complex64", Kind::kComplex, 64, "c8", 14},
    {ACL_COMPLEX128, "complex128", Kind::kComplex, 128, "c16", 15},
    {ACL_BF16, "bfloat16", Kind::kFloat, 16, "V2", 16},
    {ACL_INT4, "int4", Kind::kInt, 4, "i1", 22},
    {ACL_UINT1, "uint1", Kind::kUint, 1, "u1", 0},
    {ACL_COMPLEX32, "complex32", Kind::kComplex, 32, "V4", 0},
    {ACL_HIFLOAT8, "hifloat8", Kind::kFloat, 8, "V1", 0},
    {ACL_FLOAT8_E5M2, "float8_e5m2", Kind::kFloat, 8, "V1", 19},
    {ACL_FLOAT8_E4M3FN, "float8_e4m3fn", Kind::kFloat, 8, "V1", 17},
    {ACL_FLOAT8_E8M0, "float8_e8m0", Kind::kFloat, 8, "V1", 24},
    {ACL_FLOAT4_E2M1, "float4_e2m1", Kind::kFloat, 4, "V1", 23},
};

template <class Match>
const ElementType* Find(Match match) {
  const auto* found = std::find_if(std::begin(kTypes), std::end(kTypes), match);
  return found == std::end(kTypes) ? nullptr : found;
}

// A small binary float: sign, exponent, fraction. `finite_top` means that the top exponent is an ordinary one, but for
// the all-ones fraction when `has_nan`.
struct SmallFloat {
  int exponent_bits, fraction_bits, bias;
  bool finite_top, has_nan;
};

double Decode(SmallFloat f, uint32_t bits) {
  const uint32_t fraction = bits & ((1u << f.fraction_bits) - 1);
  const uint32_t top = (1u << f.exponent_bits) - 1;
  const uint32_t exponent = (bits >> f.fraction_bits) & top;
  const bool negative = (bits >> (f.fraction_bits + f.exponent_bits)) & 1;
  double value;
  if (exponent == top && !f.finite_top) {
    value = fraction ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity();
  } else if (exponent == top && f.has_nan && fraction == (1u << f.fraction_bits) - 1) {
    value = std::numeric_limits<double>::quiet_NaN();
  } else if (exponent == 0) {
    value = std::ldexp(fraction, 1 - f.bias - f.fraction_bits);
  } else {
    value = std::ldexp(fraction + (1u << f.fraction_bits), static_cast<int>(exponent) - f.bias - f.fraction_bits);
  }
  return negative ? -value : value;
}

// Nearest code, ties to the even one. The codes of one sign grow with the value, so bisection over them is enough.
uint32_t Encode(SmallFloat f, double value) {
  const uint32_t sign = std::signbit(value) ? 1u << (f.fraction_bits + f.exponent_bits) : 0;
  const uint32_t top_exponent = ((1u << f.exponent_bits) - 1) << f.fraction_bits;
  const uint32_t top_fraction = (1u << f.fraction_bits) - 1;
  const double magnitude = std::fabs(value);
  if (std::isnan(value)) return sign | top_exponent | (f.finite_top ? top_fraction : (top_fraction >> 1) + 1);
  const uint32_t largest =
      f.finite_top ? top_exponent | (f.has_nan ? top_fraction - 1 : top_fraction) : top_exponent - 1;
  if (magnitude >= Decode(f, largest)) {
    const double half_step = (Decode(f, largest) - Decode(f, largest - 1)) / 2;
    // Beyond the largest by half a step is infinity where there is one, otherwise the largest.
    const bool over = !f.finite_top && magnitude - Decode(f, largest) >= half_step;
    return sign | (over ? top_exponent : largest);
  }
  uint32_t low = 0, high = largest;  // Decode(low) <= magnitude < Decode(high)
  while (high - low > 1) {
    const uint32_t middle = (low + high) / 2;
    (Decode(f, middle) <= magnitude ? low : high) = middle;
  }
  const double below = magnitude - Decode(f, low), above = Decode(f, high) - magnitude;
  return sign | (below < above || (below == above && low % 2 == 0) ? low : high);
}

struct NamedSmallFloat {
  aclDataType type;
  SmallFloat layout;
};
constexpr NamedSmallFloat kSmallFloats[] = {
    {ACL_FLOAT16, {5, 10, 15, false, true}},    {ACL_BF16, {8, 7, 127, false, true}},
    {ACL_COMPLEX32, {5, 10, 15, false, true}},  {ACL_FLOAT8_E5M2, {5, 2, 15, false, true}},
    {ACL_FLOAT8_E4M3FN, {4, 3, 7, true, true}}, {ACL_FLOAT4_E2M1, {2, 1, 1, true, false}},
};

const SmallFloat* FindSmallFloat(aclDataType type) {
  for (const NamedSmallFloat& f : kSmallFloats) {
    if (f.type == type) return &f.layout;
  }
  return nullptr;
}

int ScalarBits(const ElementType& type) { return type.kind == Kind::kComplex ? type.bits / 2 : type.bits; }

// The stored bits of one scalar of at most 64 bits. Hosts are little endian, as the formats are.
static_assert(std::endian::native == std::endian::little);
uint64_t LoadBits(int bits, const std::byte* data, uint64_t i) {
  if (bits < 8) {
    const uint64_t bit = i * bits;
    return (static_cast<uint64_t>(data[bit / 8]) >> (bit % 8)) & ((1u << bits) - 1);
  }
  uint64_t value = 0;
  std::memcpy(&value, data + i * (bits / 8), bits / 8);
  return value;
}

void StoreBits(int bits, uint64_t value, std::byte* data, uint64_t i) {
  if (bits < 8) {
    const uint64_t bit = i * bits;
    const auto mask = static_cast<std::byte>(((1u << bits) - 1) << (bit % 8));
    std::byte& target = data[bit / 8];
    target = (target & ~mask) | (static_cast<std::byte>(value << (bit % 8)) & mask);
    return;
  }
  std::memcpy(data + i * (bits / 8), &value, bits / 8);
}

int64_t SignExtend(uint64_t value, int bits) { return static_cast<int64_t>(value << (64 - bits)) >> (64 - bits); }

// E8M0 holds powers of two: 2^(code - 127), 255 is NaN. HIFLOAT8 has no published table to decode by: its codes are
// shown as numbers.
double DecodeFloat(const ElementType& type, uint64_t bits) {
  if (const SmallFloat* f = FindSmallFloat(type.acl)) return Decode(*f, static_cast<uint32_t>(bits));
  if (type.acl == ACL_FLOAT8_E8M0) {
    return bits == 255 ? std::numeric_limits<double>::quiet_NaN() : std::ldexp(1.0, static_cast<int>(bits) - 127);
  }
  if (ScalarBits(type) == 32) return std::bit_cast<float>(static_cast<uint32_t>(bits));
  if (ScalarBits(type) == 64) return std::bit_cast<double>(bits);
  return static_cast<double>(bits);
}

uint64_t EncodeFloat(const ElementType& type, double value) {
  if (const SmallFloat* f = FindSmallFloat(type.acl)) return Encode(*f, value);
  if (type.acl == ACL_FLOAT8_E8M0) {
    if (!(value > 0)) return 255;
    return static_cast<uint64_t>(std::clamp(std::round(std::log2(value)) + 127, 0.0, 254.0));
  }
  if (ScalarBits(type) == 32) return std::bit_cast<uint32_t>(static_cast<float>(value));
  if (ScalarBits(type) == 64) return std::bit_cast<uint64_t>(value);
  return static_cast<uint64_t>(std::clamp(value, 0.0, 255.0));
}

}  // namespace

const ElementType* FindElementType(aclDataType type) {
  return Find([&](const ElementType& t) { return t.acl == type; });
}
const ElementType* FindElementType(std::string_view name) {
  return Find([&](const ElementType& t) { return t.name == name; });
}
const ElementType* FindElementTypeOfDescr(std::string_view descr) {
  return Find([&](const ElementType& t) { return t.descr == descr && t.bits >= 8; });
}
const ElementType* FindElementTypeOfOnnx(int code) {
  return Find([&](const ElementType& t) { return t.onnx == code && code != 0; });
}

std::string TypeName(aclDataType type) {
  const ElementType* found = FindElementType(type);
  if (type == ACL_DT_UNDEFINED) return "unknown";
  return found ? std::string(found->name) : fmt::format("type {}", static_cast<int>(type));
}

uint64_t BytesOf(const ElementType& type, uint64_t count) {
  return type.bits < 8 ? (count * type.bits + 7) / 8 : count * (type.bits / 8);
}

uint64_t ScalarsOf(const ElementType& type, uint64_t count) { return type.kind == Kind::kComplex ? 2 * count : count; }

double ScalarAt(const ElementType& type, const std::byte* data, uint64_t i) {
  const uint64_t bits = LoadBits(ScalarBits(type), data, i);
  switch (type.kind) {
    case Kind::kBool: return bits ? 1 : 0;
    case Kind::kInt: return static_cast<double>(SignExtend(bits, type.bits));
    case Kind::kUint: return static_cast<double>(bits);
    default: return DecodeFloat(type, bits);
  }
}

std::string ScalarText(const ElementType& type, const std::byte* data, uint64_t i) {
  const uint64_t bits = LoadBits(ScalarBits(type), data, i);
  switch (type.kind) {
    case Kind::kBool: return bits ? "1" : "0";
    case Kind::kInt: return fmt::format("{}", SignExtend(bits, type.bits));
    case Kind::kUint: return fmt::format("{}", bits);
    default: break;
  }
  const double value = DecodeFloat(type, bits);
  // A narrower float is exact in float: its shortest text there is shorter and still reads back to the same code.
  return ScalarBits(type) == 64 ? fmt::format("{}", value) : fmt::format("{}", static_cast<float>(value));
}

bool ParseScalar(const ElementType& type, std::string_view text, std::byte* data, uint64_t i) {
  const auto parse = [&](auto& value) {
    const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
    return result.ec == std::errc() && result.ptr == text.data() + text.size();
  };
  const int bits = ScalarBits(type);
  if (type.kind == Kind::kInt) {
    int64_t value;
    if (!parse(value) || SignExtend(static_cast<uint64_t>(value), bits) != value) return false;
    StoreBits(bits, static_cast<uint64_t>(value), data, i);
  } else if (type.kind == Kind::kUint || type.kind == Kind::kBool) {
    uint64_t value;
    if (!parse(value) || (type.kind == Kind::kBool && value > 1) || (bits < 64 && value >> bits)) return false;
    StoreBits(bits, value, data, i);
  } else {
    double value;
    if (!parse(value)) return false;
    StoreScalar(type, value, data, i);
  }
  return true;
}

void StoreScalar(const ElementType& type, double value, std::byte* data, uint64_t i) {
  const int bits = ScalarBits(type);
  switch (type.kind) {
    case Kind::kBool: StoreBits(bits, value != 0, data, i); break;
    case Kind::kInt: StoreBits(bits, static_cast<uint64_t>(static_cast<int64_t>(value)), data, i); break;
    case Kind::kUint: StoreBits(bits, static_cast<uint64_t>(value), data, i); break;
    default: StoreBits(bits, EncodeFloat(type, value), data, i); break;
  }
}

}  // namespace atc::omrun

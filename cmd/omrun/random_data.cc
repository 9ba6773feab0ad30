#include "cmd/omrun/random_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace atc::omrun {
namespace {

// Significant bits, the hidden one included, of the values drawn.
int FloatBits(const ElementType& type) {
  switch (type.acl) {
    case ACL_DOUBLE:
    case ACL_COMPLEX128: return 53;
    case ACL_FLOAT:
    case ACL_COMPLEX64: return 24;
    case ACL_FLOAT16:
    case ACL_COMPLEX32: return 11;
    case ACL_BF16: return 8;
    default: return 3;
  }
}

}  // namespace

Tensor RandomTensor(aclDataType type_code, const Dims& dims, uint64_t seed, uint64_t index) {
  const ElementType* type = FindElementType(type_code);
  uint64_t count;
  if (!type || type->kind == Kind::kString) {
    throw RunError(fmt::format("random data cannot be made for type {}: give the input a file", TypeName(type_code)));
  }
  if (!ElementCount(dims, &count)) throw RunError(fmt::format("the shape {} is not possible", DimsText(dims)));
  Tensor tensor{type_code, dims, std::vector<std::byte>(BytesOf(*type, count))};
  std::mt19937_64 engine(seed + 0x9E3779B97F4A7C15u * (index + 1));
  const int float_bits = FloatBits(*type);
  const int int_bits = std::min(3, std::max(1, type->bits - (type->kind == Kind::kInt ? 1 : 0)));
  for (uint64_t i = 0; i < ScalarsOf(*type, count); ++i) {
    const uint64_t draw = engine();
    double value;
    if (type->kind == Kind::kBool) {
      value = static_cast<double>(draw >> 63);
    } else if (type->kind == Kind::kInt || type->kind == Kind::kUint) {
      value = static_cast<double>(draw >> (64 - int_bits));
    } else if (type->acl == ACL_FLOAT8_E8M0) {
      value = std::ldexp(1.0, -static_cast<int>(draw >> 61));
    } else {
      value = std::ldexp(static_cast<double>(draw >> (64 - float_bits)), 1 - float_bits) - 1;
    }
    StoreScalar(*type, value, tensor.bytes.data(), i);
  }
  return tensor;
}

}  // namespace atc::omrun

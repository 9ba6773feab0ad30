#include "backend/acl/objects.h"

namespace atc::acl {

// Never destroyed: a program's own statics may use the API until the process ends.
HandleTable<Buffer>& Buffers() {
  static auto* table = new HandleTable<Buffer>(HandleKind::kDataBuffer);
  return *table;
}

HandleTable<TensorDesc>& TensorDescs() {
  static auto* table = new HandleTable<TensorDesc>(HandleKind::kTensorDesc);
  return *table;
}

namespace {

bool KnownToAcl(int number) {
  constexpr uint64_t kNumbers = 0xFULL | 0x3FFULL << 4 | 3ULL << 16 | 3ULL << 26 | 3ULL << 29 | 0x1FFULL << 33;
  constexpr uint64_t kNone = 1ULL << 5;  // 0 to 13 but 5; 16, 17; 26, 27; 29, 30; 33 to 41
  return number >= 0 && number < 64 && ((kNumbers & ~kNone) >> number & 1) != 0;
}

}  // namespace

aclDataType ToAcl(DataType dtype) {
  return KnownToAcl(dtype) ? static_cast<aclDataType>(dtype) : ACL_DT_UNDEFINED;
}

std::optional<int64_t> ElementCount(const Shape& shape) {
  int64_t count = 1;
  bool empty = false;
  for (const int64_t dim : shape.dims()) {
    if (dim < 0) return std::nullopt;
    if (dim == 0) empty = true;
    if (dim != 0 && __builtin_mul_overflow(count, dim, &count)) return std::nullopt;
  }
  return empty ? 0 : count;
}

std::optional<size_t> TensorBytes(DataType dtype, const Shape& shape) {
  const std::optional<int64_t> count = ElementCount(shape);
  constexpr int64_t kMostBytesOfAnElement = 16;
  if (!count || *count > INT64_MAX / kMostBytesOfAnElement / 8) return std::nullopt;
  if (dtype == DT_STRING || dtype == DT_VARIANT || dtype == DT_UNDEFINED) return std::nullopt;
  return DataTypeBytes(dtype, *count);
}

DataType FromAcl(aclDataType dtype) { return KnownToAcl(dtype) ? static_cast<DataType>(dtype) : DT_UNDEFINED; }

}  // namespace atc::acl

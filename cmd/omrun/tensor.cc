#include "cmd/omrun/tensor.h"

#include <fmt/format.h>

namespace atc::omrun {

std::string DimsText(const Dims& dims) {
  std::string text = "[";
  for (size_t i = 0; i < dims.size(); ++i) {
    text += (i ? ", " : "") + (dims[i] < 0 ? std::string("?") : fmt::format("{}", dims[i]));
  }
  return text + "]";
}

bool ElementCount(const Dims& dims, uint64_t* count) {
  uint64_t product = 1;
  for (const int64_t dim : dims) {
    if (dim < 0 || __builtin_mul_overflow(product, static_cast<uint64_t>(dim), &product)) return false;
  }
  *count = product;
  return product >> 58 == 0;
}

std::string Describe(const FileTensor& tensor) {
  std::string text;
  if (tensor.type != ACL_DT_UNDEFINED) {
    text = TypeName(tensor.type) + " ";
  } else if (tensor.opaque_bytes) {
    text = fmt::format("opaque {}-byte elements ", tensor.opaque_bytes);
  }
  if (tensor.has_dims) text += DimsText(tensor.dims) + ", ";
  return text + fmt::format("{} bytes", tensor.bytes.size());
}

bool TakeAs(const ElementType& type, FileTensor* tensor) {
  if (type.kind == Kind::kString) return tensor->type == type.acl;
  if (tensor->type == type.acl) return true;
  const ElementType* own = tensor->type == ACL_DT_UNDEFINED ? nullptr : FindElementType(tensor->type);
  if (tensor->type != ACL_DT_UNDEFINED && own == nullptr) return false;
  if (!own && tensor->opaque_bytes == 0) {  // raw bytes
    tensor->type = type.acl;
    return true;
  }
  const int width = own ? own->bits : 8 * tensor->opaque_bytes;
  const bool nameless = type.descr.starts_with('V');
  if (type.bits >= 8) {
    if (width != type.bits || (own && !(own->kind == Kind::kUint && nameless))) return false;
    tensor->type = type.acl;
    return true;
  }
  // Narrow types come one a byte, as NumPy and ml_dtypes keep them.
  if (width != 8 || (own && own->kind != type.kind && !(own->kind == Kind::kUint && nameless))) return false;
  const uint64_t count = tensor->bytes.size();
  std::vector<std::byte> packed(BytesOf(type, count));
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t bit = i * type.bits;
    const auto low = static_cast<uint8_t>(tensor->bytes[i]) & ((1u << type.bits) - 1);
    packed[bit / 8] |= static_cast<std::byte>(low << (bit % 8));
  }
  tensor->bytes = std::move(packed);
  tensor->type = type.acl;
  return true;
}

}  // namespace atc::omrun

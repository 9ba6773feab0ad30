#include "cmd/omrun/tensor_text.h"

#include <fmt/format.h>

#include <string_view>

#include "cmd/omrun/string_tensor.h"

namespace atc::omrun {
namespace {

const ElementType& NumericType(aclDataType type) {
  const ElementType* found = FindElementType(type);
  if (!found || found->kind == Kind::kString) {
    throw RunError(fmt::format("{} tensors have no text form here", TypeName(type)));
  }
  return *found;
}

}  // namespace

std::vector<std::byte> FormatText(const Tensor& tensor) {
  if (tensor.type == ACL_STRING) {
    std::string lines;
    for (const std::string& text : UnpackStrings(tensor)) lines += Quoted(text) + "\n";
    const auto* bytes = reinterpret_cast<const std::byte*>(lines.data());
    return {bytes, bytes + lines.size()};
  }
  const ElementType& type = NumericType(tensor.type);
  uint64_t count = 0;
  ElementCount(tensor.dims, &count);
  const uint64_t scalars = ScalarsOf(type, count);
  const uint64_t row = tensor.dims.empty() ? scalars : ScalarsOf(type, static_cast<uint64_t>(tensor.dims.back()));
  std::vector<std::byte> text;
  for (uint64_t i = 0; i < scalars; ++i) {
    std::string word = ScalarText(type, tensor.bytes.data(), i);
    word += (i + 1) % row == 0 ? '\n' : ' ';
    const auto* bytes = reinterpret_cast<const std::byte*>(word.data());
    text.insert(text.end(), bytes, bytes + word.size());
  }
  return text;
}

Tensor ParseText(std::span<const std::byte> file, aclDataType type_code, const Dims& dims) {
  const ElementType& type = NumericType(type_code);
  uint64_t count;
  if (!ElementCount(dims, &count)) throw RunError(fmt::format("its shape {} is not possible", DimsText(dims)));
  const uint64_t scalars = ScalarsOf(type, count);
  // A number takes at least a digit and a separator: a shape that promises more needs no memory.
  if (scalars > (file.size() + 1) / 2) {
    throw RunError(fmt::format("{} numbers are expected, the file is too short for them", scalars));
  }
  Tensor tensor{type_code, dims, std::vector<std::byte>(BytesOf(type, count))};
  std::string_view rest(reinterpret_cast<const char*>(file.data()), file.size());
  constexpr std::string_view kSpace = " \t\r\n";
  for (uint64_t i = 0;; ++i) {
    rest.remove_prefix(std::min(rest.find_first_not_of(kSpace), rest.size()));
    if (rest.empty()) {
      if (i != scalars) throw RunError(fmt::format("{} numbers are expected, it holds {}", scalars, i));
      return tensor;
    }
    const std::string_view word = rest.substr(0, rest.find_first_of(kSpace));
    if (i == scalars) throw RunError(fmt::format("{} numbers are expected, it holds more", scalars));
    if (!ParseScalar(type, word, tensor.bytes.data(), i)) {
      throw RunError(fmt::format("'{}' is no {} number", word.substr(0, 40), type.name));
    }
    rest.remove_prefix(word.size());
  }
}

}  // namespace atc::omrun

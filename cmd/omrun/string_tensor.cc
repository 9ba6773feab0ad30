#include "cmd/omrun/string_tensor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>

namespace atc::omrun {
namespace {

using Json = nlohmann::json;

// Appends one code point; false for what is none.
bool AppendUtf8(uint32_t point, std::string* text) {
  if (point > 0x10FFFF || (point >= 0xD800 && point < 0xE000)) return false;
  const auto tail = [&](int shift) { return static_cast<char>(0x80 | ((point >> shift) & 0x3F)); };
  if (point < 0x80) {
    *text += static_cast<char>(point);
  } else if (point < 0x800) {
    *text += {static_cast<char>(0xC0 | point >> 6), tail(0)};
  } else if (point < 0x10000) {
    *text += {static_cast<char>(0xE0 | point >> 12), tail(6), tail(0)};
  } else {
    *text += {static_cast<char>(0xF0 | point >> 18), tail(12), tail(6), tail(0)};
  }
  return true;
}

// The code points of UTF-8 without zeros; nothing where it is none.
std::optional<std::vector<uint32_t>> CodePoints(std::string_view text) {
  std::vector<uint32_t> points;
  for (size_t at = 0; at < text.size();) {
    const auto lead = static_cast<uint8_t>(text[at]);
    const size_t size = lead < 0x80 ? 1 : lead >> 5 == 6 ? 2 : lead >> 4 == 14 ? 3 : lead >> 3 == 30 ? 4 : 0;
    if (size == 0 || at + size > text.size()) return std::nullopt;
    uint32_t point = size == 1 ? lead : lead & (0x7Fu >> size);
    for (size_t i = 1; i < size; ++i) {
      const auto next = static_cast<uint8_t>(text[at + i]);
      if (next >> 6 != 2) return std::nullopt;
      point = point << 6 | (next & 0x3F);
    }
    std::string again;
    if (point == 0 || !AppendUtf8(point, &again) || again.size() != size) return std::nullopt;
    points.push_back(point);
    at += size;
  }
  return points;
}

void Flatten(const Json& json, size_t depth, FileTensor* tensor, std::vector<std::string>* strings) {
  if (json.is_string()) {
    if (depth != tensor->dims.size()) throw RunError("its lists are nested unevenly");
    strings->push_back(json.get<std::string>());
    return;
  }
  if (!json.is_array()) throw RunError("it holds something other than strings and lists of them");
  if (depth >= tensor->dims.size() || tensor->dims[depth] != static_cast<int64_t>(json.size())) {
    throw RunError("its lists are of different lengths");
  }
  for (const Json& element : json) Flatten(element, depth + 1, tensor, strings);
}

}  // namespace

std::vector<std::byte> PackStrings(const std::vector<std::string>& strings) {
  std::vector<std::byte> bytes;
  for (const std::string& text : strings) {
    for (int i = 0; i < 8; ++i) bytes.push_back(static_cast<std::byte>(uint64_t{text.size()} >> (8 * i)));
    const auto* data = reinterpret_cast<const std::byte*>(text.data());
    bytes.insert(bytes.end(), data, data + text.size());
  }
  return bytes;
}

std::vector<std::string> UnpackStrings(const Tensor& tensor) {
  uint64_t count;
  if (!ElementCount(tensor.dims, &count)) throw RunError(fmt::format("the shape {} is not possible", DimsText(tensor.dims)));
  std::vector<std::string> strings;
  std::span<const std::byte> rest = tensor.bytes;
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t size = 0;
    if (rest.size() < 8) throw RunError(fmt::format("a tensor of {} strings ends after {}", count, i));
    for (int b = 0; b < 8; ++b) size |= static_cast<uint64_t>(rest[b]) << (8 * b);
    rest = rest.subspan(8);
    if (rest.size() < size) throw RunError(fmt::format("string {} of {} has {} bytes, {} follow", i, count, size, rest.size()));
    strings.emplace_back(reinterpret_cast<const char*>(rest.data()), size);
    rest = rest.subspan(size);
  }
  return strings;
}

std::string Quoted(std::string_view text) {
  return Json(std::string(text)).dump(-1, ' ', false, Json::error_handler_t::replace);
}

FileTensor ParseJsonStrings(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) throw RunError("it is no JSON");
  FileTensor tensor;
  tensor.type = ACL_STRING;
  for (const Json* level = &json; level->is_array(); level = &level->front()) {
    tensor.dims.push_back(static_cast<int64_t>(level->size()));
    if (level->empty()) break;
  }
  std::vector<std::string> strings;
  Flatten(json, 0, &tensor, &strings);
  tensor.bytes = PackStrings(strings);
  return tensor;
}

bool LooksLikeJson(std::string_view argument) { return argument.starts_with('[') || argument.starts_with('"'); }

std::vector<std::string> StringsOfUnicode(std::span<const std::byte> data, size_t count, size_t width) {
  std::vector<std::string> strings(count);
  for (size_t i = 0; i < count; ++i) {
    size_t length = 0;
    std::vector<uint32_t> points(width);
    for (size_t c = 0; c < width; ++c) {
      std::memcpy(&points[c], data.data() + (i * width + c) * 4, 4);
      if (points[c] != 0) length = c + 1;
    }
    for (size_t c = 0; c < length; ++c) {
      if (!AppendUtf8(points[c], &strings[i])) throw RunError(fmt::format("string {} holds what is no character", i));
    }
  }
  return strings;
}

std::vector<std::string> StringsOfBytes(std::span<const std::byte> data, size_t count, size_t width) {
  std::vector<std::string> strings(count);
  for (size_t i = 0; i < count; ++i) {
    strings[i].assign(reinterpret_cast<const char*>(data.data()) + i * width, width);
    strings[i].resize(strings[i].find_last_not_of('\0') + 1);
  }
  return strings;
}

std::vector<std::byte> FixedWidth(const std::vector<std::string>& strings, std::string* descr) {
  size_t characters = 1, bytes = 1;
  std::vector<std::vector<uint32_t>> points;
  for (const std::string& text : strings) {
    bytes = std::max(bytes, text.size());
    if (std::optional<std::vector<uint32_t>> found = CodePoints(text)) {
      characters = std::max(characters, found->size());
      points.push_back(std::move(*found));
    }
  }
  const bool unicode = points.size() == strings.size();
  *descr = unicode ? fmt::format("<U{}", characters) : fmt::format("|S{}", bytes);
  const size_t element = unicode ? 4 * characters : bytes;
  std::vector<std::byte> data(strings.size() * element);
  for (size_t i = 0; i < strings.size(); ++i) {
    const void* from = unicode ? static_cast<const void*>(points[i].data()) : strings[i].data();
    const size_t size = unicode ? 4 * points[i].size() : strings[i].size();
    if (size > 0) std::memcpy(data.data() + i * element, from, size);
  }
  return data;
}

}  // namespace atc::omrun

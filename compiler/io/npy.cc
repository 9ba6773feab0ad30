#include "compiler/io/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string_view>
#include <vector>

#include "compiler/io/mapped_file.h"
#include "compiler/ir/error.h"
#include "compiler/ir/shape_limit.h"

namespace atc {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

struct TypeRow {
  std::string_view code;
  DataType dtype;
};

constexpr TypeRow kTypes[] = {{"b1", DT_BOOL},  {"f2", DT_FLOAT16}, {"f4", DT_FLOAT},  {"f8", DT_DOUBLE},
                              {"i1", DT_INT8},  {"i2", DT_INT16},   {"i4", DT_INT32},  {"i8", DT_INT64},
                              {"u1", DT_UINT8}, {"u2", DT_UINT16},  {"u4", DT_UINT32}, {"u8", DT_UINT64}};

[[noreturn]] void Fail(const std::string& path, std::string reason) {
  throw Error("E10001", {{"value", path}, {"parameter", "--sample_inputs"}, {"reason", std::move(reason)}},
              "Save the array with numpy.save.");
}

// What follows "'key':" in the header, a Python literal.
std::string_view Entry(std::string_view header, std::string_view key, const std::string& path) {
  const size_t found = header.find(fmt::format("'{}'", key));
  if (found == std::string_view::npos) Fail(path, fmt::format("The header of the array has no '{}'.", key));
  header.remove_prefix(found + key.size() + 2);
  header.remove_prefix(std::min(header.find_first_not_of(": "), header.size()));
  return header;
}

// An element as it lies in the file.
struct Element {
  DataType dtype;
  size_t bytes;
  bool wide = false;  // strings: of code points in 4 bytes each, else of bytes; zeros fill them up
};

Element ElementOf(std::string_view entry, const std::string& path) {
  const size_t end = entry.empty() ? 0 : std::min(entry.find(entry[0], 1), entry.size());
  std::string_view code = entry.substr(std::min<size_t>(1, entry.size()), end == 0 ? 0 : end - 1);
  const bool big = code.starts_with('>'), swapped = big && !code.ends_with('1');  // of one byte there is one order
  if (!code.empty() && std::string_view("<>|=").find(code[0]) != std::string_view::npos) code.remove_prefix(1);
  for (const TypeRow& row : kTypes) {
    if (row.code == code && !swapped) return {row.dtype, static_cast<size_t>(DataTypeBits(row.dtype)) / 8};
  }
  constexpr size_t kMostLength = size_t{1} << 24;
  size_t length = 0;
  const char* last = code.data() + code.size();
  const bool wide = code.starts_with('U');
  if ((wide && !big) || code.starts_with('S')) {
    const auto [rest, fault] = std::from_chars(code.data() + 1, last, length);
    if (fault == std::errc() && rest == last && length <= kMostLength)
      return {DT_STRING, wide ? 4 * length : length, wide};
  }
  Fail(path,
       fmt::format("Its elements have the type '{}'; little-endian bool, integers, floats and strings can be read.",
                   code));
}

// The string of an element, as UTF-8.
std::string StringOf(const Element& element, const std::byte* from, const std::string& path) {
  std::string text;
  if (!element.wide) {
    text.assign(reinterpret_cast<const char*>(from), element.bytes);
    text.resize(text.find_last_not_of('\0') + 1);
    return text;
  }
  size_t used = element.bytes;
  while (used > 0 && std::all_of(from + used - 4, from + used, [](std::byte b) { return b == std::byte{0}; }))
    used -= 4;
  for (size_t at = 0; at < used; at += 4) {
    uint32_t point = 0;
    std::memcpy(&point, from + at, sizeof(point));
    if (point > 0x10FFFF || (point >= 0xD800 && point < 0xE000))
      Fail(path, fmt::format("It holds {:#x}, which is no character.", point));
    const auto add = [&](uint32_t lead, int more) {
      text += static_cast<char>(lead | point >> (6 * more));
      while (more-- > 0) text += static_cast<char>(0x80 | (point >> (6 * more) & 0x3F));
    };
    point < 0x80 ? add(0, 0) : point < 0x800 ? add(0xC0, 1) : point < 0x10000 ? add(0xE0, 2) : add(0xF0, 3);
  }
  return text;
}

Shape ShapeOf(std::string_view entry, const std::string& path) {
  std::vector<int64_t> dims;
  const size_t end = entry.find(')');
  if (!entry.starts_with('(') || end == std::string_view::npos) Fail(path, "The header of the array has no shape.");
  entry = entry.substr(1, end - 1);
  while (true) {
    entry.remove_prefix(std::min(entry.find_first_not_of(", L"), entry.size()));
    if (entry.empty()) break;
    int64_t dim = -1;
    const auto [rest, fault] = std::from_chars(entry.data(), entry.data() + entry.size(), dim);
    if (fault != std::errc() || dim < 0) Fail(path, "The shape of the array is none.");
    entry.remove_prefix(static_cast<size_t>(rest - entry.data()));
    dims.push_back(dim);
  }
  return Shape(std::move(dims));
}

// Column-major elements in row-major order.
std::vector<std::byte> RowMajor(size_t element, const Shape& shape, const std::byte* source) {
  const auto count = static_cast<size_t>(shape.NumElements());
  std::vector<std::byte> ordered(count * element);
  std::vector<int64_t> index(shape.rank(), 0);
  for (size_t i = 0; i < count; ++i) {
    int64_t from = 0;
    for (size_t d = shape.rank(); d-- > 0;) from = from * shape[d] + index[d];
    std::copy_n(source + static_cast<size_t>(from) * element, element, ordered.data() + i * element);
    for (size_t d = shape.rank(); d-- > 0;) {
      if (++index[d] < shape[d]) break;
      index[d] = 0;
    }
  }
  return ordered;
}

}  // namespace

Tensor ReadNpy(const std::string& path) {
  const Buffer file = MapFile(path);
  const std::string_view text(reinterpret_cast<const char*>(file.data), file.size);
  const auto byte = [&](size_t i) { return static_cast<size_t>(static_cast<unsigned char>(text[i])); };
  if (!text.starts_with(kMagic) || text.size() < 12) Fail(path, "It is no array that NumPy has saved.");
  const size_t version = byte(6);
  if (version < 1 || version > 3) Fail(path, fmt::format("Its version {} is not known.", version));
  const size_t prefix = version == 1 ? 10 : 12;
  const size_t length = byte(8) | byte(9) << 8 | (version == 1 ? 0 : byte(10) << 16 | byte(11) << 24);
  if (length > text.size() - prefix) Fail(path, "It is cut off in its header.");
  const std::string_view header = text.substr(prefix, length);
  const Element element = ElementOf(Entry(header, "descr", path), path);
  const Shape shape = ShapeOf(Entry(header, "shape", path), path);
  const size_t begin = prefix + length, bytes = text.size() - begin;
  const size_t count = IsCountable(shape) ? static_cast<size_t>(shape.NumElements()) : 0;
  // Elements without bytes may be as many as a head says.
  constexpr size_t kMostEmpty = size_t{1} << 20;
  if (!IsCountable(shape) || (element.bytes == 0 ? bytes != 0 || count > kMostEmpty
                                                 : bytes % element.bytes != 0 || bytes / element.bytes != count)) {
    Fail(path, fmt::format("{} bytes follow its header; an array {} {} has another number.", bytes,
                           DataTypeName(element.dtype), ToString(shape)));
  }
  const std::byte* elements = file.data + begin;
  std::vector<std::byte> ordered;
  if (Entry(header, "fortran_order", path).starts_with("True") && shape.rank() > 1) {
    ordered = RowMajor(element.bytes, shape, elements);
    elements = ordered.data();
  }
  if (element.dtype == DT_STRING) {
    std::vector<std::string> strings;
    for (size_t i = 0; i < count; ++i) strings.push_back(StringOf(element, elements + i * element.bytes, path));
    return Tensor::From<std::string>(DT_STRING, shape, strings);
  }
  Tensor tensor = Tensor::Allocate(element.dtype, shape);
  if (bytes > 0) std::memcpy(tensor.MutableData(), elements, bytes);
  return tensor;
}

}  // namespace atc

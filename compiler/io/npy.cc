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

constexpr TypeRow kTypes[] = {{"b1", DT_BOOL},   {"f2", DT_FLOAT16}, {"f4", DT_FLOAT},  {"f8", DT_DOUBLE},
                              {"i1", DT_INT8},   {"i2", DT_INT16},   {"i4", DT_INT32},  {"i8", DT_INT64},
                              {"u1", DT_UINT8},  {"u2", DT_UINT16},  {"u4", DT_UINT32}, {"u8", DT_UINT64}};

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

DataType TypeOf(std::string_view entry, const std::string& path) {
  const size_t end = entry.empty() ? 0 : std::min(entry.find(entry[0], 1), entry.size());
  std::string_view code = entry.substr(std::min<size_t>(1, entry.size()), end == 0 ? 0 : end - 1);
  const bool swapped = code.starts_with('>') && !code.ends_with('1');
  if (!code.empty() && std::string_view("<>|=").find(code[0]) != std::string_view::npos) code.remove_prefix(1);
  for (const TypeRow& row : kTypes) {
    if (row.code == code && !swapped) return row.dtype;
  }
  Fail(path, fmt::format("Its elements have the type '{}'; little-endian bool, integers and floats can be read.", code));
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
Tensor RowMajor(DataType dtype, const Shape& shape, const std::byte* source) {
  Tensor tensor = Tensor::Allocate(dtype, shape);
  const size_t element = static_cast<size_t>(DataTypeBits(dtype)) / 8;
  auto* to = static_cast<std::byte*>(tensor.MutableData());
  std::vector<int64_t> index(shape.rank(), 0);
  for (int64_t i = 0; i < tensor.NumElements(); ++i) {
    int64_t from = 0;
    for (size_t d = shape.rank(); d-- > 0;) from = from * shape[d] + index[d];
    std::memcpy(to + static_cast<size_t>(i) * element, source + static_cast<size_t>(from) * element, element);
    for (size_t d = shape.rank(); d-- > 0;) {
      if (++index[d] < shape[d]) break;
      index[d] = 0;
    }
  }
  return tensor;
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
  const DataType dtype = TypeOf(Entry(header, "descr", path), path);
  const Shape shape = ShapeOf(Entry(header, "shape", path), path);
  const size_t begin = prefix + length;
  if (!IsCountable(shape) || DataTypeBytes(dtype, shape.NumElements()) != text.size() - begin) {
    Fail(path, fmt::format("{} bytes follow its header; an array {} {} has another number.", text.size() - begin,
                           DataTypeName(dtype), ToString(shape)));
  }
  if (Entry(header, "fortran_order", path).starts_with("True") && shape.rank() > 1) {
    return RowMajor(dtype, shape, file.data + begin);
  }
  Tensor tensor = Tensor::Allocate(dtype, shape);
  if (text.size() > begin) std::memcpy(tensor.MutableData(), file.data + begin, text.size() - begin);
  return tensor;
}

}  // namespace atc

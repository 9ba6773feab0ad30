// Tensors of strings. Their bytes are the records that acl/openatc_ext.h describes.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cmd/omrun/tensor.h"

namespace atc::omrun {

std::vector<std::byte> PackStrings(const std::vector<std::string>& strings);
// The elements of a string tensor. Throws RunError where its bytes are no such records.
std::vector<std::string> UnpackStrings(const Tensor& tensor);

// One string in JSON's words, "as so"; what is no UTF-8 is replaced.
std::string Quoted(std::string_view text);

// A tensor from JSON: a string is a scalar, nested lists of equal lengths its dims. Throws RunError.
FileTensor ParseJsonStrings(std::string_view json);
// Whether an argument is such JSON rather than a path.
bool LooksLikeJson(std::string_view argument);

// Between NumPy's elements of a fixed width, padded with zeros, and strings: 'U' holds code points of 4 bytes, 'S'
// bytes. `width` counts code points or bytes.
std::vector<std::string> StringsOfUnicode(std::span<const std::byte> data, size_t count, size_t width);
std::vector<std::string> StringsOfBytes(std::span<const std::byte> data, size_t count, size_t width);
// 'U' where all strings are UTF-8 without zeros, else 'S'; sets the dtype's description ("<U5", "|S7").
std::vector<std::byte> FixedWidth(const std::vector<std::string>& strings, std::string* descr);

}  // namespace atc::omrun

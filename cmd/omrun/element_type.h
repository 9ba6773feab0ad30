// The element types a tensor may have, as one table: names, widths, the codes of ACL, NumPy and ONNX, and the numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "acl/acl.h"

namespace atc::omrun {

enum class Kind { kBool, kInt, kUint, kFloat, kComplex, kString };

struct ElementType {
  aclDataType acl;
  std::string_view name;  // as printed and as in outputs.json: "float32"
  Kind kind;
  int bits;                // of one element; below 8 elements are packed, the first in the low bits; 0 for strings
  std::string_view descr;  // NumPy's, as written; "V<n>" where NumPy has no such type (ml_dtypes writes the same)
  int onnx;                // TensorProto.DataType, 0 where ONNX has no such type
};

// Null when the type is unknown to this program.
const ElementType* FindElementType(aclDataType type);
const ElementType* FindElementType(std::string_view name);
const ElementType* FindElementTypeOfDescr(std::string_view descr);  // without its byte-order character
const ElementType* FindElementTypeOfOnnx(int code);

// "float32"; "type 99" for one outside the table.
std::string TypeName(aclDataType type);

// Bytes that `count` elements take in memory.
uint64_t BytesOf(const ElementType& type, uint64_t count);

// Number of real scalars in `count` elements: twice as many for complex types.
uint64_t ScalarsOf(const ElementType& type, uint64_t count);

// The i-th real scalar as a double (real and imaginary parts alternate). 64-bit integers above 2^53 are rounded.
double ScalarAt(const ElementType& type, const std::byte* data, uint64_t i);

// The i-th scalar as text that reads back to the same value: integers in full, floats in the fewest digits.
std::string ScalarText(const ElementType& type, const std::byte* data, uint64_t i);

// Stores the value of `text` as the i-th scalar; false when it is not a number of this type.
bool ParseScalar(const ElementType& type, std::string_view text, std::byte* data, uint64_t i);

// Stores `value` as the i-th scalar, rounded to the type. For 64-bit integers the value must be below 2^53.
void StoreScalar(const ElementType& type, double value, std::byte* data, uint64_t i);

}  // namespace atc::omrun

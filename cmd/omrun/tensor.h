// A dense tensor in host memory, and what a file may leave open about it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "cmd/omrun/element_type.h"

namespace atc::omrun {

// What went wrong, worded for the user; the program prints it and exits with 1.
struct RunError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

using Dims = std::vector<int64_t>;  // -1: unknown

struct Tensor {
  aclDataType type = ACL_DT_UNDEFINED;
  Dims dims;
  std::vector<std::byte> bytes;  // row-major, little endian
};

// A tensor as a file gives it. A raw file knows its bytes alone; NumPy has no name for some element types.
struct FileTensor {
  std::string name;                     // inside the file, when it has one
  bool has_dims = true;                 // false for raw files
  aclDataType type = ACL_DT_UNDEFINED;  // undefined: opaque elements of `opaque_bytes` each (0: a raw file)
  int opaque_bytes = 0;
  Dims dims;
  std::vector<std::byte> bytes;
};

// "[1, 3, 48, 320]", "[]" for a scalar, "?" for an unknown dim.
std::string DimsText(const Dims& dims);

// Product of the dims; false on a negative dim or from 2^58 on, so that bytes and bits of it fit 64 bits.
bool ElementCount(const Dims& dims, uint64_t* count);

// "float32 [1, 3, 48, 320], 184320 bytes"; what a file leaves open is left out.
std::string Describe(const FileTensor& tensor);

// Takes the elements of a file as `type` when that is what they are, or may be: an opaque file matches any type of its
// width, and unsigned integers match those types of their width which NumPy cannot name (bfloat16 as uint16). One-byte
// integers are packed for narrower types. Returns false when the types differ; dims stay for the caller to check.
bool TakeAs(const ElementType& type, FileTensor* tensor);

}  // namespace atc::omrun

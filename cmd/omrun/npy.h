// NumPy's .npy files, versions 1 to 3.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "cmd/omrun/tensor.h"

namespace atc::omrun {

// Parses a whole file. Fortran order is turned into row-major. Big-endian, structured, object and text arrays are
// refused. Throws RunError without the file's name: the caller adds it.
FileTensor ParseNpy(std::span<const std::byte> file);

// The whole file of a tensor, version 1. Types that NumPy cannot name are written as void elements ("<V2" for
// bfloat16), which is what ml_dtypes writes; types below a byte as one integer a byte.
std::vector<std::byte> FormatNpy(const Tensor& tensor);

}  // namespace atc::omrun
